"""Compositional splits for scikit-learn: a splitter for ``cross_validate``, ``GridSearchCV`` and all that take ``cv=``.

The rows of X (with y and groups) become a table, a recipe is made of the arguments, and each split is what that recipe
makes of the table; no report is made. Cost: that of the method, once a split.
"""

from __future__ import annotations

import inspect
from collections.abc import Container, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
import pandas
import pyarrow
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator

from compsplit.errors import MissingFieldError, OptionValueError, UnknownNameError, UsageError, counted
from compsplit.model.column import positions
from compsplit.model.scenes import RowTable
from compsplit.model.targets import exact_fraction
from compsplit.readers.table import ROLES
from compsplit.readers.table_scenes import SCENE_ROLES
from compsplit.recipe.parsing import Recipe, Setting, from_mapping
from compsplit.recipe.running import Run, read_table, run_on_table
from compsplit.registry import Plugin, plugin

_USUAL_ANSWERS = ROLES["answer"]
_USUAL = frozenset(name for role, names in ROLES.items() if role != "id" for name in names)
"""Columns that play a role by their name, whether or not an argument names them; ids are told otherwise."""

_OWN = {"id": "row itself", "source": "file that a row is from"}
"""Names that mean something else in an argument than a column."""

_TRIED = 8
"""Further seeds that must give the same split before it is said that none changes it."""

_Sides: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]
"""The rows of train and of test."""


