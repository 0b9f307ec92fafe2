// What a program asks the driver for: the description of a tensor for copies of its tiles.
#include <kernelgate/abi.h>
#include <kernelgate/tensor_map.h>
#include <string.h>

// Returns CUDA's error numbers. Steps of more than one element, and interleaving, are not covered: CUDA_ERROR_NOT_SUPPORTED.
extern "C" int kernelgate_encode_tiled(void* map, int type, unsigned rank, void* address, const uint64_t* size,
                                       const uint64_t* stride, const uint32_t* box, const uint32_t* step,
                                       int interleave, int swizzle, int, int fill) {
  constexpr int invalid = 1, not_supported = 801;
  constexpr unsigned char bytes_of[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  if (!map || type < 0 || type >= int(sizeof bytes_of) || rank < 1 || rank > 5) return invalid;
  if (interleave) return not_supported;
  kernelgate::TensorMap made{};
  made.mark = kernelgate::TensorMap::known;
  made.rank = static_cast<uint8_t>(rank);
  made.element_bytes = bytes_of[type];
  made.swizzle = static_cast<uint8_t>((1 << swizzle) - 1);
  made.fills_with_nan = fill != 0;
  made.address = reinterpret_cast<uint64_t>(address);
  made.stride[0] = made.element_bytes;
  if (made.address % 16) return invalid;
  for (unsigned d = 0; d < rank; d++) {
    if (size[d] == 0 || size[d] > 1ull << 32 || box[d] == 0 || box[d] > 256 || step[d] == 0 || step[d] > 8)
      return invalid;
    if (step[d] != 1) return not_supported;
    made.size[d] = static_cast<uint32_t>(size[d] - 1);
    made.box[d] = static_cast<uint16_t>(box[d]);
    if (d == 0) continue;
    if (stride[d - 1] % 16 || stride[d - 1] >= 1ull << 40) return invalid;
    made.stride[d] = stride[d - 1];
  }
  const unsigned inner = box[0] * made.element_bytes;
  if (inner % 16 || (swizzle && inner > 16u << swizzle)) return invalid;
  memcpy(map, &made, sizeof made);
  return 0;
}
