// at::Tensor: a handle on the Python object, whose methods are Python's.
// Views of the shape (`sizes`, `strides`) live as long as the handle that gave them, as with torch.
#pragma once
#include <ATen/core/TensorAccessor.h>
#include <c10/core/Scalar.h>
#include <c10/core/Stream.h>
#include <c10/core/TensorOptions.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/Exception.h>
#include <c10/util/Optional.h>
#include <kernelgate/abi.h>
#include <kernelgate/to_python.h>
#include <string>
#include <vector>

namespace kernelgate {
// What the handles on one tensor share.
struct TensorState {
  Object object;
  std::vector<int64_t> sizes, strides;
  long references;  // changed under the GIL only
};
KERNELGATE_IN_LIBRARY TensorState* tensor_state(Object&& object);
KERNELGATE_IN_LIBRARY Object operators_attribute(const char* name);
KERNELGATE_IN_LIBRARY void remove(TensorState* state);
[[noreturn]] KERNELGATE_IN_LIBRARY void throw_undefined_tensor();
KERNELGATE_IN_LIBRARY Object call_method(const Object& object, const char* method);
KERNELGATE_IN_LIBRARY int64_t to_integer(const Object& value);
KERNELGATE_IN_LIBRARY c10::IntArrayRef to_integers(const Object& tuple, std::vector<int64_t>& values);
KERNELGATE_IN_LIBRARY c10::ScalarType element_type(PyObject* dtype);
KERNELGATE_IN_LIBRARY const void* tensor_address(const Object& tensor);
KERNELGATE_IN_LIBRARY void* tensor_data(const Object& tensor, c10::ScalarType wanted);
}  // namespace kernelgate

namespace at {

// What Tensor::type() gives; no ScalarType, so that AT_DISPATCH refuses it as PyTorch's does.
class DeprecatedTypeProperties {
 public:
  DeprecatedTypeProperties(ScalarType type, bool cuda) : type_(type), cuda_(cuda) {}
  ScalarType scalarType() const { return type_; }
  bool is_cuda() const { return cuda_; }

