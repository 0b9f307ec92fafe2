// The runtime API: errors, streams, memory, device properties. Everything is done when a call returns.
#pragma once
#include <kernelgate/abi.h>
#include <kernelgate/errors.h>
#include <stddef.h>
#include <string.h>
#include <type_traits>
#include <vector_types.h>

#define CUDART_VERSION 13000
#define __CUDA_RUNTIME_API_H__  // these programs ask for
#define __DRIVER_TYPES_H__

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(0x1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(0x2))
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};
enum cudaDriverEntryPointQueryResult { cudaDriverEntryPointSuccess = 0, cudaDriverEntryPointSymbolNotFound = 1 };
#define cudaEnableDefault 0x0
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9,
  cudaFuncAttributeNonPortableClusterSizeAllowed = 13,
};
enum cudaFuncCache {
  cudaFuncCachePreferNone = 0,
  cudaFuncCachePreferShared = 1,
  cudaFuncCachePreferL1 = 2,
  cudaFuncCachePreferEqual = 3,
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrClockRate = 13,
  cudaDevAttrGpuOverlap = 15,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrIntegrated = 18,
  cudaDevAttrCanMapHostMemory = 19,
  cudaDevAttrComputeMode = 20,
  cudaDevAttrConcurrentKernels = 31,
  cudaDevAttrL2CacheSize = 38,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMemoryPoolsSupported = 115,
};
enum cudaComputeMode {
  cudaComputeModeDefault = 0,
  cudaComputeModeExclusive = 1,
  cudaComputeModeProhibited = 2,
  cudaComputeModeExclusiveProcess = 3,
};

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  int regsPerBlock;
  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  size_t totalConstMem;
  size_t textureAlignment, texturePitchAlignment, surfaceAlignment;
  int major;
  int minor;
  int multiProcessorCount;
  int l2CacheSize;
  int maxThreadsPerMultiProcessor;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor;
  size_t sharedMemPerBlockOptin;
  int maxBlocksPerMultiProcessor;
  size_t reservedSharedMemPerBlock;
  int cooperativeLaunch, concurrentKernels, managedMemory, unifiedAddressing, canMapHostMemory, integrated;
  int concurrentManagedAccess, pageableMemoryAccess, asyncEngineCount, ECCEnabled, memoryPoolsSupported;
  int maxTexture1D, maxTexture2D[2], maxTexture3D[3], maxTexture1DLayered[2], maxTexture2DLayered[3];
  int persistingL2CacheMaxSize, accessPolicyMaxWindowSize;
  int pciDomainID, pciBusID, pciDeviceID;
};

// So that a fault in one of these has the line of the program that calls it.
#define KERNELGATE_AT_CALLER [[gnu::always_inline]] inline
// The value that a function of CUDA's returns. An error is reported with the function's name and the caller's line.
#define KERNELGATE_GIVES(error) ::kernelgate::gives(error, __func__)

namespace kernelgate {
KERNELGATE_AT_CALLER cudaError_t gives(int error, const char* call) {
  const auto given = static_cast<cudaError_t>(error);
  if (error) kernelgate_fail(error, call, cudaGetErrorString(given));
  return given;
}
// An A100's limits, an H100's for a program that is compiled for sm_90a, those of the architecture that a run is for, save for the multiprocessors: so few that grid-stride loops go round on small inputs too.
inline cudaDeviceProp device_properties() {
  cudaDeviceProp p{};
  strcpy(p.name, "KernelGate emulation (no GPU)");
  p.totalGlobalMem = size_t(4) << 30;
  p.sharedMemPerBlock = 48 * 1024;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 65536;
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
  p.major = 8;
  p.minor = 0;
  p.multiProcessorCount = 4;
  p.l2CacheSize = 40 << 20;
  p.maxThreadsPerMultiProcessor = 2048;
  p.sharedMemPerMultiprocessor = 164 * 1024;
  p.sharedMemPerBlockOptin = 163 * 1024;
  p.maxBlocksPerMultiProcessor = 32;
  p.reservedSharedMemPerBlock = 1024;
  p.cooperativeLaunch = p.concurrentKernels = p.unifiedAddressing = p.memoryPoolsSupported = 1;
  p.managedMemory = p.concurrentManagedAccess = p.canMapHostMemory = 1;  // one memory
  p.asyncEngineCount = 3;
  p.persistingL2CacheMaxSize = 30 << 20;
  p.accessPolicyMaxWindowSize = 128 << 20;
  p.maxTexture1D = p.maxTexture2D[0] = 131072;
  p.maxTexture2D[1] = 65536;
  for (int& size : p.maxTexture3D) size = 16384;
  p.maxTexture1DLayered[0] = p.maxTexture2DLayered[0] = p.maxTexture2DLayered[1] = 32768;
  p.maxTexture1DLayered[1] = p.maxTexture2DLayered[2] = 2048;
#ifdef KERNELGATE_SM90
  p.major = 9;
  p.l2CacheSize = 50 << 20;
  p.sharedMemPerMultiprocessor = 228 * 1024;
  p.sharedMemPerBlockOptin = 227 * 1024;
#elif defined(KERNELGATE_ARCH)
  p.major = KERNELGATE_ARCH / 100;
  p.minor = KERNELGATE_ARCH / 10 % 10;
  p.sharedMemPerMultiprocessor = KERNELGATE_SHARED_KIB * 1024;
  p.reservedSharedMemPerBlock = KERNELGATE_RESERVED_KIB * 1024;
  p.sharedMemPerBlockOptin = p.sharedMemPerMultiprocessor - p.reservedSharedMemPerBlock;
  p.maxThreadsPerMultiProcessor = KERNELGATE_WARPS * 32;
  p.maxBlocksPerMultiProcessor = KERNELGATE_BLOCKS;
#endif
  return p;
}
inline cudaError_t set_function_attribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
  if (value < 0 || size_t(value) > device_properties().sharedMemPerBlockOptin) return cudaErrorInvalidValue;
  kernelgate_allow_shared_bytes(kernel, value);
  return cudaSuccess;
}
}  // namespace kernelgate

