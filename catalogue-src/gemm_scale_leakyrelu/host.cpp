#define AT_PER_OPERATOR_HEADERS  // the headers named below, and not those of all operators
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linear.h>

#include <mutex>
#include <string>
#include <utility>

#include "../shared/dispatch.h"
#include "operators.h"

namespace {

// ---- Through the dispatcher

at::Tensor call_operator(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                         double multiplier, double negative_slope, bool keep_split) {
  static const auto call = op<decltype(linear_scale_leaky_relu)>(OPERATOR("linear_scale_leaky_relu"));
  return call.call(x, weight, bias, multiplier, negative_slope, keep_split);
}

at::Tensor call_signs_of(const at::Tensor& y) {
  static const auto call = op<decltype(signs_of)>(OPERATOR("signs_of"));
  return call.call(y);
}

at::Tensor call_by_signs(const at::Tensor& upstream, const at::Tensor& signs, double negative_slope) {
  static const auto call = op<decltype(by_signs)>(OPERATOR("by_signs"));
  return call.call(upstream, signs, negative_slope);
}

// ---- PyTorch's own operators, where there is no kernel here: other devices, vmap, tracing

at::Tensor pytorchs_linear_scale_leaky_relu(const at::Tensor& x, const at::Tensor& weight,
                                            const std::optional<at::Tensor>& bias, double multiplier,
                                            double negative_slope, bool) {
  return at::leaky_relu(at::linear(x, weight, bias).mul(multiplier), negative_slope);
}

at::Tensor pytorchs_signs_of(const at::Tensor& y) { return y.gt(0); }

at::Tensor pytorchs_by_signs(const at::Tensor& upstream, const at::Tensor& signs, double negative_slope) {
  return upstream.where(signs, upstream.mul(negative_slope));
}

// ---- Autograd

// g is linear in the upstream gradient, so its derivative is the same once more.
struct SignsBackward : torch::autograd::Node {
  torch::autograd::SavedVariable signs;
  double negative_slope;

  std::string name() const override { return "LeakyReluBySigns"; }
  torch::autograd::variable_list apply(torch::autograd::variable_list&& upstream) override {
    const std::lock_guard lock(mutex_);
    return {upstream[0].defined() ? call_by_signs(upstream[0], signs.unpack(), negative_slope) : at::Tensor()};
  }
  void release_variables() override {
    const std::lock_guard lock(mutex_);
    signs.reset_data();
  }
};

at::Tensor by_signs_with_gradient(const at::Tensor& upstream, const at::Tensor& signs, double negative_slope) {
  const at::Tensor g = [&] {
    at::AutoDispatchBelowADInplaceOrView below;
    return call_by_signs(upstream, signs, negative_slope);
  }();
  if (torch::autograd::compute_requires_grad(upstream)) {
    const auto node = make_node<SignsBackward>();
    node->set_next_edges(torch::autograd::collect_next_edges(upstream));
    node->signs = torch::autograd::SavedVariable(signs, /*is_output=*/false);
    node->negative_slope = negative_slope;
    torch::autograd::set_history(g, node);
  }
  return g;
}

// a b^T times the multiplier; a (m, k), b (n, k), any strides.
at::Tensor product(const at::Tensor& a, const at::Tensor& b, double multiplier) {
  return call_operator(a, b, std::nullopt, multiplier, /*negative_slope=*/1.0, /*keep_split=*/false);
}

// Up to so many rows of x, splitting the weight takes longer than PyTorch's whole backward pass.
constexpr int64_t kPlainRows = 64;

// dx = g w, dw = g^T x, db = sum of g, each times the multiplier, with g = upstream times the slope at each output;
// negative_slope >= 0, so that the sign of an output tells the sign of what went into the activation.
struct Backward : torch::autograd::Node {
  torch::autograd::SavedVariable x, weight, signs;
  double multiplier, negative_slope;

