// What the facade's headers only declare, compiled once: in each unit of each program it would take most of a build.
// Only names marked KERNELGATE_IN_LIBRARY leave this library.
#include <ATen/core/Tensor.h>
#include <kernelgate/operators.h>
#include <stdexcept>
#include <torch/library.h>

namespace kernelgate {

// --- messages ---

void append(std::string& out, std::string_view text) { out += text; }
void append_integer(std::string& out, long long value) { out += std::to_string(value); }
void append_natural(std::string& out, unsigned long long value) { out += std::to_string(value); }
void append_real(std::string& out, double value) {
  char text[32];
  __builtin_snprintf(text, sizeof text, "%g", value);
  out += text;
}
std::string expected(const char* condition) {
  return std::string("Expected ") + condition +
         " to be true, but got false.  (Could this error message be improved?  If so, please report an "
         "enhancement request to PyTorch.)";
}

namespace {
struct {
  std::string unit, message;
  int line = 0;
} last_check;
}  // namespace

std::string&& failed_at(const char* unit, int line, std::string&& message) {
  last_check = {unit, message, line};
  return std::move(message);
}

void throw_Error(std::string&& message) { throw c10::Error(std::move(message)); }
void throw_TypeError(std::string&& message) { throw c10::TypeError(std::move(message)); }
void throw_ValueError(std::string&& message) { throw c10::ValueError(std::move(message)); }
void throw_IndexError(std::string&& message) { throw c10::IndexError(std::move(message)); }
void throw_NotImplementedError(std::string&& message) { throw c10::NotImplementedError(std::move(message)); }
void throw_python_error_set() { throw PythonErrorSet(); }
void throw_undefined_tensor() { throw c10::Error("the tensor is undefined"); }

// --- C++ values to Python objects ---

Object torch_attribute(const char* name) {
  // Never released: it lives as long as the process.
  static PyObject* torch = Object::taken(PyImport_ImportModule("torch")).release();
  return Object::taken(PyObject_GetAttrString(torch, name));
}

static const char* torch_name(c10::ScalarType type) {
  switch (type) {
    case c10::kByte: return "uint8";
    case c10::kChar: return "int8";
    case c10::kShort: return "int16";
    case c10::kInt: return "int32";
    case c10::kLong: return "int64";
    case c10::kHalf: return "float16";
    case c10::kFloat: return "float32";
    case c10::kDouble: return "float64";
    case c10::kBool: return "bool";
    case c10::kBFloat16: return "bfloat16";
    default: throw c10::Error("no such element type in emulation");
  }
}

Object to_python(c10::ScalarType type) { return torch_attribute(torch_name(type)); }
Object to_python(const c10::Scalar& value) {
  if (value.isBoolean()) return to_python(value.toBool());
  return value.isFloatingPoint() ? to_python(value.toDouble()) : to_python(value.toLong());
}
Object to_python(c10::MemoryFormat format) {
  switch (format) {
    case c10::MemoryFormat::Contiguous: return torch_attribute("contiguous_format");
    case c10::MemoryFormat::Preserve: return torch_attribute("preserve_format");
    case c10::MemoryFormat::ChannelsLast: return torch_attribute("channels_last");
    default: return torch_attribute("channels_last_3d");
  }
}

Object tuple_of(Object* objects, size_t count) {
  Object tuple = Object::taken(PyTuple_New(static_cast<Py_ssize_t>(count)));
  for (size_t i = 0; i < count; i++) PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), objects[i].release());
  return tuple;
}

Object call_object(const Object& function, const Object& arguments, PyObject* keywords) {
  return Object::taken(PyObject_Call(function.get(), arguments.get(), keywords));
}

Object factory_keywords(const c10::TensorOptions& options) {
  Object keywords = Object::taken(PyDict_New());
  auto set = [&](const char* name, const Object& value) {
    if (PyDict_SetItemString(keywords.get(), name, value.get()) != 0) throw PythonErrorSet();
  };
  if (options.dtype_opt()) set("dtype", to_python(*options.dtype_opt()));
  if (options.memory_format_opt()) set("memory_format", to_python(*options.memory_format_opt()));
  if (options.requires_grad()) set("requires_grad", to_python(true));
  return keywords;
}

