// nvcuda::wmma: matrix fragments of a warp. Which lane holds which element is nobody's business, and simple here.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <kernelgate/tensor_core.h>
#include <kernelgate/together.h>

namespace nvcuda::wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}

namespace details {
template <typename T>
struct Element;
template <>
struct Element<__half> : kernelgate::Half16 {
  using storage = __half;
  static double read(__half h) { return kernelgate::widen(h); }
};
template <>
struct Element<__nv_bfloat16> : kernelgate::Bfloat16Bits {
  using storage = __nv_bfloat16;
  static double read(__nv_bfloat16 b) { return kernelgate::widen(b); }
};
template <>
struct Element<precision::tf32> : kernelgate::Tf32Bits {
  using storage = float;
  static double read(float f) { return value(static_cast<uint32_t>(kernelgate::to_bits(f))); }
};
template <>
struct Element<signed char> : kernelgate::Signed8Bits {
  using storage = signed char;
  static double read(signed char c) { return c; }
};
template <>
struct Element<unsigned char> : kernelgate::Unsigned8Bits {
  using storage = unsigned char;
  static double read(unsigned char c) { return c; }
};
template <>
struct Element<float> {
  using storage = float;
};
template <>
struct Element<double> {
  using storage = double;
  static double read(double d) { return d; }
};
template <>
struct Element<int> {
  using storage = int;
};
template <typename Use, int m, int n, int k>
struct Shape {
  static constexpr int rows = m, columns = n;  // of an accumulator
};
template <int m, int n, int k>
struct Shape<matrix_a, m, n, k> {
  static constexpr int rows = m, columns = k;
};
template <int m, int n, int k>
struct Shape<matrix_b, m, n, k> {
  static constexpr int rows = k, columns = n;
};
template <int m, int n, int k, typename T>
constexpr bool exists = (sizeof(typename Element<T>::storage) <= 2 && k == 16 &&
                         ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32))) ||
                        (std::is_same_v<T, precision::tf32> && m == 16 && n == 16 && k == 8) ||
                        (std::is_same_v<T, double> && m == 8 && n == 8 && k == 4);
}  // namespace details

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment : public details::Shape<Use, m, n, k> {
  using Shape = details::Shape<Use, m, n, k>;
  static_assert(std::is_same_v<Use, accumulator> || details::exists<m, n, k, T>, "no such shape of wmma");

 public:
  using element_type = T;
  using storage_element_type = typename details::Element<T>::storage;
  static constexpr int kernelgate_unique = Shape::rows * Shape::columns / 32;
  // Operands of 16 bits are held twice, as on hardware: programs loop over num_elements.
  static constexpr int num_elements =
      !std::is_same_v<Use, accumulator> && sizeof(storage_element_type) == 2 ? 16 : kernelgate_unique;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];
};

template <typename Use, int m, int n, int k, typename T, typename Layout, typename V>
inline void fill_fragment(fragment<Use, m, n, k, T, Layout>& f, const V& value) {
  for (auto& x : f.x) x = static_cast<typename fragment<Use, m, n, k, T, Layout>::storage_element_type>(value);
}

namespace details {
// Offset in memory of what element i of this lane is.
template <typename Fragment>
inline size_t offset(int i, unsigned stride, bool by_columns) {
  const int place =
      static_cast<int>(kernelgate::lane()) * Fragment::kernelgate_unique + i % Fragment::kernelgate_unique;
  const size_t row = static_cast<size_t>(place / Fragment::columns),
               column = static_cast<size_t>(place % Fragment::columns);
  return by_columns ? column * stride + row : row * stride + column;
}
// Rows of a matrix lie a multiple of 16 bytes apart: 8 halves, 4 floats.
template <typename T>
inline void check_stride(unsigned stride) {
  if (stride * sizeof(T) % 16) __builtin_trap();  // reported as misaligned
}
template <typename Fragment, typename T>
inline void load(Fragment& f, const T* memory, unsigned stride, bool by_columns, int line) {
  __syncwarp(~0u, line);
  check_stride<T>(stride);
  for (int i = 0; i < Fragment::num_elements; i++) f.x[i] = memory[offset<Fragment>(i, stride, by_columns)];
}
}  // namespace details

