"""The command line: one file, one command; the only place that prints."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from compsplit.cli.audit import audit
from compsplit.cli.balance import balance
from compsplit.cli.compare import compare
from compsplit.cli.convert import convert
from compsplit.cli.demo import demo
from compsplit.cli.describe import describe
from compsplit.cli.evaluate import evaluate
from compsplit.cli.fetch import fetch
from compsplit.cli.list import list_plugins
from compsplit.cli.memory import keep_small, leave
from compsplit.cli.new import new
from compsplit.cli.probe import probe
from compsplit.cli.profile import profile
from compsplit.cli.programs import programs
from compsplit.cli.recipes import recipes
from compsplit.cli.reduce import reduce
from compsplit.cli.report import report
from compsplit.cli.run import run
from compsplit.cli.verify import verify
from compsplit.errors import CompsplitError, FileError, UsageError

_INTERRUPTED = 130
_TERMINATED = 128 + signal.SIGTERM
_UNREAD = 141
_CommandLineError: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)
"""What typer raises for a command line that it cannot take; where it is defined differs by version."""

app = typer.Typer(
    name="compsplit",
    help="Build and judge compositional train/test splits: test items are new combinations of parts seen in training.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    run,
    describe,
    audit,
    verify,
    compare,
    balance,
    evaluate,
    probe,
    profile,
    programs,
    report,
    convert,
    reduce,
    recipes,
    new,
    fetch,
    demo,
):
    app.command()(command)
app.command("list")(list_plugins)


def _version(wanted: bool) -> None:
    if wanted:
        from compsplit import __version__

        typer.echo(f"compsplit {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Build and judge compositional train/test splits: test items are new combinations of parts seen in training.

    Start with: compsplit describe FILES, then compsplit run agrawal2017_cvqa FILES --out DIR.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit: results to stdout, one clear error, exit codes 0 to 3."""
    given = sys.argv[1:] if arguments is None else [*arguments]
    if arguments is None:
        keep_small()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # UTF-8 whatever the locale says; names that no encoding holds are shown escaped.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    with _cleaning_up():
        code = _code(given)
    if arguments is None:
        leave(code)
    sys.exit(code)


@contextlib.contextmanager
def _cleaning_up() -> Iterator[None]:
    """Make a terminated run end like an interrupted one, so that nothing half written stays behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(_TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _code(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code."""
    try:
        code = app(arguments, prog_name="compsplit", standalone_mode=False)
        sys.stdout.flush()
    except CompsplitError as error:
        return _failed(error, arguments)
    except _CommandLineError as error:
        context = getattr(error, "ctx", None)
        more = f" See: {context.command_path} --help." if context else ""
        said = getattr(error, "format_message", str)()
        if not said:  # no command at all: typer has printed the help
            return 2
        return _failed(UsageError(f"{said}{more}", field=getattr(error, "option_name", None)), arguments)
    except (KeyboardInterrupt, typer.Abort):
        return _stopped()
    except BrokenPipeError:
        return _unread()
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # typer's own way to end then
            return _unread()
        if stop.code == _TERMINATED:
            return _stopped(_TERMINATED)
        raise
    except OSError as error:
        told = (error.strerror or str(error)).lower()
        if error.filename is None:  # files that are written say their name
            _silence()
            return _failed(FileError("standard output", told), [])
        return _failed(FileError(str(error.filename), told), arguments)
    except MemoryError:
        return _failed(CompsplitError("The memory of this machine is used up. Nothing was written."), arguments)
    return _stopped() if code == _INTERRUPTED else int(code or 0)


def _stopped(code: int = _INTERRUPTED) -> int:
    typer.echo("Stopped; nothing was written.", err=True)
    return code


def _unread() -> int:
    """Return the exit code where who reads the results stopped reading; what is still buffered goes nowhere."""
    _silence()
    return _UNREAD


def _silence() -> None:
    """Let what stdout still holds, which cannot be written, go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(error: CompsplitError, arguments: Sequence[str]) -> int:
    """Show an error, as JSON on stdout where that is asked for, and return its exit code."""
    if "--json" in arguments:
        from compsplit.cli.options import print_json

        print_json(error.to_json())
    else:
        from compsplit.report import plain

        typer.echo(f"Error: {plain(error.message, 4000)}", err=True)
    return error.exit_code