// --- Python objects to C++ values ---

bool is_tensor(PyObject* o) {
  static PyObject* type = torch_attribute("Tensor").release();
  return PyObject_IsInstance(o, type) == 1;
}
bool is_integer(PyObject* o, long long* value) {
  if (PyFloat_Check(o) || !PyIndex_Check(o)) return false;
  const Object index = Object::taken(PyNumber_Index(o));
  int overflow = 0;
  *value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  return overflow == 0;
}
long long convert_integer(PyObject* o) { return PyLong_AsLongLong(Object::taken(PyNumber_Index(o)).get()); }
double convert_real(PyObject* o) { return PyFloat_AS_DOUBLE(Object::taken(PyNumber_Float(o)).get()); }
c10::ScalarType element_type(PyObject* dtype) {
  for (c10::ScalarType each : {c10::kFloat, c10::kHalf, c10::kBFloat16, c10::kDouble, c10::kInt, c10::kLong, c10::kBool,
                               c10::kByte, c10::kChar, c10::kShort})
    if (to_python(each).get() == dtype) return each;
  return c10::ScalarType::Undefined;
}

// --- tensors ---

TensorState* tensor_state(Object&& object) { return new TensorState{std::move(object), {}, {}, 1}; }
void remove(TensorState* state) { delete state; }
Object call_method(const Object& object, const char* method) {
  return Object::taken(PyObject_CallMethod(object.get(), method, nullptr));
}
int64_t to_integer(const Object& value) {
  const int64_t integer = PyLong_AsLongLong(value.get());
  if (integer == -1 && PyErr_Occurred()) throw PythonErrorSet();
  return integer;
}
c10::IntArrayRef to_integers(const Object& tuple, std::vector<int64_t>& values) {
  values.resize(static_cast<size_t>(PyTuple_GET_SIZE(tuple.get())));
  for (size_t i = 0; i < values.size(); i++)
    values[i] = PyLong_AsLongLong(PyTuple_GET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i)));
  return values;
}
const void* tensor_address(const Object& tensor) {
  PyObject* address = PyObject_CallMethod(tensor.get(), "data_ptr", nullptr);
  if (!address) return PyErr_Clear(), nullptr;
  return PyLong_AsVoidPtr(Object::taken(address).get());
}
void* tensor_data(const Object& tensor, c10::ScalarType wanted) {
  const c10::ScalarType found = element_type(tensor.attribute("dtype").get());
  TORCH_CHECK(found == wanted, "expected scalar type ", wanted, " but found ", found);
  return PyLong_AsVoidPtr(call_method(tensor, "data_ptr").get());
}

// --- functions ---

namespace {
struct ArgumentMismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};
}  // namespace

Binding::~Binding() = default;
std::string Binding::signature_of(const TypeName* types) const {
  std::string text = "(";
  for (size_t i = 0; types[i]; i++)
    text +=
        (i ? ", " : "") + (i < parameters.size() ? parameters[i].name : "arg" + std::to_string(i)) + ": " + types[i]();
  return text + ")";
}
void Binding::mismatch() const {
  throw ArgumentMismatch(name + "(): incompatible function arguments. The following argument types are supported:\n" +
                         "    1. " + signature());
}

// Positional arguments first, then each missing one by its name, then by its default.
static Object complete_arguments(const Binding& binding, PyObject* given, PyObject* named) {
  const size_t positional = static_cast<size_t>(PyTuple_GET_SIZE(given));
  if (positional >= binding.parameters.size() && !named) return Object::borrowed(given);
  Py_ssize_t used = 0;
  std::vector<Object> values;
  for (size_t i = 0; i < std::max(positional, binding.parameters.size()); i++) {
    PyObject* value = nullptr;
    if (i < positional) {
      value = PyTuple_GET_ITEM(given, static_cast<Py_ssize_t>(i));
    } else {
      const Parameter& parameter = binding.parameters[i];
      value = named ? PyDict_GetItemString(named, parameter.name.c_str()) : nullptr;
      used += value != nullptr;
      if (!value) value = parameter.fallback.get();
    }
    if (value) values.push_back(Object::borrowed(value));
  }
  if (named && used != PyDict_Size(named)) values.clear();  // an unknown name: reported as a mismatch
  Object completed = Object::taken(PyTuple_New(static_cast<Py_ssize_t>(values.size())));
  for (size_t i = 0; i < values.size(); i++)
    PyTuple_SET_ITEM(completed.get(), static_cast<Py_ssize_t>(i), values[i].release());
  return completed;
}

