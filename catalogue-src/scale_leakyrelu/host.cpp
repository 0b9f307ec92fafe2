#define AT_PER_OPERATOR_HEADERS  // the headers named below, and not those of all operators
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/leaky_relu_backward.h>
#include <ATen/ops/mul.h>

#include "prototypes.h"
#include "types.h"

#include "../shared/masked_operator.h"

namespace {

// ---- A number as multiplier

struct ScaleLeakyRelu {
  static constexpr const char* kForward = OPERATOR("scale_leaky_relu");
  static constexpr const char* kWithMask = OPERATOR("scale_leaky_relu_with_mask");
  static constexpr const char* kBackward = OPERATOR("scale_leaky_relu_backward");
  static constexpr const char* kNode = "ScaleLeakyReluByMask";

  // PyTorch's own operators: what the kernels replace, and what runs where there is no kernel here.

  static Tensor pytorch(const Tensor& x, double multiplier, double slope) {
    return at::leaky_relu(at::mul(x, multiplier), slope);
  }

  static std::tuple<Tensor, Tensor> pytorch_with_mask(const Tensor& x, double multiplier, double slope) {
    const Tensor product = at::mul(x, multiplier);
    return {at::leaky_relu(product, slope), product.gt(0)};
  }

  static Tensor pytorch_backward(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef, double multiplier,
                                 double slope) {
    return at::mul(grad.where(mask, at::mul(grad, slope)), multiplier);
  }
};
using ByNumber = Masked<ScaleLeakyRelu, double, double>;

// ---- A tensor as multiplier

Tensor forward_by_op(const Tensor& x, const Tensor& multiplier, double slope) {
  static const auto call = op<Tensor(const Tensor&, const Tensor&, double)>(OPERATOR("scale_leaky_relu_by"));
  return call.call(x, multiplier, slope);
}

std::tuple<Tensor, Tensor> backward_by_op(const Tensor& grad, const Tensor& x, const Tensor& multiplier, double slope) {
  static const auto call = op<std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, const Tensor&, double)>(
      OPERATOR("scale_leaky_relu_by_backward"));
  return call.call(grad, x, multiplier, slope);
}

Tensor pytorch_by(const Tensor& x, const Tensor& multiplier, double slope) {
  return at::leaky_relu(at::mul(x, multiplier), slope);
}

// The gradients by PyTorch's own operators, which differentiate once more.
std::tuple<Tensor, Tensor> pytorch_by_backward(const Tensor& grad, const Tensor& x, const Tensor& multiplier,
                                               double slope) {
  const Tensor inner = at::leaky_relu_backward(grad, at::mul(x, multiplier), slope, /*self_is_result=*/false);
  const Tensor sum = at::mul(inner, x).sum().to(multiplier.scalar_type());
  return {at::mul(inner, multiplier), sum.view_symint(multiplier.sym_sizes())};
}

// Whether the kernels take this multiplier: one floating element on the device of x that changes neither the shape nor
// the dtype of the product.
bool takes(const Tensor& x, const Tensor& multiplier) {
  return x.is_cuda() && multiplier.device() == x.device() && multiplier.sym_numel() == 1 &&
         multiplier.dim() <= x.dim() && kind_of(x) &&
         (multiplier.scalar_type() == x.scalar_type() || (multiplier.dim() == 0 && x.dim() > 0 && kind_of(multiplier)));
}

Tensor forward_by_cuda(const Tensor& x, const Tensor& multiplier, double slope) {
  if (!takes(x, multiplier)) {
    return pytorch_by(x, multiplier, slope);
  }
  const Tensor own = multiplier.to(x.scalar_type());
  Tensor y = at::empty_like(x);
  run_forward(kind_of(x).value(), x, y, Tensor(), {0.0, slope, data_of(own)});
  return y;
}

std::tuple<Tensor, Tensor> backward_by_cuda(const Tensor& grad, const Tensor& x, const Tensor& multiplier,
                                            double slope) {
  const Kind kind = kind_of(x).value();
  const Tensor own = multiplier.to(x.scalar_type());
  Tensor grad_x = at::empty_like(x);
  // Where x and the gradient do not lie alike and dense, they are brought there first, at the price of a pass each.
  const auto alike = [&](const Tensor& a) {
    const std::optional<Walk> walk = plan_walk(a, grad_x);
    return walk && dense(*walk) && aligned(data_of(a)) ? a : at::empty_like(grad_x).copy_(a);
  };
  const Tensor from = alike(grad), at_x = alike(x);
  const c10::cuda::CUDAGuard guard(x.device());
  int blocks = 0;
  check(launch_blocks(&blocks));
  const int64_t needed = (x.numel() + 1023) / 1024;
  blocks = needed < blocks ? static_cast<int>(needed) : blocks;
  const auto wide = kind == Kind::Double ? at::kDouble : at::kFloat;
  Tensor parts = at::empty({blocks}, x.options().dtype(wide));
  if (blocks > 0) {
    check(launch_backward_both(kind, data_of(from), data_of(at_x), grad_x.data_ptr(), parts.data_ptr(), blocks,
                               x.numel(), data_of(own), slope, current_stream()));
  }
  return {grad_x, parts.sum().to(multiplier.scalar_type()).view(multiplier.sizes())};
}

