"""Raises where an operator would abort: on a GPU at an index, a count or a probability out of range.

In: the operators of a reference, as they are dispatched. Out: `OutOfRange`, before one of them ends the CUDA context,
or the process, and with it the judge. On the CPU PyTorch raises by itself, but for a few operators that do not look.
"""

from __future__ import annotations

import contextlib
import functools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch

from kernelgate.check.operator_mode import OperatorMode


class OutOfRange(ValueError):
    """What PyTorch says on the CPU, as one exception."""


def asserts_raise(device: torch.device) -> contextlib.AbstractContextManager[Any]:
    """Inside, an operator on a GPU raises OutOfRange if it would abort."""
    return _Checking() if device.type == "cuda" else contextlib.nullcontext()


@contextlib.contextmanager
def crashes_raise(text: str) -> Iterator[None]:
    """Inside, an operator on the CPU raises OutOfRange, or RuntimeError, if it would end the process. `text`: of the
    reference; without the name of such an operator nothing is checked."""
    with contextlib.ExitStack() as checked:
        if _WITHOUT_A_LOOK.search(text):
            checked.enter_context(_CheckingOnCpu())
        if "sparse" in text:
            checked.enter_context(torch.sparse.check_sparse_tensor_invariants())
        yield


_WITHOUT_A_LOOK = re.compile(r"segment_reduce|ctc_?loss", re.IGNORECASE)


def check_ranges(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, on_cpu: bool = False) -> None:
    """Raises OutOfRange if a call of an operator (`torch.ops.aten...`) would abort on a GPU, or on the CPU."""
    checks = _CPU_CHECKS if on_cpu else _CHECKS
    check = checks.get(func._schema.name.removeprefix("aten::").rstrip("_"))
    if check is None:
        return
    named = {argument.name: argument.default_value for argument in func._schema.arguments}
    named.update(zip((argument.name for argument in func._schema.arguments), args, strict=False))
    named.update(kwargs)
    check(named)


