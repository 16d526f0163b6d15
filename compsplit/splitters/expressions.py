"""A small language of conditions on rows, read by recursive descent; nothing of it is ever run as code.

``color == red``, ``color != red``, ``color in (red, blue)`` and ``color not in (red, blue)`` ask for the value of a
column; ``and``, ``or``, ``not`` and brackets join them, and ``A if B`` asks for A where B holds. ``any(...)`` holds for
a row if its inside holds for one of the row's compounds, ``all(...)`` if for each; there names stand for the members of
a compound. Values and names with spaces or other signs stand in quotes. A row without a value is neither equal to one
nor among some: ``!=`` and ``not in`` hold for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import UsageError

_TOKEN = re.compile(
    r"""\s*(?:(?P<sign>==|!=|[(),])|(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<word>[\w.+-]+))"""
)
_KEYWORDS = ("and", "or", "not", "if", "in")
_DEPTH = 50


@dataclass(frozen=True, slots=True)
class OneOf:
    """Whether what a name stands for is one of some values.

    Attributes:
        name: A column, or a member of a compound.
        values: The values.
        place: Where the name stands in the text, from 1.
        places: Where each value does.
    """

    name: str
    values: tuple[str, ...]
    place: int
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The contrary."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Every:
    """All of them hold."""

    inner: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """One of them holds at least."""

    inner: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class OfSome:
    """It holds for one compound of the row at least."""

    inner: Expression


Expression: TypeAlias = OneOf | Not | Every | Either | OfSome


def truth(
    expression: Expression,
    of_test: Callable[[OneOf, bool], NDArray[np.bool_]],
    rows_with: Callable[[NDArray[np.bool_]], NDArray[np.bool_]],
    *,
    inside: bool = False,
) -> NDArray[np.bool_]:
    """Return what an expression holds for: rows, or compounds inside of any(...).

    Args:
        expression: The expression.
        of_test: What a test holds for; told whether compounds are asked for.
        rows_with: Makes of marked compounds the rows that have one.
        inside: Whether compounds are asked for.
    """
    if isinstance(expression, OneOf):
        return of_test(expression, inside)
    if isinstance(expression, OfSome):
        return rows_with(truth(expression.inner, of_test, rows_with, inside=True))
    if isinstance(expression, Not):
        return ~truth(expression.inner, of_test, rows_with, inside=inside)
    # One after the other, so that a chain of any length holds two results at a time.
    join = np.logical_and if isinstance(expression, Every) else np.logical_or
    found = truth(expression.inner[0], of_test, rows_with, inside=inside)
    for each in expression.inner[1:]:
        found = join(found, truth(each, of_test, rows_with, inside=inside))
    return found


def parsed(text: str, field: str) -> Expression:
    """Return the expression that a text says.

    Args:
        text: The text.
        field: The option that it is of, for messages.

    Raises:
        UsageError: It says none; the message names the place.

    Example:
        >>> parsed("not color == red", "split.train")
        Not(inner=OneOf(name='color', values=('red',), place=5, places=(14,)))
    """
    return _Parser(text, field).whole()


class _Parser:
    """Reads tokens one after the other."""

    def __init__(self, text: str, field: str) -> None:
        self.text, self.field = text, field
        self.tokens = self._tokens()
        self.at = 0
        self.depth = 0
        self.inside = False

    def whole(self) -> Expression:
        if not self.tokens:
            raise self._fault("a condition such as color == red")
        found = self._implied()
        if self.at < len(self.tokens):
            raise self._fault("and, or, if, or the end")
        return found

    def _tokens(self) -> list[tuple[str, str, int]]:
        """Return kind, text and place of every token; a quoted word has its quotes off."""
        found = []
        at, end = 0, len(self.text.rstrip())
        while at < end:
            match = _TOKEN.match(self.text, at)
            if match is None:
                at += len(self.text[at:]) - len(self.text[at:].lstrip())
                raise self._said(
                    at + 1,
                    f"{self.text[at]!r} is no part of a condition; expected ==, !=, brackets, a comma or a word (words "
                    "with other signs stand in quotes)",
                )
            kind = str(match.lastgroup)
            word = match[kind]
            if kind == "quoted":
                word = re.sub(r"\\(.)", r"\1", word[1:-1])
            elif kind == "word" and word in _KEYWORDS:
                kind = "keyword"
            found.append((kind, word, match.start(str(match.lastgroup)) + 1))
            at = match.end()
        return found

    def _next(self, word: str) -> bool:
        """Tell whether this sign or keyword comes next, and pass over it."""
        if self.at < len(self.tokens):
            kind, found, _ = self.tokens[self.at]
            if found == word and kind in ("sign", "keyword"):
                self.at += 1
                return True
        return False

    def _value(self, what: str) -> tuple[str, int]:
        if self.at < len(self.tokens) and self.tokens[self.at][0] in ("word", "quoted"):
            _, word, place = self.tokens[self.at]
            self.at += 1
            return word, place
        raise self._fault(what)

    def _implied(self) -> Expression:
        self.depth += 1
        if self.depth > _DEPTH:
            raise self._fault(f"at most {_DEPTH} brackets in one another")
        found = self._either()
        if self._next("if"):
            found = Either((found, Not(self._implied())))
        self.depth -= 1
        return found

    def _either(self) -> Expression:
        found = [self._every()]
        while self._next("or"):
            found.append(self._every())
        return Either(tuple(found)) if len(found) > 1 else found[0]

    def _every(self) -> Expression:
        found = [self._negated()]
        while self._next("and"):
            found.append(self._negated())
        return Every(tuple(found)) if len(found) > 1 else found[0]

    def _negated(self) -> Expression:
        negated = False
        while self._next("not"):
            negated = not negated
        found = self._simple()
        return Not(found) if negated else found

    def _simple(self) -> Expression:
        if self._next("("):
            return self._closed()
        every = self._quantifier("all")
        if every or self._quantifier("any"):
            if self.inside:
                self.at -= 2
                raise self._fault("a test of one compound: any(...) and all(...) do not stand inside each other")
            self.inside = True
            inner = self._closed()
            self.inside = False
            return Not(OfSome(Not(inner))) if every else OfSome(inner)
        return self._test()

    def _quantifier(self, word: str) -> bool:
        ahead = self.tokens[self.at : self.at + 2]
        if [token[:2] for token in ahead] == [("word", word), ("sign", "(")]:
            self.at += 2
            return True
        return False

    def _closed(self) -> Expression:
        found = self._implied()
        if not self._next(")"):
            raise self._fault("a closing bracket")
        return found

    def _test(self) -> Expression:
        name, place = self._value("a name, not, any(...), all(...) or an opening bracket")
        for sign in ("==", "!="):
            if self._next(sign):
                value, at = self._value("a value")
                found = OneOf(name, (value,), place, (at,))
                return found if sign == "==" else Not(found)
        negated = self._next("not")
        if not self._next("in"):
            raise self._fault("in" if negated else "==, !=, in or not in")
        if not self._next("("):
            raise self._fault("values in brackets, such as (red, blue)")
        values = [self._value("a value")]
        while self._next(","):
            values.append(self._value("a value"))
        if not self._next(")"):
            raise self._fault("a comma or a closing bracket")
        found = OneOf(name, tuple(value for value, _ in values), place, tuple(at for _, at in values))
        return Not(found) if negated else found

    def _fault(self, expected: str) -> UsageError:
        if self.at < len(self.tokens):
            _, word, place = self.tokens[self.at]
            return self._said(place, f'expected {expected}, found "{word}"')
        return self._said(len(self.text.rstrip()) + 1, f"expected {expected}, found the end")

    def _said(self, place: int, what: str) -> UsageError:
        return refused(self.field, place, what)


def refused(field: str, place: int, what: str) -> UsageError:
    """Return the error about a place of a condition, from 1."""
    end = "" if what.endswith("?") else "."
    return UsageError(f"{field}, character {place}: {what}{end}", field=field, facts={"character": place})
