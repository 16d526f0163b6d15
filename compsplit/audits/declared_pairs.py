"""Declared pairs: lists of attribute-object pairs held against the pairs that samples show.

Source: Misra et al. 2017 (CZSL), whose splits ship pair lists; compsplit's product rule 6: seen or unseen comes from
the samples of the reference part, never from lists. Cost: O(distinct pairs).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from compsplit.audits.examples import Examples
from compsplit.audits.parts import references
from compsplit.errors import FileError, UnknownNameError, UsageError, counted, listed
from compsplit.files import text_of
from compsplit.model.compounds import Compounds
from compsplit.model.report import Audited, Finding, Measure, Table, ratio
from compsplit.model.rows import Rows
from compsplit.model.split import Split
from compsplit.model.table import Input
from compsplit.registry import register

_COLUMNS = ("split", "seen_pairs", "unseen_pairs")


@register(
    "audit", "declared-pairs", source="Misra, Gupta, Hebert 2017", unit="fraction", bounds=(0, 1), better="higher"
)
def declared_pairs(
    rows: Rows, split: Split, *, declared: Mapping[str, str] | None = None, declared_table: str | None = None
) -> Audited:
    """Share of the pairs of samples that their part's list declares, and where lists and samples do not agree.

    Args:
        rows: Samples with attribute-object pairs.
        split: Their parts.
        declared: Part -> file of pairs, one ``attribute object`` a line.
        declared_table: CSV of split, seen_pairs, unseen_pairs.

    Raises:
        UsageError: The rows have no attribute-object pairs, or a file is no such list.
        FileError, UnknownNameError: There is no such file, or no such part.
    """
    if not declared and not declared_table:
        return Audited()
    pairs = rows.compounds.get("attribute-objects")
    if not isinstance(pairs, Compounds):
        raise UsageError("Declared pairs are held against attribute-object pairs, which these rows do not have.")
    names = [" ".join(pairs.atoms.names[a] for a in each) for each in pairs.parts.reshape(-1, 2).tolist()]
    shown = {
        part: {names[c] for c in np.flatnonzero(pairs.rows.occurrences(split.rows_in(part))).tolist()}
        for part in split.parts
    }
    code_of = {name: code for code, name in enumerate(names)}
    examples = Examples(rows, split)

    def culprits(found: set[str], *parts: str) -> Table:
        """Return pairs with the least ids of rows of parts that show them."""
        told = sorted(found)
        least = [examples.of(pairs.rows, each, [code_of[name] for name in told]) for each in parts]
        columns = ("pair", *(f"example in {each}" for each in parts))
        return Table(columns, tuple(zip(told, *least, strict=True)), culprits=True)

    measures, findings, tables = [], [], {}
    for part, file in (declared or {}).items():
        if part not in split.parts:
            raise UnknownNameError("part", part, split.parts)
        lists = _declared(Path(file))
        measures.append(
            Measure(
                name="declared-pairs", of="attribute-objects",
                value=ratio(len(shown[part] & lists), len(shown[part]), f"{part} shows no pair"),
                n=len(shown[part]), n_unit=f"different pairs of {part}", unit="fraction", part=part,
            )
        )  # fmt: skip
        for kind, found, told, where in (
            ("declared-without-sample", lists - shown[part], "declared without a sample", ()),
            ("sample-undeclared", shown[part] - lists, "in samples and not declared", (part,)),
        ):
            if found:
                findings.append(
                    Finding(
                        kind=kind, count=len(found), first=tuple(sorted(found)[:5]),
                        message=f"{counted(len(found), 'pair')} of {part} {told} ({Path(file).name}).",
                    )
                )  # fmt: skip
                tables[f"pairs of {part} {told}"] = culprits(found, *where)
    recomputed = {
        part: (len(shown[part] & shown[reference]), len(shown[part] - shown[reference]))
        for reference, part in references(split)
    }
    if declared_table:
        beside, more = _beside(Path(declared_table), split, recomputed)
        tables["seen and unseen pairs, declared and recomputed"] = beside
        findings += more
    for reference, part in references(split):
        seen = shown[part] & shown[reference]
        if seen:
            tables[f"pairs of {part} that {reference} shows"] = culprits(seen, reference, part)
    return Audited(tuple(measures), tables, tuple(findings))


def _declared(path: Path) -> set[str]:
    if not path.is_file():
        raise FileError(str(path), "there is no such file; pair lists are given as declared.PART=FILE")
    lines = [line.split() for line in text_of(Input(path, path.stem)).splitlines() if line.strip()]
    for number, words in enumerate(lines, 1):
        if len(words) != 2:
            raise UsageError(
                f"{path.name}, line {number}: is no pair of attribute and object.", file=path.name, record=str(number)
            )
    return {" ".join(word.lower() for word in words) for words in lines}


def _beside(path: Path, split: Split, recomputed: Mapping[str, tuple[int, int]]) -> tuple[Table, list[Finding]]:
    """Return declared counts of seen and unseen pairs beside those of the samples."""
    if not path.is_file():
        raise FileError(str(path), "there is no such file")
    reader = csv.DictReader(io.StringIO(text_of(Input(path, path.stem))))
    if not set(_COLUMNS) <= set(reader.fieldnames or ()):
        raise UsageError(
            f"{path.name} needs columns {', '.join(_COLUMNS)}, has {listed(reader.fieldnames or ()) or 'none'}.",
            file=path.name,
        )
    lines, findings = [], []
    for record in reader:
        part = record["split"]
        if part not in split.parts:
            raise UnknownNameError("part", part, split.parts, file=path.name)
        if part not in recomputed:
            continue  # of the reference part's pairs, all are seen
        try:
            said = int(record["seen_pairs"]), int(record["unseen_pairs"])
        except ValueError as error:
            raise UsageError(f"{path.name}: the counts of {part} are no whole numbers.", file=path.name) from error
        got = recomputed[part]
        lines.append((part, *said, *got))
        if said != got:
            exchanged = said == got[::-1]
            findings.append(
                Finding(
                    kind="declared-table-exchanged" if exchanged else "declared-table-differs",
                    count=1,
                    first=(part,),
                    message=f"{path.name} says {said[0]} seen and {said[1]} unseen pairs of {part}, the samples show "
                    f"{got[0]} and {got[1]}" + ("; the two columns are exchanged." if exchanged else "."),
                )
            )
    columns = ("part", "declared seen", "declared unseen", "seen", "unseen")
    return Table(columns, tuple(lines)), findings
