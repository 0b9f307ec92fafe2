#pragma once

#include "split.cuh"

#include <cuda.h>

namespace {

constexpr int kWgmmaRows = 128;      // of a block: two warpgroups of 64
constexpr int kWgmmaColumns = 256;   // of a block, computed as two halves
constexpr int kNarrowColumns = 248;  // of all column tiles but the first, where that saves work at the end
constexpr int kWgmmaThreads = 384;
constexpr int kWgmmaStages = 4;
constexpr int kWgmmaPromotion = 2;  // slices in one running sum: 64 terms
constexpr int kXBytes = kWgmmaRows * 128;
constexpr int kWBytes = kWgmmaColumns * 128;
constexpr int kWgmmaStage = kXBytes + kWBytes;
constexpr int kWgmmaShared = kWgmmaStages * kWgmmaStage + 1024;  // 1024: to align the first stage

template <int kColumns>
struct Columns {};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL
// wgmma for 64 x 128 and 64 x 120 sums: d = (add ? d : 0) + a b, 16 terms; a, b describe shared memory.
__device__ __forceinline__ void wgmma(Columns<128>, float* d, unsigned long long a, unsigned long long b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 0, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
        "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
        "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "l"(a), "l"(b), "r"(add));
}

__device__ __forceinline__ void wgmma(Columns<120>, float* d, unsigned long long a, unsigned long long b, int add) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.ne.b32 p, %62, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n120k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59}, "
      "%60, %61, p, 1, 1, 0, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
        "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
        "+f"(d[57]), "+f"(d[58]), "+f"(d[59])
      : "l"(a), "l"(b), "r"(add));
}

// An mbarrier in shared memory is given by its address.
__device__ __forceinline__ void barrier_init(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}

__device__ __forceinline__ void barrier_wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred p;\n"
      "again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done;\nbra again;\ndone:\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__device__ __forceinline__ void barrier_expect(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

// In a block of the cluster. Without .release.cluster, which compiles to a fence of the whole memory and costs a
// fifth of the time: what it would order, the reads of wgmma, has been waited for.
__device__ __forceinline__ void barrier_arrive(unsigned barrier, int block) {
  asm volatile(
      "{\n.reg .b32 r;\nmapa.shared::cluster.u32 r, %0, %1;\nmbarrier.arrive.shared::cluster.b64 _, [r];\n}" ::"r"(
          barrier),
      "r"(block)
      : "memory");
}

__device__ __forceinline__ void cluster_sync() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// A box of lines to shared memory, in each block of the mask; `barrier` counts its bytes there.
template <bool kMulticast>
__device__ __forceinline__ void fetch_box(unsigned to, const CUtensorMap* map, unsigned barrier, int x, int y,
                                          unsigned short mask) {
  if constexpr (kMulticast) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%3, %4}], [%2], %5;" ::"r"(to),
        "l"(map), "r"(barrier), "r"(x), "r"(y), "h"(mask)
        : "memory");
  } else {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4}], "
        "[%2];" ::"r"(to),
        "l"(map), "r"(barrier), "r"(x), "r"(y)
        : "memory");
  }
}

