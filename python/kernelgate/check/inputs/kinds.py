"""The kind of each input: what its values and its structure have in common over several draws of `get_inputs()`.

In: the tensors of several draws. Out: a `Kind` for each; and a tensor of the same kind in another shape. A plain input
may hold any numbers, and cases draw it as they like. Everything else is drawn by the problem itself, at its own shape,
and made up from the problem's own values at another.
Not here: which cases there are (`check.inputs.cases`); whether the reference takes a shape (the judge asks it).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import torch

from kernelgate.check.nesting import is_floating
from kernelgate.check.tolerance.numerics import same_bits

Shape = tuple[int, ...]
Order = Literal["ascending", "descending", "permutation", "distinct"]
Rows = Literal["probabilities", "log-probabilities", "one-hot", "unit length"]
Matrix = Literal["upper triangular", "lower triangular", "diagonal", "symmetric", "positive definite"]

_SAMPLE = 1 << 20  # elements that are looked at
_FEW = 16
_LEAST_IN_ORDER = 6  # a shorter row is often in order by chance
_ZEROS = 1 / 16  # a larger share of zeros is no chance
_LARGEST_DECOMPOSED = 512
_WITH_ZEROS = ("upper triangular", "lower triangular", "diagonal")


class CannotKeep(Exception):
    """There is no tensor of this kind in that shape."""


@dataclass(frozen=True)
class Kind:
    """`plain`: any numbers will do, in the places that `matrix` leaves. `order` and `rows` are along a dimension,
    `matrix` is of the last two.

    `constant`: it is the same in every draw, where other inputs differ. `repeats`: all inputs are, because the problem
    seeds its own generator, so that another draw has to be made up. `not_finite`: it holds infinities or NaN.
    `left_out`: of labels, the number of those which the reference's loss leaves out. `may_repeat`: whole numbers, any
    of which may stand at several places. `freed`: a mask that may have any bits, whole numbers of either sign, or
    those that all differ in each draw and need not. `limited`: any numbers of the range that the reference has values
    for.
    """

    plain: bool
    order: Order | None = None
    rows: Rows | None = None
    rows_dim: int = -1
    matrix: Matrix | None = None
    constant: bool = False
    repeats: bool = False
    not_finite: bool = False
    left_out: int | None = None
    may_repeat: bool = False
    freed: Literal["bits", "signs", "repeats"] | None = None
    limited: bool = False

    @property
    def of_probabilities(self) -> bool:
        """Whether rows are probabilities, or their logarithms."""
        return self.rows in ("probabilities", "log-probabilities")


PLAIN = Kind(plain=True)


def kinds(draws: Iterable[Sequence[torch.Tensor]]) -> list[Kind]:
    """The kind of each tensor. draws: the tensors of each draw, in order; only what all of them share is kept."""
    found: list[list[Kind]] = []
    first: list[torch.Tensor] | None = None
    differs: list[bool] = []
    for tensors in draws:
        if first is None:
            first, differs = list(tensors), [False] * len(tensors)
        if len(tensors) != len(first):
            return [PLAIN if is_floating(one) else Kind(plain=False) for one in first]
        found.append([kind_of(one) for one in tensors])
        differs = [so or not same_bits(*pair) for so, *pair in zip(differs, first, tensors, strict=True)]
    if first is None:
        return []
    deliberate = any(differs)  # otherwise get_inputs() seeds its own generator, and equal draws say nothing
    return [
        _common(
            [draw[number] for draw in found],
            constant=deliberate and not differs[number],
            repeats=not deliberate,
        )
        for number in range(len(first))
    ]


def _common(found: Sequence[Kind], *, constant: bool, repeats: bool) -> Kind:
    first = found[0]
    rows = len({(one.rows, one.rows_dim) for one in found}) == 1
    order = first.order if len({one.order for one in found}) == 1 else None
    if order is None and all(one.order in ("permutation", "distinct") for one in found):
        order = "distinct"
    matrix = first.matrix if len({one.matrix for one in found}) == 1 else None
    if matrix is None and all(one.matrix in ("symmetric", "positive definite") for one in found):
        matrix = "symmetric"
    structured = bool((first.rows and rows) or order or constant) or matrix == "positive definite"
    return Kind(
        plain=any(one.plain for one in found) and not structured,
        order=order,
        rows=first.rows if rows else None,
        rows_dim=first.rows_dim if rows else -1,
        matrix=matrix,
        constant=constant,
        repeats=repeats and order not in ("ascending", "descending") and matrix is None,
        not_finite=any(one.not_finite for one in found),
    )


def kind_of(tensor: torch.Tensor) -> Kind:
    """What one draw shows. The tensor may be large: a part of it is looked at."""
    floating = is_floating(tensor)
    stored = tensor.is_floating_point() and not floating
    if not tensor.numel() or tensor.is_complex() or tensor.is_quantized or tensor.is_sparse or stored:
        return Kind(plain=False)
    part = _part(tensor)
    rows, dim = _rows(part) if floating or part.dtype != torch.bool else (None, -1)
    order = _order(part) if rows is None else None
    matrix = _matrix(part) if rows is None and order is None else None
    values = part[part != 0] if matrix in _WITH_ZEROS else part
    plain = floating and rows is None and order is None and _takes_any_numbers(values)
    return Kind(
        plain=plain,
        order=order,
        rows=rows,
        rows_dim=dim,
        matrix=matrix,
        not_finite=floating and not bool(part.isfinite().all()),
    )


def _part(tensor: torch.Tensor) -> torch.Tensor:
    if tensor.numel() <= _SAMPLE or not tensor.dim():
        return tensor
    whole = min(2, tensor.dim() - 1) if tensor.dim() > 2 or tensor.shape[0] != tensor.shape[-1] else 2
    part = tensor
    for dim in range(tensor.dim() - whole):
        if part.numel() > _SAMPLE:
            part = part.narrow(dim, 0, max(1, part.shape[dim] * _SAMPLE // part.numel()))
    return part


def _takes_any_numbers(part: torch.Tensor) -> bool:
    """Whether values look like a draw of any numbers: a normal one, or torch.rand, which programs use for "some"."""
    values = part.reshape(-1)
    head = values[:65536]
    different = int(head.unique().numel())
    if different <= _FEW and 2 * different <= head.numel():
        return False  # labels, masks, constants
    finite = head[head.isfinite()].float()
    if not finite.numel():
        return False
    if head.numel() > 1 and (
        bool((finite == finite.round()).all()) or float((finite == 0).float().mean()) > _ZEROS
    ):
        return False
    low, high = float(finite.min()), float(finite.max())
    if low < 0 < high or finite.numel() < 2:
        return True
    return _is_plain_rand(finite, low, high)


def _is_plain_rand(values: torch.Tensor, low: float, high: float) -> bool:
    """Whether numbers of one sign are torch.rand's, at any scale: even from 0 on."""
    if high <= 0:
        return False
    if values.numel() < 64:
        return low < high / 4
    mean, spread = float(values.mean()) / high, float(values.std()) / high
    return low < 0.05 * high and abs(mean - 0.5) < 0.08 and abs(spread - 12**-0.5) < 0.04


