"""The command line: one file, one command; the only place that prints."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from compsplit.cli.audit import audit
from compsplit.cli.demo import demo
from compsplit.cli.describe import describe
from compsplit.cli.fetch import fetch
from compsplit.cli.list import list_plugins
from compsplit.cli.recipes import recipes
from compsplit.cli.reduce import reduce
from compsplit.cli.run import run
from compsplit.cli.verify import verify
from compsplit.errors import CompsplitError

app = typer.Typer(
    name="compsplit",
    help="Build and judge compositional train/test splits: test items are new combinations of parts seen in training.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (run, describe, audit, verify, reduce, recipes, fetch, demo):
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


def main() -> None:
    """Run the command line: results to stdout, one clear error, exit codes 0 to 3."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # UTF-8 whatever the locale says; names that no encoding holds are shown escaped.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        app()
    except CompsplitError as error:
        if "--json" in sys.argv[1:]:
            from compsplit.cli.options import print_json

            print_json(error.to_json())
        else:
            typer.echo(f"Error: {error.message}", err=True)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        typer.echo("Stopped; nothing was written.", err=True)
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
