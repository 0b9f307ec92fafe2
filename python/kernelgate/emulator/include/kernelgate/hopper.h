// What Hopper's instructions do: bulk and tensor copies, and wgmma. translate/ptx_hopper.py writes the calls; this header
// is included only where it wrote some. Layouts are those of the PTX ISA: "Tensor copies" for swizzles, and "Asynchronous
// warpgroup-level matrix instructions" for fragments and matrix descriptors.
#pragma once
#include <kernelgate/abi.h>
#include <kernelgate/ptx.h>
#include <kernelgate/tensor_map.h>

// So that a call of the runtime stands in the program's own line.
#define KERNELGATE_INLINE inline __attribute__((always_inline))

namespace kernelgate::hopper {

// --- copies ---
// A box of a tensor is moved in runs of its innermost dimension.
template <typename Move>
inline void for_each_run(const TensorMap& map, const int32_t (&at)[5], Move move) {
  const unsigned run = map.box[0] * map.element_bytes, runs = map.box_bytes() / run;
  for (unsigned r = 0; r < runs; r++) {
    uint64_t address = map.address + static_cast<int64_t>(at[0]) * map.element_bytes;
    bool inside = true;
    unsigned rest = r;
    for (int d = 1; d < map.rank; d++) {
      const int64_t position = static_cast<int64_t>(at[d]) + rest % map.box[d];
      rest /= map.box[d];
      inside = inside && position >= 0 && position <= map.size[d];
      address += static_cast<uint64_t>(position) * map.stride[d];
    }
    // What lies before the first element, and how many elements are inside.
    const int64_t skipped = at[0] < 0 ? -static_cast<int64_t>(at[0]) : 0;
    const int64_t left = static_cast<int64_t>(map.size[0]) + 1 - at[0];
    const int64_t end = left < map.box[0] ? left : map.box[0];
    const bool any = inside && skipped < end;
    move(r * run, address, any ? skipped * map.element_bytes : 0, any ? end * map.element_bytes : 0);
  }
}

// As wide as both places allow: the program's own access, which is examined and counted.
inline void move_bytes(char* to, const char* from, int64_t bytes) {
  int64_t i = 0;
  if (reinterpret_cast<uint64_t>(to) % 16 == 0 && reinterpret_cast<uint64_t>(from) % 16 == 0)
    for (; i + 16 <= bytes; i += 16)
      *reinterpret_cast<Chunk<16>*>(to + i) = *reinterpret_cast<const Chunk<16>*>(from + i);
  for (; i < bytes; i++) to[i] = from[i];
}

inline const TensorMap& map_at(uint64_t address) {
  const TensorMap& map = *reinterpret_cast<const TensorMap*>(address);
  if (map.mark != TensorMap::known) __builtin_trap();
  return map;
}

KERNELGATE_INLINE void fetch_bytes(uint64_t target, uint64_t source, unsigned bytes, uint64_t barrier, unsigned mask,
                                   int line = __builtin_LINE()) {
  if (target % 16 || source % 16 || bytes % 16) __builtin_trap();  // reported as misaligned
  char* first = kernelgate_scratch(bytes);
  move_bytes(first, reinterpret_cast<const char*>(source), bytes);
  const BulkCopy copy{target, barrier, first, bytes, 0, mask};
  kernelgate_bulk_fetch(&copy, line);
}

template <int rank>
KERNELGATE_INLINE void fetch_tile(uint64_t target, uint64_t map_address, const int32_t (&given)[rank], uint64_t barrier,
                                  unsigned mask, int line = __builtin_LINE()) {
  const TensorMap& map = map_at(map_address);
  if (map.rank != rank || target % 128) __builtin_trap();
  int32_t at[5] = {};
  for (int d = 0; d < rank; d++) at[d] = given[d];
  char* first = kernelgate_scratch(map.box_bytes());  // zeros
  for_each_run(map, at, [&](unsigned offset, uint64_t address, int64_t begin, int64_t end) {
    if (map.fills_with_nan) memset(first + offset, 0xff, map.box[0] * map.element_bytes);
    move_bytes(first + offset + begin, reinterpret_cast<const char*>(address) + begin, end - begin);
  });
  const BulkCopy copy{target, barrier, first, map.box_bytes(), map.swizzle, mask};
  kernelgate_bulk_fetch(&copy, line);
}

KERNELGATE_INLINE void store_bytes(uint64_t target, uint64_t source, unsigned bytes, int line = __builtin_LINE()) {
  if (target % 16 || source % 16 || bytes % 16) __builtin_trap();
  const BulkStore store{target, source, bytes, false, {}, line};
  kernelgate_bulk_store(&store);
}
template <int rank>
KERNELGATE_INLINE void store_tile(uint64_t map, const int32_t (&given)[rank], uint64_t source,
                                  int line = __builtin_LINE()) {
  if (map_at(map).rank != rank || source % 128) __builtin_trap();
  BulkStore store{map, source, map_at(map).box_bytes(), true, {}, line};
  for (int d = 0; d < rank; d++) store.at[d] = given[d];
  kernelgate_bulk_store(&store);
}

// Stores are made here, as late as they may be: what has been overwritten since then goes out wrong.
KERNELGATE_INLINE void wait_stores(unsigned kept) {
  BulkStore store;
  while (kernelgate_bulk_next(kept, &store)) {
    if (!store.is_tile) {
      char* data = kernelgate_scratch(store.bytes);
      kernelgate_read_shared(data, store.source, store.bytes, 0, store.line);
      move_bytes(reinterpret_cast<char*>(store.target), data, store.bytes);
      continue;
    }
    const TensorMap& map = map_at(store.target);
    char* data = kernelgate_scratch(map.box_bytes());
    kernelgate_read_shared(data, store.source, map.box_bytes(), map.swizzle, store.line);
    for_each_run(map, store.at, [&](unsigned offset, uint64_t address, int64_t begin, int64_t end) {
      move_bytes(reinterpret_cast<char*>(address) + begin, data + offset + begin, end - begin);
    });
  }
}

// --- warps ---
inline bool elect(uint32_t mask, int line = __builtin_LINE()) {
  __syncwarp(mask, line);
  return kernelgate::lane() == static_cast<unsigned>(__builtin_ctz(mask));
}
// Registers are not modelled; the amount must be one that the instruction can have.
inline void set_registers(uint32_t count) {
  if (count % 8 || count < 24 || count > 256) __builtin_trap();
}

// --- wgmma ---
// Where 16 bytes of an operand in shared memory are: column `c` of 16 bytes along k, of row r. Without a swizzle, 8 rows of
// 16 bytes lie together, `leading` bytes from one such piece to the next along k, `stride` along the rows. With one, a
// row has 32, 64 or 128 bytes and the places of its pieces are exclusive-or'ed with the number of the row.
struct Operand {
  uint64_t start;
  unsigned leading, stride, swizzle;
  Operand(uint64_t descriptor, int line)
      : start(kernelgate_described(static_cast<unsigned>(descriptor & 0x3fff) << 4, line)),
        leading(static_cast<unsigned>(descriptor >> 16 & 0x3fff) << 4),
        stride(static_cast<unsigned>(descriptor >> 32 & 0x3fff) << 4) {
    constexpr unsigned modes[] = {0, 7, 3, 1};
    swizzle = modes[descriptor >> 62];
  }
  uint64_t piece(unsigned row, unsigned c) const {
    if (!swizzle) return start + row / 8 * stride + row % 8 * 16 + c * leading;
    const uint64_t at = start + row / 8 * stride + row % 8 * (swizzle + 1) * 16 + c * 16;
    return at ^ (at >> 7 & swizzle) << 4;
  }
};

// A warp has 16 of the 64 rows. Register 4 j + i of its sums is row g + 8 (i / 2), column 8 j + 2 q + i mod 2; g is the
// lane / 4, q the lane mod 4. Sums of halves lie in pairs.
template <int N, int K, typename Element, typename Sum, int sign_a, int sign_b>
struct Wgmma : Together {
  static constexpr int E = 32 / Element::bits, pieces = K * Element::bits / 128, per_piece = 128 / Element::bits;
  static constexpr int count = std::is_same_v<Sum, ptx::half_sum> ? N / 4 : N / 2;
  uint32_t a[4];
  uint64_t a_descriptor, b_descriptor;
  bool a_in_registers;
  uint32_t sum[count];
  int line;

