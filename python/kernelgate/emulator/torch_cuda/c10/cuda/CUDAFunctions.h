// Device queries of c10::cuda. There is one device, and its work is done when a launch returns.
#pragma once
#include <c10/core/Device.h>
#include <c10/cuda/CUDAException.h>
#include <cuda_runtime_api.h>

namespace c10::cuda {
inline DeviceIndex device_count() noexcept { return 1; }
inline DeviceIndex device_count_ensure_non_zero() { return 1; }
inline DeviceIndex current_device() { return 0; }
inline void set_device(DeviceIndex device, const bool = false) { C10_CUDA_CHECK(cudaSetDevice(device)); }
inline void device_synchronize() {}
inline void stream_synchronize(cudaStream_t) {}
}  // namespace c10::cuda
