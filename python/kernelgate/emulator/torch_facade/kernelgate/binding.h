// A C++ function as a Python one: arguments by position, by name or by default; C++ errors as Python errors.
#pragma once
#include <kernelgate/from_python.h>

namespace kernelgate {

struct Parameter {
  std::string name;
  Object fallback;  // empty: the argument must be given
};

class KERNELGATE_IN_LIBRARY Binding {
 public:
  virtual ~Binding();
  // `arguments` is a tuple, already completed by names and defaults.
  virtual Object invoke(PyObject* arguments) = 0;
  virtual std::string signature() const = 0;
  virtual size_t arity() const = 0;

  std::string name;
  std::string documentation;
  std::vector<Parameter> parameters;

 protected:
  using TypeName = std::string (*)();
  std::string signature_of(const TypeName* types) const;  // up to a null
  [[noreturn]] void mismatch() const;
};

template <typename Function, typename Result, typename... Arguments>
class TypedBinding final : public Binding {
 public:
  explicit TypedBinding(Function function) : function_(std::move(function)) {}
  size_t arity() const override { return sizeof...(Arguments); }
  std::string signature() const override {
    const TypeName types[] = {&FromPython<std::decay_t<Arguments>>::name..., nullptr};
    return signature_of(types);
  }
  Object invoke(PyObject* arguments) override { return invoke(arguments, std::index_sequence_for<Arguments...>()); }

 private:
  template <size_t... I>
  Object invoke([[maybe_unused]] PyObject* arguments, std::index_sequence<I...>) {
    if (static_cast<size_t>(PyTuple_GET_SIZE(arguments)) != sizeof...(Arguments) ||
        !(FromPython<std::decay_t<Arguments>>::accepts(PyTuple_GET_ITEM(arguments, I)) && ...))
      mismatch();
    std::tuple<Kept<std::decay_t<Arguments>>...> kept{PyTuple_GET_ITEM(arguments, I)...};
    if constexpr (std::is_void_v<Result>) {
      function_(static_cast<Arguments>(std::get<I>(kept).value)...);
      return Object::none();
    } else {
      return to_python(function_(static_cast<Arguments>(std::get<I>(kept).value)...));
    }
  }
  Function function_;
};

template <typename Result, typename... Arguments>
Binding* make_binding(Result (*function)(Arguments...)) {
  return new TypedBinding<Result (*)(Arguments...), Result, Arguments...>(function);
}
template <typename Lambda, typename Result, typename Class, typename... Arguments>
Binding* make_binding(Lambda lambda, Result (Class::*)(Arguments...) const) {
  return new TypedBinding<Lambda, Result, Arguments...>(std::move(lambda));
}
template <typename Lambda, std::enable_if_t<std::is_class_v<Lambda>, int> = 0>
Binding* make_binding(Lambda lambda) {
  return make_binding(std::move(lambda), &Lambda::operator());
}

// What Python calls, with the binding in a capsule.
KERNELGATE_IN_LIBRARY PyObject* run_binding(PyObject* capsule, PyObject* given, PyObject* named) noexcept;
KERNELGATE_IN_LIBRARY void add_to_module(PyObject* module, Binding* binding);

}  // namespace kernelgate
