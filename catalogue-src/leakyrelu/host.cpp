#define AT_PER_OPERATOR_HEADERS  // the headers named below, and not those of all operators
#include <ATen/ops/leaky_relu.h>

#include "types.h"

#include "../shared/masked_operator.h"

namespace {

struct LeakyRelu {
  static constexpr const char* kForward = OPERATOR("leaky_relu");
  static constexpr const char* kWithMask = OPERATOR("leaky_relu_with_mask");
  static constexpr const char* kBackward = OPERATOR("leaky_relu_backward");
  static constexpr const char* kNode = "LeakyReluByMask";

  // PyTorch's own, where there is no kernel here: other devices, vmap, tracing

  static Tensor pytorch(const Tensor& x, double slope) { return at::leaky_relu(x, slope); }

  static std::tuple<Tensor, Tensor> pytorch_with_mask(const Tensor& x, double slope) {
    return {at::leaky_relu(x, slope), x.gt(0)};
  }

  static Tensor pytorch_backward(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef, double slope) {
    return grad.where(mask, grad.mul(slope));
  }
};
using Ours = Masked<LeakyRelu, double>;

}  // namespace

LIBRARY(TORCH_EXTENSION_NAME, m) {
  m.def("leaky_relu(Tensor x, float negative_slope) -> Tensor");
  m.def("leaky_relu_with_mask(Tensor x, float negative_slope) -> (Tensor, Tensor)");
  m.def("leaky_relu_backward(Tensor grad, Tensor mask, SymInt[] stride, float negative_slope) -> Tensor");
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CUDA, m) {
  m.impl("leaky_relu", &Ours::forward);
  m.impl("leaky_relu_with_mask", &Ours::with_mask);
  m.impl("leaky_relu_backward", &Ours::backward);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Meta, m) {
  m.impl("leaky_relu", &Ours::forward_shape);
  m.impl("leaky_relu_with_mask", &Ours::with_mask_shape);
  m.impl("leaky_relu_backward", &Ours::backward_shape);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Autograd, m) {
  m.impl("leaky_relu", &Ours::forward_autograd);
  m.impl("leaky_relu_backward", &Ours::backward_autograd);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CompositeExplicitAutograd, m) {
  m.impl("leaky_relu", &LeakyRelu::pytorch);
  m.impl("leaky_relu_with_mask", &LeakyRelu::pytorch_with_mask);
  m.impl("leaky_relu_backward", &LeakyRelu::pytorch_backward);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, FuncTorchBatched, m) { m.impl("leaky_relu", &LeakyRelu::pytorch); }

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Tracer, m) { m.impl("leaky_relu", &LeakyRelu::pytorch); }
