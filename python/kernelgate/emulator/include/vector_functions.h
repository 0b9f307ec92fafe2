// make_float4 and its kin.
#pragma once
#include <vector_types.h>

#define KERNELGATE_MAKE(scalar, name)                                                  \
  constexpr name##1 make_##name##1(scalar x) { return {x}; }                           \
  constexpr name##2 make_##name##2(scalar x, scalar y) { return {x, y}; }              \
  constexpr name##3 make_##name##3(scalar x, scalar y, scalar z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) { return {x, y, z, w}; }

KERNELGATE_MAKE(signed char, char)
KERNELGATE_MAKE(unsigned char, uchar)
KERNELGATE_MAKE(short, short)
KERNELGATE_MAKE(unsigned short, ushort)
KERNELGATE_MAKE(int, int)
KERNELGATE_MAKE(unsigned int, uint)
KERNELGATE_MAKE(long, long)
KERNELGATE_MAKE(unsigned long, ulong)
KERNELGATE_MAKE(long long, longlong)
KERNELGATE_MAKE(unsigned long long, ulonglong)
KERNELGATE_MAKE(float, float)
KERNELGATE_MAKE(double, double)
#undef KERNELGATE_MAKE
