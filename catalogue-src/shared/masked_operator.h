#pragma once

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <c10/cuda/CUDAGuard.h>

#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "dispatch.h"
#include "masked_launch.h"
#include "walk_plan.h"

namespace {

using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// What is only read. PyTorch before 2.1 has one name for what is read and what is written.
template <typename T>
auto read_only(const T& x, int) -> decltype(x.const_data_ptr()) {
  return x.const_data_ptr();
}
template <typename T>
const void* read_only(const T& x, long) {
  return x.data_ptr();
}
const void* data_of(const Tensor& x) { return read_only(x, 0); }

bool differentiates(const Tensor& x) { return x.requires_grad() && at::GradMode::is_enabled(); }

// y[...] = f(x[...]), and the mask where it is defined.
void run_forward(Kind kind, const Tensor& x, const Tensor& y, const Tensor& mask, const Arguments& arguments) {
  if (x.numel() == 0) {
    return;
  }
  const std::optional<Walk> walk = plan_walk(x, y);
  if (!walk) {  // rare: PyTorch's copy gathers the elements, and the kernel works in place on them
    y.copy_(x);
    run_forward(kind, y, y, mask, arguments);
    return;
  }
  const c10::cuda::CUDAGuard guard(x.device());
  const void* in = data_of(x);
  void* out = y.data_ptr();
  const bool packed = dense(*walk) && aligned(in) && aligned(out);
  uint32_t* bits = mask.defined() ? static_cast<uint32_t*>(mask.data_ptr()) : nullptr;
  check(launch_forward(kind, in, out, bits, x.numel(), packed ? nullptr : &*walk, arguments, current_stream()));
}

// The operator and its gradient as PyTorch's dispatcher calls them. `Numbers`: those of its schema, all of them float.
// `Schema` has the names of its three functions, and PyTorch's own operators in place of the first.
template <typename Schema, typename... Numbers>
struct Masked {
  // ---- Through the dispatcher

  static Tensor call_forward(const Tensor& x, Numbers... numbers) {
    static const auto call = op<Tensor(const Tensor&, Numbers...)>(Schema::kForward);
    return call.call(x, numbers...);
  }

  static std::tuple<Tensor, Tensor> call_with_mask(const Tensor& x, Numbers... numbers) {
    static const auto call = op<std::tuple<Tensor, Tensor>(const Tensor&, Numbers...)>(Schema::kWithMask);
    return call.call(x, numbers...);
  }

  static Tensor call_backward(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef stride, Numbers... numbers) {
    static const auto call =
        op<Tensor(const Tensor&, const Tensor&, c10::SymIntArrayRef, Numbers...)>(Schema::kBackward);
    return call.call(grad, mask, stride, numbers...);
  }

  // ---- CUDA

  static Tensor forward(const Tensor& x, Numbers... numbers) {
    const std::optional<Kind> kind = kind_of(x);
    if (!kind) {
      return Schema::pytorch(x, numbers...);  // or PyTorch's own error
    }
    Tensor y = at::empty_like(x);
    run_forward(*kind, x, y, Tensor(), {numbers...});
    return y;
  }

  static std::tuple<Tensor, Tensor> with_mask(const Tensor& x, Numbers... numbers) {
    Tensor y = at::empty_like(x);
    Tensor mask = at::empty({(x.numel() + 31) / 32}, x.options().dtype(at::kInt));
    run_forward(kind_of(x).value(), x, y, mask, {numbers...});
    return {y, mask};
  }

  static Tensor backward(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef stride, Numbers... numbers) {
    Tensor grad_x = at::empty_strided_symint(grad.sym_sizes(), stride, grad.options());
    if (grad.numel() == 0) {
      return grad_x;
    }
    Tensor from = grad;
    std::optional<Walk> walk = plan_walk(from, grad_x);
    if (!walk) {  // as in run_forward
      grad_x.copy_(grad);
      from = grad_x;
      walk = plan_walk(from, grad_x);
    }
    const c10::cuda::CUDAGuard guard(grad.device());
    const void* in = data_of(from);
    void* out = grad_x.data_ptr();
    const bool packed = dense(*walk) && aligned(in) && aligned(out);
    check(launch_backward(kind_of(grad).value(), in, static_cast<const uint32_t*>(data_of(mask)), out, grad.numel(),
                          packed ? nullptr : &*walk, {numbers...}, current_stream()));
    return grad_x;
  }

  // ---- Shapes alone, for torch.compile and torch.export. The sizes may be symbols.

  static Tensor forward_shape(const Tensor& x, Numbers...) { return at::empty_like(x); }

  static std::tuple<Tensor, Tensor> with_mask_shape(const Tensor& x, Numbers...) {
    return {at::empty_like(x), at::empty_symint({(x.sym_numel() + 31) / 32}, x.options().dtype(at::kInt))};
  }

  static Tensor backward_shape(const Tensor& grad, const Tensor&, c10::SymIntArrayRef stride, Numbers...) {
    return at::empty_strided_symint(grad.sym_sizes(), stride, grad.options());
  }

  // ---- Autograd

  // grad_x is linear in grad, with the same mask. So one kind of node is behind the forward and the backward pass, and
  // double backward is this once more.
  struct ByMask : Node {
    SavedVariable mask;
    std::vector<c10::SymInt> stride;
    std::tuple<Numbers...> numbers;

    std::string name() const override { return Schema::kNode; }
    variable_list apply(variable_list&& grads) override {
      const std::lock_guard lock(mutex_);
      if (!grads[0].defined()) {
        return {Tensor()};
      }
      const auto call = [&](auto... each) { return call_backward(grads[0], mask.unpack(), stride, each...); };
      return {std::apply(call, numbers)};
    }
    void release_variables() override {
      const std::lock_guard lock(mutex_);
      mask.reset_data();
    }
  };

  // `to` was made of `from` by the mask.
  static void remember(const Tensor& from, Tensor& to, const Tensor& mask, Numbers... numbers) {
    const auto node = make_node<ByMask>();
    node->set_next_edges(torch::autograd::collect_next_edges(from));
    node->mask = SavedVariable(mask, /*is_output=*/false);
    node->stride = to.sym_strides().vec();
    node->numbers = {numbers...};
    torch::autograd::set_history(to, node);
  }

  static Tensor forward_autograd(const Tensor& x, Numbers... numbers) {
    if (transformed(x)) {
      return Schema::pytorch(x, numbers...);
    }
    if (!differentiates(x)) {
      at::AutoDispatchBelowADInplaceOrView below;
      return call_forward(x, numbers...);
    }
    auto [y, mask] = [&] {
      at::AutoDispatchBelowADInplaceOrView below;
      return call_with_mask(x, numbers...);
    }();
    remember(x, y, mask, numbers...);
    return y;
  }

  static Tensor backward_autograd(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef stride,
                                  Numbers... numbers) {
    Tensor grad_x = [&] {
      at::AutoDispatchBelowADInplaceOrView below;
      return call_backward(grad, mask, stride, numbers...);
    }();
    if (differentiates(grad)) {
      remember(grad, grad_x, mask, numbers...);
    }
    return grad_x;
  }
};

}  // namespace