 private:
  ScalarType type_;
  bool cuda_;
};

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(kernelgate::Object object) : state_(kernelgate::tensor_state(std::move(object))) {}
  Tensor(const Tensor& other) : state_(other.state_) {
    if (state_) state_->references++;
  }
  Tensor(Tensor&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept { return std::swap(state_, other.state_), *this; }
  ~Tensor() {
    if (state_ && --state_->references == 0) kernelgate::remove(state_);
  }

  bool defined() const { return state_ != nullptr; }
  void reset() { *this = Tensor(); }
  // A no-op: a launch is over when it returns, so that no stream works on memory that is freed.
  void record_stream(Stream) const {}
  bool is_same(const Tensor& other) const { return python().get() == other.python().get(); }
  const kernelgate::Object& python() const {
    if (!state_) kernelgate::throw_undefined_tensor();
    return state_->object;
  }

  int64_t dim() const { return static_cast<int64_t>(sizes().size()); }
  int64_t ndimension() const { return dim(); }
  int64_t numel() const { return integer("numel"); }
  int64_t size(int64_t d) const { return integer("size", d); }
  int64_t stride(int64_t d) const { return integer("stride", d); }
  int64_t storage_offset() const { return integer("storage_offset"); }
  int64_t element_size() const { return integer("element_size"); }
  size_t itemsize() const { return static_cast<size_t>(element_size()); }
  size_t nbytes() const { return static_cast<size_t>(numel() * element_size()); }
  IntArrayRef sizes() const { return list(call("size"), &kernelgate::TensorState::sizes); }
  IntArrayRef strides() const { return list(call("stride"), &kernelgate::TensorState::strides); }
  // Sizes are never symbols here, and no tensor carries a forward-mode gradient into C++.
  IntArrayRef sym_sizes() const { return sizes(); }
  IntArrayRef sym_strides() const { return strides(); }
  int64_t sym_size(int64_t d) const { return size(d); }
  int64_t sym_numel() const { return numel(); }
  Tensor reshape_symint(IntArrayRef size) const { return reshape(size); }
  Tensor view_symint(IntArrayRef size) const { return view(size); }
  Tensor _fw_grad(uint64_t) const { return {}; }

  bool is_contiguous() const { return truth(call("is_contiguous")); }
  bool is_contiguous(MemoryFormat format) const {
    kernelgate::Object keywords = kernelgate::factory_keywords(TensorOptions().memory_format(format));
    return truth(kernelgate::call_with(python().attribute("is_contiguous"), keywords));
  }
  // As c10 decides it: some order of the dimensions is contiguous. Python has no name for it.
  bool is_non_overlapping_and_dense() const;
  bool requires_grad() const { return truth(python().attribute("requires_grad")); }
  bool is_floating_point() const { return isFloatingType(scalar_type()); }
  bool is_sparse() const { return false; }
  bool is_complex() const { return false; }

  bool is_cuda() const { return !is_cpu(); }
  bool is_cpu() const { return place() > 0; }
  bool is_pinned() const { return place() == 2; }
  int64_t get_device() const { return is_cpu() ? -1 : 0; }
  Device device() const { return is_cpu() ? Device(kCPU) : Device(kCUDA, 0); }

  ScalarType scalar_type() const;
  caffe2::TypeMeta dtype() const { return caffe2::TypeMeta(scalar_type()); }
  TensorOptions options() const { return TensorOptions(scalar_type()).device(device()).layout(kStrided); }

  void* data_ptr() const;
  const void* const_data_ptr() const { return data_ptr(); }
  void* mutable_data_ptr() const { return data_ptr(); }
  template <typename T>
  T* data_ptr() const {
    return static_cast<T*>(kernelgate::tensor_data(python(), CppTypeToScalarType<T>::value));
  }
  // Both are deprecated in PyTorch, and still there.
  template <typename T>
  T* data() const {
    return data_ptr<T>();
  }
  DeprecatedTypeProperties type() const { return {scalar_type(), is_cuda()}; }
  template <typename T>
  const T* const_data_ptr() const {
    return data_ptr<std::remove_const_t<T>>();
  }
  template <typename T>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }

  template <typename T, size_t N>
  TensorAccessor<T, N> accessor() const& {
    check_dimensions(N);
    static_cast<void>(strides());
    return {data_ptr<T>(), sizes().data(), state_->strides.data()};
  }
  template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
  GenericPackedTensorAccessor<T, N, PtrTraits, index_t> generic_packed_accessor() const {
    check_dimensions(N);
    return {data_ptr<T>(), sizes(), strides()};
  }
  template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, PtrTraits> packed_accessor32() const {
    TORCH_CHECK(numel() <= 0x7fffffff,
                "numel needs to be smaller than int32_t max; otherwise, please use packed_accessor64");
    return generic_packed_accessor<T, N, PtrTraits, int32_t>();
  }
  template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, PtrTraits> packed_accessor64() const {
    return generic_packed_accessor<T, N, PtrTraits, int64_t>();
  }

  template <typename T>
  T item() const;
  Scalar item() const { return item<double>(); }