// A matrix of 128-byte rows in shared memory, swizzled by 128 bytes; 16 more columns of fp16 are + 2.
__device__ __forceinline__ unsigned long long describe(unsigned address) {
  return static_cast<unsigned long long>((address & 0x3ffff) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

// The stage that is next, and the parity of its barriers in this round.
struct Cursor {
  int stage = 0;
  unsigned parity;
  __device__ explicit Cursor(unsigned p) : parity(p) {}
  __device__ void advance() {
    if (++stage == kWgmmaStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// sum = the terms of kWgmmaPromotion slices, for 64 x kColumns. hi lo and lo hi come first: while the sum is small,
// little is cut off.
template <int kColumns>
__device__ __forceinline__ void sum_slices(float* sum, const unsigned* x, const unsigned* w) {
  constexpr int kLo = 4;    // descriptor units from hi to lo
  constexpr int kStep = 2;  // and to the next 16 columns
  const Columns<kColumns> columns;
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (int c = 0; c < kWgmmaPromotion; ++c) {
    const unsigned long long dx = describe(x[c]), dw = describe(w[c]);
    wgmma(columns, sum, dx + kLo, dw, c > 0);
    wgmma(columns, sum, dx + kLo + kStep, dw + kStep, 1);
    wgmma(columns, sum, dx, dw + kLo, 1);
    wgmma(columns, sum, dx + kStep, dw + kLo + kStep, 1);
  }
#pragma unroll
  for (int c = 0; c < kWgmmaPromotion; ++c) {
    const unsigned long long dx = describe(x[c]), dw = describe(w[c]);
    wgmma(columns, sum, dx, dw, 1);
    wgmma(columns, sum, dx + kStep, dw + kStep, 1);
  }
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < kColumns / 2; ++i) {
    asm volatile("" : "+f"(sum[i])::"memory");  // no use of the sum moves before the wait
  }
}

// A warpgroup's 64 rows of a tile: whole[half] = the sum over all slices of the part, half of the columns each.
// One half is promoted with the registers of one running sum, while the other warpgroup keeps the tensor cores busy.
template <int kCluster, int kSecond>
__device__ __forceinline__ void multiply_tile(float (&whole)[2][64], Cursor& cursor, unsigned shared, unsigned full,
                                              unsigned empty, int slices, int warpgroup) {
  for (int slice = 0; slice < slices; slice += kWgmmaPromotion) {
    unsigned x[kWgmmaPromotion], w[2][kWgmmaPromotion];
    int stages[kWgmmaPromotion];
#pragma unroll
    for (int c = 0; c < kWgmmaPromotion; ++c) {
      barrier_wait(full + 8 * cursor.stage, cursor.parity);
      const unsigned stage = shared + cursor.stage * kWgmmaStage;
      stages[c] = cursor.stage;
      x[c] = stage + warpgroup * (kXBytes / 2);
      w[0][c] = stage + kXBytes;
      w[1][c] = stage + kXBytes + kWBytes / 2;
      cursor.advance();
    }
    float sum[64];
    sum_slices<128>(sum, x, w[0]);
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      whole[0][i] += sum[i];
    }
    sum_slices<kSecond>(sum, x, w[1]);
    if (threadIdx.x % 128 < kCluster) {
#pragma unroll
      for (int c = 0; c < kWgmmaPromotion; ++c) {
        barrier_arrive(empty + 8 * stages[c], threadIdx.x % 128);
      }
    }
#pragma unroll
    for (int i = 0; i < kSecond / 2; ++i) {
      whole[1][i] += sum[i];
    }
  }
}
#endif  // __CUDA_ARCH_FEAT_SM90_ALL

// The tiles of y, rows first: neighbours share lines of w. Unit u is tile u % tiles of part u / tiles.
struct Tiling {
  int row_tiles, column_tiles, step;
  __host__ __device__ int tiles() const { return row_tiles * column_tiles; }
  __device__ int column(int tile) const {
    const int c = tile / row_tiles;
    return c ? kWgmmaColumns + (c - 1) * step : 0;
  }
};

// y or sums[part] = x w^T. A block takes 128 x 256, or 128 x 248, of y at a time: a producer warp fetches, and two
// warpgroups multiply. kCluster blocks, one above the other, share the lines of w: each fetches its share for all.
template <int kCluster>
__global__ void __cluster_dims__(kCluster, 1, 1) __launch_bounds__(kWgmmaThreads, 1)
    multiply_wgmma(const __grid_constant__ CUtensorMap x_map, const __grid_constant__ CUtensorMap w_map,
                   const SplitProduct s, const Tiling tiling) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  extern __shared__ unsigned char shared_bytes[];
  __shared__ __align__(8) unsigned long long barriers[2 * kWgmmaStages];
  const unsigned shared = (static_cast<unsigned>(__cvta_generic_to_shared(shared_bytes)) + 1023u) & ~1023u;
  const unsigned full = static_cast<unsigned>(__cvta_generic_to_shared(barriers)), empty = full + 8 * kWgmmaStages;
  const int rank = kCluster > 1 ? blockIdx.x % kCluster : 0;
  const int units = tiling.tiles() * s.parts;
  const int first_unit = blockIdx.x / kCluster, unit_step = gridDim.x / kCluster;

  if (threadIdx.x == 0) {
    for (int i = 0; i < kWgmmaStages; ++i) {
      barrier_init(full + 8 * i, 1);
      barrier_init(empty + 8 * i, 2 * kCluster);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cluster_sync();
  wait_for_previous();

  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x == 0) {
      Cursor cursor(1);
      for (int unit = first_unit; unit < units; unit += unit_step) {
        const int tile = unit % tiling.tiles();
        const int row = (tile % tiling.row_tiles * kCluster + rank) * kWgmmaRows, column = tiling.column(tile);
        const int first = unit / tiling.tiles() * s.part_slices, end = min(first + s.part_slices, s.slices);
        for (int slice = first; slice < end; ++slice, cursor.advance()) {
          barrier_wait(empty + 8 * cursor.stage, cursor.parity);
          const unsigned stage = shared + cursor.stage * kWgmmaStage, barrier = full + 8 * cursor.stage;
          barrier_expect(barrier, kWgmmaStage);
          fetch_box<false>(stage, &x_map, barrier, slice * kLine, row, 0);
          fetch_box<(kCluster > 1)>(stage + kXBytes + rank * (kWBytes / kCluster), &w_map, barrier, slice * kLine,
                                    column + rank * (kWgmmaColumns / kCluster), (1 << kCluster) - 1);
        }
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int warpgroup = threadIdx.x / 128 - 1, lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    Cursor cursor(0);
    for (int unit = first_unit; unit < units; unit += unit_step) {
      const int tile = unit % tiling.tiles(), part = unit / tiling.tiles();
      const int slices = min(s.part_slices, s.slices - part * s.part_slices);
      const bool narrow = tiling.step == kNarrowColumns && tile >= tiling.row_tiles;
      float whole[2][64];
#pragma unroll
      for (int i = 0; i < 128; ++i) {
        whole[i / 64][i % 64] = 0.f;
      }
      if (narrow) {
        multiply_tile<kCluster, kNarrowColumns - 128>(whole, cursor, shared, full, empty, slices, warpgroup);
      } else {
        multiply_tile<kCluster, 128>(whole, cursor, shared, full, empty, slices, warpgroup);
      }
      const int row = (tile % tiling.row_tiles * kCluster + rank) * kWgmmaRows + warpgroup * 64 + warp * 16 + lane / 4;
      const int column = tiling.column(tile) + lane % 4 * 2;
      const int end = min(s.p.n, tiling.column(tile) + (narrow ? kNarrowColumns : kWgmmaColumns));
      store_pairs<32>(s, part, row, column, end, [&](int j, int h) { return &whole[j / 16][j % 16 * 4 + 2 * h]; });
    }
  }
  cluster_sync();  // a block must not end while others still signal its barriers
#else
  __trap();  // built for another architecture than sm_90a: fail, rather than leave y as it was
#endif
}

}  // namespace
