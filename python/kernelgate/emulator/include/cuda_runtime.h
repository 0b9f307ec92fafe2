// The runtime API for host code; with __CUDACC__ also the whole device language, as under nvcc.
#pragma once
#define __CUDA_RUNTIME_H__  // programs ask for it
#include <cuda_runtime_api.h>
#include <kernelgate/language.h>
#include <vector_functions.h>
#ifdef __CUDACC__
#include <kernelgate/device.h>
#endif

template <typename T>
KERNELGATE_AT_CALLER cudaError_t cudaMalloc(T** pointer, size_t bytes) {
  return cudaMalloc((void**)(void*)pointer, bytes);
}
template <typename T>
KERNELGATE_AT_CALLER cudaError_t cudaMallocHost(T** pointer, size_t bytes, unsigned flags = 0) {
  return cudaMallocHost((void**)(void*)pointer, bytes, flags);
}
template <typename T>
KERNELGATE_AT_CALLER cudaError_t cudaHostAlloc(T** pointer, size_t bytes, unsigned flags) {
  return cudaMallocHost(pointer, bytes, flags);
}
template <typename T>
KERNELGATE_AT_CALLER cudaError_t cudaMallocManaged(T** pointer, size_t bytes, unsigned flags = cudaMemAttachGlobal) {
  return cudaMallocHost(pointer, bytes, flags);
}
template <typename T>
inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned flags) {
  return cudaHostGetDevicePointer((void**)(void*)device, host, flags);
}
template <typename T>
KERNELGATE_AT_CALLER cudaError_t cudaMallocAsync(T** pointer, size_t bytes, cudaStream_t stream) {
  return cudaMallocAsync((void**)(void*)pointer, bytes, stream);
}
namespace kernelgate {
inline bool is_within(size_t size, size_t bytes, size_t offset) { return offset <= size && bytes <= size - offset; }
}  // namespace kernelgate
template <typename T>
KERNELGATE_AT_CALLER cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* source, size_t bytes,
                                                    size_t offset = 0, cudaMemcpyKind = cudaMemcpyHostToDevice) {
  if (!kernelgate::is_within(sizeof(T), bytes, offset)) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  kernelgate_copy(reinterpret_cast<char*>(const_cast<std::remove_const_t<T>*>(&symbol)) + offset, source, bytes);
  return cudaSuccess;
}
template <typename T>
KERNELGATE_AT_CALLER cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* source, size_t bytes,
                                                         size_t offset, cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(symbol, source, bytes, offset, kind);
}
template <typename T>
KERNELGATE_AT_CALLER cudaError_t cudaMemcpyFromSymbol(void* target, const T& symbol, size_t bytes, size_t offset = 0,
                                                      cudaMemcpyKind = cudaMemcpyDeviceToHost) {
  if (!kernelgate::is_within(sizeof(T), bytes, offset)) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  kernelgate_copy(target, reinterpret_cast<const char*>(&symbol) + offset, bytes);
  return cudaSuccess;
}
template <typename T>
inline cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  *pointer = const_cast<std::remove_const_t<T>*>(&symbol);
  kernelgate_give_address(*pointer);
  return cudaSuccess;
}
template <typename T>
inline cudaError_t cudaGetSymbolSize(size_t* bytes, const T&) {
  return *bytes = sizeof(T), cudaSuccess;
}
template <typename Kernel>
KERNELGATE_AT_CALLER cudaError_t cudaFuncSetAttribute(Kernel kernel, cudaFuncAttribute attribute, int value) {
  const void* address = nullptr;
  if constexpr (std::is_pointer_v<Kernel>) address = (const void*)kernel;
  return KERNELGATE_GIVES(kernelgate::set_function_attribute(address, attribute, value));
}
template <typename Kernel>
inline cudaError_t cudaFuncSetCacheConfig(Kernel, cudaFuncCache) {
  return cudaSuccess;
}
template <typename Kernel>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int threads, size_t) {
  const cudaDeviceProp p = kernelgate::device_properties();
  const int of_threads = threads > 0 ? p.maxThreadsPerMultiProcessor / ((threads + 31) / 32 * 32) : 0;
  *blocks = of_threads < p.maxBlocksPerMultiProcessor ? of_threads : p.maxBlocksPerMultiProcessor;
  return cudaSuccess;
}
template <typename Kernel>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, Kernel, size_t = 0, int = 0) {
  *grid = 8;
  *block = 256;
  return cudaSuccess;
}

