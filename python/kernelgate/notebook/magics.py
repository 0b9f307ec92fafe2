"""The magics: `%%leakyrelu_cuda` and its kin, one for each operator, and `%kernelgate`.

A body that uses ModelNew gets our program, verified and bound, and then runs; a body that defines ModelNew, or is
CUDA C++, is the candidate itself. A candidate that fails is not bound; the cell then raises a short error.
"""

from __future__ import annotations

import argparse
import shlex
from typing import Any

from kernelgate.catalogue import Operator, operators
from kernelgate.judge import UsageError
from kernelgate.notebook.running import ShownReport, verify
from kernelgate.program import body_kind


class NotVerified(Exception):
    """The candidate did not pass. Shown as one line, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"NotVerified: {self}"]


class NotAsked(NotVerified):
    """The magic was used wrongly."""

    def _render_traceback_(self) -> list[str]:
        return [f"UsageError: {self}"]


class _Options(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise NotAsked(message)


def _options() -> argparse.ArgumentParser:
    parser = _Options(add_help=False)
    for name in ("--shape", "--dtype", "--device", "--contract", "--arch"):
        parser.add_argument(name)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--as", dest="name", default="ModelNew")
    return parser


def operator_magic(shell: Any, operator: Operator, line: str, cell: str | None) -> None:
    """What `%%leakyrelu_cuda` does, for any operator."""
    try:
        options = vars(_options().parse_args(shlex.split(line)))
    except ValueError as exc:
        raise NotAsked(str(exc)) from None
    name = options.pop("name")
    given = {key: value for key, value in options.items() if value is not None}
    body = cell if cell is not None and cell.strip() else ""
    kind = body_kind(body) if body else "uses"
    try:
        if kind == "uses":
            if operator.program_text is None:
                raise UsageError(f"There is no program for {operator.id} yet", "Define ModelNew in the cell")
            report = verify(operator.id, **given)
        else:
            label = f"cell [{shell.execution_count}]"
            report = verify(operator.id, source=body, label=label, first_line=2, **given)
    except UsageError as exc:
        raise NotAsked(f"{exc.what}. {exc.next_step}.") from None
    _bind(shell, report, operator.program_text if kind == "uses" else body, kind, name)
    if kind == "uses" and body:
        shell.run_cell(body, store_history=False).raise_error()


def _bind(shell: Any, report: ShownReport, text: str | None, kind: str, name: str) -> None:
    verdict = report.report.verdict
    if verdict is None or verdict.outcome != "pass":
        raise NotVerified(f"{verdict.sentence if verdict else 'no verdict'}; {name} is not bound") from None
    emulated = report.report.device.kind == "emulated"
    if kind == "cuda" or (emulated and kind == "defines" and report.report.candidate.cuda_kernels):
        print(f"{name} is not bound: this kernel has no GPU to build it for." if emulated else "")
        return
    namespace: dict[str, Any] = {"__name__": "kernelgate_candidate"}
    exec(compile(text or "", "<kernelgate>", "exec"), namespace)
    shell.push({name: namespace["ModelNew"]})


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext kernelgate`: registers the magics, all of them or, where a name is taken, none."""
    wanted = {operator.magic: operator for operator in operators().values()}
    taken = [
        n
        for n in wanted
        if n in shell.magics_manager.magics["cell"] or n in shell.magics_manager.magics["line"]
    ]
    foreign = [
        n for n in taken if not getattr(shell.magics_manager.magics["cell"].get(n), "_kernelgate", False)
    ]
    if foreign:
        raise NotVerified(f"the magic {foreign[0]} belongs to somebody else; nothing was loaded over it")
    for magic, operator in wanted.items():

        def call(line: str, cell: str | None = None, operator: Operator = operator) -> None:
            operator_magic(shell, operator, line, cell)

        call._kernelgate = True  # type: ignore[attr-defined]
        shell.register_magic_function(call, magic_kind="line_cell", magic_name=magic)


def unload_ipython_extension(shell: Any) -> None:
    """Removes the magics that are ours."""
    for operator in operators().values():
        for kind in ("line", "cell"):
            magics = shell.magics_manager.magics[kind]
            if getattr(magics.get(operator.magic), "_kernelgate", False):
                del magics[operator.magic]
