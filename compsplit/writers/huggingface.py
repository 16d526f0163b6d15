"""A folder that ``datasets.load_dataset`` reads: a Parquet file a part, and a dataset card that names each of them.

The card (``README.md``) begins with YAML that lists every part with its file and its counts: without it the loader
guesses parts from file names, merges some and passes over others without a word. Part names become what the loader
takes, ``[a-z0-9_]+``: val-iid is ``val_iid``. The text says how the split was made, from what a run tells.

Source: the Hugging Face documentation of dataset repositories (YAML ``configs`` and ``dataset_info``). Columns are
those of the writer ``parquet``. What is lost: the types of columns, which are all text, and what readers do not keep.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from compsplit.errors import UsageError, counted
from compsplit.files import sha256
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.model.split import Split
from compsplit.registry import register
from compsplit.writers.parquet import RowArrow
from compsplit.writers.spans import Written, rows_of_part

# What YAML's double quotes do not take as it is; JSON's escape of it is YAML's.
_ODD = re.compile("[\x7f-\x84\x86-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_MOST = 200
"""Characters of a text of the user's that are shown."""


@register("writer", "huggingface", source="Hugging Face, documentation of dataset repositories", card=True)
def write(table: RowTable, split: Split, folder: Path, about: Mapping[str, Any] | None = None) -> list[Written]:
    """Write a folder for Hugging Face datasets: Parquet parts, and a dataset card that says how they were made.

    Args:
        table: The rows.
        split: The part of each row.
        folder: Where to.
        about: What the card says of the run, each if it is known: ``title``, ``source``, ``recipe``, ``splitter``,
            ``guarantee``, ``seed``, ``options`` (name -> value), ``inputs`` (file names), ``checks`` (texts).

    Raises:
        UsageError: Two parts would have one name, or one would have a name that means all parts.
    """
    names = _names(split.parts)
    arrow = RowArrow(table)
    written = []
    splits = []
    for part in split.parts:
        rows = rows_of_part(table, split, part)
        path = folder / f"{names[part]}-00000-of-00001.parquet"
        n_bytes = arrow.write(rows, path)
        written.append(Written(path.name, part, "records", len(rows), sha256(path)))
        splits.append((names[part], path.name, n_bytes, len(rows), path.stat().st_size))
    card = folder / "README.md"
    card.write_text(_front(splits) + _text(table, split, names, about or {}), encoding="utf-8", newline="")
    return [*written, Written(card.name, None, "card", 0, sha256(card))]


def _names(parts: Sequence[str]) -> dict[str, str]:
    """Return what the loader calls each part."""
    names = {part: re.sub("[^a-z0-9_]", "_", part.lower()) for part in parts}
    for name, n in Counter(names.values()).items():
        same = [part for part in parts if names[part] == name]
        if n > 1:
            raise UsageError(
                f'The parts {", ".join(same)} would all be called "{name}", since names of parts hold a to z, digits '
                "and _ only. Rename them: --set split.parts.",
                field="write.as",
            )
        if name == "all":
            raise UsageError(
                'No part can be called "all" here: datasets means all parts by it. Rename it: --set split.parts.',
                field="write.as",
            )
    return names


def _front(splits: Sequence[tuple[str, str, int, int, int]]) -> str:
    """Return the YAML that the loader reads."""
    lines = ["---", "configs:", "- config_name: default", "  data_files:"]
    for name, file, *_ in splits:
        lines += [f"  - split: {_yaml(name)}", f"    path: {_yaml(file)}"]
    lines += ["dataset_info:", "  config_name: default", "  splits:"]
    for name, _, n_bytes, n_rows, _ in splits:
        lines += [f"  - name: {_yaml(name)}", f"    num_bytes: {n_bytes}", f"    num_examples: {n_rows}"]
    lines += [
        f"  download_size: {sum(size for *_, size in splits)}",
        f"  dataset_size: {sum(n_bytes for _, _, n_bytes, _, _ in splits)}",
        "---",
    ]
    return "\n".join(lines) + "\n\n"


def _yaml(text: str) -> str:
    """Return text as YAML has it in double quotes, so that no name is read as a number or a truth value."""
    return _ODD.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _text(table: RowTable, split: Split, names: Mapping[str, str], about: Mapping[str, Any]) -> str:
    noun = "scene" if isinstance(table, SceneTable) else "row"
    lines = [f"# {_safe(about.get('title') or 'A compositional split')}", ""]
    n = counted(sum(split.sizes.values()), noun)
    lines += [f"{n} of the format {_safe(table.format)}, divided by compsplit.", "", "| part | file | rows |"]
    lines += ["| --- | --- | --- |"]
    for part, size in split.sizes.items():
        called = names[part] if names[part] == part else f"{names[part]} ({part})"
        lines.append(f"| {_safe(called)} | {_safe(names[part])}-00000-of-00001.parquet | {size:,} |")
    lines += ["", "## How the split was made", ""]
    for name in ("recipe", "source", "splitter", "guarantee", "seed"):
        if about.get(name) not in (None, ""):
            lines.append(f"- {name}: {_safe(about[name])}")
    lines += [f"- option {_safe(name)}: {_safe(value)}" for name, value in sorted(about.get("options", {}).items())]
    lines += [f"- made from: {_safe(name)}" for name in about.get("inputs", ())]
    lines += [f"- checked: {_safe(text)}" for text in about.get("checks", ())]
    reasons = Counter(reason for _, reason in table.left_out)
    lines += [f"- left out: {n:,} ({_safe(reason)})" for reason, n in sorted(reasons.items())]
    lines += [
        "",
        "Columns are text; a missing value is null. `manifest.json` has the whole recipe with versions and checksums,",
        "`report.md` what was measured. Whoever has the inputs can prove the split again:",
        "",
        "```sh",
        "compsplit verify .",
        "```",
        "",
        "Load it:",
        "",
        "```python",
        "import datasets",
        "",
        'parts = datasets.load_dataset("path/to/this/folder")',
        "```",
    ]
    return "\n".join(lines) + "\n"


def _safe(value: Any) -> str:
    """Return a text of the user's so that neither Markdown nor HTML acts on it, on one line."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True) if isinstance(value, dict | list) else str(value)
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    text = text if len(text) <= _MOST else f"{text[:_MOST]}..."
    text = text.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([|`*_\[\]~$@#])", r"\\\1", text)
    return re.sub(r":(?=//)", r"\\:", text)
