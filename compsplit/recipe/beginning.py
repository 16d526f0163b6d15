"""Recipes that a few answers make: what can be answered about some data, and the TOML text of the answers."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from compsplit.errors import CompsplitError, OptionValueError, UnknownNameError, UsageError, counted, listed
from compsplit.extractors import prepared
from compsplit.model.targets import exact_fraction
from compsplit.recipe.checks import IID
from compsplit.recipe.extraction import AUTO, fitting
from compsplit.recipe.running import read_table
from compsplit.recipe.toml_text import toml_pairs, toml_value
from compsplit.recipe.validation import OOD
from compsplit.registry import Plugin, plugin, plugins

_LOOKED_AT = 2000
"""Rows that decide which extractors fit; kinds of data do not differ from row to row."""

_LINE = 116


@dataclass(frozen=True, slots=True)
class Offer:
    """What can be named in a recipe: for some data, or for any where none are given.

    Attributes:
        format: Format of the data.
        n_rows: How many rows they have; None without data.
        noun: What a row is called.
        extractors: Names of the extractors that fit, in alphabetical order.
        columns: Columns that have values.
        telling: Those of the user whose values repeat, so that combinations of them can be held out.
        units: What rows are usually kept together by.
    """

    format: str | None = None
    n_rows: int | None = None
    noun: str = "row"
    extractors: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    telling: tuple[str, ...] = ()
    units: tuple[str, ...] = ("row", "image", "question-answer")

    @classmethod
    def of_files(
        cls, files: Sequence[str], format: str | None = None, options: Mapping[str, Any] | None = None
    ) -> Offer:
        """Return what fits files.

        Args:
            files: As for ``read_table``.
            format: Name of a reader; the content decides without it.
            options: The reader's options.
        """
        table = read_table(files, format, options)
        n_rows = len(table)
        small = table.keep(np.arange(n_rows) < _LOOKED_AT, "not looked at", "rows not looked at")
        rows = prepared(small, plugin("reducer", "lexical").make())
        named = {name: column for name, column in table.named_columns().items() if len(column.names)}
        roles = [named[name] for name in ("image", "question", "answer") if name in named]
        return cls(
            table.format,
            n_rows,
            rows.noun,
            tuple(fitting(small, rows)),
            tuple(sorted({*named, *(name for name, column in rows.columns.items() if len(column.names))})),
            tuple(
                name
                for name, column in table.columns.items()
                if 2 <= column.n_used < n_rows and not any(np.array_equal(column.codes, role.codes) for role in roles)
            ),
            ("row", *(name for name, there in (
                ("image", "image" in named), ("question-answer", "qa (reduced)" in rows.columns),
            ) if there)),
        )  # fmt: skip

    def __str__(self) -> str:
        """What was found, in one line; nothing without data."""
        if self.n_rows is None:
            return ""
        fit = f"; extractors that fit: {listed(self.extractors, shown=9)}" if self.extractors else ""
        columns = f"; columns that can be combined: {listed(self.telling, shown=9)}" if self.telling else ""
        return f"{counted(self.n_rows, self.noun)} of format {self.format}{fit}{columns}."

    @property
    def kept_apart(self) -> str | None:
        """What is kept apart where nothing is said: what fits, or the only two columns; None where it is not clear."""
        if len(self.extractors) == 1:
            return self.extractors[0]
        for usual in ("qa", "object-pairs"):
            if usual in self.extractors:
                return usual
        return "+".join(self.telling) if len(self.telling) == 2 else None

    def extractor(self, written: str) -> str:
        """Return what names an extractor, or columns as ``a+b``, that fits the data; ``auto`` is all that fit.

        Raises:
            UnknownNameError: There is no such extractor or column.
            UsageError: It does not fit.
        """
        if "+" in written:
            for name in written.split("+") if self.n_rows is not None else ():
                if name not in self.columns:
                    raise UnknownNameError("column", name, self.telling or self.columns)
            return written
        if written == AUTO:
            return written
        if written in self.columns and written not in plugins("extractor"):
            raise UsageError(f'"{written}" is one column; combinations are of two or more, as {written}+OTHER.')
        found = plugin("extractor", written)
        if found.name == "columns":
            raise UsageError("Name the columns themselves, as color+shape.")
        if self.n_rows is not None and "fits" in found.facts and written not in self.extractors:
            raise UsageError(f"{written} does not fit these {self.noun}s; {listed(self.extractors) or 'none'} does.")
        return written

    def unit(self, written: str) -> str:
        """Return what names a grouper, or a column, by which rows can be kept together.

        Raises:
            UnknownNameError: There is no such one.
        """
        if written != "row" and written not in self.units and self.n_rows is not None and written not in self.columns:
            raise UnknownNameError("column or grouper", written, {*self.units, *(self.telling or self.columns)})
        return written


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What a recipe says.

    Attributes:
        title: One line.
        splitter: How rows are divided.
        options: Options of the splitter.
        of: What is kept apart; None where the method does not ask.
        by: What stays together.
        shares: Part -> share, the reference part first; nothing where a rule decides.
        validation: ``val-iid`` and ``val-ood`` -> share of train and of test; only those that are wanted.
        seed: Seed of the order.
        format: Format of the data, None where the content shall decide.
        reading: The reader's options.
        write_as: Format of the parts.
    """

    title: str
    splitter: Plugin
    options: Mapping[str, Any] = field(default_factory=dict)
    of: str | None = None
    by: str = "row"
    shares: Mapping[str, Fraction] = field(default_factory=dict)
    validation: Mapping[str, Fraction] = field(default_factory=dict)
    seed: int = 0
    format: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    write_as: str = "same"

    def to_toml(self) -> str:
        """Return the recipe as TOML with comments; the same answers give the same text.

        Raises:
            UsageError: An answer holds what is no Unicode text.
        """
        lines = [*_comment(self.splitter.summary), *_comment(f"Guarantee: {self.splitter.facts['guarantee']}")]
        lines += toml_pairs({"title": self.title, "source": self.splitter.source, "seed": self.seed})
        if self.format is not None or self.reading:
            read = {**({} if self.format is None else {"format": self.format}), **self.reading}
            lines += ["", "[read]", *toml_pairs(read)]
        if self.of not in (None, AUTO):
            lines += ["", "# What is kept apart.", "[extract]", *toml_pairs({"of": self.of})]
        lines += ["", "# What stays together.", "[group]", *toml_pairs({"by": self.by})]
        lines += ["", "[split]", *toml_pairs({"method": self.splitter.name}), *self._sizes(), *toml_pairs(self.options)]
        lines += self._further_options()
        if self.validation:
            lines += ["", "# For choosing a model: val-iid is taken out of train, val-ood out of test.", "[validate]"]
            lines += toml_pairs({part: str(share) for part, share in self.validation.items()})
        lines += ["", "[write]", *toml_pairs({"as": self.write_as})]
        text = "\n".join(lines) + "\n"
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise UsageError("A recipe is UTF-8 text; one of the answers holds bytes that are not.") from error
        return text

    def _sizes(self) -> list[str]:
        if self.shares:
            return toml_pairs({"parts": {part: str(share) for part, share in self.shares.items()}})
        return [f"# The rule decides how large {' and '.join(self.splitter.facts['parts'])} are."]

    def _further_options(self) -> list[str]:
        """Return the options that are not given, as comments to change."""
        notes = option_notes(self.splitter)
        further = [name for name in self.splitter.options if name not in self.options and name != "of"]
        if not further:
            return []
        lines = ["# Further options, as they are by default:"]
        for name in further:
            default = self.splitter.options[name].default
            lines += _comment(f"{name} = {'(none)' if default is None else toml_value(default)}: {notes.get(name, '')}")
        return lines


