// What the instructions of inline PTX do. translate/ptx_instructions.py writes the calls; this header is included only
// where it wrote some.
#pragma once
#include <kernelgate/async_copy.h>
#include <kernelgate/device.h>
#include <kernelgate/tensor_core.h>
#include <kernelgate/together.h>

namespace kernelgate::ptx {

// C++ values to registers and back. As nvcc does, an operand must have its constraint's size.
template <typename Register, typename T>
inline Register in(T value) {
  if constexpr (std::is_pointer_v<T>) {
    static_assert(sizeof(Register) == sizeof(T), "asm operand type size does not match its constraint");
    return reinterpret_cast<Register>(value);
  } else {
    static_assert(sizeof(Register) == sizeof(T) && std::is_floating_point_v<Register> == std::is_floating_point_v<T>,
                  "asm operand type does not match its constraint");
    return static_cast<Register>(value);
  }
}
template <typename T, typename Register>
inline void out(T& variable, Register value) {
  static_assert(sizeof(Register) == sizeof(T) && std::is_floating_point_v<Register> == std::is_floating_point_v<T>,
                "asm operand type does not match its constraint");
  if constexpr (std::is_pointer_v<T>) variable = reinterpret_cast<T>(value);
  else variable = static_cast<T>(value);
}

// A register read as a type: the same bits where the sizes agree, an immediate's value, or a narrower integer.
template <typename T, typename Register>
inline T as(Register value) {
  if constexpr (std::is_same_v<T, Register>) return value;
  else if constexpr (std::is_same_v<T, bool> || std::is_same_v<Register, bool>) return static_cast<T>(value);
  else if constexpr (sizeof(T) == sizeof(Register)) return from_bits<T>(to_bits(value));
  else return static_cast<T>(value);
}
template <typename Register, typename T>
inline void put(Register& target, T value) {
  target = as<Register>(value);
}

template <typename Register, typename... Parts>
inline void pack(Register& target, Parts... parts) {
  static_assert(sizeof(Register) == (sizeof(Parts) + ...), "mov packs registers of together this size");
  uint64_t bits = 0;
  int shift = 0;
  ((bits |= to_bits(parts) << shift, shift += 8 * static_cast<int>(sizeof(Parts))), ...);
  target = from_bits<Register>(bits);
}
template <typename Register, typename... Parts>
inline void unpack(Register source, Parts&... parts) {
  static_assert(sizeof(Register) == (sizeof(Parts) + ...), "mov unpacks registers of together this size");
  uint64_t bits = to_bits(source);
  ((parts = from_bits<Parts>(bits), bits >>= 8 * (sizeof(Parts) % 8)), ...);
}

inline unsigned lane() { return kernelgate::lane(); }
inline unsigned warp() { return kernelgate_current->linear / 32; }
inline unsigned multiprocessor() { return kernelgate_current->block->index.x % 4; }

template <typename T>
inline T reciprocal(T a) {
  return T(1) / a;
}
template <typename T>
inline T reciprocal_root(T a) {
  return T(1) / sqrt(a);
}
// Shifts by more than the width give zero, or the sign.
template <typename T>
inline T shift_left(T a, uint32_t by) {
  return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(a << by);
}
template <typename T>
inline T shift_right(T a, uint32_t by) {
  if (by >= 8 * sizeof(T)) return a < T(0) ? static_cast<T>(-1) : T(0);
  return static_cast<T>(a >> by);
}
inline uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (int i = 0; i < 32; i++) {
    const uint32_t row = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
    result |= (table >> row & 1) << i;
  }
  return result;
}

// Round to nearest, ties away from zero, to the 10 bits of tf32.
inline uint32_t to_tf32(float value) {
  const uint32_t bits = static_cast<uint32_t>(to_bits(value));
  return value != value ? 0x7fffffffu : (bits + 0x1000u) & 0xffffe000u;
}
inline uint16_t to_half(float value) { return half_from(value); }
inline float from_half(uint16_t bits) { return half_to_float(bits); }
inline uint16_t to_bfloat16(float value) { return bfloat16_from(value, 0x7fff); }
inline float from_bfloat16(uint16_t bits) { return bfloat16_to_float(bits); }
inline uint32_t to_half_pair(float high, float low) {
  return static_cast<uint32_t>(to_half(high)) << 16 | to_half(low);
}
inline uint32_t to_bfloat16_pair(float high, float low) {
  return static_cast<uint32_t>(to_bfloat16(high)) << 16 | to_bfloat16(low);
}
template <typename To, typename From>
inline To convert_zero(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) return to_integer<To>(trunc(value));
  else return static_cast<To>(value);
}
template <typename To, typename From>
inline To convert_nearest(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) return to_integer<To>(rint(value));
  else return static_cast<To>(value);
}

template <typename T, int count>
struct alignas(sizeof(T) * count) Words {
  T word[count];
};
template <typename T, typename... Registers>
inline void load(uint64_t address, Registers&... registers) {
  const auto words = *reinterpret_cast<const Words<T, sizeof...(Registers)>*>(address);
  int i = 0;
  ((registers = as<Registers>(words.word[i++])), ...);
}
template <typename T, typename... Registers>
inline void store(uint64_t address, Registers... registers) {
  *reinterpret_cast<Words<T, sizeof...(Registers)>*>(address) = {{as<T>(registers)...}};
}

