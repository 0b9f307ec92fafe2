// Textures and surfaces: the objects that a program has made, and what a kernel reads and writes through them.
// In: requests of `kernelgate/texture_fetch.h`. A model of the hardware's sampling: coordinates with 8 bits of fraction, float sums.
#include "examine.h"
#include "scheduler.h"
#include <kernelgate/half_bits.h>
#include <kernelgate/image.h>
#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>
#include <string.h>
#include <string>

// A namespace of its own, because all files of the library are one unit.
namespace kernelgate::textures {

namespace {

enum : uint8_t { wrap = 0, clamp_to_edge = 1, mirror = 2, border = 3 };
enum : int { zero = 0, clamp_surface = 1, trap = 2 };
constexpr uint64_t first_object = 0x6b670001;  // no small number, nor 0
constexpr uint64_t offset_unit = 512;          // textureAlignment

enum class Life { lives, destroyed, array_freed };
struct Known {
  Image image;
  Life life;
};
std::mutex images_lock;
std::deque<Known> images;

Known* known(uint64_t object) {
  return object >= first_object && object - first_object < images.size() ? &images[object - first_object] : nullptr;
}

const Image& image_at(uint64_t object, bool is_surface, const char* name, int line) {
  const char* kind = is_surface ? "surface" : "texture";
  const Known* found = known(object);
  const char* why = !found                                  ? " that has not been made"
                    : found->image.is_surface != is_surface ? " and gets an object of the other kind"
                    : found->life == Life::destroyed        ? " that has been destroyed"
                    : found->life == Life::array_freed      ? " whose array has been freed"
                                                            : nullptr;
  if (why) end_here("texture", line, std::string(name) + " takes a " + kind + " object" + why);
  return found->image;
}

// --- texels ---
struct Texel {
  float real[4];
  uint32_t bits[4];
};

void read_memory(uint64_t at, unsigned bytes, void* to, const void* code) {
  const char* address = reinterpret_cast<const char*>(at);
  if (examining()) examine_uncounted(address, bytes, false, code);
  memcpy(to, address, bytes);
}

float linear_of(float srgb) { return srgb <= 0.04045f ? srgb / 12.92f : std::pow((srgb + 0.055f) / 1.055f, 2.4f); }

struct Sampler {
  const Image& image;
  const void* code;

  bool reads_float() const { return image.kind == 2 || image.normalized_read; }

  uint32_t size_at(int dimension, int level) const {
    const uint32_t size = dimension == 0 ? image.width : dimension == 1 ? image.height : image.depth;
    return std::max<uint32_t>(1, size >> (dimension == 2 && image.layered ? 0 : level));
  }

  float channel(const char* data, int c, uint32_t& bits) const {
    const bool is_signed = image.kind == 0;
    int64_t value = 0;
    switch (image.channel_bytes) {
      case 1: value = is_signed ? int64_t(int8_t(data[c])) : int64_t(uint8_t(data[c])); break;
      case 2: {
        uint16_t half;
        memcpy(&half, data + 2 * c, 2);
        if (image.kind == 2) return half_to_float(half);
        value = is_signed ? int64_t(int16_t(half)) : int64_t(half);
        break;
      }
      default: memcpy(&bits, data + 4 * c, 4); break;
    }
    float real = 0;
    if (image.channel_bytes == 4) {
      memcpy(&real, &bits, 4);
      return real;
    }
    bits = static_cast<uint32_t>(value);
    if (!image.normalized_read) return 0;
    const float most = image.channel_bytes == 1 ? (is_signed ? 127.0f : 255.0f) : (is_signed ? 32767.0f : 65535.0f);
    real = std::max(-1.0f, static_cast<float>(value) / most);
    return image.srgb && image.channel_bytes == 1 && c < 3 ? linear_of(real) : real;
  }

  // -1 is outside, where the border's colour is.
  Texel texel(int64_t x, int64_t y, int64_t z, int level) const {
    Texel found{{0, 0, 0, 1}, {0, 0, 0, 1}};
    if (x < 0 || y < 0 || z < 0) {
      for (int c = 0; c < 4; c++) {
        found.real[c] = image.border[c];
        found.bits[c] = reads_float() ? 0 : static_cast<uint32_t>(static_cast<int64_t>(image.border[c]));
      }
      return found;
    }
    const unsigned bytes = image.channels * image.channel_bytes;
    const uint64_t pitch = level || !image.pitch ? uint64_t(size_at(0, level)) * bytes : image.pitch;
    const uint64_t row = uint64_t(z) * size_at(1, level) + uint64_t(y);
    alignas(16) char data[16];
    read_memory(image.data[level] + row * pitch + uint64_t(x) * bytes, bytes, data, code);
    for (int c = 0; c < image.channels; c++) found.real[c] = channel(data, c, found.bits[c]);
    return found;
  }

  // --- coordinates ---
  uint8_t mode(int dimension, bool cubemap) const {
    const uint8_t asked = image.address[dimension];
    return cubemap || (!image.normalized_coordinates && asked != border) ? uint8_t(clamp_to_edge) : asked;
  }

