#pragma once

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <optional>

#include "walk.h"

namespace {

using at::Tensor;

std::optional<Kind> kind_of(const Tensor& x) {
  switch (x.scalar_type()) {
    case at::kFloat: return Kind::Float;
    case at::kDouble: return Kind::Double;
    case at::kHalf: return Kind::Half;
    case at::kBFloat16: return Kind::BFloat16;
    default: return std::nullopt;
  }
}

// How to walk over `in` and `out` in the order in which out lies in memory. Neighbouring dimensions that both step
// through evenly are merged; nullopt where more than kMaxDims are left.
std::optional<Walk> plan_walk(const Tensor& in, const Tensor& out) {
  int order[64];  // dimensions, the smallest stride of out first
  int rank = 0;
  for (int d = 0; d < in.dim(); ++d) {
    if (in.size(d) == 1) {
      continue;
    }
    int place = rank++;
    for (; place > 0 && out.stride(d) < out.stride(order[place - 1]); --place) {
      order[place] = order[place - 1];
    }
    order[place] = d;
  }

  Walk walk{};
  for (int k = 0; k < rank; ++k) {
    const int64_t size = in.size(order[k]), in_stride = in.stride(order[k]), out_stride = out.stride(order[k]);
    if (walk.dims > 0) {
      Dimension& last = walk.dim[walk.dims - 1];
      if (in_stride == last.in_stride * last.size && out_stride == last.out_stride * last.size) {
        last.size *= size;
        continue;
      }
    }
    if (walk.dims == kMaxDims) {
      return std::nullopt;
    }
    walk.dim[walk.dims++] = Dimension{size, in_stride, out_stride, 0, 31};
  }
  int64_t last_in = 0, last_out = 0;
  for (int d = 0; d < walk.dims; ++d) {
    Dimension& dim = walk.dim[d];
    last_in += (dim.size - 1) * dim.in_stride;
    last_out += (dim.size - 1) * dim.out_stride;
    if (dim.size < int64_t(1) << 31) {  // larger ones keep magic 0 and shift 31: the quotient is 0
      dim.shift = 0;
      while (int64_t(1) << dim.shift < dim.size) {
        ++dim.shift;
      }
      dim.magic = static_cast<uint32_t>(((uint64_t(1) << 32) * ((uint64_t(1) << dim.shift) - dim.size)) / dim.size + 1);
    }
  }
  walk.narrow = std::max({in.numel(), last_in, last_out}) < int64_t(1) << 31;
  return walk;
}

bool aligned(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % 16 == 0; }

bool dense(const Walk& walk) {
  return walk.dims == 0 || (walk.dims == 1 && walk.dim[0].in_stride == 1 && walk.dim[0].out_stride == 1);
}

void check(int code) { C10_CUDA_CHECK(static_cast<cudaError_t>(code)); }

void* current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

}  // namespace
