"""Scenes that programs are answered on: the objects of one image with names, attributes and relations.

Made from a ``model.scenes.SceneTable`` one image at a time, so that never more than a few are held as objects. Names,
attributes and predicates are as the reader of the scenes made them: trimmed and lower-cased.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

import numpy as np

from compsplit.model.scenes import SceneTable


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One object.

    Attributes:
        place: Where it stands in its scene, from 0.
        id: Its id in the file, where the reader was asked to keep it.
        names: Its name, then further ones; empty where it has none.
        attributes: Its attributes, no two equal.
    """

    place: int
    id: str | None
    names: tuple[str, ...]
    attributes: tuple[str, ...] = ()

    @property
    def name(self) -> str | None:
        """Its own name."""
        return self.names[0] if self.names else None


@dataclass(frozen=True)
class SceneGraph:
    """The scene of one image.

    Attributes:
        image: The image.
        objects: All objects, by place.
        relations: (place of the subject, predicate, place of the object).
        facts: What is said of the whole image by kind: location, weather, room, place ...
    """

    image: str
    objects: tuple[SceneObject, ...]
    relations: tuple[tuple[int, str, int], ...] = ()
    facts: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @cached_property
    def by_id(self) -> Mapping[str, SceneObject]:
        """Objects by their ids, where these were kept."""
        return {each.id: each for each in self.objects if each.id is not None}

    @cached_property
    def out(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """For each object the (predicate, object) of the relations whose subject it is."""
        return self._ends(0)

    @cached_property
    def into(self) -> tuple[tuple[tuple[str, int], ...], ...]:
        """For each object the (predicate, subject) of the relations whose object it is."""
        return self._ends(2)

    def _ends(self, mine: int) -> tuple[tuple[tuple[str, int], ...], ...]:
        found: list[list[tuple[str, int]]] = [[] for _ in self.objects]
        for relation in self.relations:
            ends = (relation[0], relation[2])
            found[ends[mine // 2]].append((relation[1], ends[1 - mine // 2]))
        return tuple(map(tuple, found))


def scene_graph(
    image: str,
    objects: Mapping[str, tuple[str, Sequence[str]]],
    relations: Sequence[tuple[str, str, str]] = (),
    **facts: str,
) -> SceneGraph:
    """Return a scene written by hand.

    Args:
        image: The image.
        objects: Id -> (name, attributes).
        relations: (id of the subject, predicate, id of the object).
        facts: What is said of the image, such as ``location="outdoors"``.

    Example:
        >>> scene = scene_graph("1", {"a": ("apple", ["red"]), "p": ("plate", [])}, [("a", "on", "p")])
        >>> scene.out[0], scene.into[1]
        ((('on', 1),), (('on', 0),))
    """
    place = {name: i for i, name in enumerate(objects)}
    made = tuple(
        SceneObject(place[key], key, (name,), tuple(dict.fromkeys(given))) for key, (name, given) in objects.items()
    )
    joined = tuple((place[a], predicate, place[b]) for a, predicate, b in relations)
    return SceneGraph(image, made, joined, MappingProxyType(facts))


def graph_of(table: SceneTable, scene: int) -> SceneGraph:
    """Return one scene of a table; O(its objects, attributes and relations).

    Args:
        table: Scenes.
        scene: The place of the scene in the table.
    """
    first, last = int(table.object_starts[scene]), int(table.object_starts[scene + 1])
    ids = None if table.object_ids is None else table.object_ids[first:last].tolist()
    further: dict[int, list[str]] = {}
    low, high = np.searchsorted(table.further_objects, [first, last]).tolist()
    for owner, code in zip(
        table.further_objects[low:high].tolist(), table.further_names.codes[low:high].tolist(), strict=True
    ):
        further.setdefault(owner, []).append(table.further_names.names[code])
    starts = table.attribute_starts[first : last + 1].tolist()
    begin, end = starts[0], starts[-1]
    attributes = [table.attributes.names[code] for code in table.attributes.codes[begin:end].tolist()]
    objects = []
    for k, code in enumerate(table.classes.codes[first:last].tolist()):
        own = (table.classes.names[code],) if code >= 0 else ()
        objects.append(
            SceneObject(
                k,
                None if ids is None else ids[k],
                (*own, *further.get(first + k, ())),
                tuple(attributes[starts[k] - begin : starts[k + 1] - begin]),
            )
        )
    span = slice(int(table.relation_starts[scene]), int(table.relation_starts[scene + 1]))
    named = [table.predicates.names[code] for code in table.predicates.codes[span].tolist()]
    ends = zip((table.subjects[span] - first).tolist(), named, (table.objects[span] - first).tolist(), strict=True)
    facts = {name: said for name, column in table.columns.items() if (said := column[scene]) is not None}
    image = table.images[scene]
    return SceneGraph(
        str(table.ids[scene]) if image is None else image, tuple(objects), tuple(ends), MappingProxyType(facts)
    )
