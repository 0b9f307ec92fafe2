#include <algorithm>

#include "few_rows.cuh"
#include "full_range.cuh"
#include "interface.h"
#include "signs.cuh"
#include "split.cuh"
#ifdef WITH_MMA
#include "mma.cuh"
#endif
#ifdef WITH_WGMMA
#include "next_early.cuh"
#include "wgmma.cuh"
#else
#include "next.cuh"
#endif

namespace {

int ceil_div(int a, int b) { return (a + b - 1) / b; }

int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&value, attribute, device);
  return value;
}

int part_slices(int slices, int parts) { return ceil_div(slices / kSliceMultiple, parts) * kSliceMultiple; }

// Among how many blocks the sum is divided where `tiles` leave blocks idle; each sums 512 terms or more, none nothing.
int parts_for(int tiles, int blocks, int slices) {
  const int parts = std::max(1, std::min(blocks / tiles, slices / 16));
  return ceil_div(slices, part_slices(slices, parts));
}

#ifdef WITH_MMA
template <int kStages, bool kShort = false>
cudaError_t launch_mma(const SplitProduct& s, cudaStream_t stream) {
  constexpr int kShared = kStages * kMmaStage;
  const cudaError_t error =
      cudaFuncSetAttribute(multiply_mma<kStages, kShort>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared);
  if (error != cudaSuccess) {
    return error;
  }
  const dim3 grid(ceil_div(s.p.m, kMmaRows) * ceil_div(s.p.n, kMmaColumns), s.parts);
  multiply_mma<kStages, kShort><<<grid, kMmaThreads, kShared, stream>>>(s);
  return cudaGetLastError();
}
#endif

#ifdef WITH_WGMMA
int cluster_for(int m) { return m > kWgmmaRows ? 2 : 1; }

// Narrower column tiles where they make better use of the last round of blocks.
Tiling tile_wgmma(int m, int n) {
  const int cluster = cluster_for(m), clusters = device_attribute(cudaDevAttrMultiProcessorCount) / cluster;
  const Tiling wide{ceil_div(m, kWgmmaRows * cluster), ceil_div(n, kWgmmaColumns), kWgmmaColumns};
  const Tiling narrow{wide.row_tiles, 1 + ceil_div(std::max(0, n - kWgmmaColumns), kNarrowColumns), kNarrowColumns};
  return ceil_div(narrow.tiles(), clusters) > ceil_div(wide.tiles(), clusters) ? wide : narrow;
}

// Describes lines (rows, slices * 64) for boxes of `box` rows and one line. The driver's function is found at run time,
// so that nothing has to be linked.
cudaError_t describe_lines(CUtensorMap* map, const __half* lines, int rows, int slices, int box) {
  using Encode = decltype(&cuTensorMapEncodeTiled);
  static Encode encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult status;
#if CUDART_VERSION >= 12050
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &status);
#else
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &status);
#endif
    return reinterpret_cast<Encode>(found);
  }();
  if (!encode) {
    return cudaErrorNotSupported;
  }
  const cuuint64_t size[2] = {static_cast<cuuint64_t>(slices) * kLine, static_cast<cuuint64_t>(rows)};
  const cuuint64_t stride[1] = {size[0] * sizeof(__half)};
  const cuuint32_t box_size[2] = {kLine, static_cast<cuuint32_t>(box)}, step[2] = {1, 1};
  const CUresult result = encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, const_cast<__half*>(lines), size, stride,
                                 box_size, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

template <int kCluster>
cudaError_t launch_wgmma(const SplitProduct& s, cudaStream_t stream) {
  CUtensorMap x_map, w_map;
  cudaError_t error = describe_lines(&x_map, s.x, s.p.m, s.slices, kWgmmaRows);
  if (error == cudaSuccess) {
    error = describe_lines(&w_map, s.w, s.p.n, s.slices, kWgmmaColumns / kCluster);
  }
  if (error == cudaSuccess) {
    error = cudaFuncSetAttribute(multiply_wgmma<kCluster>, cudaFuncAttributeMaxDynamicSharedMemorySize, kWgmmaShared);
  }
  if (error != cudaSuccess) {
    return error;
  }
  const Tiling tiling = tile_wgmma(s.p.m, s.p.n);
  const int clusters = std::min(device_attribute(cudaDevAttrMultiProcessorCount) / kCluster, tiling.tiles() * s.parts);
  return launch_next(multiply_wgmma<kCluster>, clusters * kCluster, kWgmmaThreads, kWgmmaShared, stream, x_map, w_map,
                     s, tiling);
}
#endif

}  // namespace

int slices_of(int k) { return ceil_div(k, kSliceWidth * kSliceMultiple) * kSliceMultiple; }

// Up to 16 rows are bound by reading w, which is then not split. More rows take the split product, on a GPU of
// capability 9.0 by wgmma. Where y has fewer tiles than the device has multiprocessors, the sum over k is divided.
Plan plan_product(int m, int n, int k) {
  const int blocks = device_attribute(cudaDevAttrMultiProcessorCount), slices = slices_of(k);
  if (m <= kMostFewRows) {
    return {kFewRows, 1};
  }
#ifdef WITH_WGMMA
  if (device_attribute(cudaDevAttrComputeCapabilityMajor) == 9) {
    return {kWgmma, parts_for(tile_wgmma(m, n).tiles(), blocks / cluster_for(m), slices)};
  }
#endif
#ifdef WITH_MMA
  return {kMma, parts_for(ceil_div(m, kMmaRows) * ceil_div(n, kMmaColumns), kMmaBlocks * blocks, slices)};
#else
  return {kMma, 1};  // a device that this was not built for: its launch tells
#endif
}