  // A copy is made when the call returns, whether or not it may block.
  Tensor to(ScalarType type, bool = false, bool copy = false) const {
    return copy ? clone().to(type) : Tensor(call("to", type));
  }
  Tensor to(caffe2::TypeMeta type) const { return to(type.toScalarType()); }
  Tensor to(Device device, bool = false, bool copy = false) const {
    if (copy && device.is_cpu() == is_cpu()) return clone().tagged(is_cpu());
    return device.is_cpu() ? cpu() : cuda();
  }
  Tensor to(DeviceType type, bool non_blocking = false, bool copy = false) const {
    return to(Device(type), non_blocking, copy);
  }
  Tensor to(Device device, ScalarType type, bool = false, bool = false) const { return to(device).to(type); }
  Tensor to(DeviceType device, ScalarType type, bool = false, bool = false) const { return to(device).to(type); }
  Tensor to(const TensorOptions& options, bool = false, bool = false) const {
    Tensor moved = options.device_opt() ? to(*options.device_opt()) : *this;
    return options.dtype_opt() ? moved.to(*options.dtype_opt()) : moved;
  }
  Tensor cuda() const { return is_cuda() ? *this : clone().tagged(0); }
  Tensor cpu() const { return is_cpu() ? *this : clone().tagged(1); }
  // Says where the memory of a tensor that has just been made is: see kernelgate/abi.h.
  Tensor tagged(int place) const {
    kernelgate_put(address(), place);
    return *this;
  }
  Tensor contiguous() const { return Tensor(call("contiguous")); }
  Tensor contiguous(MemoryFormat format) const {
    kernelgate::Object keywords = kernelgate::factory_keywords(TensorOptions().memory_format(format));
    return Tensor(kernelgate::call_with(python().attribute("contiguous"), keywords));
  }
  Tensor operator[](int64_t index) const { return Tensor(call("__getitem__", index)); }
  Tensor slice(int64_t dim = 0, std::optional<int64_t> start = {}, std::optional<int64_t> end = {},
               int64_t step = 1) const {
    return Tensor(
        kernelgate::call(kernelgate::operators_attribute("call"), "slice", "Tensor", *this, dim, start, end, step));
  }
  // Of what an index or a view gives, an assignment of a number sets all elements.
  Tensor& operator=(const Scalar& value) && { return call("fill_", value), *this; }
#define KERNELGATE_IN_PLACE(op, method) \
  template <typename T>                 \
  Tensor& operator op(const T& other) { \
    return call(method, other), *this;  \
  }
  KERNELGATE_IN_PLACE(+=, "add_")
  KERNELGATE_IN_PLACE(-=, "sub_")
  KERNELGATE_IN_PLACE(*=, "mul_")
  KERNELGATE_IN_PLACE(/=, "div_")
#undef KERNELGATE_IN_PLACE

// Methods whose result is a tensor, passed on by name. Two forms: as written, and with a braced list first.
#define KERNELGATE_METHOD(name)                            \
  template <typename... T>                                 \
  Tensor name(const T&... arguments) const {               \
    return Tensor(call(#name, arguments...));              \
  }                                                        \
  template <typename... T>                                 \
  Tensor name(IntArrayRef first, const T&... rest) const { \
    return Tensor(call(#name, first, rest...));            \
  }
#include <kernelgate/tensor_methods.inc>
#undef KERNELGATE_METHOD

 private:
  template <typename... T>
  kernelgate::Object call(const char* method, const T&... arguments) const {
    if constexpr (sizeof...(T) == 0) return kernelgate::call_method(python(), method);
    else return kernelgate::call(python().attribute(method), arguments...);
  }
  template <typename... T>
  int64_t integer(const char* method, const T&... arguments) const {
    return kernelgate::to_integer(call(method, arguments...));
  }
  void check_dimensions(size_t wanted) const {
    TORCH_CHECK(dim() == static_cast<int64_t>(wanted), "TensorAccessor expected ", wanted, " dims but tensor has ",
                dim());
  }
  int place() const { return kernelgate_place(address()); }
  // Null where it has no memory of its own, as while a graph is captured.
  const void* address() const { return kernelgate::tensor_address(python()); }
  static bool truth(const kernelgate::Object& object) { return object.get() == Py_True; }
  IntArrayRef list(const kernelgate::Object& tuple, std::vector<int64_t> kernelgate::TensorState::* member) const {
    return kernelgate::to_integers(tuple, state_->*member);
  }

  kernelgate::TensorState* state_ = nullptr;
};

inline bool Tensor::is_non_overlapping_and_dense() const {
  if (is_contiguous()) return true;
  IntArrayRef size = sizes(), stride = strides();
  std::vector<bool> used(size.size());
  int64_t expected = 1;
  for (size_t placed = 0; placed < size.size(); placed++) {
    size_t next = size.size();
    for (size_t d = 0; d < size.size(); d++)
      if (!used[d] && (size[d] < 2 || stride[d] == expected)) next = d;
    if (next == size.size()) return false;
    used[next] = true;
    expected *= size[next] < 2 ? 1 : size[next];
  }
  return true;
}

inline ScalarType Tensor::scalar_type() const { return kernelgate::element_type(python().attribute("dtype").get()); }

inline void* Tensor::data_ptr() const { return PyLong_AsVoidPtr(call("data_ptr").get()); }

template <typename T>
T Tensor::item() const {
  const kernelgate::Object value = call("item");
  if constexpr (std::is_integral_v<T>) {
    if (PyLong_Check(value.get())) return static_cast<T>(PyLong_AsLongLong(value.get()));
  }
  const double real = PyFloat_AsDouble(value.get());
  if (real == -1 && PyErr_Occurred()) throw kernelgate::PythonErrorSet();
  return static_cast<T>(real);
}

#define KERNELGATE_TENSOR_OPERATOR(op, method)                        \
  inline Tensor operator op(const Tensor& a, const Tensor& b) {       \
    return Tensor(kernelgate::call(a.python().attribute(method), b)); \
  }                                                                   \
  inline Tensor operator op(const Tensor& a, const Scalar& b) {       \
    return Tensor(kernelgate::call(a.python().attribute(method), b)); \
  }
KERNELGATE_TENSOR_OPERATOR(+, "__add__")
KERNELGATE_TENSOR_OPERATOR(-, "__sub__")
KERNELGATE_TENSOR_OPERATOR(*, "__mul__")
KERNELGATE_TENSOR_OPERATOR(/, "__truediv__")
KERNELGATE_TENSOR_OPERATOR(<, "__lt__")
KERNELGATE_TENSOR_OPERATOR(<=, "__le__")
KERNELGATE_TENSOR_OPERATOR(>, "__gt__")
KERNELGATE_TENSOR_OPERATOR(>=, "__ge__")
KERNELGATE_TENSOR_OPERATOR(==, "__eq__")
KERNELGATE_TENSOR_OPERATOR(!=, "__ne__")
#undef KERNELGATE_TENSOR_OPERATOR
inline Tensor operator*(const Scalar& a, const Tensor& b) { return b * a; }
inline Tensor operator+(const Scalar& a, const Tensor& b) { return b + a; }
inline Tensor operator-(const Scalar& a, const Tensor& b) {
  return Tensor(kernelgate::call(b.python().attribute("__rsub__"), a));
}
inline Tensor operator/(const Scalar& a, const Tensor& b) {
  return Tensor(kernelgate::call(b.python().attribute("__rtruediv__"), a));
}
inline Tensor operator-(const Tensor& a) { return a.neg(); }

// A new tensor, where its options say: on the CPU unless they name the GPU.
inline Tensor made(kernelgate::Object tensor, const TensorOptions& options) {
  return Tensor(std::move(tensor)).tagged(options.device().is_cuda() ? 0 : options.pinned_memory() ? 2 : 1);
}
inline Tensor made_like(kernelgate::Object tensor, const TensorOptions& options, const Tensor& like) {
  return made(std::move(tensor), options.device_opt() ? options : options.device(like.device()));
}

using TensorList = ArrayRef<Tensor>;
using ITensorListRef = TensorList;

}  // namespace at

namespace kernelgate {
inline Object to_python(const at::Tensor& tensor) { return tensor.defined() ? tensor.python() : Object::none(); }
}  // namespace kernelgate
