// What NVRTC has no headers for and kernels use all the same: sizes, limits, and the part of namespace std that nvcc
// takes in device code. Included before a program's first line.
#pragma once

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
// libcu++ calls 64 bits "long long" under NVRTC, nvcc on Linux "long".
#ifndef KERNELGATE_LIBCUXX
typedef long int64_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
#else
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
#endif
typedef long ptrdiff_t;
typedef long ssize_t;

#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define UINT8_MAX 255
#define UINT32_MAX 4294967295U
#define INT64_MAX 9223372036854775807LL
#define INT64_MIN (-9223372036854775807LL - 1)
#define UINT64_MAX 18446744073709551615ULL
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295U
#define LONG_MAX 9223372036854775807L
#define LLONG_MAX 9223372036854775807LL
#define LLONG_MIN (-9223372036854775807LL - 1)
#define ULLONG_MAX 18446744073709551615ULL
#define SIZE_MAX 18446744073709551615UL
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define FLT_DIG 6
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define INFINITY (__builtin_bit_cast(float, 0x7f800000))
#define HUGE_VALF INFINITY
#define HUGE_VAL (__builtin_bit_cast(double, 0x7ff0000000000000LL))
#define NAN (__builtin_bit_cast(float, 0x7fffffff))
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#ifndef NULL
#define NULL nullptr
#endif

