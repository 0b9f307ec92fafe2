// `__shared__` objects. The rewriter gives each declaration a slot: a static of the enclosing function, hence
// one a template instantiation, whose address names the object.
#pragma once
#include <kernelgate/abi.h>

namespace kernelgate {

template <typename T>
inline T& shared(const SharedSlot& slot) {
  return *static_cast<T*>(kernelgate_shared(&slot, sizeof(T)));
}

template <typename T>
inline T* dynamic_shared() {
  return static_cast<T*>(kernelgate_dynamic_shared());
}

// `extern __shared__ T name[];` outside every function: a name that becomes a pointer where it is used.
template <typename T>
struct DynamicShared {
  operator T*() const { return dynamic_shared<T>(); }
  template <typename U>
  explicit operator U*() const {
    return reinterpret_cast<U*>(dynamic_shared<T>());
  }
};

// `__shared__ T name;` outside every function: the running block's object, where it is used.
template <typename T>
struct FileShared {
  SharedSlot slot;
  operator T&() const { return shared<T>(slot); }
  T* operator&() const { return &shared<T>(slot); }
  template <typename U>
  T& operator=(const U& value) const {
    return shared<T>(slot) = value;
  }
};

}  // namespace kernelgate
