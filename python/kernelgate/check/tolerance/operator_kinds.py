"""PyTorch's operators by what they do to rounding: by their names in ATen, without overloads.

An operator that is in none of these tables rounds its result once. If it does not work element by element, its result
moves with its arguments, too. Those that lose digits inside are in `check.tolerance.steps`.
"""

from __future__ import annotations


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