inline void copy_async(uint64_t target, uint64_t source, unsigned bytes) { request_copy(target, source, bytes, bytes); }
inline void copy_async(uint64_t target, uint64_t source, unsigned bytes, unsigned source_bytes) {
  request_copy(target, source, bytes, source_bytes);
}
inline void copy_async(uint64_t target, uint64_t source, unsigned bytes, bool ignored) {
  request_copy(target, source, bytes, ignored ? 0 : bytes);
}

// Matrix m has its eight rows where lanes 8m to 8m + 7 say; each lane gets two neighbours of a row, or of a column.
template <bool transposed>
struct LoadMatrices : Together {
  uint64_t row;
  int count;
  uint32_t result[4];
  static void work(LoadMatrices* const* lanes, unsigned) {
    for (int m = 0; m < lanes[0]->count; m++) {
      uint16_t matrix[8][8];
      for (int r = 0; r < 8; r++) {
        const auto words = *reinterpret_cast<const Words<uint16_t, 8>*>(lanes[8 * m + r]->row);
        memcpy(matrix[r], &words, sizeof words);
      }
      for (int l = 0; l < 32; l++) {
        const int major = l / 4, minor = l % 4 * 2;
        const uint16_t low = transposed ? matrix[minor][major] : matrix[major][minor];
        const uint16_t high = transposed ? matrix[minor + 1][major] : matrix[major][minor + 1];
        lanes[l]->result[m] = static_cast<uint32_t>(high) << 16 | low;
      }
    }
  }
};
template <bool transposed, typename... Registers>
inline void load_matrices(uint64_t row, Registers&... registers) {
  LoadMatrices<transposed> mine{{}, row, sizeof...(Registers), {}};
  together(0xffffffffu, mine, __builtin_LINE());
  int i = 0;
  ((registers = as<Registers>(mine.result[i++])), ...);
}

using Half = Half16;
using Bfloat16 = Bfloat16Bits;
using Tf32 = Tf32Bits;
using Signed8 = Signed8Bits;
using Unsigned8 = Unsigned8Bits;
struct half_sum {};

// The fragments of mma.m16n8kK: with E elements a register, register r of A holds row g + 8 (r mod 2) and columns
// E q + 4 E (r / 2) onwards, of B rows E q + 4 E r of column g; g is the lane / 4, q the lane mod 4.
template <int K, typename Element, typename Sum>
struct Mma : Together {
  static constexpr int E = 32 / Element::bits, a_registers = K / (2 * E), b_registers = K / (4 * E);
  uint32_t a[a_registers], b[b_registers], c[4], d[4];
  static double element(uint32_t word, int e) {
    return Element::value(Element::bits == 32 ? word
                                              : word >> e * (Element::bits % 32) & ((1ull << Element::bits) - 1));
  }
  static void work(Mma* const* lanes, unsigned) {
    double rows[16][K], columns[8][K];
    for (int l = 0; l < 32; l++) {
      const int g = l / 4, q = l % 4;
      for (int e = 0; e < E; e++) {
        for (int r = 0; r < a_registers; r++)
          rows[g + 8 * (r % 2)][E * q + 4 * E * (r / 2) + e] = element(lanes[l]->a[r], e);
        for (int r = 0; r < b_registers; r++) columns[g][E * q + 4 * E * r + e] = element(lanes[l]->b[r], e);
      }
    }
    for (int l = 0; l < 32; l++)
      for (int i = 0; i < 4; i++) {
        const double* row = rows[l / 4 + 8 * (i / 2)];
        const double* column = columns[l % 4 * 2 + i % 2];
        lanes[l]->set(i, row, column);
      }
  }
  void set(int i, const double* row, const double* column) {
    if constexpr (std::is_same_v<Sum, int32_t>) {
      int64_t sum = static_cast<int32_t>(c[i]);
      for (int k = 0; k < K; k++) sum += static_cast<int64_t>(row[k] * column[k]);
      d[i] = static_cast<uint32_t>(sum);
    } else if constexpr (std::is_same_v<Sum, half_sum>) {
      const int shift = 16 * (i % 2);
      const float start = half_to_float(static_cast<uint16_t>(c[i / 2] >> shift));
      const uint32_t bits = half_from(sum_products<Element>(start, row, column, K));
      d[i / 2] = (i % 2 ? d[i / 2] & 0xffffu : 0u) | bits << shift;
    } else {
      d[i] = static_cast<uint32_t>(to_bits(sum_products<Element>(from_bits<float>(c[i]), row, column, K)));
    }
  }
};
template <int, int, int K, typename Element, typename Sum, typename D, int nd, typename A, int na, typename B, int nb,
          typename C, int nc>
inline void mma(D* const (&d)[nd], A* const (&a)[na], B* const (&b)[nb], C* const (&c)[nc],
                int line = __builtin_LINE()) {
  using Fragments = Mma<K, Element, Sum>;
  static_assert(na == Fragments::a_registers && nb == Fragments::b_registers && nd == nc &&
                    nd == (std::is_same_v<Sum, half_sum> ? 2 : 4),
                "mma with another number of registers");
  Fragments mine{};
  for (int i = 0; i < na; i++) mine.a[i] = as<uint32_t>(*a[i]);
  for (int i = 0; i < nb; i++) mine.b[i] = as<uint32_t>(*b[i]);
  for (int i = 0; i < nc; i++) mine.c[i] = as<uint32_t>(*c[i]);
  together(0xffffffffu, mine, line);
  for (int i = 0; i < nd; i++) put(*d[i], mine.d[i]);
}

}  // namespace kernelgate::ptx