  std::string name() const override { return "LinearScaleLeakyReluBackward"; }
  torch::autograd::variable_list apply(torch::autograd::variable_list&& upstream) override {
    const std::lock_guard lock(mutex_);
    at::Tensor dx, dw, db;
    if (!upstream[0].defined()) {
      return {dx, dw, db};
    }
    const at::Tensor input = x.unpack(), w = weight.unpack();
    const c10::SymInt n = w.sym_size(0), k = w.sym_size(1), m = input.sym_numel() / k;
    const at::Tensor rows = input.reshape_symint({m, k});
    at::Tensor g = call_by_signs(upstream[0], signs.unpack(), negative_slope).reshape_symint({m, n});
    const bool plain = m <= kPlainRows;
    if (plain) {
      g = g.mul(multiplier);
    }
    if (task_should_compute_output(2)) {
      db = plain ? g.sum(0) : g.sum(0).mul(multiplier);
    }
    if (task_should_compute_output(0)) {
      dx = (plain ? g.mm(w) : product(g, w.t(), multiplier)).view_symint(input.sym_sizes());
    }
    if (task_should_compute_output(1)) {
      dw = plain ? g.t().mm(rows) : product(g.t(), rows.t(), multiplier);
    }
    return {dx, dw, db};
  }
  void release_variables() override {
    const std::lock_guard lock(mutex_);
    x.reset_data();
    weight.reset_data();
    signs.reset_data();
  }
};

at::Tensor with_gradient(const at::Tensor& x, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                         double multiplier, double negative_slope, bool keep_split) {
  const at::Tensor shift = bias.value_or(at::Tensor());
  if (transformed(x) || transformed(weight) || transformed(shift)) {
    return pytorchs_linear_scale_leaky_relu(x, weight, bias, multiplier, negative_slope, keep_split);
  }
  const bool differentiates = torch::autograd::compute_requires_grad(x, weight, shift);
  const auto [y, signs] = [&] {
    at::AutoDispatchBelowADInplaceOrView below;
    const at::Tensor result = call_operator(x, weight, bias, multiplier, negative_slope, keep_split);
    return std::pair(result, differentiates ? call_signs_of(result) : at::Tensor());
  }();
  if (differentiates) {
    const auto node = make_node<Backward>();
    node->set_next_edges(torch::autograd::collect_next_edges(x, weight, shift));
    node->x = torch::autograd::SavedVariable(x, /*is_output=*/false);
    node->weight = torch::autograd::SavedVariable(weight, /*is_output=*/false);
    node->signs = torch::autograd::SavedVariable(signs, /*is_output=*/false);
    node->multiplier = multiplier;
    node->negative_slope = negative_slope;
    torch::autograd::set_history(y, node);
  }
  return y;
}

}  // namespace

LIBRARY(TORCH_EXTENSION_NAME, m) {
  m.def(
      "linear_scale_leaky_relu(Tensor x, Tensor weight, Tensor? bias, float multiplier, float negative_slope, "
      "bool keep_split) -> Tensor");
  m.def("signs_of(Tensor y) -> Tensor");
  m.def("by_signs(Tensor upstream, Tensor signs, float negative_slope) -> Tensor");
  m.def("kept_bytes() -> int", kept_bytes);
  m.def("forget_splits() -> ()", forget_splits);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CUDA, m) {
  m.impl("linear_scale_leaky_relu", linear_scale_leaky_relu);
  m.impl("signs_of", signs_of);
  m.impl("by_signs", by_signs);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Autograd, m) {
  m.impl("linear_scale_leaky_relu", with_gradient);
  m.impl("by_signs", by_signs_with_gradient);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CompositeExplicitAutograd, m) {
  m.impl("linear_scale_leaky_relu", pytorchs_linear_scale_leaky_relu);
  m.impl("signs_of", pytorchs_signs_of);
  m.impl("by_signs", pytorchs_by_signs);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, FuncTorchBatched, m) {
  m.impl("linear_scale_leaky_relu", pytorchs_linear_scale_leaky_relu);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Tracer, m) {
  m.impl("linear_scale_leaky_relu", pytorchs_linear_scale_leaky_relu);
}
