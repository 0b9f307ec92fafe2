// WARP_SHFL and its kin.
#pragma once
#include <cuda_runtime.h>

#ifdef __CUDACC__
inline unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffffu) { return __ballot_sync(mask, predicate); }
inline unsigned ACTIVE_MASK() { return __activemask(); }
inline void WARP_SYNC(unsigned mask = 0xffffffffu) { __syncwarp(mask); }
template <typename T>
inline T WARP_SHFL(T value, int lane, int width = warpSize, unsigned mask = 0xffffffffu) {
  return __shfl_sync(mask, value, lane, width);
}
template <typename T>
inline T WARP_SHFL_XOR(T value, int lanes, int width = warpSize, unsigned mask = 0xffffffffu) {
  return __shfl_xor_sync(mask, value, lanes, width);
}
template <typename T>
inline T WARP_SHFL_UP(T value, unsigned by, int width = warpSize, unsigned mask = 0xffffffffu) {
  return __shfl_up_sync(mask, value, by, width);
}
template <typename T>
inline T WARP_SHFL_DOWN(T value, unsigned by, int width = warpSize, unsigned mask = 0xffffffffu) {
  return __shfl_down_sync(mask, value, by, width);
}
#endif
