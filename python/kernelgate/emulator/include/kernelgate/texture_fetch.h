// What kernels read of textures, and read and write of surfaces. runtime/images.cpp does it.
#pragma once
#include <kernelgate/texture_objects.h>
#include <string.h>

namespace kernelgate {

// The runtime finds the program's line by where it is called from, hence inline.
#define KERNELGATE_INLINE \
  template <typename T>   \
  [[gnu::always_inline]] inline

KERNELGATE_INLINE T sampled(ImageRequest request, int line) {
  using Element = typename Texel<T>::Element;
  static_assert(sizeof(Element) <= 4, "a texture has no elements of 8 bytes");
  request.is_float = std::is_floating_point_v<Element>;
  uint32_t words[4];
  kernelgate_sample(&request, words, line);
  Element elements[Texel<T>::count];
  for (int c = 0; c < Texel<T>::count; c++) {
    if constexpr (std::is_floating_point_v<Element>) memcpy(&elements[c], &words[c], sizeof(Element));
    else elements[c] = static_cast<Element>(words[c]);
  }
  T value;
  memcpy(&value, elements, sizeof value);
  return value;
}

inline ImageRequest sample_of(const char* name, uint64_t object, int dimensions, float x, float y = 0, float z = 0) {
  ImageRequest request{};
  request.name = name;
  request.object = object;
  request.op = ImageOp::sample;
  request.dimensions = dimensions;
  request.at[0] = x;
  request.at[1] = y;
  request.at[2] = z;
  return request;
}
inline ImageRequest with(ImageRequest request, int layer, float level = 0) {
  request.layer = layer;
  request.level = level;
  return request;
}
inline ImageRequest cube(ImageRequest request) {
  request.cubemap = true;
  return request;
}

}  // namespace kernelgate

#define KERNELGATE_TEXTURE(name, request, arguments, ...)                                                    \
  KERNELGATE_INLINE T name(cudaTextureObject_t object, __VA_ARGS__, int line = __builtin_LINE()) {           \
    using namespace kernelgate;                                                                              \
    return sampled<T>(request, line);                                                                        \
  }                                                                                                          \
  KERNELGATE_INLINE void name(T* to, cudaTextureObject_t object, __VA_ARGS__, int line = __builtin_LINE()) { \
    *to = name<T> arguments;                                                                                 \
  }
KERNELGATE_TEXTURE(tex1D, sample_of("tex1D", object, 1, x), (object, x, line), float x)
KERNELGATE_TEXTURE(tex2D, sample_of("tex2D", object, 2, x, y), (object, x, y, line), float x, float y)
KERNELGATE_TEXTURE(tex3D, sample_of("tex3D", object, 3, x, y, z), (object, x, y, z, line), float x, float y, float z)
KERNELGATE_TEXTURE(tex1DLod, with(sample_of("tex1DLod", object, 1, x), 0, level), (object, x, level, line), float x,
                   float level)
KERNELGATE_TEXTURE(tex2DLod, with(sample_of("tex2DLod", object, 2, x, y), 0, level), (object, x, y, level, line),
                   float x, float y, float level)
KERNELGATE_TEXTURE(tex3DLod, with(sample_of("tex3DLod", object, 3, x, y, z), 0, level), (object, x, y, z, level, line),
                   float x, float y, float z, float level)
KERNELGATE_TEXTURE(tex1DLayered, with(sample_of("tex1DLayered", object, 1, x), layer), (object, x, layer, line),
                   float x, int layer)
KERNELGATE_TEXTURE(tex2DLayered, with(sample_of("tex2DLayered", object, 2, x, y), layer), (object, x, y, layer, line),
                   float x, float y, int layer)
KERNELGATE_TEXTURE(texCubemap, cube(sample_of("texCubemap", object, 2, x, y, z)), (object, x, y, z, line), float x,
                   float y, float z)
KERNELGATE_TEXTURE(texCubemapLayered, cube(with(sample_of("texCubemapLayered", object, 2, x, y, z), layer)),
                   (object, x, y, z, layer, line), float x, float y, float z, int layer)
#undef KERNELGATE_TEXTURE

KERNELGATE_INLINE T tex1Dfetch(cudaTextureObject_t object, int x, int line = __builtin_LINE()) {
  kernelgate::ImageRequest request = kernelgate::sample_of("tex1Dfetch", object, 1, 0);
  request.op = kernelgate::ImageOp::index;
  request.index = x;
  return kernelgate::sampled<T>(request, line);
}
KERNELGATE_INLINE void tex1Dfetch(T* to, cudaTextureObject_t object, int x, int line = __builtin_LINE()) {
  *to = tex1Dfetch<T>(object, x, line);
}
KERNELGATE_INLINE T tex2Dgather(cudaTextureObject_t object, float x, float y, int component = 0,
                                int line = __builtin_LINE()) {
  kernelgate::ImageRequest request = kernelgate::sample_of("tex2Dgather", object, 2, x, y);
  request.op = kernelgate::ImageOp::gather;
  request.component = component;
  return kernelgate::sampled<T>(request, line);
}

#define KERNELGATE_SURFACE(name, y, z, given, ...)                                                                   \
  KERNELGATE_INLINE T name##read(cudaSurfaceObject_t object, __VA_ARGS__,                                            \
                                 cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap, int line = __builtin_LINE()) { \
    T value;                                                                                                         \
    const kernelgate::SurfaceRequest request{#name "read", object, x, y, z, sizeof(T), false, mode, &value};         \
    kernelgate_surface(&request, line);                                                                              \
    return value;                                                                                                    \
  }                                                                                                                  \
  KERNELGATE_INLINE void name##read(T* to, cudaSurfaceObject_t object, __VA_ARGS__,                                  \
                                    cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                             \
                                    int line = __builtin_LINE()) {                                                   \
    *to = name##read<T> given;                                                                                       \
  }                                                                                                                  \
  KERNELGATE_INLINE void name##write(T value, cudaSurfaceObject_t object, __VA_ARGS__,                               \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap,                            \
                                     int line = __builtin_LINE()) {                                                  \
    const kernelgate::SurfaceRequest request{#name "write", object, x, y, z, sizeof(T), true, mode, &value};         \
    kernelgate_surface(&request, line);                                                                              \
  }
KERNELGATE_SURFACE(surf1D, 0, 0, (object, x, mode, line), int x)
KERNELGATE_SURFACE(surf2D, y, 0, (object, x, y, mode, line), int x, int y)
KERNELGATE_SURFACE(surf3D, y, z, (object, x, y, z, mode, line), int x, int y, int z)
KERNELGATE_SURFACE(surf1DLayered, 0, layer, (object, x, layer, mode, line), int x, int layer)
KERNELGATE_SURFACE(surf2DLayered, y, layer, (object, x, y, layer, mode, line), int x, int y, int layer)
KERNELGATE_SURFACE(surfCubemap, y, face, (object, x, y, face, mode, line), int x, int y, int face)
#undef KERNELGATE_SURFACE
#undef KERNELGATE_INLINE
