"""One table, several writers: CSV, Markdown and LaTeX.

CSV has every value whole. Markdown and LaTeX are read by people: numbers have six significant digits and stand to the
right, and nothing in a text acts. LaTeX needs the package booktabs and nothing else; letters beyond ASCII stay as they
are, so LuaLaTeX or XeLaTeX with a fitting font sets every script, pdfLaTeX those that it knows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal, get_args

from compsplit.files import csv_lines
from compsplit.model.report import Measure, Report, Table, Undefined
from compsplit.plain import plain
from compsplit.report.markdown import grid, safe

Form = Literal["latex", "markdown", "csv"]
FORMS: tuple[Form, ...] = get_args(Form)
MEASURES = "measures"
"""Name of the table of all measures, which every report has."""
_COLUMNS = ("measure", "of", "reading", "reference", "part", "value", "n", "n_unit", "reason")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # A bare one is a shorthand in some languages, such as babel's German.
    '"': r"\symbol{34}",
    "`": r"\textasciigrave{}",
    # A row that began with one of these would be an option of the line break before it.
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
}
"""What LaTeX acts on -> what shows it."""
_LIGATURES = re.compile("(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)")
"""Between characters that LaTeX would make one: dashes and quotation marks."""


def tables_of(report: Report) -> dict[str, Table]:
    """Return every table of a report by name, that of all measures first."""
    return {MEASURES: measures(report), **report.tables}


def measures(report: Report) -> Table:
    """Return all measures as one table, one row a measure; a value that does not exist is None, with its reason."""
    return Table(_COLUMNS, tuple(map(_row, report.measures)))


def as_text(table: Table, form: Form, name: str, *, titled: bool = False) -> str:
    """Return a table in one of the forms, a line end at its end.

    Args:
        table: The table.
        form: Which writer.
        name: What a comment calls it in LaTeX.
        titled: Whether Markdown begins with the name, too; for one of several tables.
    """
    if form == "csv":
        return as_csv(table)
    if form == "latex":
        return as_latex(table, name)
    return f"## {safe(name)}\n\n{as_markdown(table)}" if titled else as_markdown(table)


def as_csv(table: Table) -> str:
    """Return a table as CSV with a header line, values whole."""
    columns = [[_text(row[at]) for row in table.rows] for at in range(len(table.columns))]
    lines = [[name, *values] for name, values in zip(table.columns, columns, strict=True)]
    return csv_lines(lines) if lines else ""


def as_markdown(table: Table) -> str:
    """Return a table as Markdown, no cell shortened; what the report itself leaves out is said below it."""
    rows = [[_shown(value) for value in row] for row in table.rows]
    text = grid(table.columns, rows, right=_numbers(table), most=None)
    left_out = left_out_of(table)
    return f"{text}\n\nThese are {left_out}.\n" if left_out else f"{text}\n"


def as_latex(table: Table, name: str) -> str:
    r"""Return a table as a ``tabular`` with the rules of booktabs; no cell is shortened.

    Example:
        >>> print(as_latex(Table(("answer", "share"), (("50 %", 0.25),)), "answers"), end="")
        % answers; needs \usepackage{booktabs}
        \begin{tabular}{lr}
        \toprule
        answer & share \\
        \midrule
        50 \% & 0.25 \\
        \bottomrule
        \end{tabular}
    """
    said = "; ".join(each for each in (plain(name, 200), left_out_of(table), r"needs \usepackage{booktabs}") if each)
    return "\n".join(
        [
            f"% {said}",
            rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for number in _numbers(table))}}}",
            r"\toprule",
            _latex_row(table.columns),
            r"\midrule",
            *map(_latex_row, table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def left_out_of(table: Table) -> str:
    """Return what is said of rows that a report does not hold; nothing if it holds all."""
    if table.total is None or table.total <= len(table.rows):
        return ""
    return f"the first {len(table.rows):,} of {table.total:,} rows"


def latex_escaped(text: Any) -> str:
    r"""Return text as LaTeX that shows it and does nothing else; what steers text is shown escaped, as everywhere.

    Example:
        >>> latex_escaped("$5 & \\input{x}")
        '\\$5 \\& \\textbackslash{}input\\{x\\}'
    """
    return "".join(_LATEX.get(each, each) for each in _LIGATURES.sub("\0", plain(text))).replace("\0", "{}")


def _row(measure: Measure) -> tuple[Any, ...]:
    return (
        measure.name,
        measure.of,
        _reading(measure.options if measure.run is None else {**measure.options, "run": measure.run}),
        measure.reference,
        measure.part,
        measure.number,
        measure.n,
        measure.n_unit,
        measure.value.reason if isinstance(measure.value, Undefined) else None,
    )


def _reading(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {_text(value)}" for name, value in sorted(options.items()))


def _numbers(table: Table) -> list[bool]:
    """Tell of each column whether it holds numbers, and nothing else but gaps."""
    columns = ([row[at] for row in table.rows if row[at] is not None] for at in range(len(table.columns)))
    return [bool(column) and all(map(_is_number, column)) for column in columns]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return " | ".join(map(_text, value))
    return repr(value) if isinstance(value, float) else str(value)


def _shown(value: Any) -> str | None:
    """Return a value as people read it; None where there is none."""
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return " / ".join(map(_text, value))
    return _rounded(value) if isinstance(value, float) else _text(value)


def _rounded(value: float) -> str:
    """Return six significant digits, but all of them where they would make a 1 of what is less or more."""
    text = f"{value:.6g}"
    return repr(value) if abs(float(text)) == 1 != abs(value) else text


def _latex_row(values: tuple[Any, ...]) -> str:
    return rf"{' & '.join(map(_latex_cell, values))} \\"


def _latex_cell(value: Any) -> str:
    shown = _shown(value)
    if shown is None:
        return "--"
    if not _is_number(value):
        return latex_escaped(shown)
    mantissa, power, exponent = shown.partition("e")
    if power:
        return rf"${mantissa} \times 10^{{{int(exponent)}}}$"
    return f"${shown}$" if shown.startswith("-") else shown
