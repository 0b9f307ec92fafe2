// What stands in the opaque 128 bytes of a CUtensorMap here: a tensor in global memory, and the box that a copy moves.
#pragma once
#include <stdint.h>

namespace kernelgate {

struct TensorMap {
  static constexpr uint32_t known = 0x4b475431;
  uint32_t mark;  // `known` once it has been made
  uint8_t rank, element_bytes, swizzle, fills_with_nan;
  uint64_t address;
  uint64_t stride[5];  // bytes from one element to the next in each dimension, innermost first
  uint32_t size[5];    // of each dimension, less one
  uint16_t box[5];

  unsigned box_bytes() const {
    unsigned bytes = element_bytes;
    for (int d = 0; d < rank; d++) bytes *= box[d];
    return bytes;
  }
};
static_assert(sizeof(TensorMap) <= 128);

}  // namespace kernelgate