Tensor forward_by_meta(const Tensor& x, const Tensor& multiplier, double) {
  return takes(x, multiplier) ? at::empty_like(x) : at::empty_like(at::mul(x, multiplier));
}

std::tuple<Tensor, Tensor> backward_by_meta(const Tensor&, const Tensor& x, const Tensor& multiplier, double) {
  return {at::empty_like(x), at::empty_like(multiplier)};
}

struct ByTensor : Node {
  SavedVariable x, multiplier;
  double slope;

  std::string name() const override { return "ScaleLeakyReluByTensor"; }
  variable_list apply(variable_list&& grads) override {
    const std::lock_guard lock(mutex_);
    if (!grads[0].defined()) {
      return {Tensor(), Tensor()};
    }
    const auto backward = at::GradMode::is_enabled() ? &pytorch_by_backward : &backward_by_op;
    const auto [grad_x, grad_m] = backward(grads[0], x.unpack(), multiplier.unpack(), slope);
    return {grad_x, grad_m};
  }
  void release_variables() override {
    const std::lock_guard lock(mutex_);
    x.reset_data();
    multiplier.reset_data();
  }
};

Tensor forward_by_autograd(const Tensor& x, const Tensor& multiplier, double slope) {
  if (transformed(x) || transformed(multiplier) || !takes(x, multiplier)) {
    return pytorch_by(x, multiplier, slope);
  }
  Tensor y = [&] {
    at::AutoDispatchBelowADInplaceOrView below;
    return forward_by_op(x, multiplier, slope);
  }();
  // Where the multiplier wants no gradient, x gets its own with the same pass; the sum is then made for nothing.
  if (differentiates(x) || differentiates(multiplier)) {
    const auto node = make_node<ByTensor>();
    node->set_next_edges(torch::autograd::collect_next_edges(x, multiplier));
    node->x = SavedVariable(x, /*is_output=*/false);
    node->multiplier = SavedVariable(multiplier, /*is_output=*/false);
    node->slope = slope;
    torch::autograd::set_history(y, node);
  }
  return y;
}

std::tuple<Tensor, Tensor> backward_by_autograd(const Tensor& grad, const Tensor& x, const Tensor& multiplier,
                                                double slope) {
  if (differentiates(grad) || differentiates(x) || differentiates(multiplier)) {
    return pytorch_by_backward(grad, x, multiplier, slope);
  }
  at::AutoDispatchBelowADInplaceOrView below;
  return backward_by_op(grad, x, multiplier, slope);
}

}  // namespace

LIBRARY(TORCH_EXTENSION_NAME, m) {
  m.def("scale_leaky_relu(Tensor x, float multiplier, float negative_slope) -> Tensor");
  m.def("scale_leaky_relu_with_mask(Tensor x, float multiplier, float negative_slope) -> (Tensor, Tensor)");
  m.def(
      "scale_leaky_relu_backward(Tensor grad, Tensor mask, SymInt[] stride, float multiplier, float negative_slope)"
      " -> Tensor");
  m.def("scale_leaky_relu_by(Tensor x, Tensor multiplier, float negative_slope) -> Tensor");
  m.def(
      "scale_leaky_relu_by_backward(Tensor grad, Tensor x, Tensor multiplier, float negative_slope)"
      " -> (Tensor, Tensor)");
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CUDA, m) {
  m.impl("scale_leaky_relu", &ByNumber::forward);
  m.impl("scale_leaky_relu_with_mask", &ByNumber::with_mask);
  m.impl("scale_leaky_relu_backward", &ByNumber::backward);
  m.impl("scale_leaky_relu_by", &forward_by_cuda);
  m.impl("scale_leaky_relu_by_backward", &backward_by_cuda);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Meta, m) {
  m.impl("scale_leaky_relu", &ByNumber::forward_shape);
  m.impl("scale_leaky_relu_with_mask", &ByNumber::with_mask_shape);
  m.impl("scale_leaky_relu_backward", &ByNumber::backward_shape);
  m.impl("scale_leaky_relu_by", &forward_by_meta);
  m.impl("scale_leaky_relu_by_backward", &backward_by_meta);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Autograd, m) {
  m.impl("scale_leaky_relu", &ByNumber::forward_autograd);
  m.impl("scale_leaky_relu_backward", &ByNumber::backward_autograd);
  m.impl("scale_leaky_relu_by", &forward_by_autograd);
  m.impl("scale_leaky_relu_by_backward", &backward_by_autograd);
}

// PyTorch's own operators where there is no kernel here: other devices, vmap, tracing.
IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CompositeExplicitAutograd, m) {
  m.impl("scale_leaky_relu", &ScaleLeakyRelu::pytorch);
  m.impl("scale_leaky_relu_with_mask", &ScaleLeakyRelu::pytorch_with_mask);
  m.impl("scale_leaky_relu_backward", &ScaleLeakyRelu::pytorch_backward);
  m.impl("scale_leaky_relu_by", &pytorch_by);
  m.impl("scale_leaky_relu_by_backward", &pytorch_by_backward);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, FuncTorchBatched, m) {
  m.impl("scale_leaky_relu", &ScaleLeakyRelu::pytorch);
  m.impl("scale_leaky_relu_by", &pytorch_by);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Tracer, m) {
  m.impl("scale_leaky_relu", &ScaleLeakyRelu::pytorch);
  m.impl("scale_leaky_relu_by", &pytorch_by);
}
