#pragma once

#include <cstdint>

enum class Kind { Float, Double, Half, BFloat16 };

constexpr int kMaxDims = 8;

struct Dimension {
  int64_t size;
  int64_t in_stride;  // in elements
  int64_t out_stride;
  uint32_t magic;  // i / size without a division: see quotient()
  uint32_t shift;
};

struct Walk {
  int dims;
  bool narrow;              // every place is below 2^31
  Dimension dim[kMaxDims];  // first the one in which neighbours of out lie closest together
};