template <typename Use, int m, int n, int k, typename T, typename Layout>
inline void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& f,
                             const typename fragment<Use, m, n, k, T, Layout>::storage_element_type* memory,
                             unsigned stride, int line = __builtin_LINE()) {
  details::load(f, memory, stride, std::is_same_v<Layout, col_major>, line);
}
template <int m, int n, int k, typename T>
inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& f, const T* memory, unsigned stride, layout_t layout,
                             int line = __builtin_LINE()) {
  details::load(f, memory, stride, layout == mem_col_major, line);
}
template <int m, int n, int k, typename T>
inline void store_matrix_sync(T* memory, const fragment<accumulator, m, n, k, T>& f, unsigned stride, layout_t layout,
                              int line = __builtin_LINE()) {
  using Fragment = fragment<accumulator, m, n, k, T>;
  details::check_stride<T>(stride);
  for (int i = 0; i < Fragment::num_elements; i++)
    memory[details::offset<Fragment>(i, stride, layout == mem_col_major)] = f.x[i];
  __syncwarp(~0u, line);
}

namespace details {
template <typename D, typename A, typename B, typename C>
struct Multiply : kernelgate::Together {
  D* d;
  const A* a;
  const B* b;
  const C* c;
  static void work(Multiply* const* lanes, unsigned) {
    using Operand = Element<typename A::element_type>;
    constexpr int m = A::rows, k = A::columns, n = B::columns;
    double rows[m][k], columns[n][k];
    for (int l = 0; l < 32; l++) {
      for (int i = 0, at = l * A::kernelgate_unique; i < A::kernelgate_unique; i++, at++)
        rows[at / k][at % k] = Operand::read(lanes[l]->a->x[i]);
      for (int i = 0, at = l * B::kernelgate_unique; i < B::kernelgate_unique; i++, at++)
        columns[at % n][at / n] = Operand::read(lanes[l]->b->x[i]);
    }
    for (int l = 0; l < 32; l++)
      for (int i = 0, at = l * D::kernelgate_unique; i < D::kernelgate_unique; i++, at++)
        lanes[l]->set(i, rows[at / n], columns[at % n], k);
  }
  void set(int i, const double* row, const double* column, int k) {
    using Operand = Element<typename A::element_type>;
    if constexpr (std::is_same_v<typename C::element_type, int>) {
      int64_t sum = c->x[i];
      for (int j = 0; j < k; j++) sum += static_cast<int64_t>(row[j] * column[j]);
      d->x[i] = static_cast<int>(sum);
    } else if constexpr (std::is_same_v<typename C::element_type, double>) {
      d->x[i] = c->x[i];
      for (int j = 0; j < k; j++) d->x[i] = fma(row[j], column[j], d->x[i]);
    } else if constexpr (std::is_same_v<typename C::element_type, __half>) {
      put(d->x[i], kernelgate::sum_products<Operand>(kernelgate::widen(c->x[i]), row, column, k));
    } else {
      put(d->x[i], kernelgate::sum_products<Operand>(c->x[i], row, column, k));
    }
  }
  static void put(float& target, float value) { target = value; }
  static void put(__half& target, float value) { target = kernelgate::narrow<__half>(value); }
};
}  // namespace details

template <int m, int n, int k, typename T, typename LayoutA, typename LayoutB, typename D, typename C>
inline void mma_sync(fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                     const fragment<matrix_b, m, n, k, T, LayoutB>& b, const fragment<accumulator, m, n, k, C>& c,
                     bool = false, int line = __builtin_LINE()) {
  details::Multiply<fragment<accumulator, m, n, k, D>, fragment<matrix_a, m, n, k, T, LayoutA>,
                    fragment<matrix_b, m, n, k, T, LayoutB>, fragment<accumulator, m, n, k, C>>
      mine;
  mine.d = &d, mine.a = &a, mine.b = &b, mine.c = &c;
  kernelgate::together(0xffffffffu, mine, line);
}

inline float __float_to_tf32(float value) {
  const uint32_t bits = static_cast<uint32_t>(kernelgate::to_bits(value));
  return value != value ? value : kernelgate::from_bits<float>((bits + 0x1000u) & 0xffffe000u);
}

}  // namespace nvcuda::wmma
