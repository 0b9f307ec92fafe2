// Reinterpreting bits, counting them, and the integer intrinsics.
#pragma once
#include <stdint.h>
#include <string.h>
#include <type_traits>

namespace kernelgate {
template <typename T>
inline uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof value);
  return bits;
}
template <typename T>
inline T from_bits(uint64_t bits) {
  T value;
  memcpy(static_cast<void*>(&value), &bits, sizeof value);
  return value;
}
}  // namespace kernelgate

inline float __int_as_float(int v) { return kernelgate::from_bits<float>(static_cast<uint32_t>(v)); }
inline int __float_as_int(float v) { return static_cast<int>(kernelgate::to_bits(v)); }
inline float __uint_as_float(unsigned v) { return kernelgate::from_bits<float>(v); }
inline unsigned __float_as_uint(float v) { return static_cast<unsigned>(kernelgate::to_bits(v)); }
inline double __longlong_as_double(long long v) { return kernelgate::from_bits<double>(static_cast<uint64_t>(v)); }
inline long long __double_as_longlong(double v) { return static_cast<long long>(kernelgate::to_bits(v)); }
inline int __double2hiint(double v) { return static_cast<int>(kernelgate::to_bits(v) >> 32); }
inline int __double2loint(double v) { return static_cast<int>(kernelgate::to_bits(v)); }
inline double __hiloint2double(int hi, int lo) {
  return kernelgate::from_bits<double>(static_cast<uint64_t>(static_cast<uint32_t>(hi)) << 32 |
                                       static_cast<uint32_t>(lo));
}

inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __clz(int v) { return v ? __builtin_clz(static_cast<unsigned>(v)) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll(static_cast<unsigned long long>(v)) : 64; }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline unsigned __brev(unsigned v) {
  unsigned r = 0;
  for (int i = 0; i < 32; i++) r |= (v >> i & 1u) << (31 - i);
  return r;
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  uint64_t both = static_cast<uint64_t>(b) << 32 | a;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) r |= static_cast<unsigned>(both >> 8 * (selector >> 4 * i & 7u) & 0xff) << 8 * i;
  return r;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
  return static_cast<unsigned>(((static_cast<uint64_t>(hi) << 32 | lo) << (s & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
  return static_cast<unsigned>((static_cast<uint64_t>(hi) << 32 | lo) >> (s & 31));
}
inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
inline unsigned __umulhi(unsigned a, unsigned b) { return static_cast<unsigned>(static_cast<uint64_t>(a) * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return (a > b ? a - b : b - a) + c; }
inline int __sad(int a, int b, unsigned c) {
  return static_cast<int>(__usad(static_cast<unsigned>(a > b ? a - b : b - a), 0, c));
}
inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return static_cast<unsigned>((static_cast<uint64_t>(a) + b) >> 1); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
inline unsigned __funnelshift_lc(unsigned lo, unsigned hi, unsigned s) {
  return static_cast<unsigned>(((static_cast<uint64_t>(hi) << 32 | lo) << (s < 32 ? s : 32)) >> 32);
}
inline unsigned __funnelshift_rc(unsigned lo, unsigned hi, unsigned s) {
  return static_cast<unsigned>((static_cast<uint64_t>(hi) << 32 | lo) >> (s < 32 ? s : 32));
}
inline unsigned long long __brevll(unsigned long long v) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned>(v))) << 32 |
         __brev(static_cast<unsigned>(v >> 32));
}
