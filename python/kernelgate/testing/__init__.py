"""For tests of a person's own: `assert_drop_in` judges a class against a module of PyTorch.

In: a class, and what it is to replace. Out: the report of a pass; else an AssertionError that says what is wrong, or
`NotJudged`. The class is taken with the whole file that defines it, which the worker imports.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from kernelgate.commands.option_table import job_of
from kernelgate.commands.references import with_reference
from kernelgate.report import Report
from kernelgate.report.text import as_text
from kernelgate.run import UsageError, run

__all__ = ["NotJudged", "assert_drop_in"]


class NotJudged(Exception):
    """There is no verdict: no compiler, no PyTorch, out of time, ... The message is the report."""


def assert_drop_in(
    candidate: type | str, reference: Any, inputs: str | Sequence[str] | None = None, **options: Any
) -> Report:
    """Raises AssertionError where `candidate` may not replace `reference`, NotJudged where that is not known.

    `candidate`: a class that a file defines, or a program's text. `reference`: a module of torch.nn, such as
    nn.LeakyReLU(0.01), or what `--reference` takes, as text. `inputs`: its inputs, as "64x768" or
    "torch.randn(64, 768)"; if not given, one tensor that the module takes. `options`: as those of `kernelgate.verify`;
    the contract is "drop-in".

        assert_drop_in(ModelNew, nn.LeakyReLU(0.01))

    Raises UsageError for what cannot be asked.
    """
    text, label = (candidate, "program") if isinstance(candidate, str) else _source(candidate)
    written: dict[str, Any] = {"contract": "drop-in", **options}
    if not isinstance(reference, str):
        inputs = inputs or _taken(reference)
        reference = _expression(reference)
    written |= {"reference": reference} if inputs is None else {"reference": reference, "inputs": inputs}
    with_text, found = with_reference(written, text)
    report = run(job_of(with_text, "verify", text, label, reference=found))
    outcome = report.verdict.outcome if report.verdict is not None else "not run"
    if outcome == "fail":
        raise AssertionError(f"not a drop-in\n{as_text(report)}")
    if outcome != "pass":
        raise NotJudged(f"\n{as_text(report)}")
    return report


def _source(candidate: type) -> tuple[str, str]:
    """The file that defines a class, with that class as ModelNew. Raises UsageError."""
    name = candidate.__qualname__
    path = inspect.getsourcefile(candidate) if inspect.isclass(candidate) else None
    if path is None or not Path(path).is_file():
        raise UsageError(f"{name} is in no file", "Define it in a file, or pass the program's text")
    if "." in name:
        raise UsageError(f"{name} is defined within something else", "Define it at the level of its module")
    text = Path(path).read_text(encoding="utf-8")
    return text if name == "ModelNew" else f"{text}\n\nModelNew = {name}\n", Path(path).name


def _expression(reference: Any) -> str:
    """A module as the text that makes it anew. Raises UsageError."""
    kind = type(reference)
    text = f"torch.nn.{reference!r}"
    if not kind.__module__.startswith("torch.nn.") or not _is_call(text):
        raise UsageError(
            f"A {kind.__name__} does not say how it is made", 'Write the reference as text: "torch.nn.GELU()"'
        )
    return text


def _is_call(text: str) -> bool:
    try:
        return isinstance(ast.parse(text, mode="eval").body, ast.Call)
    except SyntaxError:
        return False


def _taken(module: Any) -> str:
    """The first size of a usual kind that a module takes. Raises UsageError."""
    import torch

    for size in _sizes(module):
        try:
            with torch.no_grad():
                module(torch.zeros(size))
        except Exception:  # whatever a module says of what it does not take
            continue
        return "x".join(map(str, size))
    raise UsageError(f"{module!r} takes no input of a usual size", 'Give its inputs: inputs="64x768"')


def _sizes(module: Any) -> Iterator[tuple[int, ...]]:
    known = (
        getattr(module, name, None) for name in ("in_features", "in_channels", "num_features", "num_channels")
    )
    channels = next((count for count in known if isinstance(count, int)), None)
    last = getattr(module, "normalized_shape", None)
    if last is not None:
        yield (64, *last)
    if channels is not None:
        yield from ((64, channels), (4, channels, 24, 24), (4, channels, 48), (2, channels, 10, 10, 10))
    yield from ((64, 768), (4, 8, 24, 24), (4, 8, 48))