  int64_t inside(int64_t index, int64_t size, uint8_t mode) const {
    if (index >= 0 && index < size) return index;
    if (mode == border) return -1;
    if (mode == wrap) return ((index % size) + size) % size;
    return index < 0 ? 0 : size - 1;
  }

  struct Axis {
    int64_t index[2];
    float weight;  // of the second
  };
  Axis axis(float at, int dimension, int level, bool between, bool normalized, uint8_t mode) const {
    const int64_t size = size_at(dimension, level);
    if (std::isnan(at)) at = 0;
    if (mode == wrap) at -= std::floor(at);
    if (mode == mirror) {
      const float whole = std::floor(at);
      at = std::fmod(whole, 2.0f) != 0 ? 1 - (at - whole) : at - whole;
    }
    double place = normalized ? static_cast<double>(at) * static_cast<double>(size) : static_cast<double>(at);
    place = std::clamp(place, -1e9, 1e9);
    if (!between) {
      int64_t index = static_cast<int64_t>(std::floor(place));
      if (mode == mirror || mode == wrap) index = std::min(index, size - 1);
      return {{inside(index, size, mode), 0}, 0};
    }
    const int64_t fixed = static_cast<int64_t>(std::floor((place - 0.5) * 256 + 0.5));
    const int64_t first = fixed >> 8;
    return {{inside(first, size, mode), inside(first + 1, size, mode)}, static_cast<float>(fixed & 255) / 256};
  }

  Texel sample(const ImageRequest& request, const float* at, int64_t slice, int level) const {
    const bool cubemap = request.cubemap, normalized = image.normalized_coordinates || cubemap;
    Axis axes[3];
    for (int d = 0; d < 3; d++) {
      if (d < request.dimensions) axes[d] = axis(at[d], d, level, image.linear, normalized, mode(d, cubemap));
      else axes[d] = {{d == 2 ? slice : 0, 0}, 0};
    }
    if (!image.linear) return texel(axes[0].index[0], axes[1].index[0], axes[2].index[0], level);
    Texel sum{};
    for (int corner = 0; corner < 1 << request.dimensions; corner++) {
      float weight = 1;
      int64_t index[3];
      for (int d = 0; d < 3; d++) {
        const int second = d < request.dimensions ? corner >> d & 1 : 0;
        index[d] = axes[d].index[second];
        if (d < request.dimensions) weight *= second ? axes[d].weight : 1 - axes[d].weight;
      }
      if (weight == 0) continue;  // it counts for nothing, and may be NaN
      const Texel here = texel(index[0], index[1], index[2], level);
      for (int c = 0; c < 4; c++) sum.real[c] += weight * here.real[c];
    }
    return sum;
  }