  static double element(const uint32_t* words, int e) {
    if constexpr (Element::bits == 32) return Element::value(words[e]);
    else return Element::value(words[e / E] >> e % E * Element::bits & ((1u << Element::bits) - 1));
  }
  static void read_row(const Operand& operand, unsigned row, double* to, int sign, int line) {
    for (int c = 0; c < pieces; c++) {
      uint32_t words[4];
      kernelgate_read_operand(words, operand.piece(row, static_cast<unsigned>(c)), line);
      for (int e = 0; e < per_piece; e++) to[c * per_piece + e] = sign * element(words, e);
    }
  }
  static void work(Wgmma* const* lanes, unsigned) {
    const int line = lanes[0]->line;
    double rows[16][K], columns[N][K];
    if (!lanes[0]->a_in_registers) {
      const Operand operand(lanes[0]->a_descriptor, line);
      const unsigned first = kernelgate_current->linear / 32 % 4 * 16;
      for (unsigned r = 0; r < 16; r++) read_row(operand, first + r, rows[r], sign_a, line);
    } else {
      for (int l = 0; l < 32; l++)
        for (int r = 0; r < 4; r++)
          for (int e = 0; e < E; e++)
            rows[l / 4 + 8 * (r % 2)][E * (l % 4) + 4 * E * (r / 2) + e] = sign_a * element(&lanes[l]->a[r], e);
    }
    const Operand operand(lanes[0]->b_descriptor, line);
    for (unsigned c = 0; c < N; c++) read_row(operand, c, columns[c], sign_b, line);
    for (int l = 0; l < 32; l++)
      for (int j = 0; j < N / 8; j++)
        for (int i = 0; i < 4; i++)
          lanes[l]->add(4 * j + i, rows[l / 4 + 8 * (i / 2)], columns[8 * j + l % 4 * 2 + i % 2]);
  }
  void add(int i, const double* row, const double* column) {
    if constexpr (std::is_same_v<Sum, int32_t>) {
      int64_t total = static_cast<int32_t>(sum[i]);
      for (int k = 0; k < K; k++) total += static_cast<int64_t>(row[k] * column[k]);
      sum[i] = static_cast<uint32_t>(total);
    } else if constexpr (std::is_same_v<Sum, ptx::half_sum>) {
      const int shift = 16 * (i % 2);
      const float start = half_to_float(static_cast<uint16_t>(sum[i / 2] >> shift));
      const uint32_t bits = half_from(sum_products<Element>(start, row, column, K));
      sum[i / 2] = (sum[i / 2] & ~(0xffffu << shift)) | bits << shift;
    } else {
      sum[i] = static_cast<uint32_t>(to_bits(sum_products<Element>(from_bits<float>(sum[i]), row, column, K)));
    }
  }
  template <typename D, int given>
  KERNELGATE_INLINE void run_with(D* const (&d)[given], bool adds) {
    static_assert(given == count, "wgmma with another number of registers");
    static_assert(sizeof(D) == 4, "asm operand type size does not match its constraint");
    void* registers[count];
    for (int i = 0; i < count; i++) registers[i] = d[i];
    kernelgate_wgmma_begin(registers, sum, count, adds, line);
    together(0xffffffffu, *this, line);
    kernelgate_wgmma_end(registers, sum, count);
  }
};
template <int N, int K, typename Element, typename Sum, int sign_a, int sign_b, typename D, int nd>
KERNELGATE_INLINE void wgmma(D* const (&d)[nd], uint64_t a, uint64_t b, bool adds, int line = __builtin_LINE()) {
  Wgmma<N, K, Element, Sum, sign_a, sign_b> mine{{}, {}, a, b, false, {}, line};
  mine.run_with(d, adds);
}
template <int N, int K, typename Element, typename Sum, int sign_a, int sign_b, typename D, int nd>
KERNELGATE_INLINE void wgmma(D* const (&d)[nd], const uint32_t (&a)[4], uint64_t b, bool adds,
                             int line = __builtin_LINE()) {
  Wgmma<N, K, Element, Sum, sign_a, sign_b> mine{{}, {a[0], a[1], a[2], a[3]}, 0, b, true, {}, line};
  mine.run_with(d, adds);
}

}  // namespace kernelgate::hopper
