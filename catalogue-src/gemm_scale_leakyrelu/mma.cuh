#pragma once

#include "split.cuh"

namespace {

constexpr int kMmaRows = 128;     // of a block
constexpr int kMmaColumns = 128;  // of a block
constexpr int kMmaBlocks = 1;     // of a multiprocessor
constexpr int kMmaThreads = 32 * (kMmaRows / 64) * (kMmaColumns / 32);
constexpr int kMmaStage = (kMmaRows + kMmaColumns) * 128;         // bytes: a line of each row of x and of w
constexpr int kMmaStages = (160 << 10) / kMmaBlocks / kMmaStage;  // as many as an A100's shared memory holds
constexpr int kShortSlices = 8;                                   // up to so many, sums are short

__device__ __forceinline__ void load_matrices(unsigned* r, unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(from));
}

// d = c + a b.
__device__ __forceinline__ void mma_f16(float* d, const unsigned* a, const unsigned* b, const float* c) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}

// 16 bytes, or zeros and nothing is read: without a branch, the compiler can put it between products.
__device__ __forceinline__ void copy_async(unsigned to, const char* from, bool read) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(read ? 16 : 0) : "memory");
}

template <int kGroups>
__device__ __forceinline__ void wait_for_copies() {  // of all groups but the last kGroups
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroups) : "memory");
}

// y or sums[part] = x w^T for one tile of 128 x 128; part = blockIdx.y. Eight warps own 64 x 32 each, as 4 x 4 products
// of 16 x 8. kStages slices are in shared memory: some are multiplied while the next ones arrive. A line of 128 bytes
// is stored with its 16-byte chunk c at c ^ (row % 8), so that ldmatrix meets every bank once.
// For each k16 step: lo hi, hi lo, hi hi, in one sum in the tensor core; the fragments of a product are loaded during
// the one before it. Sums have 64 terms: in each step another of the four rows of products ends its sums, adds them
// with rounding, and starts anew; all rows at once would leave the tensor cores idle meanwhile. kShort: sums of 16
// terms. Where k is small, little is rounded and what the tensor core cuts off weighs more; else it is the other way.
template <int kStages, bool kShort>
__global__ void __launch_bounds__(kMmaThreads, kMmaBlocks) multiply_mma(const SplitProduct s) {
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(shared_bytes));
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int warp_row = warp % (kMmaRows / 64), warp_column = warp / (kMmaRows / 64);
  const int row_tiles = (s.p.m + kMmaRows - 1) / kMmaRows;
  int block = blockIdx.x;
  const int row0 = block % row_tiles * kMmaRows, column0 = block / row_tiles * kMmaColumns;
  const int first = blockIdx.y * s.part_slices, slices = min(s.part_slices, s.slices - first);

  // Thread t fetches 16 bytes, chunk t % 8, of rows t / 8 + kApart i of x, then of w; behind the last row, the last.
  constexpr int kApart = kMmaThreads / 8, kOfX = kMmaRows / kApart, kCopies = kOfX + kMmaColumns / kApart;
  const unsigned line = s.slices * kLine * sizeof(__half);
  const size_t offset = first * kLine * sizeof(__half) + t % 8 * 16;
  const char* x = reinterpret_cast<const char*>(s.x) + static_cast<size_t>(row0) * line + offset;
  const char* w = reinterpret_cast<const char*>(s.w) + static_cast<size_t>(column0) * line + offset;
  const int last_row = s.p.m - 1 - row0, last_column = s.p.n - 1 - column0;
  const unsigned to = t / 8 * 128 + ((t % 8 ^ t / 8 % 8) << 4);
  const char* from[kCopies];
