"""Plug-ins by name: the decorator is the only listing.

A plug-in is a function or a class in a file of its own. Its keyword-only parameters are its options: their names,
defaults and annotations (``Literal`` gives the choices) are what ``--set``, recipes, help and README tables know.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

from compsplit.errors import OptionValueError, UnknownNameError, UnknownOptionError

KINDS = ("reader", "reducer", "extractor", "grouper", "splitter", "audit", "metric", "probe", "figure", "writer")

UserFile = Annotated[str, "a file of the user"]
"""An option that names a file: recipes find it beside themselves, and a split keeps its checksum."""

_GREATEST = (1 << 31) - 1
"""The greatest whole number that an option takes: no data have more rows, and kernels count in 64 bits."""

_SEVERAL = {bool: "truth values", int: "whole numbers", float: "numbers", str: "texts"}

T = TypeVar("T", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plug-in: what makes it, and what it says of itself.

    Attributes:
        kind: One of ``KINDS``.
        name: Its name on the command line and in recipes.
        make: The function or class.
        source: Where its definition comes from (authors, year, arXiv id, or compsplit itself).
        facts: What a kind asks for besides. Audits and metrics declare ``unit``, ``bounds`` and ``better``, metrics
            ``fits`` (a function of the rows that says whether it runs without being asked for), and ``lists``, those of
            each row that they need beside ``entailed``, and ``programs`` if they look at them. Splitters declare
            ``guarantee`` and ``cost`` in words; ``keeps``, the guarantee as checks (or a function of the options that
            gives them), in which {of}, {atoms}, {concepts}, {train}, {test} and options stand in braces; and
            ``parts``, where a rule decides their sizes; ``rules``, options that leave sizes to a rule where they are
            given; ``folds``, where it makes folds; ``shows``, the option that says how many train groups must show what
            test asks. Readers may have ``beside``: option -> the name of the file that is read beside each input
            where the option names none. Figures declare ``place``, a number: a report shows those with a lower one
            first.
    """

    kind: str
    name: str
    make: Callable[..., Any]
    source: str
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def summary(self) -> str:
        """First sentence of the docstring."""
        text = inspect.getdoc(self.make) or ""
        return text.split("\n\n")[0].replace("\n", " ")

    @property
    def options(self) -> dict[str, inspect.Parameter]:
        """Keyword-only parameters that have a default, by name."""
        return dict(_options(self.make))

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the options that name a file of the user."""
        return tuple(name for name, option in self.options.items() if _names_files(option.annotation))

    def check(self, options: Mapping[str, Any], section: str | None = None) -> dict[str, Any]:
        """Return the options by parameter name, each of a type that the plug-in takes.

        Names may be written with ``-`` or ``_``. Messages name an option as its section of a recipe does, where given.

        Raises:
            UnknownOptionError: An option that the plug-in does not have.
            OptionValueError: A value of another type, or none of the choices.
        """
        known = self.options
        checked = {}
        for written, value in options.items():
            name = written.replace("-", "_")
            if name not in known:
                raise UnknownOptionError(f"The {self.kind} {self.name}", written, known)
            checked[name] = _checked(f"{section or self.kind}.{written}", value, known[name].annotation)
        return checked


_PLUGINS: dict[str, dict[str, Plugin]] = {kind: {} for kind in KINDS}


def register(kind: str, name: str, *, source: str, **facts: Any) -> Callable[[T], T]:
    """Return a decorator that lists a function or class as the plug-in ``name`` of ``kind``."""

    def listing(make: T) -> T:
        if name in _PLUGINS[kind]:
            raise ValueError(f"two plug-ins are called {kind} {name}")
        _PLUGINS[kind][name] = Plugin(kind, name, make, source, facts)
        return make

    return listing


def plugins(kind: str) -> dict[str, Plugin]:
    """Return all plug-ins of a kind by name, in alphabetical order.

    Raises:
        UnknownNameError: There is no such kind.
    """
    if kind not in KINDS:
        raise UnknownNameError("kind of plug-in", kind, KINDS)
    importlib.import_module(f"compsplit.{kind}s")
    return dict(sorted(_PLUGINS[kind].items()))


def plugin(kind: str, name: str) -> Plugin:
    """Return one plug-in.

    Raises:
        UnknownNameError: There is none of that name; the nearest is named.
    """
    known = plugins(kind)
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return known[name]


@functools.cache
def _options(make: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(make, eval_str=True).parameters.values()
    return {
        p.name: p
        for p in parameters
        if p.kind is inspect.Parameter.KEYWORD_ONLY and p.default is not inspect.Parameter.empty
    }


def _checked(option: str, value: Any, annotation: Any) -> Any:
    origin = typing.get_origin(annotation)
    if origin is typing.Literal:
        choices = typing.get_args(annotation)
        if value not in choices:
            raise OptionValueError(option, value, "one of " + ", ".join(map(str, choices)))
        return value
    accepted = _types(annotation)
    if float in accepted and type(value) is int:
        return float(value)
    if accepted and type(value) not in accepted:
        raise OptionValueError(
            option, value, " or ".join(sorted(t.__name__ for t in accepted if t is not MappingProxyType))
        )
    if type(value) is int and abs(value) > _GREATEST:
        raise OptionValueError(option, value, f"a whole number of at most {_GREATEST:,}")
    return _elements(option, value, annotation) if isinstance(value, list | tuple) else value


def _elements(option: str, value: Sequence[Any], annotation: Any) -> tuple[Any, ...]:
    """Return a list as a tuple whose elements are of the type that the option takes."""
    kinds = [typing.get_args(member)[0] for member in _members(annotation) if typing.get_args(member)]
    plain = {kind for kind in kinds if kind in (bool, int, float, str)}
    for element in value:
        if plain and len(plain) == len(kinds) and type(element) not in plain:
            raise OptionValueError(option, list(value), f"a list of {' or '.join(sorted(_SEVERAL[t] for t in plain))}")
        if type(element) is int and abs(element) > _GREATEST:
            raise OptionValueError(option, list(value), f"whole numbers of at most {_GREATEST:,}")
    return tuple(value)


def _types(annotation: Any) -> set[type]:
    """Return the plain types that an annotation admits; empty where anything goes."""
    accepted: set[type] = set()
    for member in _members(annotation):
        if member is UserFile:
            accepted.add(str)
            continue
        base = typing.get_origin(member) or member
        if base in (bool, int, float, str, type(None)):
            accepted.add(base)
        elif base in (tuple, list) or getattr(base, "__name__", "") == "Sequence":
            accepted |= {tuple, list}
        elif getattr(base, "__name__", "") in ("Mapping", "dict"):
            accepted |= {dict, MappingProxyType}
        else:
            return set()
    return accepted


def _names_files(annotation: Any) -> bool:
    """Tell whether an option is a file, or a mapping of names to files."""
    return any(
        member is UserFile or (typing.get_origin(member) is Mapping and typing.get_args(member)[1:] == (UserFile,))
        for member in _members(annotation)
    )


def _members(annotation: Any) -> tuple[Any, ...]:
    return typing.get_args(annotation) if _is_union(annotation) else (annotation,)


def _is_union(annotation: Any) -> bool:
    import types

    return typing.get_origin(annotation) in (typing.Union, types.UnionType)
