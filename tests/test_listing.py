"""``list`` and ``recipes`` as programs read them; ``fetch`` is in test_fetch."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from compsplit.cli import app
from compsplit.registry import KINDS, plugins


def test_defaults_of_options_are_json_values() -> None:
    listed = json.loads(CliRunner().invoke(app, ["list", "--json"]).stdout)
    found = {(each["kind"], each["name"]): each["options"] for each in listed}
    assert found["reader", "table"] == {"columns": None, "id_scope": "all", "new_ids": False}
    for kind in KINDS:
        for plugin in plugins(kind).values():
            for name, option in plugin.options.items():
                value = option.default
                assert found[kind, plugin.name][name] == (list(value) if isinstance(value, tuple) else value)


@pytest.mark.parametrize("command", ["list", "recipes"])
def test_the_help_of_json_speaks_of_what_is_listed(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"]).stdout
    assert "--json" in shown
    assert "report" not in shown
