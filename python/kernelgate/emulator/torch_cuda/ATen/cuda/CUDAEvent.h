// Events: all work is done when a call returns.
#pragma once
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

namespace at::cuda {
struct CUDAEvent {
  CUDAEvent() noexcept = default;
  explicit CUDAEvent(unsigned) noexcept {}
  operator cudaEvent_t() const { return event(); }
  cudaEvent_t event() const { return nullptr; }
  bool isCreated() const { return recorded_; }
  bool query() const { return true; }
  void record() { recorded_ = true; }
  void record(const CUDAStream&) { recorded_ = true; }
  void recordOnce(const CUDAStream&) { recorded_ = true; }
  void block(const CUDAStream&) {}
  void synchronize() const {}

 private:
  bool recorded_ = false;
};
}  // namespace at::cuda
