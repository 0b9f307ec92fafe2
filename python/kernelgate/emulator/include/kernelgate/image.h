// What a texture or surface object stands for, and what a kernel asks of one.
#pragma once
#include <stdint.h>

namespace kernelgate {

constexpr int most_levels = 16;

struct Image {
  uint64_t data[most_levels];  // of each mipmap level: texels in rows, rows in slices (depth, layers, or faces)
  uint64_t pitch;              // bytes from one row to the next, of the first level
  uint32_t width, height, depth;
  uint8_t levels;
  uint8_t channels, channel_bytes, kind;  // kind: cudaChannelFormatKind
  bool is_surface, is_memory;             // is_memory: no array, whose pointer is a tensor's
  bool layered, cubemap;
  uint8_t address[3];  // cudaTextureAddressMode
  bool linear, linear_levels, normalized_coordinates, normalized_read, srgb;
  float border[4];
  float level_bias, lowest_level, highest_level;
};

enum class ImageOp : int { index, sample, gather };

struct ImageRequest {
  const char* name;  // "tex2D"
  uint64_t object;
  ImageOp op;
  bool is_float;  // what the program reads
  bool cubemap;
  int dimensions;
  float at[3];
  int index;  // of ImageOp::index
  int layer;
  float level;
  int component;
};

struct SurfaceRequest {
  const char* name;  // "surf2Dwrite"
  uint64_t object;
  int x, y, z;  // x counts bytes
  unsigned bytes;
  bool write;
  int boundary;  // cudaSurfaceBoundaryMode
  void* value;
};

}  // namespace kernelgate

extern "C" {
// 0 where its memory does not lie as textures need it.
uint64_t kernelgate_make_image(const kernelgate::Image* image);
int kernelgate_destroy_image(uint64_t object, int is_surface);
void kernelgate_forget_array(const void* data);  // its textures and surfaces lead nowhere from now on
// Four floats or integers, as the program reads them.
void kernelgate_sample(const kernelgate::ImageRequest* request, uint32_t* result, int line);
void kernelgate_surface(const kernelgate::SurfaceRequest* request, int line);
}
