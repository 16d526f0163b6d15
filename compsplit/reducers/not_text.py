"""The error for a text that is not one."""

from __future__ import annotations

from compsplit.errors import CompsplitError


class NotTextError(CompsplitError, TypeError):
    """Something else than text where a question or an answer was expected.

    Args:
        what: "question", "answer" or another word for the text.
        index: Its place in what was passed, from 0; a caller who knows ids raises again with ``id``.
        found: Name of the type found.
        id: Id of the row, if known.
    """

    kind = "not-text"

    def __init__(self, what: str, index: int, found: str, *, id: str | None = None) -> None:
        place = f"at index {index:,}" if id is None else f"of row {id}"
        super().__init__(
            f"The {what} {place} is of type {found}; expected text (str). Nothing is turned into text by itself, or a "
            'missing value would become the concept "nan": leave such rows out, or give them text.',
            record=index if id is None else id,
            field=what,
            facts={"index": index, "found": found},
        )
        self.what = what
        self.index = index
        self.found = found
