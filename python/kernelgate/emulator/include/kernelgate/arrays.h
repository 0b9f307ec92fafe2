// The runtime API of CUDA arrays, pitched memory, and texture and surface objects. An array's texels lie in rows here.
#pragma once
#include <kernelgate/image.h>

enum cudaChannelFormatKind {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3,
};
struct cudaChannelFormatDesc {
  int x, y, z, w;
  cudaChannelFormatKind f;
};
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
struct cudaPitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};
inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) { return {w, h, d}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* d, size_t p, size_t xsz, size_t ysz) { return {d, p, xsz, ysz}; }

#define cudaArrayDefault 0x00
#define cudaArrayLayered 0x01
#define cudaArraySurfaceLoadStore 0x02
#define cudaArrayCubemap 0x04
#define cudaArrayTextureGather 0x08

struct cudaArray {
  cudaChannelFormatDesc desc;
  cudaExtent extent;  // as it was asked for: height and depth may be 0
  unsigned flags;
  char* data;
  size_t pitch() const { return extent.width * element(); }
  size_t element() const { return size_t(desc.x + desc.y + desc.z + desc.w) / 8; }
  size_t rows() const { return extent.height ? extent.height : 1; }
  size_t slices() const { return extent.depth ? extent.depth : 1; }
};
typedef cudaArray* cudaArray_t;
typedef const cudaArray* cudaArray_const_t;
struct cudaMipmappedArray {
  cudaArray level[kernelgate::most_levels];
  unsigned levels;
};
typedef cudaMipmappedArray* cudaMipmappedArray_t;
typedef const cudaMipmappedArray* cudaMipmappedArray_const_t;

struct cudaMemcpy3DParms {
  cudaArray_t srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  cudaArray_t dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;  // in elements where an array takes part, otherwise the width is in bytes
  cudaMemcpyKind kind;
};

// --- arrays ---
KERNELGATE_AT_CALLER cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* desc,
                                                   cudaExtent extent, unsigned flags = 0) {
  cudaArray made{*desc, extent, flags, nullptr};
  const bool is_cube = flags & cudaArrayCubemap;
  if (!extent.width || !made.element() || (is_cube && (extent.width != extent.height || extent.depth % 6)))
    return KERNELGATE_GIVES(cudaErrorInvalidValue);
  made.data = static_cast<char*>(kernelgate_allocate(made.pitch() * made.rows() * made.slices()));
  if (!made.data) return KERNELGATE_GIVES(cudaErrorMemoryAllocation);
  *array = new cudaArray(made);
  return cudaSuccess;
}
inline cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* desc, size_t width,
                                   size_t height = 0, unsigned flags = 0) {
  return cudaMalloc3DArray(array, desc, {width, height, 0}, flags);
}
inline cudaError_t cudaFreeArray(cudaArray_t array) {
  if (!array) return cudaSuccess;
  kernelgate_forget_array(array->data);
  kernelgate_release(array->data);
  delete array;
  return cudaSuccess;
}
inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* desc, cudaExtent* extent, unsigned* flags,
                                    cudaArray_t array) {
  if (desc) *desc = array->desc;
  if (extent) *extent = array->extent;
  if (flags) *flags = array->flags;
  return cudaSuccess;
}
inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* desc, cudaArray_const_t array) {
  return *desc = array->desc, cudaSuccess;
}
KERNELGATE_AT_CALLER cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array,
                                                          const cudaChannelFormatDesc* desc, cudaExtent extent,
                                                          unsigned levels, unsigned flags = 0) {
  if (levels < 1 || levels > unsigned(kernelgate::most_levels)) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  cudaMipmappedArray made{};
  const bool keeps_depth = flags & (cudaArrayLayered | cudaArrayCubemap);
  const auto half = [](size_t size) { return size > 1 ? size / 2 : size; };
  for (; made.levels < levels; made.levels++) {
    cudaArray_t level = nullptr;
    if (cudaError_t error = cudaMalloc3DArray(&level, desc, extent, flags)) return error;
    made.level[made.levels] = *level;
    delete level;
    extent = {half(extent.width), half(extent.height), keeps_depth ? extent.depth : half(extent.depth)};
  }
  *array = new cudaMipmappedArray(made);
  return cudaSuccess;
}
KERNELGATE_AT_CALLER cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* array, cudaMipmappedArray_const_t of,
                                                            unsigned level) {
  if (level >= of->levels) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  *array = const_cast<cudaArray_t>(&of->level[level]);
  return cudaSuccess;
}
inline cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) {
  for (unsigned level = 0; array && level < array->levels; level++) {
    kernelgate_forget_array(array->level[level].data);
    kernelgate_release(array->level[level].data);
  }
  delete array;
  return cudaSuccess;
}

