"""PyTorch's operators by what they do to rounding: by their names in ATen, without overloads.

An operator that is in none of these tables rounds its result once. If it does not work element by element, its result
moves with its arguments, too. Those that lose digits inside are taken as the operators that they are made of (`STEPS`),
by the formulas of PyTorch's documentation of GELU, LogSoftmax, GRUCell, LSTMCell, Hardsigmoid and Hardswish. PyTorch's
own kernels of the last two hold 1/6 as a float32, also for float64, if it is off by 3e-8: backward on any device,
forward on a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch


def _named(words: str) -> frozenset[str]:
    return frozenset(words.split())


PRODUCTS = _named("addbmm addmm addmv addr baddbmm bmm dot mm mv vdot")
TO_WHOLE = _named("round floor ceil trunc")
# Their result jumps at some number.
JUMPS = TO_WHOLE | _named("narrowed bucketize eq ge gt hardshrink heaviside le lt ne searchsorted threshold")
# Of two that write to one place, one stays: which one it is may be arbitrary.
ONE_STAYS = _named("copy_ scatter scatter_ index_put index_put_ _index_put_impl_ index_copy index_copy_ put put_")
# A whole number in the name of one of these, or in its place, indexes something.
INDEXING = ("index", "gather", "scatter", "embedding", "take", "put", "select", "nll_loss", "hot", "bincount", "ctc")
# Their result is exact if it is representable, in whatever way a program computes it.
ARITHMETIC = _named("add sub rsub mul div neg")
CONVOLUTIONS = _named("_convolution convolution convolution_overrideable cudnn_convolution mkldnn_convolution")
ATTENTION = "scaled_dot_product"
SOFTMAX = _named("_log_softmax _safe_softmax _softmax log_softmax softmax")
SUMS_ALONG = _named("cumsum cumprod logcumsumexp") | SOFTMAX
# Moved by rounding, their arguments may leave the range in which they are defined.
OF_PROBABILITIES = _named("binary_cross_entropy")
NORMS = _named(
    """
    _batch_norm_no_update _batch_norm_with_update _fused_rms_norm _native_batch_norm_legit
    _native_batch_norm_legit_functional _native_batch_norm_legit_no_training batch_norm
    cudnn_batch_norm miopen_batch_norm native_batch_norm native_batch_norm_backward
    native_group_norm native_layer_norm rms_norm std std_mean var var_mean
    """
)
# A stable algorithm gives the exact result for a matrix beside this one, off by rounding of its largest elements.
OF_A_MATRIX = _named(
    """
    _linalg_det _linalg_eigh _linalg_slogdet _linalg_solve_ex _linalg_svd geqrf linalg_cholesky_ex
    linalg_eig linalg_inv_ex linalg_ldl_factor_ex linalg_lstsq linalg_lu linalg_lu_factor_ex
    linalg_matrix_exp linalg_pinv linalg_qr
    """
)
# These return numbers that they were given, or whole numbers: nothing rounds.
EXACT = _named(
    """
    _local_scalar_dense _reshape_alias _to_copy _unique _unique2 _unsafe_index
    _upsample_nearest_exact1d _upsample_nearest_exact2d _upsample_nearest_exact3d abs abs_
    adaptive_max_pool2d adaptive_max_pool3d alias all amax amin aminmax any arange argmax argmin
    argsort bernoulli bernoulli_ bitwise_and bitwise_not bitwise_or bitwise_xor bucketize
    cartesian_prod cat ceil channel_shuffle clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_
    clone constant_pad_nd copy_ copysign count_nonzero cummax cummin detach diag_embed diagonal_copy
    embedding empty empty_like empty_strided eq fill_ flip floor fmax fmin fmod frac
    fractional_max_pool2d full full_like gather ge glu_jvp gt hardtanh hardtanh_ heaviside im2col
    index index_copy index_copy_ index_fill index_put index_put_ index_select isfinite isin isinf
    isnan kthvalue le lift_fresh lift_fresh_copy linspace logical_and logical_not logical_or
    logical_xor lt masked_fill masked_fill_ masked_scatter masked_select max max_pool1d max_pool2d
    max_pool2d_with_indices max_pool3d_with_indices max_unpool2d maximum median min minimum mode
    nanmedian ne neg neg_ new_empty new_empty_strided new_full new_ones new_zeros nextafter nonzero
    nonzero_static normal_ one_hot ones ones_like pixel_shuffle pixel_unshuffle rand rand_like
    randint randn randn_like random_ randperm reflection_pad1d reflection_pad2d reflection_pad3d
    relu relu_ repeat repeat_interleave replication_pad1d replication_pad2d replication_pad3d
    resize_ roll round scalar_tensor scatter scatter_ searchsorted select_scatter set_ sgn sign
    slice_scatter sort stack take take_along_dim threshold threshold_ topk tril triu trunc
    unbind_copy unfold_copy uniform_ unique unique_consecutive unique_dim upsample_nearest1d
    upsample_nearest2d upsample_nearest3d view_copy where zero_ zeros zeros_like
    """
)
# They count the elements between bounds. An element beside a bound may be counted on its other side, but for a whole
# number, which no careful program rounds.
COUNTS = _named("histc")
# Only multiply and add: on small whole numbers nothing rounds but a factor that is no whole number.
LINEAR = _named(
    """
    _adaptive_avg_pool2d _adaptive_avg_pool3d _convolution add add_ addmm addmv avg_pool1d
    avg_pool2d avg_pool3d baddbmm bmm convolution cumsum dot leaky_relu leaky_relu_ mean mm mul mul_
    mv rsub sub sub_ sum
    """
)
# Reductions: each element of the result is a sum of several.
REDUCTIONS = _named(
    """
    _adaptive_avg_pool2d _adaptive_avg_pool3d _cdist_forward _embedding_bag
    _embedding_bag_forward_only _pdist_forward avg_pool1d avg_pool2d avg_pool3d binary_cross_entropy
    embedding_bag huber_loss index_add index_add_ kl_div linalg_vector_norm logsumexp mean mse_loss
    nansum nll_loss2d_forward nll_loss_forward norm prod scatter_add scatter_add_ scatter_reduce
    smooth_l1_loss sum trace
    """
)


def _gelu(x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    if approximate == "tanh":
        inner = torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))
    else:
        inner = torch.erf(x * math.sqrt(0.5))
    return x * (inner + 1) * 0.5


def _log_softmax(x: torch.Tensor, dim: int, _half_to_float: bool) -> torch.Tensor:
    """Of a nearly certain class it is a small difference: the logarithm of a sum near 1."""
    if not x.numel():
        return x.clone()
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()


def _gru_cell(
    from_input: torch.Tensor,
    from_state: torch.Tensor,
    state: torch.Tensor,
    input_bias: torch.Tensor | None = None,
    state_bias: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The next state, and the room that only a backward pass reads."""
    reset_x, update_x, new_x = _biased(from_input, input_bias).chunk(3, -1)
    reset_h, update_h, new_h = _biased(from_state, state_bias).chunk(3, -1)
    update = torch.sigmoid(update_x + update_h)
    new = torch.tanh(new_x + torch.sigmoid(reset_x + reset_h) * new_h)
    return new + update * (state - new), state.new_empty(0)


