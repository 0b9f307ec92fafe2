// TORCH_LIBRARY and its kin. Blocks are noted when the library is loaded, and run when the loader asks for it: then
// their errors reach Python.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/types.h>

namespace kernelgate {

// How a schema names a C++ type.
template <typename T>
struct SchemaType;
#define KERNELGATE_SCHEMA_TYPE(type, text)     \
  template <>                                  \
  struct SchemaType<type> {                    \
    static std::string name() { return text; } \
  };
KERNELGATE_SCHEMA_TYPE(at::Tensor, "Tensor")
KERNELGATE_SCHEMA_TYPE(double, "float")
KERNELGATE_SCHEMA_TYPE(int64_t, "int")
KERNELGATE_SCHEMA_TYPE(bool, "bool")
KERNELGATE_SCHEMA_TYPE(std::string, "str")
KERNELGATE_SCHEMA_TYPE(c10::Scalar, "Scalar")
KERNELGATE_SCHEMA_TYPE(c10::ScalarType, "ScalarType")
KERNELGATE_SCHEMA_TYPE(void, "()")
#undef KERNELGATE_SCHEMA_TYPE
template <typename T>
struct SchemaType<std::optional<T>> {
  static std::string name() { return SchemaType<T>::name() + "?"; }
};
template <typename T>
struct SchemaType<std::vector<T>> {
  static std::string name() { return SchemaType<T>::name() + "[]"; }
};
template <typename T>
struct SchemaType<c10::ArrayRef<T>> : SchemaType<std::vector<T>> {};
template <typename... T>
struct SchemaType<std::tuple<T...>> {
  static std::string name() {
    std::string text;
    ((text += (text.empty() ? "(" : ", ") + SchemaType<T>::name()), ...);
    return text + ")";
  }
};
template <typename R, typename... Arguments>
std::string schema_of(const std::string& name, R (*)(Arguments...)) {
  std::string text;
  int i = 0;
  ((text += (i ? ", " : "") + SchemaType<std::decay_t<Arguments>>::name() + " _" + std::to_string(i), i++), ...);
  return name + "(" + text + ") -> " + SchemaType<std::decay_t<R>>::name();
}

}  // namespace kernelgate

namespace torch {

using c10::DispatchKey;

class Library {
 public:
  enum Kind { DEF, IMPL, FRAGMENT };
  Library(Kind kind, const char* space, const char* key) : python_(make(kind, space, key)) {}

  Library& def(const char* schema) {
    kernelgate::call(python_.attribute("define"), schema);
    return *this;
  }
  template <typename Function>
  Library& def(const char* schema, Function function) {
    const std::string text = schema;
    const size_t end = text.find('(');
    def((end == std::string::npos ? kernelgate::schema_of(text, +function) : text).c_str());
    return impl(text.substr(0, end).c_str(), function);
  }
  template <typename Function>
  Library& impl(const char* name, Function function) {
    return implement(name, "", function);
  }
  template <typename Function>
  Library& impl(const char* name, DispatchKey key, Function function) {
    static const char* const names[] = {"CPU",
                                        "CUDA",
                                        "Meta",
                                        "Autograd",
                                        "AutogradCPU",
                                        "AutogradCUDA",
                                        "AutocastCUDA",
                                        "CompositeImplicitAutograd",
                                        "CompositeExplicitAutograd",
                                        "FuncTorch"};
    return implement(name, names[static_cast<int>(key)], function);
  }

 private:
  static kernelgate::Object make(Kind kind, const char* space, const char* key) {
    const char* const names[] = {"DEF", "IMPL", "FRAGMENT"};
    return kernelgate::call(kernelgate::operators_attribute("Library"), names[kind], space, key);
  }
  template <typename Function>
  Library& implement(const char* name, const char* key, Function function) {
    std::unique_ptr<kernelgate::Binding> binding(kernelgate::make_binding(function));
    binding->name = name;
    kernelgate::call(python_.attribute("implement"), name, key, kernelgate::python_function(std::move(binding)));
    return *this;
  }
  kernelgate::Object python_;
};

namespace detail {
struct Block {
  Library::Kind kind;
  const char* space;
  const char* key;
  void (*fill)(Library&);
};
}  // namespace detail
}  // namespace torch

namespace kernelgate {
KERNELGATE_IN_LIBRARY void note_block(const torch::detail::Block& block);
}  // namespace kernelgate

namespace torch::detail {
struct Note {
  Note(Library::Kind kind, const char* space, const char* key, void (*fill)(Library&)) {
    kernelgate::note_block({kind, space, key, fill});
  }
};
}  // namespace torch::detail

#define KERNELGATE_JOIN(a, b) KERNELGATE_JOIN_(a, b)
#define KERNELGATE_JOIN_(a, b) a##b
#define KERNELGATE_BLOCK(kind, space, key, m, number)                                 \
  static void KERNELGATE_JOIN(kernelgate_block_, number)(torch::Library&);            \
  static const torch::detail::Note KERNELGATE_JOIN(kernelgate_note_, number)(         \
      torch::Library::kind, space, key, &KERNELGATE_JOIN(kernelgate_block_, number)); \
  static void KERNELGATE_JOIN(kernelgate_block_, number)([[maybe_unused]] torch::Library & m)
#define TORCH_LIBRARY(space, m) KERNELGATE_BLOCK(DEF, #space, "", m, __COUNTER__)
#define TORCH_LIBRARY_FRAGMENT(space, m) KERNELGATE_BLOCK(FRAGMENT, #space, "", m, __COUNTER__)
#define TORCH_LIBRARY_IMPL(space, key, m) KERNELGATE_BLOCK(IMPL, #space, #key, m, __COUNTER__)
#define TORCH_FN(function) &function