int split_matrix(const float* values, int rows, int k, Split split, const SplitBeside& beside, void* stream) {
  const SplitTask first{values, rows, kAllSlices, static_cast<__half*>(split.lines), split.facts};
  const SplitTask other{beside.values, beside.rows, beside.slice, static_cast<__half*>(beside.split.lines),
                        beside.split.facts};
  const int blocks = rows + (beside.slice == kAllSlices ? beside.rows : ceil_div(beside.rows, kRowsChecked));
  const bool vector = aligned(values, k) && aligned(beside.values, k);
  const auto on = static_cast<cudaStream_t>(stream);
  if (vector) {
    split_rows<true><<<blocks, kRowThreads, 0, on>>>(first, other, k, slices_of(k));
  } else {
    split_rows<false><<<blocks, kRowThreads, 0, on>>>(first, other, k, slices_of(k));
  }
  return cudaGetLastError();
}

template <bool kVector>
cudaError_t launch_few_rows(const Product& p, cudaStream_t stream) {
  if (p.m == 1) {
    multiply_one_row<kVector><<<ceil_div(p.n, kFewWarps * kOutputs), kFewThreads, 0, stream>>>(p);
  } else if (p.m <= 8) {
    multiply_few<1, kVector><<<ceil_div(p.n, 32), kFewThreads, 0, stream>>>(p);
  } else {
    multiply_few<2, kVector><<<ceil_div(p.n, 32), kFewThreads, 0, stream>>>(p);
  }
  return cudaGetLastError();
}

int split_transposed(const float* values, int rows, int k, Split split, void* stream) {
  split_columns<<<ceil_div(rows, 32), kColumnThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      values, rows, k, slices_of(k), static_cast<__half*>(split.lines), split.facts);
  return cudaGetLastError();
}

int multiply_few_rows(const Product& p, void* stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  return aligned(p.x, p.k) && aligned(p.w, p.k) ? launch_few_rows<true>(p, on) : launch_few_rows<false>(p, on);
}

int multiply_split(const Plan& plan, const Product& p, Split x, Split w, float* sums, void* stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  const int slices = slices_of(p.k);
  const SplitProduct s{p,
                       static_cast<const __half*>(x.lines),
                       static_cast<const __half*>(w.lines),
                       x.facts,  // kInverseScale comes first
                       w.facts,
                       sums,
                       slices,
                       plan.parts,
                       part_slices(slices, plan.parts)};
  cudaError_t error = cudaErrorInvalidValue;
#ifdef WITH_WGMMA
  if (plan.path == kWgmma) {
    error = cluster_for(p.m) == 2 ? launch_wgmma<2>(s, on) : launch_wgmma<1>(s, on);
  }
#endif
#ifdef WITH_MMA
  if (plan.path == kMma) {
    // An A100 or newer server part has room for all stages, others have 99 KB a block.
    const bool large = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) >= kMmaStages * kMmaStage;
    error = s.part_slices <= kShortSlices ? launch_mma<3, true>(s, on)
            : large                       ? launch_mma<kMmaStages>(s, on)
                                          : launch_mma<3>(s, on);
  }
#endif
  if (error != cudaSuccess) {
    return error;
  }
  if (plan.parts > 1) {
    const dim3 grid(ceil_div(p.n, 4 * kFinishThreads), std::min(p.m, 65535));
    error = launch_next(p.n % 4 ? add_parts<false> : add_parts<true>, grid, kFinishThreads, 0, on, s);
    if (error != cudaSuccess) {
      return error;
    }
  }
  const int tiles = ceil_div(p.m, kPlainTile) * ceil_div(p.n, kPlainTile);
  const int blocks = std::min(tiles, device_attribute(cudaDevAttrMultiProcessorCount));
  const bool vector = aligned(p.x, p.k) && aligned(p.w, p.k) && !p.x_transposed && !p.w_transposed;
  const auto multiply_again = vector ? multiply_full_range<true> : multiply_full_range<false>;
  return launch_next(multiply_again, blocks, kPlainThreads, 0, on, p, static_cast<const float*>(x.facts),
                     static_cast<const float*>(w.facts));
}

static unsigned sign_blocks(long long count) {
  constexpr long long kElements = kSignThreads * kSignItems;
  return static_cast<unsigned>((count + kElements - 1) / kElements);
}

int pack_signs(const float* y, unsigned* signs, long long count, void* stream) {
  pack_each_sign<<<sign_blocks(count), kSignThreads, 0, static_cast<cudaStream_t>(stream)>>>(y, signs, count);
  return cudaGetLastError();
}

int scale_by_signs(const float* upstream, const unsigned* signs, float slope, float* g, long long count, void* stream) {
  const auto on = static_cast<cudaStream_t>(stream);
  scale_by_each_sign<<<sign_blocks(count), kSignThreads, 0, on>>>(upstream, signs, slope, g, count);
  return cudaGetLastError();
}