def _rows(part: torch.Tensor) -> tuple[Rows | None, int]:
    for dim in dict.fromkeys((-1, 1 - part.dim())):
        if part.dim() and -part.dim() <= dim and part.shape[dim] > 1:
            found = _row_kind(part, dim)
            if found is not None:
                return found, dim
    return None, -1


def _row_kind(part: torch.Tensor, dim: int) -> Rows | None:
    near = 0.02 if part.element_size() < 4 else 1e-4
    values = part.float()

    def ones(sums: torch.Tensor) -> bool:
        return bool(((sums - 1).abs() <= near).all())

    if bool((values >= 0).all()) and ones(values.sum(dim)):
        return "one-hot" if bool(((values == 0) | (values == 1)).all()) else "probabilities"
    if not part.is_floating_point():
        return None
    if bool((values <= 0).all()) and ones(values.exp().sum(dim)):
        return "log-probabilities"
    lengths = (values * values).sum(dim)
    return "unit length" if lengths.numel() > 1 and part.shape[dim] > 2 and ones(lengths) else None


def _order(part: torch.Tensor) -> Order | None:
    if not part.dim() or part.shape[-1] < _LEAST_IN_ORDER or part.dtype == torch.bool:
        return None
    steps = part[..., 1:] - part[..., :-1]
    if not bool((steps != 0).any()):
        return None
    if bool((steps >= 0).all()):
        return "ascending"
    if bool((steps <= 0).all()):
        return "descending"
    if part.is_floating_point():
        return None
    ordered = part.sort(dim=-1).values
    if bool((ordered == torch.arange(part.shape[-1], device=part.device)).all()):
        return "permutation"
    return "distinct" if not bool((ordered.diff(dim=-1) == 0).any()) else None


def counts_up(tensor: torch.Tensor) -> bool:
    """Whether every row of whole numbers is 0, 1, 2 and so on, as places are."""
    if not tensor.dim() or tensor.shape[-1] < _LEAST_IN_ORDER or tensor.dtype == torch.bool:
        return False
    return kind_of(tensor).order == "ascending" and bool(
        (tensor == torch.arange(tensor.shape[-1], device=tensor.device)).all()
    )


def _matrix(part: torch.Tensor) -> Matrix | None:
    if part.dim() < 2 or part.shape[-1] != part.shape[-2] or part.shape[-1] < 3:
        return None
    nothing_above = not bool((part[..., 0, 1:] != 0).any()) and not bool((part.triu(1) != 0).any())
    nothing_below = not bool((part[..., 1:, 0] != 0).any()) and not bool((part.tril(-1) != 0).any())
    if not bool((part != 0).any()):
        return None
    if nothing_above or nothing_below:
        both = nothing_above and nothing_below
        return "diagonal" if both else "lower triangular" if nothing_above else "upper triangular"
    if not bool((part[..., 0, :] == part[..., :, 0]).all()) or not bool((part == part.mT).all()):
        return None
    if not bool((part != part[..., :1, :1]).any()):
        return None  # one value throughout
    decomposed = part.is_floating_point() and part.shape[-1] <= _LARGEST_DECOMPOSED
    if decomposed and not bool(torch.linalg.cholesky_ex(part.double()).info.any()):
        return "positive definite"
    return "symmetric"


