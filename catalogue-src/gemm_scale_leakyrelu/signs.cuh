#pragma once

#include "split.cuh"

namespace {

constexpr int kSignThreads = 256;
constexpr int kSignItems = 4;  // elements a thread, kSignThreads apart, so that as many loads are on their way

__global__ void __launch_bounds__(kSignThreads) pack_each_sign(const float* y, unsigned* signs, long long count) {
  const long long first = static_cast<long long>(blockIdx.x) * kSignThreads * kSignItems + threadIdx.x;
  bool positive[kSignItems];
#pragma unroll
  for (int j = 0; j < kSignItems; ++j) {
    const long long i = first + j * kSignThreads;
    positive[j] = i < count && y[i] > 0.0f;
  }
#pragma unroll
  for (int j = 0; j < kSignItems; ++j) {
    const long long i = first + j * kSignThreads;
    const unsigned word = __ballot_sync(0xffffffffu, positive[j]);
    if (threadIdx.x % 32 == 0 && i < count) {
      signs[i / 32] = word;
    }
  }
}

__global__ void __launch_bounds__(kSignThreads)
    scale_by_each_sign(const float* upstream, const unsigned* signs, float slope, float* g, long long count) {
  const long long first = static_cast<long long>(blockIdx.x) * kSignThreads * kSignItems + threadIdx.x;
  float value[kSignItems];
  unsigned word[kSignItems];
#pragma unroll
  for (int j = 0; j < kSignItems; ++j) {
    const long long i = first + j * kSignThreads;
    value[j] = i < count ? upstream[i] : 0.0f;
    word[j] = i < count ? signs[i / 32] : 0;
  }
#pragma unroll
  for (int j = 0; j < kSignItems; ++j) {
    const long long i = first + j * kSignThreads;
    if (i < count) {
      g[i] = word[j] >> (threadIdx.x % 32) & 1 ? value[j] : value[j] * slope;
    }
  }
}

}  // namespace