def _lstm_cell(
    from_input: torch.Tensor,
    from_state: torch.Tensor,
    cell: torch.Tensor,
    input_bias: torch.Tensor | None = None,
    state_bias: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    gates = _biased(from_input, input_bias) + _biased(from_state, state_bias)
    enter, forget, new, out = gates.chunk(4, -1)
    cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(new)
    return torch.sigmoid(out) * torch.tanh(cell), cell, cell.new_empty(0)


def _biased(values: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    return values if bias is None else values + bias


def _hardsigmoid(x: torch.Tensor) -> torch.Tensor:
    return (x + 3).clamp(0, 6) / 6


def _hardsigmoid_backward(gradient: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.where((x > -3) & (x < 3), gradient / 6, 0.0)


def _hardswish(x: torch.Tensor) -> torch.Tensor:
    return x * _hardsigmoid(x)


def _hardswish_backward(gradient: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    inside = torch.where(x < 3, gradient * (x / 3 + 0.5), gradient)
    return torch.where(x > -3, inside, 0.0)


STEPS: dict[str, Callable[..., Any]] = {
    "gelu": _gelu,
    "_log_softmax": _log_softmax,
    "_thnn_fused_gru_cell": _gru_cell,
    "_thnn_fused_lstm_cell": _lstm_cell,
    "hardsigmoid": _hardsigmoid,
    "hardsigmoid_backward": _hardsigmoid_backward,
    "hardswish": _hardswish,
    "hardswish_backward": _hardswish_backward,
}
