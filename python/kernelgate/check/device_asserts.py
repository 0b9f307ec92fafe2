"""Raises where an operator on a GPU would abort: an index or a probability out of range.

In: the operators of a reference, as they are dispatched. Out: `OutOfRange`, before one of them ends the CUDA context
and with it the judge. On the CPU PyTorch raises by itself, so nothing is checked there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import torch

from kernelgate.check.operator_mode import OperatorMode


class OutOfRange(ValueError):
    """What PyTorch says on the CPU, as one exception."""


def asserts_raise(device: torch.device) -> contextlib.AbstractContextManager[Any]:
    """Inside, an operator on a GPU raises OutOfRange where it would abort."""
    return _Checking() if device.type == "cuda" else contextlib.nullcontext()


def check_ranges(func: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Raises OutOfRange where a call of an operator (`torch.ops.aten...`) would abort on a GPU."""
    check = _CHECKS.get(func._schema.name.removeprefix("aten::").rstrip("_"))
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


def _require(values: torch.Tensor, least: float, most: float, what: str) -> None:
    if values.numel() and not bool(((values >= least) & (values <= most)).all()):
        raise OutOfRange(f"{what} out of range: outside of {least:g} to {most:g}")


def _probabilities(most: float, *names: str) -> Callable[[Mapping[str, Any]], None]:
    def check(named: Mapping[str, Any]) -> None:
        for name in names:
            if isinstance(named[name], torch.Tensor):
                _require(named[name], 0.0, most, "probabilities")

    return check


def _along_a_dimension(named: Mapping[str, Any]) -> None:
    """gather, scatter, index_select and their kin: `index` counts along `dim` of `self`."""
    tensor, dim, index = named["self"], named["dim"], named["index"]
    size = tensor.shape[dim] if tensor.dim() else 1
    _require(index, 0, size - 1, "an index")


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
    "index_fill",
    "index_reduce",
)
_CHECKS: dict[str, Callable[[Mapping[str, Any]], None]] = {
    **dict.fromkeys(_ALONG, _along_a_dimension),
    **dict.fromkeys(("index", "index_put", "_unsafe_index", "_index_put_impl"), _advanced),
    **dict.fromkeys(("take", "put"), _flat),
    **dict.fromkeys(("embedding", "_embedding_bag", "_embedding_bag_forward_only"), _rows),
    **dict.fromkeys(("nll_loss_forward", "nll_loss2d_forward"), _classes),
    "multi_margin_loss": _margin_classes,
    "multilabel_margin_loss_forward": _margin_labels,
    "binary_cross_entropy": _probabilities(1.0, "self", "target"),
    "bernoulli": _probabilities(1.0, "self"),
    "multinomial": _probabilities(float("inf"), "self"),
    "poisson": _probabilities(float("inf"), "self"),
}