// The one place where C++ errors become Python errors.
PyObject* run_binding(PyObject* capsule, PyObject* given, PyObject* named) noexcept {
  Binding& binding = *static_cast<Binding*>(PyCapsule_GetPointer(capsule, nullptr));
  try {
    return binding.invoke(complete_arguments(binding, given, named).get()).release();
  } catch (const PythonErrorSet&) {  // NOLINT(bugprone-empty-catch): Python has the error already
  } catch (const ArgumentMismatch& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const c10::TypeError& e) {
    PyErr_SetString(PyExc_TypeError, e.what());
  } catch (const c10::ValueError& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const c10::IndexError& e) {
    PyErr_SetString(PyExc_IndexError, e.what());
  } catch (const c10::NotImplementedError& e) {
    PyErr_SetString(PyExc_NotImplementedError, e.what());
  } catch (const std::invalid_argument& e) {
    PyErr_SetString(PyExc_ValueError, e.what());
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "the extension threw something that is no std::exception");
  }
  return nullptr;
}

void add_to_module(PyObject* module, Binding* binding) {
  // Both live as long as the module, and a module of an extension is never unloaded.
  PyMethodDef* method =
      new PyMethodDef{binding->name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&run_binding)),
                      METH_VARARGS | METH_KEYWORDS, binding->documentation.c_str()};
  Object capsule = Object::taken(PyCapsule_New(binding, nullptr, nullptr));
  Object function = Object::taken(PyCFunction_New(method, capsule.get()));
  if (PyModule_AddObject(module, binding->name.c_str(), function.release()) != 0) throw PythonErrorSet();
}

// --- operators ---

Object operators_attribute(const char* name) {
  static PyObject* module = Object::taken(PyImport_ImportModule("kernelgate.emulator.device.operators")).release();
  return Object::taken(PyObject_GetAttrString(module, name));
}

Object python_function(std::unique_ptr<Binding> binding) {
  static PyMethodDef method{"native", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&run_binding)),
                            METH_VARARGS | METH_KEYWORDS, nullptr};
  Object capsule = Object::taken(PyCapsule_New(binding.get(), nullptr, [](PyObject* held) {
    delete static_cast<Binding*>(PyCapsule_GetPointer(held, nullptr));
  }));
  static_cast<void>(binding.release());  // the capsule deletes it
  return Object::taken(PyCFunction_New(&method, capsule.get()));
}

static std::vector<torch::detail::Block>& blocks() {
  static std::vector<torch::detail::Block> noted;
  return noted;
}
void note_block(const torch::detail::Block& block) { blocks().push_back(block); }

}  // namespace kernelgate

// Called by the loader after each library. Definitions come first: an implementation may stand before its definition.
extern "C" KERNELGATE_IN_LIBRARY PyObject* kernelgate_register_operators() {
  const std::vector<torch::detail::Block> noted = std::exchange(kernelgate::blocks(), {});
  kernelgate::Closure all([&noted](PyObject*) {
    for (const bool definitions : {true, false})
      for (const torch::detail::Block& block : noted)
        if ((block.kind != torch::Library::IMPL) == definitions) {
          torch::Library library(block.kind, block.space, block.key);
          block.fill(library);
        }
    return kernelgate::Object::none();
  });
  PyObject* capsule = PyCapsule_New(&all, nullptr, nullptr);
  PyObject* nothing = PyTuple_New(0);
  PyObject* result = kernelgate::run_binding(capsule, nothing, nullptr);
  Py_DECREF(nothing);
  Py_DECREF(capsule);
  return result;
}

// Where the last check of a program has failed, and with which words; line 0 where none has.
extern "C" KERNELGATE_IN_LIBRARY int kernelgate_last_check(const char** unit, const char** message) {
  *unit = kernelgate::last_check.unit.c_str();
  *message = kernelgate::last_check.message.c_str();
  return kernelgate::last_check.line;
}