inline cudaError_t cudaGetLastError() { return static_cast<cudaError_t>(kernelgate_last_error(1)); }
inline cudaError_t cudaPeekAtLastError() { return static_cast<cudaError_t>(kernelgate_last_error(0)); }
KERNELGATE_AT_CALLER cudaError_t cudaDeviceSynchronize() { return KERNELGATE_GIVES(kernelgate_device_synchronize()); }
inline cudaError_t cudaDeviceReset() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) { return *count = 1, cudaSuccess; }
inline cudaError_t cudaGetDevice(int* device) { return *device = 0, cudaSuccess; }
KERNELGATE_AT_CALLER cudaError_t cudaSetDevice(int device) {
  return KERNELGATE_GIVES(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = kernelgate::device_properties();
  return cudaSuccess;
}
KERNELGATE_AT_CALLER cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const cudaDeviceProp p = kernelgate::device_properties();
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = int(p.sharedMemPerBlock); break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = int(p.sharedMemPerMultiprocessor); break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(p.sharedMemPerBlockOptin); break;
    case cudaDevAttrCooperativeLaunch: *value = p.cooperativeLaunch; break;
    case cudaDevAttrIntegrated: *value = p.integrated; break;
    case cudaDevAttrCanMapHostMemory: *value = p.canMapHostMemory; break;
    case cudaDevAttrConcurrentKernels: *value = p.concurrentKernels; break;
    case cudaDevAttrGpuOverlap:
    case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
    case cudaDevAttrComputeMode: *value = cudaComputeModeDefault; break;
    case cudaDevAttrClockRate: *value = 1410000; break;  // an A100's, in kHz; no clock here runs at it
    default: return KERNELGATE_GIVES(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitPersistingL2CacheSize = 6,
};
inline cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  if (limit == cudaLimitMallocHeapSize) kernelgate_limit_heap(value);
  return cudaSuccess;
}
inline cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  *value = limit == cudaLimitMallocHeapSize ? kernelgate_heap_limit() : limit == cudaLimitStackSize ? 1024 : 1 << 20;
  return cudaSuccess;
}

