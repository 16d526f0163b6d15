"""Fixtures of all tests."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer.main
from hypothesis import settings
from inputs_shown import n_shown

# The same examples in every run, so that nobody's first `make test` meets a new one; HYPOTHESIS_PROFILE=search hunts.
settings.register_profile("steady", derandomize=True, deadline=None, max_examples=n_shown(100))
settings.register_profile("search", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data, cases, oracles and gold labels, beside the project or at $COMPSPLIT_SHARED."""
    place = Path(os.environ.get("COMPSPLIT_SHARED") or Path(__file__).resolve().parents[2] / "shared")
    if not place.is_dir():
        pytest.skip("no shared folder beside the project and none at $COMPSPLIT_SHARED")
    return place


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The value on stdout."""
        return json.loads(self.out)

    @property
    def message(self) -> str:
        """The one line that an error is."""
        assert self.err.startswith("Error: "), f"no error: {self}"
        assert self.err.count("\n") == 1, f"more than one line: {self.err}"
        assert not self.out, f"an error and a result: {self.out}"
        return self.err.removeprefix("Error: ").rstrip("\n")


# Whoever runs a command makes the parser of all of them once; hundreds of tests share it.
_parser = functools.cache(typer.main.get_command)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Ran]:
    """Runs the command line in this process, in an empty folder of its own."""
    from compsplit.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(typer.main, "get_command", _parser)
    # Some runners set it, and lines would be folded elsewhere.
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Ran(int(stopped.value.code or 0), out, err)

    return run


_skipped: list[str] = []


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note what is skipped."""
    if report.skipped:
        _skipped.append(report.nodeid)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail a run in CI that skipped a test: everything that tests need is there."""
    if os.environ.get("CI") and _skipped and exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
