"""The one table of options, as a notebook shows it: signatures, docstrings and completion in a real kernel."""

from __future__ import annotations

import inspect
import re

import pytest

import kernelgate
from kernelgate.cli.main import _parser
from kernelgate.commands.option_table import OPTIONS

from .kernels import Kernel

pytestmark = pytest.mark.drawn


@pytest.mark.parametrize("verb", ["verify", "benchmark", "profile"])
def test_shift_tab_shows_every_option_of_a_call_with_its_default_and_meaning(
    loaded: Kernel, verb: str
) -> None:
    code = f"kernelgate.{verb}("
    loaded.run("import kernelgate")
    reply = loaded.asked("inspect", code=code, cursor_pos=len(code), detail_level=0)
    shown = re.sub(r"\x1b\[[0-9;]*m", "", reply["data"]["text/plain"])
    expected = [row for row in OPTIONS.values() if verb != "verify" or row.option.use != "timing"]
    assert "options: " not in shown.partition("Docstring")[0]  # no **options
    for row in expected:
        assert re.search(rf"\b{row.name}: .* = {re.escape(repr(row.default))}", shown), row.name
        assert f"{row.name}: {row.help}" in shown or row.name == "problem"
    assert ("    budget: " in shown) == (verb != "verify")


def test_call_and_command_line_have_the_same_options() -> None:
    verbs = next(action for action in _parser()._actions if action.choices).choices
    shown = {"json", "for_model", "html", "help", "file"}
    for verb in ("verify", "benchmark", "profile"):
        call = set(inspect.signature(getattr(kernelgate, verb)).parameters)
        words = {action.dest for action in verbs[verb]._actions}  # type: ignore[index]
        assert call - {"cell", "source", "label", "format"} == words - shown


@pytest.mark.parametrize(
    ("line", "has", "has_not"),
    [
        ("%%kernelgate ver", ["verify"], ["doctor"]),
        ("%%kernelgate verify lea", ["leakyrelu"], ["--dtype"]),
        ("%%kernelgate verify leakyrelu --con", ["--contract"], ["--budget"]),
        ("%%kernelgate benchmark leakyrelu --b", ["--budget"], []),
        ("%%leakyrelu_cuda --contract ", ["problem", "drop-in"], ["--dtype"]),
        ("%%leakyrelu_cuda --contract drop-in --", ["--dtype"], ["--contract"]),
    ],
)
def test_the_words_after_a_magic_are_completed(
    loaded: Kernel, line: str, has: list[str], has_not: list[str]
) -> None:
    matches = loaded.asked("complete", code=line, cursor_pos=len(line))["matches"]
    assert set(has) <= set(matches) and not set(has_not) & set(matches), matches


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("dtipe='float16'", "verify takes no dtipe. Did you mean dtype?"),
        ("budget=3", "verify takes no budget. "),
        ("seed='seven'", "seed cannot be 'seven'"),
        ("shape='4by4'", "'4by4' is not a shape"),
        ("sizes={'batch_size': 'big'}", "sizes cannot be {'batch_size': 'big'}"),
    ],
)
def test_a_mistake_in_a_call_is_one_line(loaded: Kernel, call: str, says: str) -> None:
    done = loaded.run(f"import kernelgate\nkernelgate.verify('leakyrelu', {call})")
    assert done.error is not None and done.error[0] == "UsageError" and says in done.error[1]