#pragma unroll
  for (int i = 0; i < kCopies; ++i) {
    const unsigned row = i < kOfX ? min(t / 8 + kApart * i, last_row) : min(t / 8 + kApart * (i - kOfX), last_column);
    from[i] = (i < kOfX ? x : w) + row * line;
  }
  // One slice after the other.
  auto fetch = [&](int slice, int i) {
    copy_async(shared + slice % kStages * kMmaStage + to + i * kApart * 128, from[i], slice < slices);
    from[i] += 128;
  };
  auto commit = [] { asm volatile("cp.async.commit_group;" ::: "memory"); };

  // Of hi of k 0..15. Those of hi of k 16..31 and of lo are 32 and 64 bytes away, by exclusive or.
  const unsigned x_at = (warp_row * 64 + (lane & 15)) * 128 + (((lane >> 4) ^ (lane & 7)) << 4);
  const unsigned w_at =
      (kMmaRows + warp_column * 32 + (lane & 7) + ((lane >> 4) << 3)) * 128 + ((((lane >> 3) & 1) ^ (lane & 7)) << 4);
  float large[4][4][4] = {}, sum[4][4][4] = {};
  unsigned x_hi[4][4], x_lo[4][4], w_hi[2][2][4], w_lo[2][4];
  auto load_x = [&](unsigned (*x)[4], unsigned stage, int chunk) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      load_matrices(x[i], ((stage + x_at) ^ chunk) + i * 16 * 128);
    }
  };
  auto load_w = [&](unsigned (*w)[4], unsigned stage, int chunk) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      load_matrices(w[i], ((stage + w_at) ^ chunk) + i * 16 * 128);
    }
  };
  auto load_first = [&](unsigned stage, int step) {
    load_x(x_lo, stage, 64 + 32 * step);
    load_w(w_hi[kShort ? 0 : step], stage, 32 * step);
  };
  auto promote = [&](int i, int j) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      large[i][j][e] += sum[i][j][e];
    }
  };
  constexpr float kZero[4] = {};
  auto multiply_row = [&](int i, unsigned (*x)[4], unsigned (*w)[4], bool anew, bool ended) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      mma_f16(sum[i][j], x[i], w[j / 2] + 2 * (j % 2), anew ? kZero : sum[i][j]);
      if (ended) {
        promote(i, j);
      }
    }
  };
  // Before the products of row i comes beside(i). Row `anew` starts from zero, row `ended` is promoted.
  auto multiply = [&](unsigned (*x)[4], unsigned (*w)[4], int anew, int ended, auto beside) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      beside(i);
      multiply_row(i, x, w, i == anew, i == ended);
    }
  };
  constexpr int kNone = -1;

  // Where there are stages enough, the block waits for two slices at once.
  constexpr int kTogether = kStages < 4 ? 1 : 2, kAhead = kStages - kTogether;
  auto fetch_all = [&](int slice) {
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      fetch(slice, i);
    }
  };
  for (int slice = 0; slice < kAhead; ++slice) {
    fetch_all(slice);
    commit();
  }
  wait_for_copies<kAhead - kTogether>();
  __syncthreads();
  load_first(shared, 0);
#pragma unroll 1
  for (int pair = 0; pair < slices; pair += 2) {
    // Short sums are not unrolled: the compiler would put their additions off, and has no registers for that.
#pragma unroll(kShort ? 1 : 4)
    for (int quarter = 0; quarter < 4; ++quarter) {
      const int slice = pair + quarter / 2, step = quarter % 2, now = kShort ? 0 : step;
      const unsigned stage = shared + slice % kStages * kMmaStage;
      // A fourth of the copies for a slice, a few at a time: many at once would make the products wait for them.
      auto fetch_part = [&](int part) {
        return [&, part](int i) {
#pragma unroll
          for (int n = 4 * part + i, copy = n * kCopies / 16; copy < (n + 1) * kCopies / 16; ++copy) {
            fetch(slice + kAhead, copy);
          }
        };
      };
      load_x(x_hi, stage, 32 * step);
      load_w(w_lo, stage, 64 + 32 * step);
      if (kShort) {
        if (step == 0) {
          fetch_all(slice + kAhead);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          multiply_row(i, x_lo, w_hi[now], true, false);
          multiply_row(i, x_hi, w_lo, false, false);
          multiply_row(i, x_hi, w_hi[now], false, true);
        }
      } else {
        multiply(x_lo, w_hi[now], (4 - quarter) % 4, kNone, fetch_part(2 * step));
        multiply(x_hi, w_lo, kNone, kNone, fetch_part(2 * step + 1));
      }
      if (step == 0) {
        load_first(stage, 1);
      } else {
        commit();
        if (kTogether == 1 || quarter == 3) {
          wait_for_copies<kAhead - kTogether>();
          __syncthreads();
        }
        if (slice + 1 < slices) {
          load_first(shared + (slice + 1) % kStages * kMmaStage, 0);
        }
      }
      if (!kShort) {
        multiply(x_hi, w_hi[now], kNone, 3 - quarter, [](int) {});
      }
    }
  }

  asm volatile("" : "+r"(block));  // so that this is computed again, and takes no registers until here
  const int row = block % row_tiles * kMmaRows + warp_row * 64 + lane / 4;
  const int column = block / row_tiles * kMmaColumns + warp_column * 32 + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4 && i > 0 && !kShort; ++j) {  // row 0 has ended with the last slice
      promote(i, j);
    }
    store_pairs<4>(s, blockIdx.y, row + i * 16, column, s.p.n, [&](int j, int h) { return &large[i][j][2 * h]; });
  }
}

}  // namespace
