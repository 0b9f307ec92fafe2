#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>

#include <optional>
#include <vector>

#include "splits.h"

namespace {

// x (..., k), weight (n, k), bias (n): float32, on one CUDA device. Returns (..., n).
at::Tensor linear_scale_leaky_relu(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                                   double multiplier, double negative_slope, bool keep_split) {
  TORCH_CHECK(weight.dim() == 2 && x.dim() >= 1 && x.size(-1) == weight.size(1),
              "linear_scale_leaky_relu: x must be (..., k) and weight (n, k)");
  TORCH_CHECK(x.scalar_type() == at::kFloat && weight.scalar_type() == at::kFloat && weight.device() == x.device(),
              "linear_scale_leaky_relu: x and weight must be float32 and on one device");
  TORCH_CHECK(!bias || (bias->scalar_type() == at::kFloat && bias->dim() == 1 && bias->size(0) == weight.size(0) &&
                        bias->device() == x.device()),
              "linear_scale_leaky_relu: bias must be float32 (n) on the device of weight");
  constexpr int64_t kMost = int64_t{1} << 30, kMostTerms = int64_t{1} << 22;
  const int64_t k = weight.size(1);
  const int64_t n = weight.size(0);
  std::vector<int64_t> shape = x.sizes().vec();
  shape.back() = n;
  const c10::cuda::CUDAGuard device_guard(x.device());
  const at::Tensor y = at::empty(shape, x.options());
  if (y.numel() == 0) {
    return y;
  }
  const int64_t m = y.numel() / n;
  TORCH_CHECK(k > 0 && k <= kMostTerms && m <= kMost && n <= kMost,
              "linear_scale_leaky_relu: k must be from 1 to 2^22, and x and weight have at most 2^30 rows");

  const c10::cuda::CUDAStream stream = c10::cuda::getCurrentCUDAStream();
  const Plan plan = plan_product(static_cast<int>(m), static_cast<int>(n), static_cast<int>(k));
  const bool few = plan.path == kFewRows;
  const at::Tensor flat = x.reshape({m, k});
  const at::Tensor columns = few ? weight.contiguous() : splittable(weight);
  SplitBeside beside{};
  SplitMatrix w_split;
  if (!few) {
    w_split = split_of_weight(weight, columns, stream, keep_split, flat.is_contiguous(), beside);
  }
  // Where there is something to do beside x, a dense copy of x is split.
  const at::Tensor rows = few || beside.rows ? flat.contiguous() : splittable(flat);
  const at::Tensor dense_bias = bias ? bias->contiguous() : at::Tensor();
  const Product product{rows.const_data_ptr<float>(),
                        columns.const_data_ptr<float>(),
                        bias ? dense_bias.const_data_ptr<float>() : nullptr,
                        y.mutable_data_ptr<float>(),
                        static_cast<int>(m),
                        static_cast<int>(n),
                        static_cast<int>(k),
                        static_cast<float>(multiplier),
                        static_cast<float>(negative_slope),
                        is_transposed(rows),
                        is_transposed(columns)};
  int error;
  if (few) {
    error = multiply_few_rows(product, stream.stream());
  } else {
    const SplitMatrix x_split = split(rows, stream, beside);
    const at::Tensor sums = plan.parts > 1 ? at::empty({plan.parts, m, n}, x.options()) : at::Tensor();
    error = multiply_split(plan, product, x_split.raw(), w_split.raw(),
                           plan.parts > 1 ? sums.mutable_data_ptr<float>() : nullptr, stream.stream());
  }
  C10_CUDA_CHECK(static_cast<cudaError_t>(error));
  return y;
}

// y: float32 on a CUDA device. Returns a bit an element, in the order in which they lie in memory.
at::Tensor signs_of(const at::Tensor& y) {
  const at::Tensor dense = y.contiguous();
  const at::Tensor signs = at::empty({(y.numel() + 31) / 32}, y.options().dtype(at::kInt));
  if (y.numel() > 0) {
    const c10::cuda::CUDAGuard device_guard(y.device());
    const int error = pack_signs(dense.const_data_ptr<float>(), static_cast<unsigned*>(signs.mutable_data_ptr()),
                                 y.numel(), c10::cuda::getCurrentCUDAStream().stream());
    C10_CUDA_CHECK(static_cast<cudaError_t>(error));
  }
  return signs;
}

// The gradient before the activation, dense.
at::Tensor by_signs(const at::Tensor& upstream, const at::Tensor& signs, double negative_slope) {
  const at::Tensor dense = upstream.contiguous();
  const at::Tensor g = at::empty(upstream.sizes(), upstream.options());
  if (g.numel() > 0) {
    const c10::cuda::CUDAGuard device_guard(g.device());
    const int error =
        scale_by_signs(dense.const_data_ptr<float>(), static_cast<const unsigned*>(signs.const_data_ptr()),
                       static_cast<float>(negative_slope), g.mutable_data_ptr<float>(), g.numel(),
                       c10::cuda::getCurrentCUDAStream().stream());
    C10_CUDA_CHECK(static_cast<cudaError_t>(error));
  }
  return g;
}

}  // namespace
