"""compsplit new: a few questions, and a recipe to run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from compsplit.cli import options as shared
from compsplit.errors import CompsplitError, OptionValueError, UsageError, listed

if TYPE_CHECKING:
    from compsplit.registry import Plugin

_CHOSEN = "compound-holdout"
_ANSWERS = "Answers, each in place of a question"

T = TypeVar("T")


def _answer(name: str, metavar: str, told: str) -> Any:
    return typer.Option(name, metavar=metavar, help=told, show_default=False, rich_help_panel=_ANSWERS)


def new(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILES]...", help="Data that the recipe is for: what fits them is offered.", show_default=False
        ),
    ] = None,
    method: Annotated[str | None, _answer("--method", "SPLITTER", "How rows are divided.")] = None,
    of: Annotated[
        str | None, _answer("--of", "EXTRACTOR", "What is kept apart: an extractor, or COLUMN+COLUMN.")
    ] = None,
    by: Annotated[
        str | None, _answer("--by", "UNIT", "What stays together: row, image, question-answer or any column.")
    ] = None,
    option: Annotated[list[str] | None, _answer("--option", "KEY=VALUE", "Option of the splitter. Repeatable.")] = None,
    share: Annotated[
        list[str] | None,
        _answer("--share", "PART=FRACTION", "Share of a part, such as test=0.3; train takes the rest. Repeatable."),
    ] = None,
    val_iid: Annotated[
        str | None, _answer("--val-iid", "SHARE", "Share of train for choosing a model; 0 for none.")
    ] = None,
    val_ood: Annotated[
        str | None, _answer("--val-ood", "SHARE", "Share of test for choosing a model; 0 for none.")
    ] = None,
    seed: Annotated[str | None, _answer("--seed", "N", "Seed of the order.")] = None,
    write_as: Annotated[str | None, _answer("--as", "WRITER", "Format of the parts; same as the data's.")] = None,
    title: Annotated[str | None, _answer("--title", "TEXT", "The recipe in one line.")] = None,
    name: Annotated[str | None, _answer("--name", "NAME", "The recipe is written to NAME.toml.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take the defaults of questions without an answer.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace NAME.toml.")] = False,
    format: shared.Format = None,
    columns: shared.Columns = None,
    id_scope: shared.IdScope = None,
    new_ids: shared.NewIds = False,
    allow_unjoined: shared.AllowUnjoined = False,
) -> None:
    """Ask a few questions and write a recipe, which `compsplit run` runs.

    Each question has an option; --yes takes the defaults of the others. Without a terminal nothing is asked.

    Example: compsplit new data.csv

    Example: compsplit new data.csv --of color+shape --name held_out --yes
    """
    from compsplit.recipe.beginning import Answers, Offer, validation_share, validation_shares
    from compsplit.registry import plugin, plugins

    questions = _Questions(yes)
    reading = shared.reading(columns, id_scope, new_ids, allow_unjoined, None)
    offer = Offer(format)
    if files:
        with shared.progress() as watch:
            watch("reading")
            offer = Offer.of_files(files, format, reading)
        questions.tell(str(offer))
    if method is None:
        rows = [(n, p.summary, p.facts.get("guarantee", "")) for n, p in plugins("splitter").items()]
        questions.show(("splitter", "what it does", "what it guarantees"), rows)
    splitter = questions.answer(
        "How are rows divided?", "--method", method, _CHOSEN, lambda given: plugin("splitter", given)
    )
    kept_apart = None
    if of is not None or "of" in splitter.options:
        if of is None:
            fit = [(n, p.summary) for n, p in plugins("extractor").items() if not files or n in offer.extractors]
            questions.show(("extractor", "what it does"), [*fit, ("A+B", _crosses(offer.telling))])
        kept_apart = questions.answer(
            "What is kept apart? (auto: all that fit)", "--of", of, offer.kept_apart, offer.extractor
        )
    unit = questions.answer(
        f"What stays together? ({listed(offer.units)}, any column)", "--by", by, "row", offer.unit
    )  # fmt: skip
    chosen = _options(splitter, option, questions)
    shares: Mapping[str, Fraction] = {}
    if "parts" not in splitter.facts:
        told = "Share of test? (or shares of parts: val=0.1 test=0.2)"
        written = " ".join(share) if share else None
        shares = questions.answer(told, "--share", written, "1/3", _shares)
    elif share:
        raise UsageError(f"{splitter.name} decides by its rule how large each part is: --share says nothing.")
    iid, ood = (
        questions.answer(
            f"Share of {part} for {of_part}, to choose a model on? (0: none)", f"--{of_part}", given, "0",
            partial(validation_share, of_part),
        )
        for part, of_part, given in (("train", "val-iid", val_iid), ("test", "val-ood", val_ood))
    )  # fmt: skip
    number = questions.answer("Seed?", "--seed", seed, "0", _whole)
    if write_as is None:
        questions.show(("writer", "what it does"), [(n, p.summary) for n, p in plugins("writer").items()])
    writer = questions.answer(
        "Format of the parts?", "--as", write_as, "same", lambda given: plugin("writer", given).name
    )
    line = f"{splitter.name} of {kept_apart}" if kept_apart else splitter.name
    line = questions.answer("Title?", "--title", title, line, str)
    path = questions.answer(
        "Name of the recipe?", "--name", name, splitter.name.replace("-", "_"), lambda given: _path(given, force)
    )
    answers = Answers(
        title=line, splitter=splitter, options=chosen, of=kept_apart, by=unit, shares=shares,
        validation=validation_shares(iid, ood), seed=number, format=offer.format, reading=reading, write_as=writer,
    )  # fmt: skip
    _write(answers.to_toml(), path)
    _next(path, files or ())


class _Questions:
    """Asks what no option answers: a terminal on stderr and stdin, nothing without one."""

    def __init__(self, take_defaults: bool) -> None:
        self._take_defaults = take_defaults
        self.asks = not take_defaults and sys.stdin.isatty()

    def tell(self, text: str) -> None:
        """Say something on stderr."""
        from compsplit.report import plain

        typer.echo(plain(text, 2000), err=True)

    def show(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        """Show what can be answered, if questions are asked."""
        from compsplit.report import listing

        if self.asks:
            shared.console(stderr=True).print(listing(columns, rows))

    def answer(
        self, question: str, option: str, given: str | None, default: str | None, taken: Callable[[str], T]
    ) -> T:
        """Return an answer: what the option says, or the default where it is to be taken, or what a person types.

        Args:
            question: What is asked.
            option: The option that answers it.
            given: What the option says.
            default: The answer of who just presses Enter; None where there is none.
            taken: Makes the answer of text, or raises an error, after which the question is asked again.

        Raises:
            UsageError: Nobody can be asked.
            CompsplitError: The option's answer is wrong.
        """
        if given is not None:
            return taken(given)
        if self._take_defaults and default is not None:
            return taken(default)
        if not self.asks:
            or_default = "" if self._take_defaults else ", or take defaults with --yes"
            raise UsageError(f'No answer to "{question}": give it with {option}{or_default}.', field=option)
        while True:
            # typer's own prompt would write to stdout, too, where only results belong.
            typer.echo(f"{question} [{default}]: " if default else f"{question}: ", err=True, nl=False)
            line = sys.stdin.readline()
            if not line:
                raise typer.Abort
            text = line.strip()
            if not text and default is None:
                continue
            try:
                return taken(text or default or "")
            except CompsplitError as error:
                self.tell(error.message)


def _options(splitter: Plugin, given: list[str] | None, questions: _Questions) -> dict[str, Any]:
    """Return the options of the splitter that are given, or typed one by one until an empty line."""
    from compsplit.recipe.beginning import option_notes

    chosen: dict[str, Any] = {}
    for each in given or ():
        chosen |= _option(splitter, each)
    names = [name for name in splitter.options if name != "of"]
    if given is not None or not names or not questions.asks:
        return chosen
    notes = option_notes(splitter)
    rows = [(name, str(splitter.options[name].default), notes.get(name, "")) for name in names]
    questions.show(("option", "default", "what it says"), rows)
    while True:
        found = questions.answer(
            "An option, as KEY=VALUE? (Enter: no more)", "--option", None, "",
            lambda text: _option(splitter, text) if text else {},
        )  # fmt: skip
        if not found:
            return chosen
        chosen |= found


def _option(splitter: Plugin, text: str) -> dict[str, Any]:
    options = shared.read_options([text])
    splitter.check(options, "split")
    if "of" in options:
        raise UsageError("What is kept apart is said with --of.", field="--option")
    return options


def _crosses(columns: Sequence[str]) -> str:
    told = f", here of {listed(columns, shown=9)}" if columns else ""
    return f"Combinations of the values of columns{told}."


def _shares(text: str) -> dict[str, Fraction]:
    """Return the shares that a text says: one of test, or PART=FRACTION several times."""
    from compsplit.model.targets import Targets
    from compsplit.recipe.running import share_settings

    written = text.split() if "=" in text else [f"test={text}"]
    (setting,) = share_settings(written)
    return dict(Targets(setting.value).fractions)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError as error:
        raise OptionValueError("seed", text, "a whole number") from error


def _path(name: str, force: bool) -> Path:
    """Return the file of a recipe, which can be written.

    Raises:
        UsageError: It is no name of a file in this folder.
        OutputExistsError: The file is there, and ``force`` is not set.
    """
    import re

    from compsplit.files import check_free_file

    name = name.removesuffix(".toml")
    if not re.fullmatch(r"\w[\w.-]{0,99}", name):
        told = "letters, digits, _, - and . only, a letter, digit or _ first, at most 100"
        raise UsageError(f'"{name[:110]}" cannot name a recipe: {told}.', field="--name")
    path = Path(f"{name}.toml")
    check_free_file(path, force)
    return path


def _write(text: str, path: Path) -> None:
    """Write a recipe, once it is sure that it loads."""
    import tempfile

    from compsplit.files import replaced
    from compsplit.recipe.parsing import load

    with tempfile.TemporaryDirectory() as folder:
        aside = Path(folder) / path.name
        aside.write_bytes(text.encode())
        load(str(aside))
    with replaced(path) as file:
        file.write(text.encode())


def _next(path: Path, files: Sequence[str]) -> None:
    """Print what was written and the commands to run next."""
    import shlex

    from compsplit.report import plain

    console = shared.console()
    console.print(f"Written to {plain(path)}", markup=False)
    command = shlex.join(["compsplit", "run", str(path), *files]) if files else f"compsplit run {path} FILES"
    # Lines to copy, so they are not folded.
    console.print(f"What it makes, without writing it: {plain(command)} --plan", markup=False, soft_wrap=True)
    console.print(f"Run it: {plain(command)}", markup=False, soft_wrap=True)
