#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include <memory>
#include <type_traits>

// The namespace of the operators is the name of the extension, which holds a hash of this source: another version of
// the program, in the same process, has operators of its own.
#define EXPANDED(text) #text
#define QUOTED(text) EXPANDED(text)
#define OPERATOR(name) QUOTED(TORCH_EXTENSION_NAME) "::" name
// PyTorch's macros paste their arguments as they stand; one step more puts the extension's name in.
#define LIBRARY(name, m) TORCH_LIBRARY(name, m)
#define IMPLEMENTATIONS(name, key, m) TORCH_LIBRARY_IMPL(name, key, m)

namespace {

template <typename Signature>
c10::TypedOperatorHandle<Signature> op(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

// Whether forward-mode differentiation or a transform of torch.func is at work, which know PyTorch's operators alone.
bool transformed(const at::Tensor& x) {
  return c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::FuncTorchDynamicLayerBackMode) ||
         (x.defined() && x._fw_grad(/*level=*/0).defined());
}

// A node of the autograd graph. Its owners are counted by shared_ptr up to PyTorch 2.12, by intrusive_ptr since.
// Nodes are written by hand: the templates of torch::autograd::Function would take g++ half as long again.
template <typename T, typename Owner = decltype(torch::autograd::Edge::function)>
auto make_node() {
  if constexpr (std::is_same_v<Owner, std::shared_ptr<torch::autograd::Node>>) {
    return std::shared_ptr<T>(new T, [](auto* node) { deleteNode(node); });
  } else {
    return c10::make_intrusive<T>();
  }
}

}  // namespace