KERNELGATE_AT_CALLER cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t) {
  *pointer = kernelgate_allocate(bytes);
  return KERNELGATE_GIVES(*pointer || bytes == 0 ? cudaSuccess : cudaErrorMemoryAllocation);
}
KERNELGATE_AT_CALLER cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  if (const int error = kernelgate_refuse_in_capture()) return KERNELGATE_GIVES(error);
  return cudaMallocAsync(pointer, bytes, nullptr);
}
inline cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return kernelgate_release(pointer), cudaSuccess; }
KERNELGATE_AT_CALLER cudaError_t cudaFree(void* pointer) {
  if (const int error = kernelgate_device_synchronize()) return KERNELGATE_GIVES(error);
  return cudaFreeAsync(pointer, nullptr);
}
// Memory that both sides may use: pinned and managed memory is one memory here, as on a CPU.
#define cudaHostAllocDefault 0x00
#define cudaHostAllocPortable 0x01
#define cudaHostAllocMapped 0x02
#define cudaHostAllocWriteCombined 0x04
#define cudaMemAttachGlobal 0x01
#define cudaMemAttachHost 0x02
#define cudaMemAttachSingle 0x04
#define cudaCpuDeviceId (-1)
KERNELGATE_AT_CALLER cudaError_t cudaMallocHost(void** pointer, size_t bytes, unsigned = 0) {
  if (const cudaError_t error = cudaMalloc(pointer, bytes)) return error;
  constexpr int pinned = 2;
  kernelgate_put(*pointer, pinned);
  return cudaSuccess;
}
KERNELGATE_AT_CALLER cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned) {
  return cudaMallocHost(pointer, bytes);
}
KERNELGATE_AT_CALLER cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned = cudaMemAttachGlobal) {
  return cudaMallocHost(pointer, bytes);
}
inline cudaError_t cudaFreeHost(void* pointer) { return cudaFree(pointer); }
inline cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) { return *device = host, cudaSuccess; }
// The last argument of CUDA 12, the last two of CUDA 13.
template <typename... Where>
inline cudaError_t cudaMemPrefetchAsync(const void*, size_t, Where...) {
  return cudaSuccess;
}
template <typename T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, T*, size_t = 0, unsigned = cudaMemAttachSingle) {
  return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(size_t* left, size_t* total) {
  return *left = *total = kernelgate::device_properties().totalGlobalMem, cudaSuccess;
}
KERNELGATE_AT_CALLER cudaError_t cudaMemcpy(void* target, const void* source, size_t bytes, cudaMemcpyKind) {
  if (const int error = kernelgate_refuse_in_capture()) return KERNELGATE_GIVES(error);
  kernelgate_copy(target, source, bytes);
  return KERNELGATE_GIVES(kernelgate_stream_synchronize(nullptr));
}
KERNELGATE_AT_CALLER cudaError_t cudaMemcpyAsync(void* target, const void* source, size_t bytes, cudaMemcpyKind,
                                                 cudaStream_t stream = nullptr) {
  return kernelgate_copy(target, source, bytes, stream), cudaSuccess;
}
KERNELGATE_AT_CALLER cudaError_t cudaMemsetAsync(void* target, int value, size_t bytes, cudaStream_t stream = nullptr) {
  return kernelgate_fill(target, value, bytes, stream), cudaSuccess;
}
KERNELGATE_AT_CALLER cudaError_t cudaMemset(void* target, int value, size_t bytes) {
  return cudaMemsetAsync(target, value, bytes);
}
#include <kernelgate/texture_objects.h>

// Streams and events order work, which here is done when its call returns. There is no time to read from an event.
KERNELGATE_AT_CALLER cudaError_t cudaStreamSynchronize(cudaStream_t s) {
  return KERNELGATE_GIVES(kernelgate_stream_synchronize(s));
}
inline cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return *stream = static_cast<cudaStream_t>(kernelgate_stream_create(flags != cudaStreamNonBlocking)), cudaSuccess;
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return *least = *greatest = 0, cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return *event = static_cast<cudaEvent_t>(kernelgate_event_create()), cudaSuccess;
}
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) { return cudaEventCreate(event); }
KERNELGATE_AT_CALLER cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
  return KERNELGATE_GIVES(kernelgate_event_record(event, stream));
}
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned = 0) {
  return cudaEventRecord(event, stream);
}
KERNELGATE_AT_CALLER cudaError_t cudaEventSynchronize(cudaEvent_t e) {
  return KERNELGATE_GIVES(kernelgate_event_synchronize(e));
}
inline cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
inline cudaError_t cudaEventDestroy(cudaEvent_t event) { return kernelgate_event_destroy(event), cudaSuccess; }
KERNELGATE_AT_CALLER cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned = 0) {
  return KERNELGATE_GIVES(kernelgate_stream_wait(stream, event));
}

// Graphs: what is recorded on a stream can be run as it is; nothing is added by hand.
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2,
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2,
};
#define cudaGraphInstantiateFlagAutoFreeOnLaunch 1
KERNELGATE_AT_CALLER cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return KERNELGATE_GIVES(kernelgate_begin_capture(stream));
}
KERNELGATE_AT_CALLER cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return KERNELGATE_GIVES(kernelgate_end_capture(stream, reinterpret_cast<void**>(graph)));
}
inline cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return *status = static_cast<cudaStreamCaptureStatus>(kernelgate_capture_status(stream)), cudaSuccess;
}
// Flags, or the three arguments that CUDA 11 had.
template <typename... Given>
KERNELGATE_AT_CALLER cudaError_t cudaGraphInstantiate(cudaGraphExec_t* runnable, cudaGraph_t graph, Given...) {
  *runnable = reinterpret_cast<cudaGraphExec_t>(graph);
  return KERNELGATE_GIVES(graph ? cudaSuccess : cudaErrorInvalidValue);
}
inline cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* runnable, cudaGraph_t graph, unsigned long long) {
  return cudaGraphInstantiate(runnable, graph);
}
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
KERNELGATE_AT_CALLER cudaError_t cudaGraphLaunch(cudaGraphExec_t runnable, cudaStream_t stream) {
  if (!runnable) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  return kernelgate_launch_graph(runnable, stream), cudaSuccess;
}
inline cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t*, size_t* count) {
  return *count = kernelgate_graph_works(graph), cudaSuccess;
}
// What is to be run keeps what it was made of, so that each goes with the process.
inline cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }
inline cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return cudaSuccess; }
