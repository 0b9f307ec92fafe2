#pragma once

#include <cstddef>

// y = leaky_relu((x w^T + bias) * multiplier): x (m, k), w (n, k), y (m, n) dense; bias (n), or null.
// A transposed operand lies in memory as (k, m) or (k, n), which the split products can take.
struct Product {
  const float* x;
  const float* w;
  const float* bias;
  float* y;
  int m, n, k;
  float multiplier, slope;
  bool x_transposed, w_transposed;
};

// A matrix split in two fp16 numbers an element. lines: (rows, slices, 64) fp16, facts: (4, rows) float.
struct Split {
  void* lines;
  float* facts;
};

// What is done beside the split of another matrix, with as many columns: all rows of `values` are split, or only those
// of which one slice is not what `split` has of it.
struct SplitBeside {
  const float* values;
  int rows, slice;  // kAllSlices: split all
  Split split;
};
constexpr int kAllSlices = -1;

enum Path { kFewRows, kMma, kWgmma };

// How a product is computed. parts: among how many blocks the sum over k is divided.
struct Plan {
  Path path;
  int parts;
};

#define INTERNAL __attribute__((visibility("hidden")))
INTERNAL int slices_of(int k);
INTERNAL Plan plan_product(int m, int n, int k);
// These queue work on a stream of the current device and return a cudaError_t.
INTERNAL int split_matrix(const float* values, int rows, int k, Split split, const SplitBeside& beside, void* stream);
// The same of a matrix that lies transposed in memory, as (k, rows).
INTERNAL int split_transposed(const float* values, int rows, int k, Split split, void* stream);
INTERNAL int multiply_few_rows(const Product& product, void* stream);
// partial_sums: parts * m * n floats, or null where parts is 1.
INTERNAL int multiply_split(const Plan& plan, const Product& product, Split x, Split w, float* partial_sums,
                            void* stream);
// Bit i % 32 of word i / 32: whether y[i] > 0. The last word may be partial, and is then filled up with 0.
INTERNAL int pack_signs(const float* y, unsigned* signs, long long count, void* stream);
// g[i] = upstream[i], times the slope where the bit of i is not set.
INTERNAL int scale_by_signs(const float* upstream, const unsigned* signs, float slope, float* g, long long count,
                            void* stream);
