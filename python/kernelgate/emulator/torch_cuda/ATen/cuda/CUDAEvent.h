// Events, as the runtime keeps them.
#pragma once
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <memory>

namespace at::cuda {
using c10::cuda::CUDAStream;
class CUDAEvent {
 public:
  CUDAEvent() noexcept = default;
  explicit CUDAEvent(unsigned) noexcept {}
  operator cudaEvent_t() const { return event(); }
  cudaEvent_t event() const { return event_.get(); }
  bool isCreated() const { return event_ != nullptr; }
  bool query() const { return true; }
  void record() { record(c10::cuda::getCurrentCUDAStream()); }
  void record(const CUDAStream& stream) {
    if (!event_) event_.reset(static_cast<cudaEvent_t>(kernelgate_event_create()), kernelgate_event_destroy);
    C10_CUDA_CHECK(cudaEventRecord(event(), stream.stream()));
  }
  void recordOnce(const CUDAStream& stream) {
    if (!event_) record(stream);
  }
  void block(const CUDAStream& stream) {
    if (event_) C10_CUDA_CHECK(cudaStreamWaitEvent(stream.stream(), event()));
  }
  void synchronize() const {
    if (event_) C10_CUDA_CHECK(cudaEventSynchronize(event()));
  }

 private:
  std::shared_ptr<CUevent_st> event_;
};
}  // namespace at::cuda