def option_notes(found: Plugin) -> dict[str, str]:
    """Return what the docstring of a plug-in says of each of its options.

    Example:
        >>> option_notes(plugin("splitter", "cover"))
        {'k': 'Train groups that must hold each test concept.'}
    """
    text = inspect.getdoc(found.make) or ""
    arguments = re.search(r"^Args:\n((?:[ ]{4}.*\n?|\n)+)", text, re.MULTILINE)
    notes: dict[str, str] = {}
    name = ""
    for line in arguments[1].splitlines() if arguments else ():
        begins = re.match(r"[ ]{4}(\w+): (.*)", line)
        if begins:
            name = begins[1]
        notes[name] = f"{notes.get(name, '')} {begins[2] if begins else line.strip()}".strip()
    return {name: note for name, note in notes.items() if name in found.options}


def validation_share(part: str, written: str) -> Fraction:
    """Return the share of a validation part, 0 for no such part.

    Raises:
        OptionValueError: It is no share below 1.
    """
    try:
        share = exact_fraction(written.strip())
    except CompsplitError as error:
        raise OptionValueError(part, written, "a share such as 0.1, or 0 for no such part") from error
    if not 0 <= share < 1:
        raise OptionValueError(part, written, "a share below 1, or 0 for no such part")
    return share


def validation_shares(iid: Fraction, ood: Fraction) -> dict[str, Fraction]:
    """Return the shares of the validation parts that are wanted."""
    return {part: share for part, share in ((IID, iid), (OOD, ood)) if share}


def _comment(text: str) -> Iterable[str]:
    """Return text as lines of a comment."""
    words = text.split()
    line = "#"
    for word in words:
        if len(line) + 1 + len(word) > _LINE:
            yield line
            line = "#"
        line += f" {word}"
    yield line
