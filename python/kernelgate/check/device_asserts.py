"""Raises where an operator would abort: on a GPU at an index, a count or a probability out of range.

In: the operators of a reference, as they are dispatched. Out: `OutOfRange`, before one of them ends the CUDA context,
or the process, and with it the judge. On the CPU PyTorch raises by itself, but for a few operators that do not look.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import torch

from kernelgate.check.operator_mode import OperatorMode, by_name


class OutOfRange(ValueError):
    """What PyTorch says on the CPU, as one exception."""


def asserts_raise(device: torch.device) -> contextlib.AbstractContextManager[Any]:
    """Inside, an operator on a GPU raises OutOfRange if it would abort."""
    return _Checking(on_cpu=False) if device.type == "cuda" else contextlib.nullcontext()


@contextlib.contextmanager
def crashes_raise(text: str) -> Iterator[None]:
    """Inside, an operator on the CPU raises OutOfRange, or RuntimeError, if it would end the process. `text`: of the
    reference; without the name of such an operator nothing is checked."""
    with contextlib.ExitStack() as checked:
        if _WITHOUT_A_LOOK.search(text):
            checked.enter_context(_Checking(on_cpu=True))
        if "sparse" in text:
            checked.enter_context(torch.sparse.check_sparse_tensor_invariants())
        yield


_WITHOUT_A_LOOK = re.compile(r"segment_reduce|ctc_?loss", re.IGNORECASE)


def check_ranges(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, on_cpu: bool = False) -> None:
    """Raises OutOfRange if a call of an operator (`torch.ops.aten...`) would abort on a GPU, or on the CPU."""
    check = (_CPU_CHECKS if on_cpu else _CHECKS).get(func._schema.name.removeprefix("aten::").rstrip("_"))
    if check is None:
        return
    defaults = {argument.name: argument.default_value for argument in func._schema.arguments}
    for what, values, least, most in check({**defaults, **by_name(func, args, kwargs)}):
        if values.numel() and not values.is_meta and not bool(((values >= least) & (values <= most)).all()):
            raise OutOfRange(f"{what} out of range: outside of {least:g} to {most:g}")


class _Checking(OperatorMode):
    def __init__(self, *, on_cpu: bool) -> None:
        super().__init__()
        self._on_cpu = on_cpu

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        check_ranges(func, args, kwargs, on_cpu=self._on_cpu)
        return func(*args, **kwargs)


_Named = Mapping[str, Any]
_Ranges = Iterable[tuple[str, torch.Tensor, float, float]]
_INDEX, _PROBABILITIES, _LABEL = "an index", "probabilities", "a class label"


def _probabilities(*given: Any, most: float = 1.0) -> _Ranges:
    """A number is checked on the host."""
    return [(_PROBABILITIES, one, 0.0, most) for one in given if isinstance(one, torch.Tensor)]


def _multinomial(named: _Named) -> _Ranges:
    yield from _probabilities(named["self"], most=torch.finfo(named["self"].dtype).max)
    sums = named["self"].sum(-1)
    if named["replacement"] and sums.numel() and not bool(((sums > 0) & sums.isfinite()).all()):
        raise OutOfRange("probabilities out of range: a row adds up to 0 or infinity")


def _along(named: _Named) -> int:
    """gather, scatter, index_select and their kin: `index` counts along `dim` of `self`."""
    return int(named["self"].shape[named["dim"]]) if named["self"].dim() else 1


def _advanced(named: _Named) -> _Ranges:
    """`tensor[indices]`: an index tensor for each of the first dimensions, None for all of one."""
    dim = 0
    for index in named["indices"]:
        mask = index is not None and index.dtype in (torch.bool, torch.uint8)  # whose shape is checked on the host
        if index is not None and not mask:
            size = named["self"].shape[dim]
            yield _INDEX, index, -size, size - 1
        dim += index.dim() if mask else 1


def _bags(named: _Named) -> _Ranges:
    """`offsets`: where each bag begins among `indices`, in order; the first at 0."""
    offsets, count = named["offsets"], named["indices"].numel()
    yield _INDEX, named["indices"], 0, named["weight"].shape[0] - 1
    yield "an offset", offsets, 0, count
    yield "the first offset", offsets[:1], 0, 0
    yield "the size of a bag", offsets.diff(), 0, count


def _masked_source(named: _Named) -> _Ranges:
    mask = named["mask"].expand(torch.broadcast_shapes(named["mask"].shape, named["self"].shape))
    yield "the number of elements to fill", mask.sum(), 0, named["source"].numel()


def _repeats(named: _Named) -> _Ranges:
    repeats, size = named["repeats"], named["output_size"]
    if isinstance(repeats, torch.Tensor):
        yield "a number of repeats", repeats, 0, math.inf
        if size is not None:
            yield "the sum of repeats", repeats.sum(), size, size


def _compressed(named: _Named) -> _Ranges:
    """A sparse matrix of compressed rows or columns, whose invariants PyTorch asserts on a GPU."""
    indices = [named[name].cpu() for name in ("compressed_indices", "plain_indices")]
    values, layout = torch.empty(named["values"].shape), named["layout"]
    try:
        torch.sparse_compressed_tensor(*indices, values, named.get("size"), layout=layout, check_invariants=True)
    except RuntimeError as exc:
        raise OutOfRange(str(exc).splitlines()[0]) from exc
    return ()


def _groups(named: _Named) -> _Ranges:
    """`offs`: where each group ends along the dimension that is in groups; in steps of 16 bytes, but for rows."""
    offsets, left, right = named["offs"], named["self"], named["mat2"]
    if offsets is None:
        return
    of_rows = right.dim() == 3
    size = left.shape[0] if of_rows else (left if left.dim() == 2 else right).shape[-1]
    steps = offsets.diff(prepend=offsets.new_zeros(1))
    yield "an offset", offsets, 0, size
    yield "the size of a group", steps, 0, size
    if not of_rows:
        yield "what the bytes of a group are beyond a multiple of 16", steps * left.element_size() % 16, 0, 0


def _asserted(named: _Named) -> _Ranges:
    """`torch._assert_async`: one element, which is not 0."""
    if not named["self"].is_meta and not bool(named["self"].any()):
        raise OutOfRange("an assertion of the program does not hold")
    return ()


def _classes(named: _Named) -> _Ranges:
    """Class labels: dimension 1 of `self` counts the classes, of a vector dimension 0."""
    target, scores = named["target"], named["self"]
    counted = target[target != named.get("ignore_index", -100)]
    yield _LABEL, counted, 0, scores.shape[1 if scores.dim() > 1 else 0] - 1


def _segments(named: _Named) -> _Ranges:
    size, lengths = named["data"].shape[named["axis"]], named["lengths"]
    if named["offsets"] is not None:
        yield "an offset", named["offsets"], 0, size
    if lengths is not None:
        yield "a length", lengths, 0, size
        yield "the sum of lengths", lengths.sum(-1), 0, size


def _alignment_labels(named: _Named) -> _Ranges:
    targets, lengths = named["targets"], named["target_lengths"]
    if targets.dim() > 1:  # what lies behind a length is not looked at
        lengths = torch.as_tensor(lengths, device=targets.device)
        targets = targets[torch.arange(targets.shape[1], device=targets.device) < lengths[:, None]]
    yield "a label", targets, 0, named["log_probs"].shape[-1] - 1


_Check = Callable[[_Named], _Ranges]
_OF_SEVERAL: dict[str, _Check] = {
    "gather scatter scatter_add scatter_reduce index_select index_add index_copy index_reduce": lambda n: [
        (_INDEX, n["index"], 0, _along(n) - 1)
    ],
    "index_fill": lambda n: [(_INDEX, n["index"], -_along(n), _along(n) - 1)],  # -1 is the last one
    "index index_put _unsafe_index _index_put_impl": _advanced,
    "take put": lambda n: [(_INDEX, n["index"], -n["self"].numel(), n["self"].numel() - 1)],
    "embedding": lambda n: [(_INDEX, n["indices"], 0, n["weight"].shape[0] - 1)],
    "embedding_renorm": lambda n: [(_INDEX, n["indices"], 0, n["self"].shape[0] - 1)],
    "_embedding_bag _embedding_bag_forward_only": _bags,
    "max_unpool2d max_unpool3d": lambda n: [(_INDEX, n["indices"], 0, math.prod(n["output_size"]) - 1)],
    "masked_scatter": _masked_source,
    "repeat_interleave": _repeats,
    "_assert_async": _asserted,
    "sparse_compressed_tensor _sparse_compressed_tensor_unsafe": _compressed,
    "_grouped_mm _scaled_grouped_mm _scaled_grouped_mm_v2": _groups,
    "nll_loss_forward nll_loss2d_forward": _classes,
    "multi_margin_loss": lambda n: [(_LABEL, n["target"], 0, n["self"].shape[-1] - 1)],
    "multilabel_margin_loss_forward": lambda n: [(_LABEL, n["target"], -1, n["self"].shape[-1] - 1)],
    "binary_cross_entropy": lambda n: _probabilities(n["self"], n["target"]),
    "bernoulli": lambda n: _probabilities(n.get("p", n["self"])),
    "multinomial": _multinomial,
    "poisson": lambda n: _probabilities(n["self"], most=math.inf),
}
_CHECKS = {name: check for names, check in _OF_SEVERAL.items() for name in names.split()}
_CPU_CHECKS: dict[str, _Check] = {"segment_reduce": _segments, "_ctc_loss": _alignment_labels}