// --- launches with attributes, and what the driver has ---
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeAccessPolicyWindow = 1,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
};
enum cudaAccessProperty {
  cudaAccessPropertyNormal = 0,
  cudaAccessPropertyStreaming = 1,
  cudaAccessPropertyPersisting = 2,
};
struct cudaAccessPolicyWindow {
  void* base_ptr;
  size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};
union cudaLaunchAttributeValue {
  char pad[64];
  cudaAccessPolicyWindow accessPolicyWindow;
  struct {
    unsigned x, y, z;
  } clusterDim;
  int cooperative;
  int programmaticStreamSerializationAllowed;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  char pad[4];
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
typedef cudaLaunchConfig_t cudaLaunchConfig_st;
#include <kernelgate/host_functions.h>

#ifdef __CUDACC__
namespace kernelgate {
// A kernel that may begin early begins when the one before has ended, as every kernel does here.
inline LaunchShape shape(const cudaLaunchConfig_t& config) {
  LaunchShape shape{config.gridDim, config.blockDim, config.dynamicSmemBytes};
  shape.stream = config.stream;
  for (unsigned i = 0; i < config.numAttrs; i++)
    if (config.attrs[i].id == cudaLaunchAttributeClusterDimension) {
      const auto cluster = config.attrs[i].val.clusterDim;
      shape.cluster = dim3(cluster.x, cluster.y, cluster.z);
    } else if (config.attrs[i].id == cudaLaunchAttributeCooperative) {
      shape.cooperative = config.attrs[i].val.cooperative != 0;
    }
  return shape;
}
template <typename... Parameters, typename... Arguments>
inline cudaError_t launch_with(LaunchSite site, const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
  launch(
      shape(*config), site, [=](Parameters... given) { kernel(given...); },
      std::decay_t<Parameters>(static_cast<Arguments&&>(arguments))...);
  return static_cast<cudaError_t>(kernelgate_last_error(0));
}
// A kernel loses its type in a cast to void*, which is taken out of the source (translate/cooperative.py).
template <bool cooperative, typename... Parameters>
inline cudaError_t launch_with_pointers(LaunchSite site, void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                        void** arguments, size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  LaunchShape shape{grid, block, shared_bytes};
  shape.stream = stream;
  shape.cooperative = cooperative;
  [&]<size_t... I>(std::index_sequence<I...>) {
    launch(
        shape, site, [=](Parameters... given) { kernel(given...); },
        *static_cast<std::decay_t<Parameters>*>(arguments[I])...);
  }(std::index_sequence_for<Parameters...>());
  return static_cast<cudaError_t>(kernelgate_last_error(0));
}
}  // namespace kernelgate
#define cudaLaunchCooperativeKernel(...) \
  ::kernelgate::launch_with_pointers<true>({kernelgate_launched("," #__VA_ARGS__), __FILE__, __LINE__}, __VA_ARGS__)
#define cudaLaunchKernel(...) \
  ::kernelgate::launch_with_pointers<false>({kernelgate_launched("," #__VA_ARGS__), __FILE__, __LINE__}, __VA_ARGS__)
#define cudaLaunchKernelEx(...) \
  ::kernelgate::launch_with({kernelgate_launched(#__VA_ARGS__), __FILE__, __LINE__}, __VA_ARGS__)
#endif

inline cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                                    cudaDriverEntryPointQueryResult* status = nullptr) {
  const bool known = strcmp(name, "cuTensorMapEncodeTiled") == 0;
  *function = known ? reinterpret_cast<void*>(&kernelgate_encode_tiled) : nullptr;
  if (status) *status = known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
inline cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long flags,
                                           cudaDriverEntryPointQueryResult* status = nullptr) {
  return cudaGetDriverEntryPointByVersion(name, function, 0, flags, status);
}
