"""PyTorch's operators by what they do to rounding: by their names in ATen, without overloads.

An operator that is in none of these tables rounds its result once, if that is no number of the dtype already. If it
does not work element by element, its result then moves with its arguments, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch


def _named(words: str) -> frozenset[str]:
    return frozenset(words.split())


PRODUCTS = _named("addbmm addmm addmv addr baddbmm bmm dot mm mv vdot")
# Their result jumps at some number.
JUMPS = _named(
    "narrowed round floor ceil trunc bucketize eq ge gt hardshrink heaviside le lt ne searchsorted threshold"
)
# Of two that write to one place, one stays: which one it is may be arbitrary.
ONE_STAYS = _named("copy_ scatter scatter_ index_put index_put_ _index_put_impl_ index_copy index_copy_ put put_")
# A whole number in the name of one of these, or in its place, indexes something.
INDEXING = ("index", "gather", "scatter", "embedding", "take", "put", "select", "nll_loss", "hot", "bincount", "ctc")
CONVOLUTIONS = _named("_convolution convolution convolution_overrideable cudnn_convolution mkldnn_convolution")
ATTENTION = "scaled_dot_product"
SOFTMAX = _named("_log_softmax _safe_softmax _softmax log_softmax softmax")
SUMS_ALONG = SOFTMAX | _named("cumsum cumprod logcumsumexp")
# Moved by rounding, their arguments may leave the range in which they are defined.
OF_PROBABILITIES = _named("binary_cross_entropy")
NORMS = _named(
    "_batch_norm_no_update _batch_norm_with_update _fused_rms_norm _native_batch_norm_legit "
    "_native_batch_norm_legit_functional _native_batch_norm_legit_no_training batch_norm cudnn_batch_norm "
    "miopen_batch_norm native_batch_norm native_batch_norm_backward native_group_norm native_layer_norm rms_norm std "
    "std_mean var var_mean"
)
# A stable algorithm gives the exact result for a matrix beside this one, off by rounding of its largest elements.
OF_A_MATRIX = _named(
    "_linalg_det _linalg_eigh _linalg_slogdet _linalg_solve_ex _linalg_svd geqrf linalg_cholesky_ex linalg_eig "
    "linalg_inv_ex linalg_ldl_factor_ex linalg_lstsq linalg_lu linalg_lu_factor_ex linalg_matrix_exp linalg_pinv "
    "linalg_qr"
)
# They count the elements between bounds. An element beside a bound may be counted on its other side, but for a whole
# number, which no careful program rounds.
COUNTS = _named("histc")
# Only multiply and add: on small whole numbers nothing rounds but a factor that is no whole number.
LINEAR = _named(
    "_adaptive_avg_pool2d _adaptive_avg_pool3d _convolution add addmm addmv avg_pool1d avg_pool2d avg_pool3d "
    "baddbmm bmm convolution cumsum dot leaky_relu mean mm mul mv rsub sub sum"
)
# Reductions: each element of the result is a sum of several.
REDUCTIONS = _named(
    "_adaptive_avg_pool2d _adaptive_avg_pool3d _cdist_forward _embedding_bag _embedding_bag_forward_only "
    "_pdist_forward avg_pool1d avg_pool2d avg_pool3d binary_cross_entropy embedding_bag huber_loss index_add kl_div "
    "linalg_vector_norm logsumexp mean mse_loss nansum nll_loss2d_forward nll_loss_forward norm prod scatter_add "
    "scatter_add_ scatter_reduce smooth_l1_loss sum trace"
)


def adds_up(func: Any, args: Sequence[Any], kwargs: Any) -> bool:
    """Whether an operator that puts values at places adds up those of one place."""
    given = {argument.name: value for argument, value in zip(func._schema.arguments, args, strict=False)}
    given.update(kwargs)
    return given.get("accumulate") is True or isinstance(given.get("reduce"), str)


def added(name: str, args: Sequence[Any]) -> torch.Tensor | None:
    """What is added to a product by the same operator, of a shape that fits its result."""
    if name in ("addbmm", "addmm", "addmv", "addr", "baddbmm"):
        return args[0] if isinstance(args[0], torch.Tensor) else None
    if name in CONVOLUTIONS and len(args) > 2 and isinstance(args[2], torch.Tensor):
        return args[2].reshape(-1, *([1] * (args[0].dim() - 2)))
    return None


def larger_factor(name: str, args: Sequence[Any]) -> Any:
    """Of two tensors that are multiplied; None for any other sum."""
    tensors = [value for value in args if isinstance(value, torch.Tensor)]
    factors = tensors[-2:] if name in PRODUCTS else tensors[:2] if name in CONVOLUTIONS else []
    return max(factors, key=torch.Tensor.numel) if len(factors) == 2 and factors[0] is not factors[1] else None


def terms_of(name: str, args: Sequence[Any]) -> int:
    """How many terms are added up for one element of the result; -1: as the sizes of argument and result say."""
    tensors = [value for value in args if isinstance(value, torch.Tensor)]
    if name in PRODUCTS:
        return int(tensors[-2].shape[-1]) if len(tensors) > 1 else 1
    if name in CONVOLUTIONS:
        transposed = next((value for value in args[6:7] if isinstance(value, bool)), False)
        weight = tensors[1]
        return int(weight.numel() // max(1, weight.shape[1 if transposed else 0]))
    if ATTENTION in name:
        return int(max(tensors[0].shape[-1], tensors[1].shape[-2]))
    if name in SUMS_ALONG and len(args) > 1 and isinstance(args[1], int) and tensors[0].dim():
        return int(tensors[0].shape[args[1]])
    if name.startswith("_fft_"):
        return math.prod(int(tensors[0].shape[dim]) for dim in args[1])
    if name.startswith("avg_pool"):
        kernel = args[1]
        return math.prod(kernel) if len(kernel) > 1 else int(kernel[0]) ** int(name[-2])
    if name in ("_cdist_forward", "_pdist_forward"):
        return int(tensors[0].shape[-1])
    if "embedding_bag" in name and len(tensors) > 2:
        _weights, indices, offsets = tensors[:3]
        return max(2, int(indices.numel()) // max(1, int(offsets.numel())))
    if name in NORMS:
        return max(2, int(tensors[0].numel()) // max(1, _groups(name, tensors)))
    if name in REDUCTIONS:
        return -1
    return 1


def _groups(name: str, tensors: Sequence[torch.Tensor]) -> int:
    """For how many groups of elements a normalization takes a mean of its own."""
    first = tensors[0]
    if "batch_norm" in name:
        return int(first.shape[1]) if first.dim() > 1 else 1
    return int(first.shape[0]) if first.dim() else 1