class _Checking(OperatorMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        check_ranges(func, args, kwargs or {})
        return func(*args, **(kwargs or {}))


class _CheckingOnCpu(OperatorMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        check_ranges(func, args, kwargs or {}, on_cpu=True)
        return func(*args, **(kwargs or {}))


def _require(values: torch.Tensor, least: float, most: float, what: str) -> None:
    if values.numel() and not values.is_meta and not bool(((values >= least) & (values <= most)).all()):
        raise OutOfRange(f"{what} out of range: outside of {least:g} to {most:g}")


def _probabilities(most: float, *names: str) -> Callable[[Mapping[str, Any]], None]:
    def check(named: Mapping[str, Any]) -> None:
        for name in names:
            if isinstance(named[name], torch.Tensor):
                _require(named[name], 0.0, most, "probabilities")

    return check


def _bernoulli(named: Mapping[str, Any]) -> None:
    """`self` holds the probabilities if no `p` does; a number `p` is checked on the host."""
    given = named.get("p", named["self"])
    if isinstance(given, torch.Tensor):
        _require(given, 0.0, 1.0, "probabilities")


def _multinomial(named: Mapping[str, Any]) -> None:
    _require(named["self"], 0.0, torch.finfo(named["self"].dtype).max, "probabilities")
    sums = named["self"].sum(-1)
    if named["replacement"] and sums.numel() and not bool(((sums > 0) & sums.isfinite()).all()):
        raise OutOfRange("probabilities out of range: a row adds up to 0 or infinity")


def _along_a_dimension(named: Mapping[str, Any], *, from_the_end: bool = False) -> None:
    """gather, scatter, index_select and their kin: `index` counts along `dim` of `self`. `from_the_end`: -1 is the last
    one."""
    tensor, dim = named["self"], named["dim"]
    size = tensor.shape[dim] if tensor.dim() else 1
    _require(named["index"], -size if from_the_end else 0, size - 1, "an index")


def _advanced(named: Mapping[str, Any]) -> None:
    """`tensor[indices]`: an index tensor for each of the first dimensions, None for all of one."""
    dim = 0
    for index in named["indices"]:
        if index is None:
            dim += 1
        elif index.dtype in (torch.bool, torch.uint8):
            dim += index.dim()  # a mask's shape is checked on the host
        else:
            size = named["self"].shape[dim]
            _require(index, -size, size - 1, "an index")
            dim += 1


def _flat(named: Mapping[str, Any]) -> None:
    count = named["self"].numel()
    _require(named["index"], -count, count - 1, "an index")


def _rows(named: Mapping[str, Any]) -> None:
    _require(named["indices"], 0, named["weight"].shape[0] - 1, "an index")


def _bags(named: Mapping[str, Any]) -> None:
    """`offsets`: where each bag begins among `indices`, in order; the first at 0."""
    _rows(named)
    offsets, count = named["offsets"], named["indices"].numel()
    _require(offsets, 0, count, "an offset")
    _require(offsets[:1], 0, 0, "the first offset")
    _require(offsets.diff(), 0, count, "the size of a bag")


def _renormed_rows(named: Mapping[str, Any]) -> None:
    _require(named["indices"], 0, named["self"].shape[0] - 1, "an index")


def _unpooled(named: Mapping[str, Any]) -> None:
    _require(named["indices"], 0, math.prod(named["output_size"]) - 1, "an index")


def _masked_source(named: Mapping[str, Any]) -> None:
    mask = named["mask"].expand(torch.broadcast_shapes(named["mask"].shape, named["self"].shape))
    _require(mask.sum(), 0, named["source"].numel(), "the number of elements to fill")


def _repeats(named: Mapping[str, Any]) -> None:
    if not isinstance(named["repeats"], torch.Tensor):
        return
    _require(named["repeats"], 0, float("inf"), "a number of repeats")
    size = named["output_size"]
    if size is not None:
        _require(named["repeats"].sum(), size, size, "the sum of repeats")


def _compressed(named: Mapping[str, Any]) -> None:
    """A sparse matrix of compressed rows or columns, whose invariants PyTorch asserts on a GPU."""
    indices = [named[name].cpu() for name in ("compressed_indices", "plain_indices")]
    values = torch.empty(named["values"].shape)
    try:
        torch.sparse_compressed_tensor(
            *indices, values, named.get("size"), layout=named["layout"], check_invariants=True
        )
    except RuntimeError as exc:
        raise OutOfRange(str(exc).splitlines()[0]) from exc


def _groups(named: Mapping[str, Any]) -> None:
    """`offs`: where each group ends along the dimension that is in groups; in steps of 16 bytes, but for rows."""
    offsets, left, right = named["offs"], named["self"], named["mat2"]
    if offsets is None:
        return
    of_rows = right.dim() == 3
    size = left.shape[0] if of_rows else (left if left.dim() == 2 else right).shape[-1]
    steps = offsets.diff(prepend=offsets.new_zeros(1))
    _require(offsets, 0, size, "an offset")
    _require(steps, 0, size, "the size of a group")
    if not of_rows:
        _require(steps * left.element_size() % 16, 0, 0, "what the bytes of a group are beyond a multiple of 16")


def _asserted(named: Mapping[str, Any]) -> None:
    """`torch._assert_async`: one element, which is not 0."""
    if not named["self"].is_meta and not bool(named["self"].any()):
        raise OutOfRange("an assertion of the program does not hold")


def _classes(named: Mapping[str, Any]) -> None:
    """Class labels: dimension 1 of `self` counts the classes, of a vector dimension 0."""
    target, scores = named["target"], named["self"]
    counted = target[target != named.get("ignore_index", -100)]
    _require(counted, 0, scores.shape[1 if scores.dim() > 1 else 0] - 1, "a class label")


def _margin_classes(named: Mapping[str, Any]) -> None:
    _require(named["target"], 0, named["self"].shape[-1] - 1, "a class label")


def _margin_labels(named: Mapping[str, Any]) -> None:
    _require(named["target"], -1, named["self"].shape[-1] - 1, "a class label")


_ALONG = (
    "gather",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "index_select",
    "index_add",
    "index_copy",
    "index_reduce",
)
_CHECKS: dict[str, Callable[[Mapping[str, Any]], None]] = {
    **dict.fromkeys(_ALONG, _along_a_dimension),
    **dict.fromkeys(("index", "index_put", "_unsafe_index", "_index_put_impl"), _advanced),
    "index_fill": functools.partial(_along_a_dimension, from_the_end=True),
    **dict.fromkeys(("take", "put"), _flat),
    "embedding": _rows,
    "embedding_renorm": _renormed_rows,
    **dict.fromkeys(("_embedding_bag", "_embedding_bag_forward_only"), _bags),
    **dict.fromkeys(("max_unpool2d", "max_unpool3d"), _unpooled),
    "masked_scatter": _masked_source,
    "repeat_interleave": _repeats,
    "_assert_async": _asserted,
    **dict.fromkeys(("sparse_compressed_tensor", "_sparse_compressed_tensor_unsafe"), _compressed),
    **dict.fromkeys(("_grouped_mm", "_scaled_grouped_mm", "_scaled_grouped_mm_v2"), _groups),
    **dict.fromkeys(("nll_loss_forward", "nll_loss2d_forward"), _classes),
    "multi_margin_loss": _margin_classes,
    "multilabel_margin_loss_forward": _margin_labels,
    "binary_cross_entropy": _probabilities(1.0, "self", "target"),
    "bernoulli": _bernoulli,
    "multinomial": _multinomial,
    "poisson": _probabilities(float("inf"), "self"),
}


def _segments(named: Mapping[str, Any]) -> None:
    size = named["data"].shape[named["axis"]]
    if named["offsets"] is not None:
        _require(named["offsets"], 0, size, "an offset")
    if named["lengths"] is not None:
        _require(named["lengths"], 0, size, "a length")
        _require(named["lengths"].sum(-1), 0, size, "the sum of lengths")


def _alignment_labels(named: Mapping[str, Any]) -> None:
    targets, lengths = named["targets"], named["target_lengths"]
    if targets.dim() > 1:  # what lies behind a length is not looked at
        lengths = torch.as_tensor(lengths, device=targets.device)
        targets = targets[torch.arange(targets.shape[1], device=targets.device) < lengths[:, None]]
    _require(targets, 0, named["log_probs"].shape[-1] - 1, "a label")


_CPU_CHECKS: dict[str, Callable[[Mapping[str, Any]], None]] = {
    "segment_reduce": _segments,
    "_ctc_loss": _alignment_labels,
}
