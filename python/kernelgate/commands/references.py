"""Where a problem comes from: a file, a cell of the notebook, a name that a cell defines, or an expression of PyTorch.

In: what a person wrote as reference and inputs. Out: options with the reference's program and one line on where it
comes from. Not here: how an expression becomes a program (`program.expression`), the cells (`notebook.sources`).
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kernelgate.commands.program_files import read_program
from kernelgate.program import ProgramError
from kernelgate.program.expression import constructor_takes, inputs_text, problem_text
from kernelgate.program.kind import bindings
from kernelgate.program.names import free_names, gathered
from kernelgate.program.parsing import python_tree
from kernelgate.report.bounded import to_lines
from kernelgate.run import UsageError

_CELL = "cell:"


class Reference(NamedTuple):
    """A reference's program. `label`: where it comes from. `first_line`: the line of its file or cell at which `text`
    begins, below 1 where we have put lines above it."""

    text: str
    label: str
    first_line: int = 1


class Cells(Protocol):
    """The cells that have been executed, as a notebook knows them. Both raise UsageError."""

    def cell(self, number_or_id: str) -> tuple[str, str]:
        """The text of a cell and how it is called: "cell [3]"."""

    def texts(self) -> Sequence[tuple[str, str]]:
        """All of them, the newest first."""


def with_reference(
    written: Mapping[str, Any], candidate: str, cells: Cells | None = None
) -> tuple[dict[str, Any], Reference | None]:
    """Options in which the reference is a program's text. `candidate`: the text that is judged. Raises UsageError."""
    options = dict(written)
    reference = options.get("reference")
    inputs = _inputs(options.pop("inputs", None))
    if reference is None:
        if inputs:
            raise UsageError("Inputs are given without a reference", "Give one, as --reference 'torch.nn.GELU()'")
        return options, None
    if not isinstance(reference, str):
        name = type(reference).__name__
        raise UsageError(f"The reference is {_article(name)}, not text", f'Write it as text: "{_spelled(reference)}"')
    try:
        found = _found(reference, inputs, candidate, cells)
    except ProgramError as exc:
        raise UsageError(exc.what, exc.next_step) from None
    options.update(reference=found.text, inputs=inputs)
    return options, found


def _found(reference: str, inputs: Sequence[str], candidate: str, cells: Cells | None) -> Reference:
    if "\n" in reference.strip():
        return _with_inputs(Reference(reference, "reference"), inputs)
    reference = reference.strip()
    if reference.startswith(_CELL):
        text, label = _cells(cells).cell(reference.removeprefix(_CELL))
        return _with_inputs(_of_cell(text, label, "Model", _cells(cells), has_inputs=bool(inputs)), inputs)
    if reference.endswith(".py") or _is_file(reference):
        return _with_inputs(Reference(read_program(reference, "problem"), Path(reference).name), inputs)
    if reference.isidentifier() and not keyword.iskeyword(reference):
        return _with_inputs(_of_name(reference, cells, has_inputs=bool(inputs)), inputs)
    takes = constructor_takes(tree) if (tree := python_tree(candidate)) is not None else None
    text = problem_text(reference, inputs, constructor_takes=takes)
    return Reference(text, " ".join(reference.split()))


def _with_inputs(reference: Reference, inputs: Sequence[str]) -> Reference:
    if not inputs:
        return reference
    return reference._replace(text=f"{reference.text.rstrip()}\n\n\n{inputs_text(inputs)}")


def _of_name(name: str, cells: Cells | None, *, has_inputs: bool) -> Reference:
    """The newest executed cell that defines a name."""
    if cells is None:
        raise UsageError(
            f"There is no file {name}", "Name a file, or write an expression such as torch.nn.GELU()"
        )
    for text, label in cells.texts():
        tree = python_tree(text)
        if tree is not None and any(True for _ in bindings(tree, name)):
            found = _of_cell(text, f"{name} in {label}", name, cells, has_inputs=has_inputs)
            return found if name == "Model" else found._replace(text=f"{found.text}\n\nModel = {name}\n")
    raise UsageError(
        f"No cell that has been executed defines {name}",
        f"Execute the cell that does, or write an expression such as torch.nn.{name}()",
    )


def _of_cell(text: str, label: str, name: str, cells: Cells, *, has_inputs: bool) -> Reference:
    """A cell as a program, with what it needs of other cells above it."""
    tree = python_tree(text)
    if tree is None:
        raise UsageError(f"{label} holds no Python", f"Name a cell that defines {name}")
    wanted = free_names(tree)
    for needed in ("get_inputs", "get_init_inputs"):
        if not any(True for _ in bindings(tree, needed)) and not (has_inputs and needed == "get_inputs"):
            wanted.add(needed)
    others = [cell for cell in cells.texts() if cell[0] != text]
    rows = to_lines(_without_magics(text))
    if any(True for _ in bindings(tree, "ModelNew")):  # a candidate beside its problem, which does not run it
        passages = gathered({name, "get_inputs", "get_init_inputs"}, [(text, label), *others])
        own = [passage for passage in passages if passage.label == label and passage.first_line > 0]
        kept = {passage.first_line + at for passage in own for at in range(len(to_lines(passage.text)))}
        rows = [row if at in kept else "" for at, row in enumerate(rows, 1)]
        passages = tuple(passage for passage in passages if passage not in own)
    else:
        passages = gathered(wanted, others)
    above = [row for passage in passages for row in passage.lines]
    return Reference("\n".join([*above, *rows]), label, 1 - len(above))


def _without_magics(text: str) -> str:
    return "\n".join("" if line.lstrip().startswith(("%", "!")) else line for line in to_lines(text))


def _inputs(written: Any) -> list[str]:
    """Raises UsageError."""
    given = [] if written is None else [written] if isinstance(written, str) else list(written)
    for value in given:
        if not isinstance(value, str):
            raise UsageError(
                f"An input is {_article(type(value).__name__)}, not text",
                'Write it as text: "64x768", or "torch.randn(64, 768)"',
            )
    return given


def _cells(cells: Cells | None) -> Cells:
    if cells is None:
        raise UsageError("There are no cells outside of a notebook", "Name a file as --reference FILE")
    return cells


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def _article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def _spelled(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or type(value).__name__
    return f"torch.nn.{name}()" if not callable(getattr(value, "__code__", None)) else name
