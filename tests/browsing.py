"""A real browser for tests: Debian's chromium, or another of its kind that is installed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser without a window, one for each process that runs tests."""
    program = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if program is None:
        why = f"no browser is installed: none of {', '.join(_NAMES)} is on the path"
        if os.environ.get("CI"):
            pytest.fail(f"{why}; .ci/run installs one")
        pytest.skip(why)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=_ARGUMENTS)
        yield started
        started.close()


@dataclass
class Opened:
    """A page in a browser, and everything that went on while it was open.

    Attributes:
        page: The page.
        requests: Addresses that were asked for.
        said: Messages of the console, errors and dialogs.
    """

    page: Page
    requests: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)


@contextmanager
def opened(
    browser: Browser, file: Path, *, width: int = 1440, dark: bool = False, script: bool = True
) -> Iterator[Opened]:
    """Open a file in a fresh window of some width."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if dark else "light",
        java_script_enabled=script,
        offline=True,
    )
    page = context.new_page()
    found = Opened(page)
    page.on("request", lambda request: found.requests.append(request.url))
    page.on("console", lambda message: found.said.append(message.text))
    page.on("pageerror", lambda error: found.said.append(str(error)))

    def refuse(dialog: Any) -> None:
        found.said.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    page.on("dialog", refuse)
    page.goto(file.as_uri())
    try:
        yield found
    finally:
        context.close()
