// Accessors: a pointer with sizes and strides. Packed ones hold these themselves and can be passed to a kernel.
#pragma once
#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>

namespace at {

template <typename T>
struct DefaultPtrTraits {
  typedef T* PtrType;
};
template <typename T>
struct RestrictPtrTraits {
  typedef T* __restrict__ PtrType;
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class TensorAccessor {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  TensorAccessor(PtrType data, const index_t* sizes, const index_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
    return {data_ + strides_[0] * i, sizes_ + 1, strides_ + 1};
  }
  index_t size(index_t i) const { return sizes_[i]; }
  index_t stride(index_t i) const { return strides_[i]; }
  PtrType data() const { return data_; }

 private:
  PtrType data_;
  const index_t *sizes_, *strides_;
};
template <typename T, template <typename U> class PtrTraits, typename index_t>
class TensorAccessor<T, 1, PtrTraits, index_t> {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  TensorAccessor(PtrType data, const index_t* sizes, const index_t* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  T& operator[](index_t i) const { return data_[strides_[0] * i]; }
  index_t size(index_t i) const { return sizes_[i]; }
  index_t stride(index_t i) const { return strides_[i]; }
  PtrType data() const { return data_; }

 private:
  PtrType data_;
  const index_t *sizes_, *strides_;
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class GenericPackedTensorAccessor {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  GenericPackedTensorAccessor(PtrType data, c10::IntArrayRef sizes, c10::IntArrayRef strides) : data_(data) {
    for (size_t d = 0; d < N; d++) {
      sizes_[d] = static_cast<index_t>(sizes[d]);
      strides_[d] = static_cast<index_t>(strides[d]);
    }
  }
  decltype(auto) operator[](index_t i) const {
    return TensorAccessor<T, N, PtrTraits, index_t>(data_, sizes_, strides_)[i];
  }
  index_t size(index_t i) const { return sizes_[i]; }
  index_t stride(index_t i) const { return strides_[i]; }
  PtrType data() const { return data_; }

 private:
  PtrType data_;
  index_t sizes_[N], strides_[N];
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;

}  // namespace at
