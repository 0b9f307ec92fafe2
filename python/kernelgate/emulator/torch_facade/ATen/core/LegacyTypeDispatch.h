// Guards that pass autograd over, for as long as they live: Python's own.
#pragma once
#include <kernelgate/to_python.h>

namespace at {
class AutoDispatchBelowAutograd {
 public:
  AutoDispatchBelowAutograd() : AutoDispatchBelowAutograd("_AutoDispatchBelowAutograd") {}
  AutoDispatchBelowAutograd(const AutoDispatchBelowAutograd&) = delete;
  ~AutoDispatchBelowAutograd() {
    // Also while an error of Python's is on its way: it must be there afterwards.
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    const auto none = kernelgate::Object::none();
    Py_XDECREF(PyObject_CallMethod(guard_.get(), "__exit__", "OOO", none.get(), none.get(), none.get()));
    PyErr_Restore(type, value, traceback);
  }

 protected:
  explicit AutoDispatchBelowAutograd(const char* name)
      : guard_(kernelgate::call(kernelgate::torch_attribute("_C").attribute(name))) {
    kernelgate::call(guard_.attribute("__enter__"));
  }

 private:
  kernelgate::Object guard_;
};
struct AutoDispatchBelowADInplaceOrView : AutoDispatchBelowAutograd {
  AutoDispatchBelowADInplaceOrView() : AutoDispatchBelowAutograd("_AutoDispatchBelowADInplaceOrView") {}
};
}  // namespace at
