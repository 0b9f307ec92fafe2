#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <mutex>
#include <utility>

#include "interface.h"

#if __has_include(<c10/core/StorageImpl.h>)
#include <c10/core/StorageImpl.h>
#include <c10/cuda/CUDAGraphsC10Utils.h>

#include <map>
#define KEEPS_SPLITS 1
#endif

namespace {

struct SplitMatrix {
  at::Tensor lines;
  at::Tensor facts;
  Split raw() const { return {lines.data_ptr(), facts.mutable_data_ptr<float>()}; }
};

// Memory for the split of values (rows, k).
SplitMatrix room_for(const at::Tensor& values) {
  return {
      at::empty({values.size(0), slices_of(static_cast<int>(values.size(1))), 64}, values.options().dtype(at::kHalf)),
      at::empty({4, values.size(0)}, values.options())};
}

// values: (rows, k), dense or transposed. What is to do `beside` is done in the same kernel, where they are dense.
SplitMatrix split(const at::Tensor& values, const c10::cuda::CUDAStream& stream, const SplitBeside& beside = {}) {
  const int rows = static_cast<int>(values.size(0));
  const int k = static_cast<int>(values.size(1));
  SplitMatrix made = room_for(values);
  const float* from = values.const_data_ptr<float>();
  const int error = values.is_contiguous() ? split_matrix(from, rows, k, made.raw(), beside, stream.stream())
                                           : split_transposed(from, rows, k, made.raw(), stream.stream());
  C10_CUDA_CHECK(static_cast<cudaError_t>(error));
  return made;
}

// `columns`: the weight, as it can be split. Beside x, where that is dense, the same kernel can split it.
SplitMatrix split_anew(const at::Tensor& columns, const c10::cuda::CUDAStream& stream, bool x_dense,
                       SplitBeside& beside) {
  if (!x_dense || !columns.is_contiguous()) {
    return split(columns, stream);
  }
  SplitMatrix made = room_for(columns);
  beside = {columns.const_data_ptr<float>(), static_cast<int>(columns.size(0)), kAllSlices, made.raw()};
  return made;
}

bool is_transposed(const at::Tensor& matrix) { return !matrix.is_contiguous() && matrix.t().is_contiguous(); }

// As it is where it can be split so, or a dense copy.
at::Tensor splittable(const at::Tensor& matrix) { return is_transposed(matrix) ? matrix : matrix.contiguous(); }

#ifdef KEEPS_SPLITS
// Splits of weights, by address. One is used again only while the weight is the same: its memory is alive, PyTorch
// has counted no change of it, and work is queued on the stream that made the split. Changes that PyTorch does not
// count are looked for on the device, in another slice of all rows at each use.
struct Kept {
  c10::weak_intrusive_ptr<c10::StorageImpl> storage;
  int64_t version, rows, columns;
  c10::cuda::CUDAStream stream;
  SplitMatrix split;
  int64_t uses = 0;
};
std::mutex kept_mutex;
std::map<const void*, Kept>& kept() {
  static auto* all = new std::map<const void*, Kept>;  // never destroyed: at the end of a process CUDA goes first
  return *all;
}

// `columns`: the weight, as it can be split. `beside` gets what is left to be done for it beside the split of x.
SplitMatrix split_of_weight(const at::Tensor& weight, const at::Tensor& columns, const c10::cuda::CUDAStream& stream,
                            bool keep, bool x_dense, SplitBeside& beside) {
  // A captured graph reads the weight in every replay, so it has to split it there too.
  const bool capturing = c10::cuda::currentStreamCaptureStatusMayInitCtx() != c10::cuda::CaptureStatus::None;
  if (!keep || capturing || !weight.is_contiguous() || weight.is_inference()) {
    return split_anew(columns, stream, x_dense, beside);
  }
  const std::lock_guard<std::mutex> lock(kept_mutex);
  auto& all = kept();
  c10::StorageImpl* storage = weight.storage().unsafeGetStorageImpl();
  const auto version = static_cast<int64_t>(weight._version());
  const auto found = all.find(weight.const_data_ptr());
  if (found != all.end()) {
    Kept& k = found->second;
    const auto alive = k.storage.lock();
    if (alive.get() == storage && k.version == version && k.rows == weight.size(0) && k.columns == weight.size(1) &&
        k.stream == stream) {
      const int slice = static_cast<int>(k.uses++ % ((k.columns + 31) / 32));
      beside = {weight.const_data_ptr<float>(), static_cast<int>(k.rows), slice, k.split.raw()};
      return k.split;
    }
  }
  for (auto it = all.begin(); it != all.end();) {
    const bool gone = it->second.storage.use_count() == 0 || it->first == weight.const_data_ptr();
    it = gone ? all.erase(it) : std::next(it);
  }
  SplitMatrix made = split(weight, stream);
  all.emplace(weight.const_data_ptr(),
              Kept{weight.storage().getWeakStorageImpl(), version, weight.size(0), weight.size(1), stream, made});
  return made;
}

// Bytes of the splits that are kept, on all devices.
int64_t kept_bytes() {
  const std::lock_guard<std::mutex> lock(kept_mutex);
  int64_t bytes = 0;
  for (const auto& [address, each] : kept()) {
    bytes += static_cast<int64_t>(each.split.lines.nbytes() + each.split.facts.nbytes());
  }
  return bytes;
}

void forget_splits() {
  const std::lock_guard<std::mutex> lock(kept_mutex);
  kept().clear();
}
#else
SplitMatrix split_of_weight(const at::Tensor&, const at::Tensor& columns, const c10::cuda::CUDAStream& stream, bool,
                            bool x_dense, SplitBeside& beside) {
  return split_anew(columns, stream, x_dense, beside);
}
int64_t kept_bytes() { return 0; }
void forget_splits() {}
#endif

}  // namespace
