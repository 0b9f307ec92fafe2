// Whether gradients are recorded.
#pragma once
#include <kernelgate/to_python.h>

namespace c10 {
struct GradMode {
  static bool is_enabled() { return kernelgate::call(kernelgate::torch_attribute("is_grad_enabled")).get() == Py_True; }
};
}  // namespace c10
namespace at {
using c10::GradMode;
}