// --- pitched memory ---
inline cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return cudaMalloc(pointer, *pitch * height);
}
template <typename T>
inline cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
  return cudaMallocPitch(reinterpret_cast<void**>(pointer), pitch, width, height);
}
inline cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  *pointer = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
}
KERNELGATE_AT_CALLER cudaError_t cudaMemcpy2D(void* target, size_t target_pitch, const void* source,
                                              size_t source_pitch, size_t width, size_t height, cudaMemcpyKind) {
  if (width > target_pitch || width > source_pitch) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  for (size_t row = 0; row < height; row++)
    kernelgate_copy(static_cast<char*>(target) + row * target_pitch,
                    static_cast<const char*>(source) + row * source_pitch, width);
  return cudaSuccess;
}
KERNELGATE_AT_CALLER cudaError_t cudaMemcpy2DAsync(void* target, size_t target_pitch, const void* source,
                                                   size_t source_pitch, size_t width, size_t height,
                                                   cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy2D(target, target_pitch, source, source_pitch, width, height, kind);
}
KERNELGATE_AT_CALLER cudaError_t cudaMemset2D(void* target, size_t pitch, int value, size_t width, size_t height) {
  for (size_t row = 0; row < height; row++) kernelgate_fill(static_cast<char*>(target) + row * pitch, value, width);
  return cudaSuccess;
}

// --- copies from and to arrays; widths and offsets in x are in bytes ---
KERNELGATE_AT_CALLER cudaError_t cudaMemcpy2DToArray(cudaArray_t array, size_t x, size_t y, const void* source,
                                                     size_t pitch, size_t width, size_t height, cudaMemcpyKind kind) {
  if (x + width > array->pitch() || y + height > array->rows()) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  return cudaMemcpy2D(array->data + y * array->pitch() + x, array->pitch(), source, pitch, width, height, kind);
}
KERNELGATE_AT_CALLER cudaError_t cudaMemcpy2DFromArray(void* target, size_t pitch, cudaArray_const_t array, size_t x,
                                                       size_t y, size_t width, size_t height, cudaMemcpyKind kind) {
  if (x + width > array->pitch() || y + height > array->rows()) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  return cudaMemcpy2D(target, pitch, array->data + y * array->pitch() + x, array->pitch(), width, height, kind);
}
KERNELGATE_AT_CALLER cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t array, size_t x, size_t y, const void* source,
                                                          size_t pitch, size_t width, size_t height,
                                                          cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy2DToArray(array, x, y, source, pitch, width, height, kind);
}
KERNELGATE_AT_CALLER cudaError_t cudaMemcpy2DFromArrayAsync(void* target, size_t pitch, cudaArray_const_t array,
                                                            size_t x, size_t y, size_t width, size_t height,
                                                            cudaMemcpyKind kind, cudaStream_t = nullptr) {
  return cudaMemcpy2DFromArray(target, pitch, array, x, y, width, height, kind);
}
KERNELGATE_AT_CALLER cudaError_t cudaMemcpyToArray(cudaArray_t array, size_t x, size_t y, const void* source,
                                                   size_t bytes, cudaMemcpyKind) {
  const size_t begin = y * array->pitch() + x;
  if (begin + bytes > array->pitch() * array->rows()) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  kernelgate_copy(array->data + begin, source, bytes);
  return cudaSuccess;
}
KERNELGATE_AT_CALLER cudaError_t cudaMemcpyFromArray(void* target, cudaArray_const_t array, size_t x, size_t y,
                                                     size_t bytes, cudaMemcpyKind) {
  const size_t begin = y * array->pitch() + x;
  if (begin + bytes > array->pitch() * array->rows()) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  kernelgate_copy(target, array->data + begin, bytes);
  return cudaSuccess;
}

namespace kernelgate {
// One side of a three-dimensional copy, as memory of rows and slices.
struct Side {
  char* begin;
  size_t pitch, rows;
};
inline bool side_of(cudaArray_t array, cudaPitchedPtr memory, cudaPos at, size_t element, const cudaExtent& extent,
                    Side& side) {
  if (!array) {
    side = {static_cast<char*>(memory.ptr), memory.pitch, memory.ysize};
  } else {
    side = {array->data, array->pitch(), array->rows()};
    if (at.x + extent.width > array->extent.width || at.y + extent.height > array->rows() ||
        at.z + extent.depth > array->slices())
      return false;
  }
  side.begin += at.x * (array ? element : 1) + (at.z * side.rows + at.y) * side.pitch;
  return true;
}
}  // namespace kernelgate
KERNELGATE_AT_CALLER cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* p) {
  const cudaArray_t array = p->srcArray ? p->srcArray : p->dstArray;
  const size_t element = array ? array->element() : 1;
  kernelgate::Side from, to;
  if (!kernelgate::side_of(p->srcArray, p->srcPtr, p->srcPos, element, p->extent, from) ||
      !kernelgate::side_of(p->dstArray, p->dstPtr, p->dstPos, element, p->extent, to))
    return KERNELGATE_GIVES(cudaErrorInvalidValue);
  for (size_t z = 0; z < p->extent.depth; z++)
    for (size_t y = 0; y < p->extent.height; y++)
      kernelgate_copy(to.begin + (z * to.rows + y) * to.pitch, from.begin + (z * from.rows + y) * from.pitch,
                      p->extent.width * element);
  return cudaSuccess;
}
KERNELGATE_AT_CALLER cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* p, cudaStream_t = nullptr) {
  return cudaMemcpy3D(p);
}
