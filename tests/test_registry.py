"""Plug-ins by name, and the types that their options take."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

import compsplit
from compsplit.errors import OptionValueError, UnknownNameError, UnknownOptionError
from compsplit.registry import KINDS, Plugin, plugin, plugins, register


def made(
    rows: object,
    *,
    how: Literal["fast", "slow"] = "fast",
    count: int = 1,
    weight: float = 0.5,
    on: bool = False,
    name: str | None = None,
    words: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    anything: Any = None,
) -> None:
    """Do nothing.

    Nothing at all.
    """


PLUGIN = Plugin("splitter", "made", made, source="compsplit")


@pytest.mark.parametrize(
    ("option", "value", "taken"),
    [
        ("how", "slow", "slow"),
        ("count", 3, 3),
        ("weight", 2, 2.0),
        ("weight", 0.25, 0.25),
        ("on", True, True),
        ("name", None, None),
        ("name", "x", "x"),
        ("words", ["a", "b"], ("a", "b")),
        ("columns", {"id": "x"}, {"id": "x"}),
        ("anything", 7, 7),
    ],
)
def test_options_of_the_right_type_are_taken(option, value, taken):
    checked = PLUGIN.check({option: value})
    assert checked == {option: taken}
    assert type(checked[option]) is type(taken)


@pytest.mark.parametrize(
    ("option", "value", "expected"),
    [
        ("how", "quick", "one of fast, slow"),
        ("count", True, "int"),
        ("count", "3", "int"),
        ("count", 1.0, "int"),
        ("weight", "0.5", "float"),
        ("weight", True, "float"),
        ("on", 1, "bool"),
        ("name", 3, "NoneType or str"),
        ("words", "ab", "list or tuple"),
        ("columns", ["a"], "NoneType or dict"),
    ],
)
def test_options_of_another_type_are_refused_by_name(option, value, expected):
    with pytest.raises(OptionValueError) as refused:
        PLUGIN.check({option: value})
    assert refused.value.message == f"Option splitter.{option} is {value!r}; expected {expected}."


def test_an_unknown_option_is_answered_with_the_nearest():
    with pytest.raises(UnknownOptionError, match=r'The splitter made has no option "cuont"\. Did you mean "count"\?'):
        PLUGIN.check({"cuont": 1})


def test_options_may_be_written_with_hyphens():
    def hyphens(*, same_class: int = 0) -> None:
        """Do nothing."""

    assert Plugin("audit", "x", hyphens, "compsplit").check({"same-class": 2}) == {"same_class": 2}


def test_the_summary_is_the_first_paragraph():
    assert PLUGIN.summary == "Do nothing."


def test_only_keyword_parameters_are_options():
    assert "rows" not in PLUGIN.options
    assert set(PLUGIN.options) == {"how", "count", "weight", "on", "name", "words", "columns", "anything"}


@pytest.mark.parametrize("kind", KINDS)
def test_plugins_are_listed_by_name_in_alphabetical_order(kind):
    listed = plugins(kind)
    assert listed
    assert list(listed) == sorted(listed)
    assert all(plugin(kind, name) is each and each.name == name for name, each in listed.items())


def test_every_file_that_registers_a_plug_in_is_imported_by_its_folder():
    package = Path(compsplit.__file__).parent
    held = {
        f"compsplit.{file.parent.name}.{file.stem}"
        for file in package.glob("*/*.py")
        if re.search(r"^@register\(", file.read_text("utf-8"), re.MULTILINE)
    }
    assert len(held) > 50
    program = f"import sys, compsplit.{', compsplit.'.join(sorted({name.split('.')[1] for name in held}))}; "
    program += f"print(*sorted({held!r} - set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout == "\n"


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r'There is no splitter "cove"\. Did you mean "cover"'):
        plugin("splitter", "cove")
    with pytest.raises(UnknownNameError, match=r'no kind of plug-in "spliter"\. Did you mean "splitter"'):
        plugins("spliter")


def test_two_plugins_cannot_have_one_name():
    name = next(iter(plugins("splitter")))
    with pytest.raises(ValueError, match=f"two plug-ins are called splitter {name}"):
        register("splitter", name, source="x")(made)
    assert plugin("splitter", name).make is not made


def test_listing_plugins_compiles_and_imports_no_kernel():
    program = (
        "import sys; from compsplit.registry import plugins; "
        "[plugins(kind) for kind in ('splitter', 'audit', 'grouper', 'extractor')]; "
        "assert 'numba' not in sys.modules and 'pandas' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
