"""Print how many figures of official evaluation programs compsplit gives, and which it gives otherwise on purpose.

    python benchmarks/oracle_agreement.py [FOLDER] [--list]

FOLDER holds ``gqa_eval``, ``gqa_ood`` and ``vqa_eval``; by default ``shared/oracles`` beside the project. Numbers agree
to 1e-9, texts exactly. Exceptions and their reasons stand beside the tests; exit code 1 if any other figure differs, or
an exception agrees after all.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import gqa_oracle  # noqa: E402 - the tests' own comparison
import vqa_oracle  # noqa: E402 - the tests' own comparison

FOLDERS: dict[str, tuple[Callable[[Path], Iterator[Any]], Mapping[str, str]]] = {
    "gqa_eval": (gqa_oracle.eval_figures, gqa_oracle.EXCEPTIONS),
    "gqa_ood": (gqa_oracle.ood_figures, gqa_oracle.EXCEPTIONS),
    "vqa_eval": (vqa_oracle.figures, vqa_oracle.EXCEPTIONS),
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT.parent / "shared" / "oracles")
    parser.add_argument("--list", action="store_true", help="name every exception")
    asked = parser.parse_args(arguments)
    broken = 0
    print(f"{'oracle':10}{'figures':>9}{'agree':>9}{'excepted':>10}{'differ':>8}")
    told: dict[str, Counter[str]] = {}
    for name, (figures, exceptions) in FOLDERS.items():
        found = list(figures(asked.folder / name))
        differ = [each for each in found if not each.agrees]
        unlisted = [each for each in differ if each.name not in exceptions]
        # An exception that agrees is one that nobody needs.
        listed = {each.name for each in found} & exceptions.keys()
        needless = sorted(listed - {each.name for each in differ})
        n_excepted = len(differ) - len(unlisted)
        print(f"{name:10}{len(found):>9,}{len(found) - len(differ):>9,}{n_excepted:>10,}{len(unlisted):>8,}")
        for each in unlisted:
            print(f"  {each.name}: official {each.official}, here {each.ours}")
        for each_name in needless:
            print(f"  {each_name}: agrees, and is listed as an exception")
        told[name] = Counter(exceptions[each.name] for each in differ if each.name in exceptions)
        if asked.list:
            told[name] = Counter(f"{each.name}: {exceptions[each.name]}" for each in differ if each.name in exceptions)
        broken += len(unlisted) + len(needless)
    print("\nExcepted:")
    for name, reasons in told.items():
        for reason, n in reasons.items():
            print(f"  {name}, {n:,}: {reason}")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
