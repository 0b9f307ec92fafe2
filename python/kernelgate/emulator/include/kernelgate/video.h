// Bytes and half-words within a word: __vadd4, __vmaxs2 and their kin, and the products of bytes.
#pragma once
#include <stdint.h>
#include <type_traits>
#include <vector_types.h>

namespace kernelgate {
template <typename T>
constexpr int clamped(int value) {
  constexpr int low = std::is_signed_v<T> ? -(1 << (8 * sizeof(T) - 1)) : 0;
  constexpr int high = low + (1 << 8 * sizeof(T)) - 1;
  return value < low ? low : value > high ? high : value;
}
// `each` of every pair of parts, which are T; its results are put together again.
template <typename T, typename Each>
constexpr unsigned by_parts(unsigned a, unsigned b, Each each) {
  constexpr int bits = 8 * sizeof(T);
  unsigned result = 0;
  for (int at = 0; at < 32; at += bits)
    result |= (static_cast<unsigned>(
                   each(static_cast<int>(static_cast<T>(a >> at)), static_cast<int>(static_cast<T>(b >> at)))) &
               ((1u << bits) - 1))
              << at;
  return result;
}
template <typename T, typename Each>
constexpr unsigned sum_of_parts(unsigned a, unsigned b, Each each) {
  unsigned sum = 0;
  for (int at = 0; at < 32; at += 8 * static_cast<int>(sizeof(T)))
    sum += static_cast<unsigned>(
        each(static_cast<int>(static_cast<T>(a >> at)), static_cast<int>(static_cast<T>(b >> at))));
  return sum;
}
}  // namespace kernelgate

#define KERNELGATE_PARTS(name, part, expression)                                                 \
  inline unsigned name(unsigned first, unsigned second) {                                        \
    return kernelgate::by_parts<part>(first, second, [](int a, int b) { return (expression); }); \
  }
#define KERNELGATE_PARTS_OF_ONE(name, part, expression)                                   \
  inline unsigned name(unsigned value) {                                                  \
    return kernelgate::by_parts<part>(value, 0, [](int a, int) { return (expression); }); \
  }
#define KERNELGATE_PARTS_COMPARED(name, count, part, op)       \
  KERNELGATE_PARTS(__vcmp##name##count, part, a op b ? ~0 : 0) \
  KERNELGATE_PARTS(__vset##name##count, part, a op b ? 1 : 0)
#define KERNELGATE_PARTS_OF(count, s, u)                                                                   \
  KERNELGATE_PARTS(__vadd##count, u, a + b)                                                                \
  KERNELGATE_PARTS(__vsub##count, u, a - b)                                                                \
  KERNELGATE_PARTS(__vaddss##count, s, kernelgate::clamped<s>(a + b))                                      \
  KERNELGATE_PARTS(__vaddus##count, u, kernelgate::clamped<u>(a + b))                                      \
  KERNELGATE_PARTS(__vsubss##count, s, kernelgate::clamped<s>(a - b))                                      \
  KERNELGATE_PARTS(__vsubus##count, u, kernelgate::clamped<u>(a - b))                                      \
  KERNELGATE_PARTS(__vavgs##count, s, (a + b + (a + b >= 0)) >> 1)                                         \
  KERNELGATE_PARTS(__vavgu##count, u, (a + b + 1) >> 1)                                                    \
  KERNELGATE_PARTS(__vhaddu##count, u, (a + b) >> 1)                                                       \
  KERNELGATE_PARTS(__vmaxs##count, s, a > b ? a : b)                                                       \
  KERNELGATE_PARTS(__vmaxu##count, u, a > b ? a : b)                                                       \
  KERNELGATE_PARTS(__vmins##count, s, a < b ? a : b)                                                       \
  KERNELGATE_PARTS(__vminu##count, u, a < b ? a : b)                                                       \
  KERNELGATE_PARTS(__vabsdiffs##count, s, a > b ? a - b : b - a)                                           \
  KERNELGATE_PARTS(__vabsdiffu##count, u, a > b ? a - b : b - a)                                           \
  KERNELGATE_PARTS_OF_ONE(__vabs##count, s, a < 0 ? -a : a)                                                \
  KERNELGATE_PARTS_OF_ONE(__vabsss##count, s, kernelgate::clamped<s>(a < 0 ? -a : a))                      \
  KERNELGATE_PARTS_OF_ONE(__vneg##count, s, -a)                                                            \
  KERNELGATE_PARTS_OF_ONE(__vnegss##count, s, kernelgate::clamped<s>(-a))                                  \
  KERNELGATE_PARTS_COMPARED(eq, count, u, ==)                                                              \
  KERNELGATE_PARTS_COMPARED(ne, count, u, !=)                                                              \
  KERNELGATE_PARTS_COMPARED(gts, count, s, >)                                                              \
  KERNELGATE_PARTS_COMPARED(gtu, count, u, >)                                                              \
  KERNELGATE_PARTS_COMPARED(ges, count, s, >=)                                                             \
  KERNELGATE_PARTS_COMPARED(geu, count, u, >=)                                                             \
  KERNELGATE_PARTS_COMPARED(lts, count, s, <)                                                              \
  KERNELGATE_PARTS_COMPARED(ltu, count, u, <)                                                              \
  KERNELGATE_PARTS_COMPARED(les, count, s, <=)                                                             \
  KERNELGATE_PARTS_COMPARED(leu, count, u, <=)                                                             \
  inline unsigned __vsads##count(unsigned first, unsigned second) {                                        \
    return kernelgate::sum_of_parts<s>(first, second, [](int a, int b) { return a > b ? a - b : b - a; }); \
  }                                                                                                        \
  inline unsigned __vsadu##count(unsigned first, unsigned second) {                                        \
    return kernelgate::sum_of_parts<u>(first, second, [](int a, int b) { return a > b ? a - b : b - a; }); \
  }
KERNELGATE_PARTS_OF(4, int8_t, uint8_t)
KERNELGATE_PARTS_OF(2, int16_t, uint16_t)
#undef KERNELGATE_PARTS_OF
#undef KERNELGATE_PARTS_COMPARED
#undef KERNELGATE_PARTS_OF_ONE
#undef KERNELGATE_PARTS

// Four products of bytes, added; and two of half-words with the lower or upper two bytes.
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += static_cast<int8_t>(a >> i) * static_cast<int8_t>(b >> i);
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += (a >> i & 0xffu) * (b >> i & 0xffu);
  return c;
}
inline int __dp4a(char4 a, char4 b, int c) {
  return c + static_cast<int8_t>(a.x) * static_cast<int8_t>(b.x) + static_cast<int8_t>(a.y) * static_cast<int8_t>(b.y) +
         static_cast<int8_t>(a.z) * static_cast<int8_t>(b.z) + static_cast<int8_t>(a.w) * static_cast<int8_t>(b.w);
}
inline unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + static_cast<unsigned>(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}
inline int __dp2a_lo(int a, int b, int c) {
  return c + static_cast<int16_t>(a) * static_cast<int8_t>(b) +
         static_cast<int16_t>(a >> 16) * static_cast<int8_t>(b >> 8);
}
inline int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
inline unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return c + (a & 0xffffu) * (b & 0xffu) + (a >> 16) * (b >> 8 & 0xffu);
}
inline unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) { return __dp2a_lo(a, b >> 16, c); }
