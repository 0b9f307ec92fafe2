// Texture and surface objects: their descriptions, and how they are made and destroyed.
#pragma once
#include <kernelgate/arrays.h>

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

enum cudaTextureAddressMode {
  cudaAddressModeWrap = 0,
  cudaAddressModeClamp = 1,
  cudaAddressModeMirror = 2,
  cudaAddressModeBorder = 3,
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero = 0, cudaBoundaryModeClamp = 1, cudaBoundaryModeTrap = 2 };
struct cudaTextureDesc {
  cudaTextureAddressMode addressMode[3];
  cudaTextureFilterMode filterMode;
  cudaTextureReadMode readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  cudaTextureFilterMode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int seamlessCubemap;
};
enum cudaResourceType {
  cudaResourceTypeArray = 0,
  cudaResourceTypeMipmappedArray = 1,
  cudaResourceTypeLinear = 2,
  cudaResourceTypePitch2D = 3,
};
struct cudaResourceDesc {
  cudaResourceType resType;
  union {
    struct {
      cudaArray_t array;
    } array;
    struct {
      cudaMipmappedArray_t mipmap;
    } mipmap;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void* devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
  } res;
  unsigned flags;
};
struct cudaResourceViewDesc;  // no views here

namespace kernelgate {
inline void describe(Image& image, const cudaChannelFormatDesc& desc) {
  image.channels = uint8_t((desc.x > 0) + (desc.y > 0) + (desc.z > 0) + (desc.w > 0));
  image.channel_bytes = uint8_t(desc.x / 8);
  image.kind = uint8_t(desc.f);
}
inline void describe(Image& image, const cudaArray& array) {
  describe(image, array.desc);
  image.pitch = array.pitch();
  image.width = uint32_t(array.extent.width);
  image.height = uint32_t(array.extent.height);
  image.depth = uint32_t(array.extent.depth);
  image.layered = array.flags & cudaArrayLayered;
  image.cubemap = array.flags & cudaArrayCubemap;
}
inline Image image_of(const cudaResourceDesc& resource) {
  Image image{};
  image.levels = 1;
  if (resource.resType == cudaResourceTypeArray) {
    describe(image, *resource.res.array.array);
    image.data[0] = reinterpret_cast<uint64_t>(resource.res.array.array->data);
  } else if (resource.resType == cudaResourceTypeMipmappedArray) {
    const cudaMipmappedArray& mipmap = *resource.res.mipmap.mipmap;
    describe(image, mipmap.level[0]);
    image.levels = uint8_t(mipmap.levels);
    for (unsigned k = 0; k < mipmap.levels; k++) image.data[k] = reinterpret_cast<uint64_t>(mipmap.level[k].data);
  } else if (resource.resType == cudaResourceTypeLinear) {
    const auto& linear = resource.res.linear;
    describe(image, linear.desc);
    image.is_memory = true;
    image.data[0] = reinterpret_cast<uint64_t>(linear.devPtr);
    const unsigned element = image.channels * image.channel_bytes;
    image.width = element ? uint32_t(linear.sizeInBytes / element) : 0;
  } else {
    const auto& pitched = resource.res.pitch2D;
    describe(image, pitched.desc);
    image.is_memory = true;
    image.data[0] = reinterpret_cast<uint64_t>(pitched.devPtr);
    image.width = uint32_t(pitched.width);
    image.height = uint32_t(pitched.height);
    image.pitch = pitched.pitchInBytes;
  }
  return image;
}
}  // namespace kernelgate

KERNELGATE_AT_CALLER cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                                         const cudaTextureDesc* desc,
                                                         const cudaResourceViewDesc* view) {
  using namespace kernelgate;
  if (view) return KERNELGATE_GIVES(cudaErrorNotSupported);
  Image image = image_of(*resource);
  const bool is_float = image.kind == cudaChannelFormatKindFloat || desc->readMode == cudaReadModeNormalizedFloat;
  const bool normalized = desc->readMode == cudaReadModeNormalizedFloat && image.kind != cudaChannelFormatKindFloat;
  if (desc->filterMode == cudaFilterModeLinear && !is_float) return KERNELGATE_GIVES(cudaErrorInvalidFilterSetting);
  if (normalized && image.channel_bytes > 2) return KERNELGATE_GIVES(cudaErrorInvalidNormSetting);
  if (image.pitch % 32 && resource->resType == cudaResourceTypePitch2D) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  for (int d = 0; d < 3; d++) image.address[d] = uint8_t(desc->addressMode[d]);
  for (int c = 0; c < 4; c++) image.border[c] = desc->borderColor[c];
  image.linear = desc->filterMode == cudaFilterModeLinear;
  image.linear_levels = desc->mipmapFilterMode == cudaFilterModeLinear;
  image.normalized_coordinates = desc->normalizedCoords;
  image.normalized_read = normalized;
  image.srgb = desc->sRGB;
  image.level_bias = desc->mipmapLevelBias;
  image.lowest_level = desc->minMipmapLevelClamp;
  image.highest_level = desc->maxMipmapLevelClamp;
  *object = kernelgate_make_image(&image);
  return KERNELGATE_GIVES(*object ? cudaSuccess : cudaErrorInvalidValue);
}
KERNELGATE_AT_CALLER cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) {
  return KERNELGATE_GIVES(kernelgate_destroy_image(object, 0) ? cudaSuccess : cudaErrorInvalidValue);
}
KERNELGATE_AT_CALLER cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object,
                                                         const cudaResourceDesc* resource) {
  if (resource->resType != cudaResourceTypeArray) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  if (!(resource->res.array.array->flags & cudaArraySurfaceLoadStore)) return KERNELGATE_GIVES(cudaErrorInvalidValue);
  kernelgate::Image image = kernelgate::image_of(*resource);
  image.is_surface = true;
  *object = kernelgate_make_image(&image);
  return cudaSuccess;
}
KERNELGATE_AT_CALLER cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) {
  return KERNELGATE_GIVES(kernelgate_destroy_image(object, 1) ? cudaSuccess : cudaErrorInvalidValue);
}

// --- what nvcc's C++ adds ---
inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f) {
  return {x, y, z, w, f};
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return {16, 0, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() { return {16, 16, 0, 0, cudaChannelFormatKindFloat}; }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() { return {16, 16, 16, 16, cudaChannelFormatKindFloat}; }
namespace kernelgate {
template <typename T, typename = void>
struct Texel {
  using Element = T;
  static constexpr int count = 1;
};
template <typename T>
struct Texel<T, std::void_t<decltype(T::x)>> {
  using Element = decltype(T::x);
  static constexpr int count = sizeof(T) / sizeof(Element);
};
}  // namespace kernelgate
template <typename T>
inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  using Element = typename kernelgate::Texel<T>::Element;
  constexpr int count = kernelgate::Texel<T>::count, bits = 8 * sizeof(Element);
  static_assert(count == 1 || count == 2 || count == 4);
  return {bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 3 ? bits : 0,
          std::is_floating_point_v<Element> ? cudaChannelFormatKindFloat
          : std::is_signed_v<Element>       ? cudaChannelFormatKindSigned
                                            : cudaChannelFormatKindUnsigned};
}
