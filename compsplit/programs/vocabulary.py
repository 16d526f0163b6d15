"""What words mean to programs: kinds of attributes, classes above names, and how relations mirror each other.

GQA's own tables are not published; these are small ones of our own, of common words. A user's file adds to them, and
so do data: a program that selects "animal" and means an object called "giraffe" shows a class above it. A word that
no table has is unknown, which is not the same as "no": see ``gqa_interpreter``. Cost: O(words) to make.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

from compsplit.errors import nearest
from compsplit.programs.words_file import check_circles, words_file, wrong_words

_KINDS = {
    "color": "beige black blond blue brown brunette gold golden gray green khaki maroon orange pink purple red silver "
    "tan teal turquoise violet white yellow; cream colored; dark blue; dark brown; dark green; dark gray; dark red; "
    "light blue; light brown; light green; light gray",
    "material": "brick cardboard ceramic chrome clay cloth concrete cotton denim glass granite iron lace leather "
    "marble metal mesh paper plastic porcelain rubber steel stone straw wicker wood; stainless steel",
    "size": "giant huge large little small tiny",
    "height": "short tall",
    "length": "long short",
    "width": "narrow wide",
    "thickness": "thick thin",
    "fatness": "fat skinny thin",
    "weight": "heavy light",
    "depth": "deep shallow",
    "age": "little new old young",
    "tone": "dark light",
    "brightness": "bright dark",
    "shape": "octagonal oval rectangular round square triangular",
    "pattern": "checkered dotted floral plaid striped",
    "texture": "coarse fine",
    "hardness": "hard soft",
    "cleanliness": "clean dirty",
    "opaqueness": "opaque transparent",
    "state": "calm choppy rough smooth still wavy",
    "liquid": "calm still",
    "wetness": "dry wet",
    "fullness": "empty full",
    "openness": "closed open",
    "power": "off on",
    "gender": "female male",
    "race": "asian caucasian",
    "realism": "fake real",
    "flavor": "chocolate strawberry vanilla",
    "company": "adidas apple dell hp nike samsung sony",
    "pose": "bending crouching jumping kneeling lying pointing running sitting standing walking",
    "activity": "cooking drinking driving eating playing posing reading resting sleeping staring talking waiting; "
    "looking down; looking up; brushing teeth",
    "sportactivity": "riding skateboarding skating skiing snowboarding surfing swimming; performing trick",
    "face expression": "smiling frowning; making a face",
    "hposition": "left middle right",
    "vposition": "bottom middle top",
    "location": "indoors outdoors",
    "weather": "clear cloudless cloudy foggy overcast rainy snowy stormy sunny; partly cloudy",
    "room": "attic bathroom bedroom kitchen office; dining room; living room",
    "place": "airport beach church city field forest garden kitchen library market park pen restaurant road runway "
    "school shop sidewalk store street zoo; parking lot; swimming pool; train station",
}

_MEMBERS = {
    "person": "boy child couple girl guy lady man player pedestrian people skier skateboarder snowboarder surfer "
    "woman; baseball player; tennis player; police officer",
    "child": "baby boy girl kid toddler",
    "animal": "alligator antelope bear bee bird bison bull bunny butterfly calf camel cat cheetah cow crab deer dog "
    "dolphin donkey elephant fish fox frog giraffe goat gorilla hippo horse kangaroo kitten lamb leopard lion lizard "
    "monkey moose ox panda pig pony puppy rabbit rhino seal shark sheep snail snake squirrel tiger turtle whale wolf "
    "zebra; panda bear; polar bear",
    "bird": "chicken crow duck eagle flamingo goose hawk ostrich owl parrot peacock penguin pigeon rooster seagull "
    "swan",
    "vehicle": "airplane ambulance bicycle bike boat bus canoe car carriage ferry helicopter jeep locomotive minivan "
    "motorcycle sailboat ship suv taxi tractor trailer train truck van wagon; fire truck; school bus; train car",
    "furniture": "armchair bed bench bookcase bookshelf cabinet chair closet couch cupboard desk drawer dresser "
    "nightstand ottoman shelf sofa stool table wardrobe; bar stool; coffee table; computer desk; dining table; "
    "end table; office chair; picnic table; side table; tv stand",
    "clothing": "apron belt blazer blouse boot boots cap coat costume dress glove gloves hat helmet hoodie jacket "
    "jeans jersey pants robe sandal sandals scarf shirt shoe shoes shorts skirt sneakers sock socks suit sweater "
    "sweatshirt swimsuit tie uniform vest; t-shirt; tank top",
    "appliance": "blender dishwasher dryer fan freezer heater microwave mixer oven radiator refrigerator stove toaster "
    "vacuum; air conditioner; coffee maker; microwave oven; rice cooker; toaster oven; washing machine",
    "device": "calculator camera cellphone computer controller desktop dvd-player headphones ipad ipod keyboard laptop "
    "microphone monitor mouse phone printer radio remote router screen speaker tablet telephone television tv; "
    "cell phone; computer monitor; computer mouse; dvd player; game controller; remote control; video camera",
    "food": "bacon bagel bread burger burrito butter cake candy cheese chocolate cookie cookies cracker cupcake "
    "dessert donut egg eggs fries fruit hamburger ketchup meat muffin noodles pasta pancake pastry pepperoni pie pizza "
    "rice salad sandwich sandwiches sauce sausage soup steak sushi vegetable waffle; french fries; hot dog; ice cream",
    "fruit": "apple apples banana bananas berry blueberry cherry grape grapes grapefruit kiwi lemon lime mango melon "
    "orange oranges peach pear pineapple pomegranate raspberry strawberry watermelon",
    "vegetable": "artichoke asparagus bean beans beet broccoli cabbage carrot carrots cauliflower celery corn cucumber "
    "eggplant garlic lettuce mushroom mushrooms onion onions pea peas pepper potato potatoes pumpkin spinach tomato "
    "tomatoes zucchini; bell pepper",
    "drink": "beer coffee juice lemonade milk soda tea wine",
    "plant": "bush bushes cactus fern flower flowers grass ivy leaf leaves palm tree trees vine weed; palm tree; "
    "pine tree",
    "tree": "palm pine; palm tree; pine tree",
    "flower": "daisy lily rose roses sunflower tulip tulips",
    "toy": "ball balloon doll frisbee kite lego; stuffed animal; stuffed animals; stuffed bear; teddy bear; toy car",
    "textile": "bedspread blanket comforter curtain curtains drape drapes pillowcase rug sheet tablecloth towel; "
    "shower curtain",
    "tableware": "bowl cup dish fork glass knife mug napkin pitcher plate saucer spoon tray; wine glass",
    "utensil": "chopsticks fork knife ladle spatula spoon tongs",
    "container": "bag basket bin bottle bowl box bucket can case crate cup jar mug pitcher pot vase; trash can",
    "bag": "backpack briefcase handbag luggage purse suitcase",
    "building": "barn castle church garage hospital hotel house library restaurant shed skyscraper store tower",
    "room": "attic bathroom bedroom kitchen office; dining room; living room",
}

_CONVERSES = (
    ("to the left of", "to the right of"),
    ("left of", "right of"),
    ("above", "below"),
    ("over", "under"),
    ("in front of", "behind"),
    ("covering", "covered by"),
    ("pulling", "pulled by"),
    ("pushing", "pushed by"),
    ("surrounding", "surrounded by"),
    ("holding", "held by"),
    ("wearing", "worn by"),
    ("carrying", "carried by"),
    ("riding", "ridden by"),
    ("followed by", "following"),
)
_OPPOSITES = (
    ("to the left of", "to the right of"),
    ("left of", "right of"),
    ("above", "below"),
    ("over", "under"),
    ("in front of", "behind"),
)
_SYMMETRIC = ("near", "next to", "beside", "close to", "touching")
_SPATIAL = (
    "above", "against", "around", "at", "behind", "below", "beneath", "beside", "between", "by", "close to", "far from",
    "in", "in between", "in front of", "in the middle of", "inside", "left of", "near", "next to", "on", "on top of",
    "on the back of", "on the bottom of", "on the edge of", "on the front of", "on the side of", "outside", "over",
    "right of", "surrounding", "to the left of", "to the right of", "under", "underneath",
    # CLEVR's own words
    "front", "left", "right",
)  # fmt: skip
_EXCLUSIVE = ("hposition", "vposition", "location")
_ANSWERED = {"to the left of": "left", "to the right of": "right", "left of": "left", "right of": "right"}
POSITIONS = ("hposition", "vposition")
"""Kinds that say where in the picture a thing is."""


@dataclass(frozen=True)
class Vocabulary:
    """Tables of words.

    Attributes:
        kinds: Kind of attribute -> its values.
        classes: Name -> the classes right above it.
        converses: Relation -> its converse: X r Y is Y r' X; both ways.
        opposites: Relation -> the one that it rules out: X r Y excludes X s Y; both ways.
        symmetric: Relations that are their own converse.
        spatial: Relations that say where a thing is.
        exclusive: Kinds of which an object, or an image, has one value.
    """

    kinds: Mapping[str, frozenset[str]]
    classes: Mapping[str, frozenset[str]]
    converses: Mapping[str, str]
    opposites: Mapping[str, str]
    symmetric: frozenset[str]
    spatial: frozenset[str]
    exclusive: frozenset[str]

    def __post_init__(self) -> None:
        # Asked for at every step of every program, so they are worked out once a word.
        object.__setattr__(self, "_above", {})
        kinds_of: dict[str, list[str]] = {}
        for kind in sorted(self.kinds):
            for value in self.kinds[kind]:
                kinds_of.setdefault(value, []).append(kind)
        object.__setattr__(self, "_kinds_of", {value: tuple(kinds) for value, kinds in kinds_of.items()})
        object.__setattr__(self, "_class_names", frozenset().union(*self.classes.values()))

    def kinds_of(self, value: str) -> tuple[str, ...]:
        """Return the kinds that a value is of, in the order of their text; several for such as "light".

        Example:
            >>> common_words().kinds_of("short")
            ('height', 'length')
        """
        return self._kinds_of.get(value, ())  # type: ignore[attr-defined,no-any-return]  # made above

    def above(self, name: str) -> frozenset[str]:
        """Return all classes above a name, its own name not among them.

        Example:
            >>> sorted(common_words().above("duck"))
            ['animal', 'bird']
        """
        known: dict[str, frozenset[str]] = self._above  # type: ignore[attr-defined]  # made above
        if name not in known:
            found: set[str] = set()
            waiting = [name]
            while waiting:
                for each in self.classes.get(waiting.pop(), ()):
                    if each not in found and each != name:
                        found.add(each)
                        waiting.append(each)
            known[name] = frozenset(found)
        return known[name]

    def is_class(self, word: str) -> bool:
        """Return whether a word has names below it."""
        return word in self._class_names  # type: ignore[attr-defined]  # made above

    def knows(self, word: str) -> bool:
        """Return whether a word is a name or a class of the table."""
        return word in self.classes or self.is_class(word)

    def is_a(self, name: str, word: str) -> bool | None:
        """Return whether a thing of this name is what the word says; None where it cannot be told.

        That is so for a name the table does not know, if the word is a class; for a word that ends the name, as "desk"
        does "computer desk", but "dog" also "hot dog"; and for the plural of the other.

        Example:
            >>> words = common_words()
            >>> words.is_a("duck", "animal"), words.is_a("duck", "food"), words.is_a("gizmo", "food")
            (True, False, None)
        """
        if name == word or word in self.above(name):
            return True
        if name.endswith(f" {word}") or (self.is_class(word) and not self.knows(name)):
            return None
        return None if _plural(name, word) or _plural(word, name) else False

    def converse(self, relation: str) -> str | None:
        """Return r' with X r Y = Y r' X: itself for a symmetric relation, None where no table has it."""
        return relation if relation in self.symmetric else self.converses.get(relation)

    def with_classes(self, pairs: Iterable[tuple[str, str]]) -> Vocabulary:
        """Return the vocabulary with (name, class above it) added; a name is not put above itself by it."""
        classes = {name: set(above) for name, above in self.classes.items()}
        for name, above in pairs:
            # A class that is below the name by the table stays so: both ways would make them one.
            if name != above and name not in self.above(above):
                classes.setdefault(name, set()).add(above)
        return replace(self, classes=_frozen(classes))

    def with_file(self, content: str | bytes, file: str) -> Vocabulary:
        """Return the vocabulary with what a user's file adds: an object of the members that ``docs/programs.md`` says.

        What the file says of a relation stands instead of what our own tables say, of both relations of a pair.

        Raises:
            BrokenFileError: The content is not such an object.
            UsageError: Its words do not fit together.
        """
        given = words_file(content, file)
        kinds = {kind: set(values) for kind, values in self.kinds.items()}
        for kind, values in given.kinds.items():
            kinds.setdefault(kind.lower(), set()).update(values)
        exclusive = {kind.lower() for kind in given.exclusive}
        for kind in sorted(exclusive - kinds.keys()):
            raise wrong_words(file, f'there is no kind "{kind}" of attributes. {nearest(kind, kinds)}', "exclusive")
        known = [(name, above) for name, classes in self.classes.items() for above in sorted(classes)]
        check_circles(file, given.class_pairs, known)
        mirrored = {relation for pair in given.converses for relation in pair}
        return replace(
            self,
            kinds=_frozen(kinds),
            converses=_instead(self.converses, given.converses, mirrored | set(given.symmetric)),
            opposites=_instead(self.opposites, given.opposites, {each for pair in given.opposites for each in pair}),
            symmetric=(self.symmetric - mirrored) | set(given.symmetric),
            spatial=self.spatial | set(given.spatial),
            exclusive=self.exclusive | exclusive,
        ).with_classes(given.class_pairs)


@cache
def common_words() -> Vocabulary:
    """Return our own tables."""
    classes: dict[str, set[str]] = {}
    for above, names in _MEMBERS.items():
        for name in _words(names):
            if name != above:
                classes.setdefault(name, set()).add(above)
    return Vocabulary(
        kinds=_frozen({kind: set(_words(values)) for kind, values in _KINDS.items()}),
        classes=_frozen(classes),
        converses=_both_ways(_CONVERSES),
        opposites=_both_ways(_OPPOSITES),
        symmetric=frozenset(_SYMMETRIC),
        spatial=frozenset(_SPATIAL),
        exclusive=frozenset(_EXCLUSIVE),
    )


def relation_answer(relation: str) -> str:
    """Return how a relation is answered when it is chosen: a side alone, as GQA's answers have it.

    Example:
        >>> relation_answer("to the left of"), relation_answer("behind")
        ('left', 'behind')
    """
    return _ANSWERED.get(relation, relation)


def _plural(many: str, one: str) -> bool:
    return many in (f"{one}s", f"{one}es")


def _words(written: str) -> list[str]:
    """Return the words of a table: single ones first, then phrases behind semicolons."""
    single, *phrases = written.split(";")
    return [*single.split(), *(phrase.strip() for phrase in phrases)]


def _frozen(table: Mapping[str, set[str]] | Mapping[str, Any]) -> Mapping[str, frozenset[str]]:
    return MappingProxyType({key: frozenset(values) for key, values in table.items()})


def _instead(known: Mapping[str, str], given: Sequence[tuple[str, str]], said: Collection[str]) -> Mapping[str, str]:
    """Return pairs both ways: the given ones, and of the known ones those of which nothing else is said."""
    kept = [(one, other) for one, other in known.items() if one not in said and other not in said]
    return _both_ways([*kept, *given])


def _both_ways(pairs: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    return MappingProxyType({a: b for one, other in pairs for a, b in ((one, other), (other, one))})