class CompositionalSplit(BaseCrossValidator):  # type: ignore[misc]  # scikit-learn has no types
    """Splits in which test holds new combinations of what train holds, by any splitter of compsplit.

    X may be a table (pandas or Arrow, whose columns are named in arguments, as in ``of="color+shape"``), texts (the
    column ``question``), or a numpy array of two dimensions (the columns ``x0``, ``x1`` ...); of anything else with a
    length, only y and groups are looked at. y is the column ``y`` (``y_`` where X has a ``y``), and the answer where X
    has no column ``answer``. Values are compared as text.

    Rows that the method leaves out (a row with no value where one is needed, a row that shows a combination held out
    beside one of train) are in neither side of a split. With more than two parts, train is the first and test the one
    of that name; validation parts are in neither side.

    Rows are known by the index of a pandas X where it is unique, so their order does not matter then; else by number.

    Args:
        method: A splitter; ``compsplit list splitter`` has all.
        of: What is kept apart: an extractor, or columns as ``"a+b"``; those that fit the data by default.
        by: What stays together: a column, or a grouper such as ``"question-answer"``; groups take its place.
        test_size: Share of test, or number of its rows; a third by default.
        n_splits: Number of splits. A splitter that makes folds makes as many, where there are two or more and no
            ``test_size``, so that no row is in test twice; else each split has the next seed.
        random_state: Seed of the first split; the next has the next number.
        columns: Role -> column of X, as ``{"question": "title"}``; usual names are known.
        settings: Further ``section.key=value`` overrides of the recipe, as ``"split.strata=['y']"``.
        options: Options of the splitter.

    Raises:
        UnknownNameError: There is no such splitter.
        UnknownOptionError: It has no such option.
        OptionValueError, RecipeError, UsageError: A value does not fit; each is a ValueError.

    Example:
        >>> data = pandas.DataFrame([(c, s) for c in ("red", "blue") for s in "abc"], columns=["color", "shape"])
        >>> splitter = CompositionalSplit("random", by="color", test_size=0.5, n_splits=1)
        >>> splitter
        CompositionalSplit('random', by='color', test_size=0.5, n_splits=1)
        >>> [(train.tolist(), test.tolist()) for train, test in splitter.split(data)]
        [([3, 4, 5], [0, 1, 2])]
    """

    # As scikit-learn's own splitters of groups: groups are taken where they are given.
    __metadata_request__split = {"groups": True}  # noqa: RUF012  # read by scikit-learn's name for it

    def __init__(
        self,
        method: str = "compound-holdout",
        *,
        of: str | Sequence[str] | None = None,
        by: str | None = None,
        test_size: float | str | Fraction | None = None,
        n_splits: int = 5,
        random_state: int = 0,
        columns: Mapping[str, str] | None = None,
        settings: Sequence[str] = (),
        **options: Any,
    ) -> None:
        self.method = method
        self.of = of
        self.by = by
        self.test_size = test_size
        self.n_splits = n_splits
        self.random_state = random_state
        self.columns = columns
        self.settings = settings
        self.options = options
        self._splitter.check(options)
        for name, least in (("n_splits", 1), ("random_state", None)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise OptionValueError(name, value, "a whole number, so that splits can be had again")
            if least is not None and value < least:
                raise OptionValueError(name, value, f"{least} or more")
        if test_size is not None and "parts" in self._splitter.facts:
            raise UsageError(
                f"{method} decides by its rule how large test is, so test_size cannot be asked for; its options "
                f"({', '.join(self._splitter.options) or 'none'}) move its size.",
                field="test_size",
            )
        if not self._counts_rows:
            self._recipe(0, by, 0)  # wrong arguments are found here, and not first when data come

    def __repr__(self) -> str:
        """Return the call that makes this splitter, without what is as by default."""
        parameters = inspect.signature(type(self)).parameters.values()
        named = {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
        given = {name: getattr(self, name) for name, default in named.items() if getattr(self, name) != default}
        told = [repr(self.method), *(f"{name}={value!r}" for name, value in {**given, **self.options}.items())]
        return f"{type(self).__name__}({', '.join(told)})"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits, whatever the data are."""
        return int(self.n_splits)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[_Sides]:
        """Yield the rows of train and of test, ascending, for each split; the same at each call.

        Args:
            X: Rows, as the class says.
            y: What is predicted, shape (n,).
            groups: Rows with equal values stay together, shape (n,).

        Raises:
            UsageError: X, y and groups do not fit together; or each seed gives the same split.
            ImpossibleError: What is asked cannot be had from these data.
        """
        rows = _Rows(X, y, groups, self.columns or {})
        if groups is not None and self.by is not None:
            raise UsageError(
                f'Rows of equal groups stay together, and by="{self.by}" says otherwise; give one of the two.',
                field="groups",
            )
        by = self.by if groups is None else rows.groups
        first: _Sides | None = None
        for number in range(self.n_splits):
            made = rows.sides(self._recipe(number, by, len(rows)))
            if first is not None and number == 1 and _same(made, first):
                # Few groups may fall alike twice; that many seeds do not by chance.
                further = (rows.sides(self._recipe(seed, by, len(rows))) for seed in range(2, 2 + _TRIED))
                if all(_same(each, first) for each in further):
                    raise UsageError(
                        f"{self.method} gives the same split whatever the seed; ask for one: n_splits=1.",
                        field="n_splits",
                    )
            first = first or made
            yield made

    @property
    def _splitter(self) -> Plugin:
        return plugin("splitter", self.method)

    @property
    def _counts_rows(self) -> bool:
        """Whether test_size is a number of rows, and not a share."""
        return isinstance(self.test_size, int | np.integer) and not isinstance(self.test_size, bool)

    def _recipe(self, number: int, by: str | None, n_rows: int) -> Recipe:
        """Return the recipe of the split of that number, from 0."""
        folds = self.test_size is None and self.n_splits > 1 and self._splitter.facts.get("folds", False)
        split = {"method": self.method, **self.options}
        if folds:
            k = int(self.n_splits)
            split["fold"] = f"{number + 1}/{k}"
            # Folds are only about as large as each other, and a target must cut none.
            split["parts"] = {"train": f"{k - 1}/{k + 1}", "test": f"2/{k + 1}"}
        written: dict[str, Any] = {"seed": int(self.random_state) + (0 if folds else number), "split": split}
        if self.of is not None:
            written["extract"] = {"of": self.of if isinstance(self.of, str) else list(self.of)}
        if by is not None:
            written["group"] = {"by": by}
        return from_mapping(type(self).__name__, written, [*self._shares(n_rows), *self.settings])

    def _shares(self, n_rows: int) -> list[Setting]:
        if self.test_size is None:
            return []
        try:
            share = Fraction(int(self.test_size), n_rows) if self._counts_rows else _share(self.test_size)
        except OptionValueError as error:
            raise OptionValueError("test_size", self.test_size, "a share, such as 0.3 or 1/3") from error
        if not 0 < share < 1:
            asked = f"from 1 to {n_rows - 1} rows" if self._counts_rows else "a share between 0 and 1"
            raise OptionValueError("test_size", self.test_size, asked)
        return [Setting("split.parts", {"train": str(1 - share), "test": str(share)}, "test_size")]


class _Rows:
    """X, y and groups as columns, and the table that a recipe needs of them."""

    def __init__(self, X: Any, y: Any, groups: Any, roles: Mapping[str, str]) -> None:
        self._n = _length(X, "X")
        for name, given in (("y", y), ("groups", groups)):
            if given is not None and _length(given, name) != self._n:
                raise UsageError(
                    f"X has {counted(self._n, 'row')} and {name} has {_length(given, name):,}; give each row one.",
                    field=name,
                )
        self._columns = _columns(X)
        self._roles = dict(roles)
        self.groups = "groups"
        if groups is not None:
            self.groups = self._added("groups", groups)
        if y is not None and _is_vector(y):
            name = self._added("y", y)
            if not self._makes_scenes and not self._names.intersection(_USUAL_ANSWERS):
                self._roles.setdefault("answer", name)
        self._ids = _ids(X, self._n)
        self._table: RowTable | None = None

    def __len__(self) -> int:
        return self._n

    def _added(self, name: str, values: Any) -> str:
        """Add a column, and return its name: the next free one where X has a column of this name."""
        name = _free(name, self._names)
        self._columns.append((name, values))
        return name

    @property
    def _makes_scenes(self) -> bool:
        return not SCENE_ROLES.keys().isdisjoint(self._roles)

    @property
    def _names(self) -> set[str]:
        return {name for name, _ in self._columns}

    def sides(self, recipe: Recipe) -> _Sides:
        """Return the rows of train and of test that a recipe makes."""
        table, run = self._run(recipe)
        train, test = (
            np.sort(positions(table.ids, run.table.ids[run.split.rows_in(part)])).astype(np.intp)
            for part in (run.split.parts[0], _test_part(run.split.parts))
        )
        return train, test

    def _run(self, recipe: Recipe) -> tuple[RowTable, Run]:
        """Return the table that a recipe needs, which is kept for the next split, and what it makes of it."""
        if self._table is None:
            self._table = self._read(self._named(recipe))
        try:
            return self._table, run_on_table(recipe, self._table)
        except (UnknownNameError, MissingFieldError):
            # A file of the user may name further columns; and if none does, the error then knows all names.
            self._table = self._read(self._columns)
            return self._table, run_on_table(recipe, self._table)

    def _named(self, recipe: Recipe) -> list[tuple[str, Any]]:
        """Return the columns whose name is in an argument, or is a usual one.

        The others are features, and to make texts of all their numbers would take longer than the split.

        Raises:
            UsageError: It is not clear which column a name means.
        """
        said = list(_texts(recipe.resolved))
        own = self._names.intersection(_OWN).intersection(token for each in said for token in each.split("+"))
        for name in sorted(own - {self._roles.get("id")}):
            raise UsageError(
                f'"{name}" means the {_OWN[name]} in an argument, so that it cannot mean the column {name} of X; give '
                "the column another name.",
                field=name,
            )
        said += self._roles.values()
        named = [(name, values) for name, values in self._columns if name in _USUAL or any(name in s for s in said)]
        names = [name for name, _ in named]
        for name in names:
            if names.count(name) > 1:
                raise UsageError(f'X has the column "{name}" twice; give one of them another name.', field=name)
        return named

    def _read(self, columns: Sequence[tuple[str, Any]]) -> RowTable:
        arrays = {name: _array(values) for name, values in columns}
        roles = dict(self._roles)
        if "id" not in roles:
            roles["id"] = _free("id of the row", arrays)
            arrays[roles["id"]] = pyarrow.array(self._ids, pyarrow.string())
        if "answer" not in roles and not self._makes_scenes and not arrays.keys() & set(_USUAL_ANSWERS):
            # A row of X stays a row: without an answer, columns called object or attribute would make scenes.
            roles["answer"] = _free("no answer", arrays)
            arrays[roles["answer"]] = pyarrow.nulls(self._n, pyarrow.string())
        plain = {name: array for name, array in arrays.items() if array is not None}
        table = read_table([pyarrow.table(plain)], options={"columns": roles})
        if len(table) != self._n:
            raise UsageError(
                f"The columns make {counted(len(table), 'scene')} of {counted(self._n, 'row')} of X; each row must be "
                "one. Name a column of lists as objects.",
                field="columns",
            )
        return table


def _same(one: _Sides, other: _Sides) -> bool:
    return all(map(np.array_equal, one, other))


def _share(given: Any) -> Fraction:
    """Return a share as it was written, even as a division: the number 1/3 is a third, and not a little less."""
    if isinstance(given, float):
        simple = Fraction(given).limit_denominator(1000)
        return simple if float(simple) == given else exact_fraction(str(given))
    return exact_fraction(given)


def _test_part(parts: Sequence[str]) -> str:
    others = parts[1:]
    if "test" in others:
        return "test"
    if len(others) == 1:
        return others[0]
    raise UsageError(f"No part is called test, and there are several beside {parts[0]}: {', '.join(others)}.")


def _length(given: Any, name: str) -> int:
    shape = getattr(given, "shape", None)
    if shape:
        return int(shape[0])
    try:
        return len(given)
    except TypeError as error:
        raise UsageError(f"{name} has no length, it is of type {type(given).__name__}.", field=name) from error


def _columns(X: Any) -> list[tuple[str, Any]]:
    """Return the columns of X by name; none where X is no table, no text and no array."""
    if isinstance(X, pandas.DataFrame):
        return [(str(name), X.iloc[:, number]) for number, name in enumerate(X.columns)]
    if isinstance(X, pyarrow.Table):
        return list(zip(X.column_names, X.columns, strict=True))
    if isinstance(X, np.ndarray) and X.ndim == 2:
        return [(f"x{number}", X[:, number]) for number in range(X.shape[1])]
    array = _array(X) if _is_vector(X) else None
    return [] if array is None or not _is_text(array.type) else [("question", array)]


def _is_text(kind: Any) -> bool:
    kind = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    return bool(pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind))


def _free(name: str, taken: Container[str]) -> str:
    """Return the name, with as many underscores behind it as it takes to be free."""
    while name in taken:
        name += "_"
    return name


def _ids(X: Any, n_rows: int) -> list[str]:
    if isinstance(X, pandas.DataFrame | pandas.Series):
        names = [str(name) for name in X.index]
        if len(set(names)) == n_rows:
            return names
    return [str(number) for number in range(n_rows)]


def _is_vector(given: Any) -> bool:
    if isinstance(given, list | tuple):
        return not any(isinstance(value, list | tuple | np.ndarray) for value in given)
    return getattr(given, "ndim", 0) == 1


def _array(values: Any) -> Any:
    """Return values as an Arrow array, None where they are not of one plain type and so name nothing."""
    try:
        known = isinstance(values, pyarrow.Array | pyarrow.ChunkedArray)
        return values if known else pyarrow.array(values, from_pandas=True)
    except (pyarrow.ArrowException, TypeError, ValueError):
        return None


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in a value of lists and mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