struct alignas(64) CUtensorMap {
  unsigned long long opaque[16];
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

namespace std {
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::intptr_t;
using ::ptrdiff_t;
using ::uintptr_t;
using size_t = decltype(sizeof(0));
using nullptr_t = decltype(nullptr);

template <class T> struct type_identity { using type = T; };
template <class T, T V> struct integral_constant {
  static constexpr T value = V;
  using value_type = T;
  using type = integral_constant;
  __host__ __device__ constexpr operator T() const { return V; }
  __host__ __device__ constexpr T operator()() const { return V; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
using true_type = bool_constant<true>;
using false_type = bool_constant<false>;

template <class T> struct remove_const : type_identity<T> {};
template <class T> struct remove_const<const T> : type_identity<T> {};
template <class T> struct remove_volatile : type_identity<T> {};
template <class T> struct remove_volatile<volatile T> : type_identity<T> {};
template <class T> using remove_const_t = typename remove_const<T>::type;
template <class T> struct remove_cv : remove_volatile<remove_const_t<T>> {};
template <class T> using remove_cv_t = typename remove_cv<T>::type;
template <class T> struct remove_reference : type_identity<T> {};
template <class T> struct remove_reference<T &> : type_identity<T> {};
template <class T> struct remove_reference<T &&> : type_identity<T> {};
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct remove_cvref : remove_cv<remove_reference_t<T>> {};
template <class T> using remove_cvref_t = typename remove_cvref<T>::type;
template <class T> struct remove_pointer : type_identity<T> {};
template <class T> struct remove_pointer<T *> : type_identity<T> {};
template <class T> struct remove_pointer<T *const> : type_identity<T> {};
template <class T> using remove_pointer_t = typename remove_pointer<T>::type;
template <class T> struct decay : remove_cvref<T> {};
template <class T> using decay_t = typename decay<T>::type;
template <class T> struct add_const : type_identity<const T> {};
template <class T> using add_const_t = const T;

template <class A, class B> struct is_same : false_type {};
template <class A> struct is_same<A, A> : true_type {};
template <class A, class B> inline constexpr bool is_same_v = is_same<A, B>::value;
template <class T, class... Of> inline constexpr bool kernelgate_one_of = (is_same_v<T, Of> || ...);
template <class T>
struct is_floating_point : bool_constant<kernelgate_one_of<remove_cv_t<T>, float, double, long double>> {};
template <class T>
struct is_integral
    : bool_constant<kernelgate_one_of<remove_cv_t<T>, bool, char, signed char, unsigned char, short, unsigned short,
                                      int, unsigned, long, unsigned long, long long, unsigned long long>> {};
template <class T> inline constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class T> inline constexpr bool is_integral_v = is_integral<T>::value;
template <class T> struct is_arithmetic : bool_constant<is_integral_v<T> || is_floating_point_v<T>> {};
template <class T> inline constexpr bool is_arithmetic_v = is_arithmetic<T>::value;
template <class T, bool = is_arithmetic_v<T>> struct is_signed : false_type {};
template <class T> struct is_signed<T, true> : bool_constant<(T(-1) < T(0))> {};
template <class T> inline constexpr bool is_signed_v = is_signed<T>::value;
template <class T> inline constexpr bool is_unsigned_v = is_arithmetic_v<T> && !is_signed_v<T>;
template <class T> struct is_unsigned : bool_constant<is_unsigned_v<T>> {};
template <class T> struct is_pointer : false_type {};
template <class T> struct is_pointer<T *> : true_type {};
template <class T> inline constexpr bool is_pointer_v = is_pointer<T>::value;
template <class T> struct is_void : is_same<void, remove_cv_t<T>> {};
template <class T> inline constexpr bool is_void_v = is_void<T>::value;
template <class T> inline constexpr bool is_const_v = false;
template <class T> inline constexpr bool is_const_v<const T> = true;
template <class T> struct is_const : bool_constant<is_const_v<T>> {};
template <class T> inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
template <class T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};

template <bool B, class A, class C> struct conditional : type_identity<A> {};
template <class A, class C> struct conditional<false, A, C> : type_identity<C> {};
template <bool B, class A, class C> using conditional_t = typename conditional<B, A, C>::type;
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> : type_identity<T> {};
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <class...> using void_t = void;
template <class T> T &&declval() noexcept;
template <class T> struct make_unsigned;
template <> struct make_unsigned<int> : type_identity<unsigned> {};
template <> struct make_unsigned<long> : type_identity<unsigned long> {};
template <> struct make_unsigned<long long> : type_identity<unsigned long long> {};
template <class T> using make_unsigned_t = typename make_unsigned<T>::type;

template <size_t... I> struct index_sequence {};

template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> __host__ __device__ constexpr const T &clamp(const T &x, const T &low, const T &high) {
  return x < low ? low : high < x ? high : x;
}
template <class T> __host__ __device__ constexpr void swap(T &a, T &b) {
  T kept = a;
  a = b;
  b = kept;
}
template <class T, class U = T> __host__ __device__ constexpr T exchange(T &place, U &&value) {
  T kept = place;
  place = static_cast<U &&>(value);
  return kept;
}
template <class T, size_t N> __host__ __device__ constexpr size_t size(const T (&)[N]) { return N; }

template <class A, class B> struct pair {
  A first;
  B second;
};
template <class A, class B> __host__ __device__ constexpr pair<A, B> make_pair(A a, B b) { return {a, b}; }
template <class T, size_t N> struct array {
  T kernelgate_items[N];
  __host__ __device__ constexpr T &operator[](size_t i) { return kernelgate_items[i]; }
  __host__ __device__ constexpr const T &operator[](size_t i) const { return kernelgate_items[i]; }
  __host__ __device__ constexpr size_t size() const { return N; }
  __host__ __device__ constexpr T *data() { return kernelgate_items; }
  __host__ __device__ constexpr const T *data() const { return kernelgate_items; }
  __host__ __device__ constexpr T *begin() { return kernelgate_items; }
  __host__ __device__ constexpr T *end() { return kernelgate_items + N; }
  __host__ __device__ constexpr const T *begin() const { return kernelgate_items; }
  __host__ __device__ constexpr const T *end() const { return kernelgate_items + N; }
};

template <class T> struct numeric_limits {};
#define KERNELGATE_LIMITS(T, LEAST, LOWEST, MOST)                                                                      \
  template <> struct numeric_limits<T> {                                                                               \
    static constexpr bool is_specialized = true, is_signed = (T)-1 < (T)0, is_integer = true;                          \
    __host__ __device__ static constexpr T min() { return LEAST; }                                                     \
    __host__ __device__ static constexpr T lowest() { return LOWEST; }                                                 \
    __host__ __device__ static constexpr T max() { return MOST; }                                                      \
  };
KERNELGATE_LIMITS(char, -128, -128, 127)
KERNELGATE_LIMITS(signed char, -128, -128, 127)
KERNELGATE_LIMITS(unsigned char, 0, 0, 255)
KERNELGATE_LIMITS(short, -32768, -32768, 32767)
KERNELGATE_LIMITS(unsigned short, 0, 0, 65535)
KERNELGATE_LIMITS(int, INT_MIN, INT_MIN, INT_MAX)
KERNELGATE_LIMITS(unsigned, 0, 0, UINT_MAX)
KERNELGATE_LIMITS(long, -LONG_MAX - 1, -LONG_MAX - 1, LONG_MAX)
KERNELGATE_LIMITS(unsigned long, 0, 0, SIZE_MAX)
KERNELGATE_LIMITS(long long, LLONG_MIN, LLONG_MIN, LLONG_MAX)
KERNELGATE_LIMITS(unsigned long long, 0, 0, ULLONG_MAX)
#undef KERNELGATE_LIMITS
#define KERNELGATE_LIMITS(T, LEAST, MOST, EPSILON, ENDLESS, NONE)                                                      \
  template <> struct numeric_limits<T> {                                                                               \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, has_infinity = true;            \
    __host__ __device__ static constexpr T min() { return LEAST; }                                                     \
    __host__ __device__ static constexpr T lowest() { return -MOST; }                                                  \
    __host__ __device__ static constexpr T max() { return MOST; }                                                      \
    __host__ __device__ static constexpr T epsilon() { return EPSILON; }                                               \
    __host__ __device__ static constexpr T infinity() { return ENDLESS; }                                              \
    __host__ __device__ static constexpr T quiet_NaN() { return NONE; }                                                \
  };
KERNELGATE_LIMITS(float, FLT_MIN, FLT_MAX, FLT_EPSILON, INFINITY, NAN)
KERNELGATE_LIMITS(double, DBL_MIN, DBL_MAX, DBL_EPSILON, HUGE_VAL, __builtin_bit_cast(double, 0x7ff8000000000000LL))
#undef KERNELGATE_LIMITS

using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::hypot;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::lgamma;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::memcpy;
using ::memset;
using ::nearbyint;
using ::pow;
using ::remainder;
using ::rint;
using ::round;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
}  // namespace std
