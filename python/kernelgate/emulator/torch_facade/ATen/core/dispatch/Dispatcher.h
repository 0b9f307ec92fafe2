// c10::Dispatcher: operators by name, called from C++. No transform of torch.func ever reaches C++ here.
#pragma once
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/SymInt.h>
#include <kernelgate/operators.h>

namespace c10 {

enum class DispatchKey : uint16_t {
  CPU,
  CUDA,
  Meta,
  Autograd,
  AutogradCPU,
  AutogradCUDA,
  AutocastCUDA,
  CompositeImplicitAutograd,
  CompositeExplicitAutograd,
  FuncTorchDynamicLayerBackMode
};
namespace impl {
inline bool tls_is_dispatch_key_included(DispatchKey) { return false; }
}  // namespace impl

template <typename Signature>
class TypedOperatorHandle;
template <typename R, typename... Arguments>
class TypedOperatorHandle<R(Arguments...)> {
 public:
  explicit TypedOperatorHandle(PyObject* held) : held_(held) {}
  R call(Arguments... arguments) const {
    return kernelgate::Result<R>::of(kernelgate::call(kernelgate::Object::borrowed(held_), arguments...));
  }

 private:
  PyObject* held_;  // never let go: programs keep handles until their process ends, after Python
};

class OperatorHandle {
 public:
  explicit OperatorHandle(kernelgate::Object held) : held_(std::move(held)) {}
  template <typename Signature>
  TypedOperatorHandle<Signature> typed() const {
    return TypedOperatorHandle<Signature>(kernelgate::Object(held_).release());
  }

 private:
  kernelgate::Object held_;
};

class Dispatcher {
 public:
  static Dispatcher& singleton() {
    static Dispatcher one;
    return one;
  }
  OperatorHandle findSchemaOrThrow(const char* name, const char* overload) const {
    return OperatorHandle(kernelgate::call(kernelgate::operators_attribute("find"), name, overload));
  }
};

}  // namespace c10
