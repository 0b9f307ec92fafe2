// What bench/gemm_variants.py puts in the middle of multiply_mma, for a tile of 128 x 256 of which a warp owns 64 x 64: for
// each product a third less comes from shared memory, and a quarter less from device memory. It has not been run on a GPU
// yet. As the sums take 128 registers, the three products of 16 terms start from zero, small ones first, and are added to
// them at once. The x of a step stays in registers; w comes in pairs of eight columns, hi of the next pair and lo of this
// one while products run.
  // Of the first two chunks; those of hi of k 16..31 and of lo are 32 and 64 bytes away, by exclusive or.
  const unsigned x_at = (warp_row * 64 + (lane & 15)) * 128 + (((lane >> 4) ^ (lane & 7)) << 4);
  const unsigned w_at = (kMmaRows + warp_column * kWarpColumns + (lane & 7) + ((lane >> 4) << 3)) * 128 +
                        ((((lane >> 3) & 1) ^ (lane & 7)) << 4);
  float large[4][2 * kPairs][4] = {};
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
            large[i % 4][2 * pair + i / 4][e] += sum[i / 4][i % 4][e];
          }
        }
      }
    }
  }
