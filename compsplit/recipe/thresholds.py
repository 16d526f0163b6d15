"""Minimum counts: object classes that occur too seldom are taken out of scenes before anything is counted.

"At least 3 times" has eight readings: counted in train or in all parts, objects or images, at least or more than. The
rule is applied once, to the scenes as they are read (after aliases and vocabularies), and every count repeats it.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from compsplit.errors import OptionValueError, UsageError, counted
from compsplit.model.report import Finding
from compsplit.model.scenes import RowTable, SceneTable
from compsplit.recipe.parsing import Setting
from compsplit.registry import Plugin


@dataclass(frozen=True, slots=True)
class MinCount:
    """A minimum count of object classes.

    Attributes:
        number: The limit.
        unit: Whether objects count, or images that have one.
        counted: Whether they are counted in the reference part alone, or in all parts.
        comparison: Whether the limit itself is enough.
    """

    number: int
    unit: Literal["instances", "images"] = "instances"
    counted: Literal["train", "all"] = "train"
    comparison: Literal["at-least", "more-than"] = "at-least"

    @classmethod
    def parse(cls, written: str) -> MinCount:
        """Return what ``3`` or ``3,unit=images,counted=all,comparison=more-than`` says.

        Raises:
            OptionValueError, UnknownOptionError: It says nothing of the kind.

        Example:
            >>> MinCount.parse("3,counted=all")
            MinCount(number=3, unit='instances', counted='all', comparison='at-least')
        """
        number, *options = written.split(",")
        if not number.strip().isdigit():
            raise OptionValueError("--min-count", written, "a whole number, such as 3 or 3,unit=images,counted=all")
        settings = [Setting.parse(f"min-count.{option.strip()}") for option in options]
        given = {setting.key.removeprefix("min-count."): setting.value for setting in settings}
        return cls(int(number), **Plugin("minimum", "count", _options, "compsplit").check(given, "min-count"))

    def keeps(self, table: SceneTable, reference: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which classes are kept; shape (n_classes,).

        Args:
            table: All scenes.
            reference: Those of the reference part; shape (n_scenes,).
        """
        scenes, codes = table.scene_of_object, table.classes.codes
        which = codes >= 0
        if self.counted == "train":
            which &= reference[scenes]
        counts = codes[which].astype(np.int64)
        width = max(len(table.classes.names), 1)
        if self.unit == "images":
            where = np.where(
                table.images.codes >= 0, table.images.codes, len(table.images.names) + np.arange(len(table))
            )
            counts = np.unique(where[scenes[which]] * width + counts) % width
        found = np.bincount(counts, minlength=len(table.classes.names))
        return found >= self.number if self.comparison == "at-least" else found > self.number

    def applied(self, table: RowTable, reference: NDArray[np.bool_]) -> SceneTable:
        """Return the scenes without the objects of other classes; what goes is counted.

        Raises:
            UsageError: The rows are no scenes.
        """
        if not isinstance(table, SceneTable):
            raise UsageError("--min-count takes object classes out of scenes, and these rows are questions.")
        kept = self.keeps(table, reference)
        used = np.bincount(table.classes.codes[table.classes.codes >= 0], minlength=len(kept)) > 0
        stays = np.append(kept, True)[table.classes.codes]
        name = "objects of classes below the minimum count left out"
        smaller = table.keep_objects(stays, {name: int((~stays).sum())})
        before, after = int(used.sum()), int((used & kept).sum())
        rule: dict[str, Any] = dataclasses.asdict(self)
        finding = Finding(
            kind="min-count",
            count=before - after,
            message=f"{counted(after, 'object class', 'object classes')} of {before:,} kept: {self.told}.",
        )
        told = (*smaller.findings, finding) if before > after else smaller.findings
        sizes = {"classes before": before, "classes after": after}
        return dataclasses.replace(smaller, rules={**table.rules, "min count": {**rule, **sizes}}, findings=told)

    @property
    def told(self) -> str:
        """The rule in words."""
        how = "at least" if self.comparison == "at-least" else "more than"
        what = "objects" if self.unit == "instances" else "images"
        where = "the reference part" if self.counted == "train" else "all parts"
        return f"{how} {self.number:,} {what} in {where}"


def _options(
    *,
    unit: Literal["instances", "images"] = "instances",
    counted: Literal["train", "all"] = "train",
    comparison: Literal["at-least", "more-than"] = "at-least",
) -> None:
    """Nothing but the names and choices of the options."""
