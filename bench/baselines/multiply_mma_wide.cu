// A variant of multiply_mma, for bench/gemm_variants.py, which has not been run on a GPU yet. A tile is 128 x 256, and a
// warp owns 64 x 64 of it: for each product a third less comes from shared memory, and a quarter less from device memory.
// As its sums take 128 registers, the three products of 16 terms start from zero, small ones first, and are added to
// them at once. The x of a step stays in registers; w comes in pairs of eight columns, hi of the next pair and lo of this
// one while products run.
template <int kStages>
__global__ void __launch_bounds__(kMmaThreads, kMmaBlocks) multiply_mma(const SplitProduct s) {
  extern __shared__ __align__(1024) unsigned char shared_bytes[];
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(shared_bytes));
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int warp_row = warp % (kMmaRows / 64), warp_column = warp / (kMmaRows / 64);
  const int row_tiles = (s.p.m + kMmaRows - 1) / kMmaRows;
  const int row0 = blockIdx.x % row_tiles * kMmaRows, column0 = blockIdx.x / row_tiles * kMmaColumns;
  const int first = blockIdx.y * s.part_slices, slices = min(s.part_slices, s.slices - first);

  // Thread t fetches 16 bytes, chunk t % 8, of rows t / 8 + kApart i of both tiles. Rows behind the last are the last.
  constexpr int kApart = kMmaThreads / 8, kMmaMost = kMmaRows > kMmaColumns ? kMmaRows : kMmaColumns;
  const unsigned line = s.slices * kLine * sizeof(__half);
  const size_t offset = first * kLine * sizeof(__half) + t % 8 * 16;
  const char* x = reinterpret_cast<const char*>(s.x) + static_cast<size_t>(row0) * line + offset;
  const char* w = reinterpret_cast<const char*>(s.w) + static_cast<size_t>(column0) * line + offset;
  const int last_row = s.p.m - 1 - row0, last_column = s.p.n - 1 - column0;
  const unsigned to = t / 8 * 128 + ((t % 8 ^ t / 8 % 8) << 4);
  auto fetch = [&](int slice) {
    if (slice < slices) {
      const unsigned stage = shared + slice % kStages * kMmaStage + to;
      int row = t / 8;
      unsigned length = line;
      // The compiler shall not keep twelve offsets in registers, but compute them anew.
      asm volatile("" : "+r"(row), "+r"(length));
#pragma unroll
      for (int i = 0; i < kMmaMost / kApart; ++i) {
        if (i * kApart < kMmaRows) {
          copy_async(stage + i * kApart * 128, x + slice * 128 + min(row + kApart * i, last_row) * length);
        }
        if (i * kApart < kMmaColumns) {
          const int column = min(row + kApart * i, last_column);
          copy_async(stage + (kMmaRows + i * kApart) * 128, w + slice * 128 + column * length);
        }
      }
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };

  // Of the first two chunks; those of hi of k 16..31 and of lo are 32 and 64 bytes away, by exclusive or.
  const unsigned x_at = (warp_row * 64 + (lane & 15)) * 128 + (((lane >> 4) ^ (lane & 7)) << 4);
  const unsigned w_at = (kMmaRows + warp_column * kWarpColumns + (lane & 7) + ((lane >> 4) << 3)) * 128 +
                        ((((lane >> 3) & 1) ^ (lane & 7)) << 4);
  float whole[4][2 * kPairs][4] = {};
  unsigned x_hi[4][4], x_lo[4][4], w_hi[2][4], w_lo[4];
  auto load_x = [&](unsigned (*x)[4], unsigned stage, int chunk) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      load_matrices(x[i], ((stage + x_at) ^ chunk) + i * 16 * 128);
    }
  };
  auto load_w = [&](unsigned* w, unsigned stage, int chunk, int pair) {
    load_matrices(w, ((stage + w_at) ^ chunk) + pair * 16 * 128);
  };
  auto load_first = [&](unsigned stage, int step) {
    load_x(x_lo, stage, 64 + 32 * step);
    load_w(w_hi[0], stage, 32 * step, 0);
  };

  for (int i = 0; i < kStages - 1; ++i) {
    fetch(i);
  }
  asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
  __syncthreads();
  load_first(shared, 0);
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
    const unsigned stage = shared + slice % kStages * kMmaStage;
#pragma unroll 1
    for (int step = 0; step < 2; ++step) {
      load_x(x_hi, stage, 32 * step);
#pragma unroll
      for (int pair = 0; pair < kPairs; ++pair) {
        const unsigned *hi = w_hi[pair % 2], *lo = w_lo;
        load_w(w_lo, stage, 64 + 32 * step, pair);
        float sum[2][4][4];
        constexpr float kZero[4] = {};
        if (pair + 1 < kPairs) {
          load_w(w_hi[(pair + 1) % 2], stage, 32 * step, pair + 1);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          mma_f16(sum[i / 4][i % 4], x_lo[i % 4], hi + i / 4 * 2, kZero);
        }
        if (pair + 1 == kPairs && step == 0) {
          load_first(stage, 1);
        } else if (pair + 1 == kPairs) {
          asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 3) : "memory");
          __syncthreads();
          fetch(slice + kStages - 1);
          if (slice + 1 < slices) {
            load_first(shared + (slice + 1) % kStages * kMmaStage, 0);
          }
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          mma_f16(sum[i / 4][i % 4], x_hi[i % 4], lo + i / 4 * 2, sum[i / 4][i % 4]);
        }
#pragma unroll
        for (int i = 0; i < 8; ++i) {
          mma_f16(sum[i / 4][i % 4], x_hi[i % 4], hi + i / 4 * 2, sum[i / 4][i % 4]);
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            whole[i % 4][2 * pair + i / 4][e] += sum[i / 4][i % 4][e];
          }
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    store_pairs<2 * kPairs>(s, blockIdx.y, row0 + warp_row * 64 + i * 16 + lane / 4,
                            column0 + warp_column * kWarpColumns + lane % 4 * 2, s.p.n,
                            [&](int j, int h) { return &whole[i][j][2 * h]; });
  }
}