# --- the same kind in another shape -------------------------------------------------------------------------------


def resized(
    value: torch.Tensor, kind: Kind, shape: tuple[int, ...], generator: torch.Generator
) -> torch.Tensor:
    """A tensor of the kind of `value` in another shape; same dtype and device. Raises CannotKeep."""
    if not math.prod(shape):
        return value.new_zeros(shape)
    if not value.numel():
        raise CannotKeep(f"{kind} in {shape}")
    device = value.device
    if kind.rows is not None:
        return _with_rows(value, kind, shape, generator)
    if kind.order in ("permutation", "distinct"):
        return _distinct(value, kind, shape, generator)
    pool = value.reshape(-1)
    if kind.matrix in _WITH_ZEROS:
        pool = pool[pool != 0]
    drawn = pool[torch.randint(pool.numel(), shape, generator=generator, device=device)]
    if kind.order is not None:
        if not drawn.dim():
            raise CannotKeep(f"{kind} in {shape}")
        return drawn.sort(dim=-1, descending=kind.order == "descending").values
    return as_matrix(value, drawn, kind.matrix)


def _with_rows(
    value: torch.Tensor, kind: Kind, shape: tuple[int, ...], generator: torch.Generator
) -> torch.Tensor:
    dim = kind.rows_dim
    if len(shape) < -dim:
        raise CannotKeep(f"{kind} in {shape}")
    normal = torch.randn(shape, generator=generator, device=value.device)
    if kind.rows == "one-hot":
        hot = normal.argmax(dim=dim, keepdim=True)
        return torch.zeros(shape, device=value.device).scatter(dim, hot, 1.0).to(value.dtype)
    if kind.rows == "unit length":
        return torch.nn.functional.normalize(normal, dim=dim).to(value.dtype)
    logs = normal.log_softmax(dim=dim)
    return (logs if kind.rows == "log-probabilities" else logs.exp()).to(value.dtype)


def _distinct(
    value: torch.Tensor, kind: Kind, shape: tuple[int, ...], generator: torch.Generator
) -> torch.Tensor:
    known = value.reshape(-1).unique()
    if not shape or (kind.order == "distinct" and shape[-1] > known.numel()):
        raise CannotKeep(f"{kind} in {shape}")
    if kind.order == "permutation":
        known = torch.arange(shape[-1], device=value.device, dtype=value.dtype)
    mixed = torch.rand((*shape[:-1], known.numel()), generator=generator, device=value.device).argsort(dim=-1)
    return known[mixed[..., : shape[-1]]]


def as_matrix(value: torch.Tensor, drawn: torch.Tensor, matrix: Matrix | None) -> torch.Tensor:
    """Drawn elements put into the structure that `value` has; shape, dtype and device of `drawn`. Raises CannotKeep."""
    if matrix is None or not drawn.numel():
        return drawn
    if drawn.dim() < 2 or drawn.shape[-1] != drawn.shape[-2]:
        raise CannotKeep(f"{matrix} in {tuple(drawn.shape)}")
    if matrix == "diagonal":
        return drawn.triu().tril()
    beside = int(not bool((value.diagonal(dim1=-2, dim2=-1) != 0).any()))  # a mask leaves the diagonal out
    if matrix == "upper triangular":
        return drawn.triu(beside)
    if matrix == "lower triangular":
        return drawn.tril(-beside)
    if matrix == "symmetric":
        lower = torch.ones(drawn.shape[-2:], dtype=torch.bool, device=drawn.device).tril()
        return torch.where(lower, drawn, drawn.mT)
    wide = drawn.double()
    identity = torch.eye(drawn.shape[-1], device=drawn.device, dtype=wide.dtype)
    return (wide @ wide.mT / drawn.shape[-1] + identity).to(value.dtype)


def within(indices: torch.Tensor, kind: Kind, before: Iterable[int], after: Iterable[int]) -> torch.Tensor:
    """Whole numbers that may index dimensions of other inputs, kept inside of them where those have become smaller.

    before, after: the sizes of these dimensions. Raises CannotKeep.
    """
    if not indices.numel() or indices.dtype == torch.bool:
        return indices
    largest = int(indices.max())
    sizes = [now for then, now in zip(before, after, strict=True) if largest < then and largest >= now]
    if not sizes:
        return indices
    size = min(sizes)
    if size == 0 or kind.order in ("permutation", "distinct"):
        raise CannotKeep(f"indices of a dimension of {size}")
    if kind.order is not None:
        return indices.clamp_max(size - 1)
    return torch.where(indices >= size, indices % size, indices)