  // Four texels that a linear filter would use, counter-clockwise from the lower left.
  Texel gathered(const ImageRequest& request) const {
    Axis axes[2];
    for (int d = 0; d < 2; d++) axes[d] = axis(request.at[d], d, 0, true, image.normalized_coordinates, mode(d, false));
    constexpr int order[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    Texel found{};
    for (int c = 0; c < 4; c++) {
      const Texel here = texel(axes[0].index[order[c][0]], axes[1].index[order[c][1]], 0, 0);
      found.real[c] = here.real[request.component & 3];
      found.bits[c] = here.bits[request.component & 3];
    }
    return found;
  }

  Texel with_levels(const ImageRequest& request, const float* at, int64_t slice) const {
    const float highest = std::min<float>(image.highest_level, static_cast<float>(image.levels - 1));
    const float level = std::max(image.lowest_level, std::min(highest, request.level + image.level_bias));
    const float within = std::clamp(level, 0.0f, static_cast<float>(image.levels - 1));
    if (!image.linear_levels) return sample(request, at, slice, static_cast<int>(std::floor(within + 0.5f)));
    const float weight = std::floor((within - std::floor(within)) * 256) / 256;
    Texel low = sample(request, at, slice, static_cast<int>(within));
    if (weight == 0) return low;
    const Texel high = sample(request, at, slice, static_cast<int>(within) + 1);
    for (int c = 0; c < 4; c++) low.real[c] += weight * (high.real[c] - low.real[c]);
    return low;
  }
};

// A direction to the face that it meets, and where on it.
int face_of(const float* d, float* at) {
  const float x = std::fabs(d[0]), y = std::fabs(d[1]), z = std::fabs(d[2]);
  int face;
  float most, s, t;
  if (x >= y && x >= z) face = d[0] < 0, most = x, s = d[0] < 0 ? d[2] : -d[2], t = -d[1];
  else if (y >= z) face = 2 + (d[1] < 0), most = y, s = d[0], t = d[1] < 0 ? -d[2] : d[2];
  else face = 4 + (d[2] < 0), most = z, s = d[2] < 0 ? -d[0] : d[0], t = -d[1];
  at[0] = (s / most + 1) / 2;
  at[1] = (t / most + 1) / 2;
  return face;
}

Texel indexed(const Sampler& sampler, int index) {
  const bool inside = index >= 0 && static_cast<uint32_t>(index) < sampler.image.width;
  return inside ? sampler.texel(index, 0, 0, 0) : Texel{};
}

Texel sampled(const Sampler& sampler, const ImageRequest& request) {
  const Image& image = sampler.image;
  if (request.op == ImageOp::index) return indexed(sampler, request.index);
  if (request.op == ImageOp::gather) return sampler.gathered(request);
  float at[3] = {request.at[0], request.at[1], request.at[2]};
  const int faces = request.cubemap ? 6 : 1;
  const int layers = image.layered ? std::max<int>(1, static_cast<int>(image.depth) / faces) : 1;
  int64_t slice = std::clamp(request.layer, 0, layers - 1) * faces;
  if (request.cubemap) slice += face_of(request.at, at);
  if (image.layered && request.dimensions == 1) at[1] = 0;
  return sampler.with_levels(request, at, slice);
}

std::string outside(const SurfaceRequest& request, const Image& image, int64_t row_bytes) {
  std::string text = std::string(request.name) + " at byte " + std::to_string(request.x);
  if (image.height) text += " of row " + std::to_string(request.y);
  if (image.depth) text += (image.layered ? " of layer " : " of slice ") + std::to_string(request.z);
  text += ", and the surface has rows of " + std::to_string(row_bytes) + " bytes";
  if (image.height) text += ", " + std::to_string(image.height) + " of them";
  if (image.depth) text += ", " + std::to_string(image.depth) + (image.layered ? " layers" : " slices");
  return text + " (x counts bytes)";
}

}  // namespace

extern "C" uint64_t kernelgate_make_image(const Image* image) {
  std::lock_guard<std::mutex> hold(images_lock);
  if (!image->width || !image->data[0] || !image->channels || !image->channel_bytes) return 0;
  const char* data = reinterpret_cast<const char*>(image->data[0]);
  const Region* tensor = image->is_memory ? find_tensor(data) : nullptr;
  if (tensor && static_cast<uint64_t>(data - tensor->begin) % offset_unit) return 0;
  images.push_back({*image, Life::lives});
  return first_object + images.size() - 1;
}

extern "C" int kernelgate_destroy_image(uint64_t object, int is_surface) {
  std::lock_guard<std::mutex> hold(images_lock);
  Known* found = known(object);
  if (!found || found->image.is_surface != (is_surface != 0) || found->life == Life::destroyed) return 0;
  found->life = Life::destroyed;
  return 1;
}

extern "C" void kernelgate_forget_array(const void* data) {
  std::lock_guard<std::mutex> hold(images_lock);
  const uint64_t begin = reinterpret_cast<uint64_t>(data);
  for (Known& each : images) {
    const uint64_t *first = each.image.data, *end = first + each.image.levels;
    const bool shows = !each.image.is_memory && std::find(first, end, begin) != end;
    if (shows && each.life == Life::lives) each.life = Life::array_freed;
  }
}

extern "C" void kernelgate_sample(const ImageRequest* request, uint32_t* result, int line) {
  const Sampler sampler{image_at(request->object, false, request->name, line), __builtin_return_address(0)};
  if (sampler.reads_float() != request->is_float)
    end_here("texture", line,
             std::string(request->name) + " reads " + (request->is_float ? "floats" : "integers") +
                 " of a texture that gives " + (request->is_float ? "integers" : "floats"));
  const Texel found = sampled(sampler, *request);
  memcpy(result, request->is_float ? static_cast<const void*>(found.real) : found.bits, sizeof found.bits);
}

extern "C" void kernelgate_surface(const SurfaceRequest* request, int line) {
  const Image& image = image_at(request->object, true, request->name, line);
  const int64_t row_bytes = int64_t(image.width) * image.channels * image.channel_bytes;
  const int64_t rows = std::max<uint32_t>(1, image.height), slices = std::max<uint32_t>(1, image.depth);
  int64_t x = request->x, y = request->y, z = request->z;
  if (x % request->bytes)
    end_here("texture", line,
             std::string(request->name) + " at byte " + std::to_string(x) + ", which is no multiple of the " +
                 std::to_string(request->bytes) + " bytes that it takes (x counts bytes)");
  const bool inside = x >= 0 && x + request->bytes <= row_bytes && y >= 0 && y < rows && z >= 0 && z < slices;
  if (!inside && request->boundary == trap) end_here("surface", line, outside(*request, image, row_bytes));
  if (!inside && request->boundary == zero) {
    if (!request->write) memset(request->value, 0, request->bytes);
    return;
  }
  x = std::clamp<int64_t>(x, 0, row_bytes - request->bytes);
  y = std::clamp<int64_t>(y, 0, rows - 1);
  z = std::clamp<int64_t>(z, 0, slices - 1);
  char* address = reinterpret_cast<char*>(image.data[0] + static_cast<uint64_t>(z * rows + y) * image.pitch) + x;
  if (!request->write)
    return read_memory(reinterpret_cast<uint64_t>(address), request->bytes, request->value,
                       __builtin_return_address(0));
  if (examining()) examine_uncounted(address, request->bytes, true, __builtin_return_address(0));
  memcpy(address, request->value, request->bytes);
}

}  // namespace kernelgate::textures
