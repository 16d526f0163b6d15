"""Make ``compsplit/reducers/tables/lexicon.txt`` from the lexicon that lemminflect carries.

    python benchmarks/freeze_lexicon.py

Of each lexicon entry one base is chosen, and kept only where our rules would give another: so the table must be made
again when ``by_rule``, ``keep.txt`` or ``spelling.txt`` change. Needs lemminflect 0.2.3; compsplit itself does not.
"""

from __future__ import annotations

import gzip
import importlib.metadata
from collections import defaultdict
from pathlib import Path

import compsplit.reducers
from compsplit.reducers import tables
from compsplit.reducers.base_forms import by_rule

TABLE = Path(compsplit.reducers.__file__).parent / "tables" / "lexicon.txt"
HEAD = """\
# base < forms that the rules of base_forms.py would get wrong; a word beside itself stays as it is.
# Made by benchmarks/freeze_lexicon.py from the lemma table of lemminflect {version}, itself derived from the SPECIALIST
# Lexicon of the U.S. National Library of Medicine. One base was chosen for each form.
"""


def chosen(form: str, bases: dict[str, list[str]]) -> str:
    """Return the one base of a form, from its bases by part of speech.

    A form in -ing or -ed is a verb's if it can be, one in -s a plural if the lexicon has that too (things). Any other
    form that is a noun, an adjective or an adverb by itself stays (dove, scissors); then nouns go before verbs, and the
    regular base before others.
    """
    regular = by_rule(form)
    if form.endswith(("ing", "ed")) and "verb" in bases:
        candidates = bases["verb"]
    elif form.endswith("s") and regular in bases.get("noun", ()):
        return regular
    elif any(form in bases.get(part, ()) for part in ("noun", "adj", "adv")):
        return form
    else:
        candidates = bases.get("noun") or bases.get("verb") or [form]
    return regular if regular in candidates else candidates[0]


def entries(lemma_table: Path) -> dict[str, dict[str, list[str]]]:
    """Return form -> part of speech -> bases, lower-cased; names only where nothing is spelled like them."""
    common: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    names: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    with gzip.open(lemma_table, "rt", encoding="utf-8") as lines:
        for line in lines:
            form, part, bases = line.rstrip("\n").split(",")
            if not (form.isascii() and form.isalpha()):
                continue
            for base in bases.split("/"):
                if base.isalpha():
                    into = common if form.islower() and base.islower() else names
                    into[form.lower()][part].append(base.lower())
    # A name in -s may look like a plural of another name: Adams, Philips.
    kept = {form: {"noun": [form]} if form in parts.get("noun", ()) else parts for form, parts in names.items()}
    return {**kept, **common}


def licence(distribution: importlib.metadata.Distribution) -> str:
    """Return the licence text that the lexicon's package carries, as comment lines."""
    path = next(file for file in distribution.files or () if file.name.startswith("LICENSE"))
    return "".join(f"# {line}".rstrip() + "\n" for line in path.read_text("utf-8").strip().splitlines())


def main() -> None:
    distribution = importlib.metadata.distribution("lemminflect")
    table = Path(str(distribution.locate_file("lemminflect/resources/lemma_lu.csv.gz")))
    bases = {form: chosen(form, parts) for form, parts in entries(table).items()}

    keep, spelling = tables.words("keep"), tables.base_forms("spelling")
    forms: dict[str, list[str]] = defaultdict(list)
    for form in sorted(bases):
        base = bases[form]
        # Singular and plural must meet: "crossing" goes to "cross", so "crossings" does. Not through an irregular past:
        # "saws" are not "see".
        if base.endswith("ing") and base not in keep:
            base = bases.get(base, base)
        base = spelling.get(base, base)
        # What ends in -er or -est stays whatever a lexicon says, so it needs no entry.
        if base != by_rule(form) and not form.endswith(("er", "est")):
            forms[base].append(form)
    body = "".join(f"{base} < {' '.join(written)}\n" for base, written in sorted(forms.items()))
    TABLE.write_text(HEAD.format(version=distribution.version) + licence(distribution) + body, encoding="utf-8")


if __name__ == "__main__":
    main()
