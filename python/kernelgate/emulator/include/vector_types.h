// float4, uint3, dim3 and their kin, with CUDA's sizes and alignments.
#pragma once

#define KERNELGATE_VECTORS(scalar, name)                       \
  struct name##1 { scalar x; };                                \
  struct alignas(2 * sizeof(scalar)) name##2 { scalar x, y; }; \
  struct name##3 { scalar x, y, z; };                          \
  struct alignas(4 * sizeof(scalar) > 16 ? 16 : 4 * sizeof(scalar)) name##4 { scalar x, y, z, w; };

KERNELGATE_VECTORS(signed char, char)
KERNELGATE_VECTORS(unsigned char, uchar)
KERNELGATE_VECTORS(short, short)
KERNELGATE_VECTORS(unsigned short, ushort)
KERNELGATE_VECTORS(int, int)
KERNELGATE_VECTORS(unsigned int, uint)
KERNELGATE_VECTORS(long, long)
KERNELGATE_VECTORS(unsigned long, ulong)
KERNELGATE_VECTORS(long long, longlong)
KERNELGATE_VECTORS(unsigned long long, ulonglong)
KERNELGATE_VECTORS(float, float)
KERNELGATE_VECTORS(double, double)
#undef KERNELGATE_VECTORS

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};
