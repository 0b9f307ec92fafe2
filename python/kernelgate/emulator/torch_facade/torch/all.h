// The C++ front end: here, tensors only. torch::nn, torch::autograd and the rest are refused by name.
#pragma once
#include <torch/types.h>

namespace torch {
// Enters Python's torch.no_grad() for its own lifetime.
class NoGradGuard {
 public:
  NoGradGuard() : context_(kernelgate::call(kernelgate::torch_attribute("no_grad"))) {
    kernelgate::call(context_.attribute("__enter__"));
  }
  ~NoGradGuard() {
    PyObject* left = PyObject_CallMethod(context_.get(), "__exit__", "OOO", Py_None, Py_None, Py_None);
    Py_XDECREF(left);
  }
  NoGradGuard(const NoGradGuard&) = delete;

 private:
  kernelgate::Object context_;
};
}  // namespace torch

// A namespace of its own, which hides at::cuda: torch::cuda::getCurrentCUDAStream does not exist in PyTorch either.
namespace torch::cuda {
inline c10::DeviceIndex device_count() { return 1; }
inline bool is_available() { return true; }
inline bool cudnn_is_available() { return false; }
inline void synchronize(int64_t = -1) {}
}  // namespace torch::cuda
