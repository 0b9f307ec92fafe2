"""What a program's C++ registers with PyTorch works in emulation: operators, and functions and nodes of autograd."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from support import in_worker, load_inline

from kernelgate.emulator import Emulation

pytestmark = pytest.mark.drawn

OPERATORS = """
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <c10/util/Exception.h>
#include <torch/library.h>

at::Tensor twice(const at::Tensor& x) { return x.mul(2); }
std::tuple<at::Tensor, int64_t> both(const at::Tensor& x, double by, int64_t n, std::optional<at::Tensor> other) {
  return {x.mul(by).add(other ? *other : x), n + 1};
}
at::Tensor refuses(const at::Tensor& x) { TORCH_CHECK(false, "not ", x.numel()); }
at::Tensor shape_of(const at::Tensor& x) { return at::empty_like(x); }

// An implementation may stand before its definition.
TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME_GIVEN, CUDA, m) { m.impl("twice", &twice); }
TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME_GIVEN, Meta, m) { m.impl("twice", &shape_of); }
TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME_GIVEN, FuncTorchBatched, m) { m.impl("twice", &refuses); }
TORCH_LIBRARY(TORCH_EXTENSION_NAME_GIVEN, m) {
  m.def("twice(Tensor x) -> Tensor");
  m.def("both", &both);
}
TORCH_LIBRARY_FRAGMENT(TORCH_EXTENSION_NAME_GIVEN, m) { m.def("refuses(Tensor x) -> Tensor", &refuses); }
"""

FUNCTION = """
#include <ATen/core/Tensor.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

struct Scaled : torch::autograd::Function<Scaled> {
  static torch::autograd::tensor_list forward(torch::autograd::AutogradContext* ctx, const at::Tensor& x, double by,
                                              std::optional<at::Tensor> shift) {
    ctx->save_for_backward({x, shift ? *shift : at::Tensor()});
    ctx->saved_data["by"] = by;
    ctx->saved_data["sizes"] = x.sizes();
    return {x.mul(x).mul(by), x.neg()};
  }
  static torch::autograd::tensor_list backward(torch::autograd::AutogradContext* ctx,
                                               torch::autograd::tensor_list grads) {
    const auto saved = ctx->get_saved_variables();
    TORCH_CHECK(saved.size() == 2 && !saved[1].defined());
    TORCH_CHECK(ctx->needs_input_grad(0) && !ctx->needs_input_grad(2));
    TORCH_CHECK(ctx->saved_data["sizes"].toIntVector().size() == 1);
    const double by = ctx->saved_data["by"].toDouble();
    return {grads[0].mul(saved[0]).mul(2 * by).sub(grads[1]), at::Tensor(), at::Tensor()};
  }
};
std::tuple<at::Tensor, at::Tensor> scaled(const at::Tensor& x, double by) {
  const auto both = Scaled::apply(x, by, std::optional<at::Tensor>());
  return {both[0], both[1]};
}
TORCH_LIBRARY(TORCH_EXTENSION_NAME_GIVEN, m) { m.def("scaled(Tensor x, float by) -> (Tensor, Tensor)", &scaled); }
"""


NODE = """
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <mutex>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

using torch::autograd::SavedVariable;

// y = x w, and exp(y) of the two: what the gradient needs is an input and, for exp, the result.
struct Backward : torch::autograd::Node {
  SavedVariable x, w, result;
  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    const std::lock_guard lock(mutex_);
    if (!grads[0].defined()) return {at::Tensor(), at::Tensor(), at::Tensor()};
    const at::Tensor g = grads[0].mul(result.unpack(getptr()));
    TORCH_CHECK(!task_should_compute_output(2));
    return {task_should_compute_output(0) ? g.mul(w.unpack()) : at::Tensor(),
            task_should_compute_output(1) ? g.mul(x.unpack()) : at::Tensor(), at::Tensor()};
  }
  void release_variables() override { x.reset_data(), w.reset_data(), result.reset_data(); }
};
at::Tensor exp_of_product(const at::Tensor& x, const at::Tensor& w) {
  at::Tensor y;
  {
    at::AutoDispatchBelowADInplaceOrView below;
    y = x.mul(w).exp();
  }
  if (torch::autograd::compute_requires_grad(x, w)) {
    std::shared_ptr<Backward> node(new Backward, [](auto* made) { deleteNode(made); });
    node->set_next_edges(torch::autograd::collect_next_edges(x, w, at::Tensor()));
    node->x = SavedVariable(x, false);
    node->w = SavedVariable(w, false);
    torch::autograd::set_history(y, node);
    node->result = SavedVariable(y, true);
  }
  return y;
}
TORCH_LIBRARY(TORCH_EXTENSION_NAME_GIVEN, m) { m.def("exp_of_product(Tensor x, Tensor w) -> Tensor"); }
TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME_GIVEN, Autograd, m) { m.impl("exp_of_product", &exp_of_product); }
"""


def loaded(name: str, source: str) -> Any:
    """The namespace of the operators that the source registers."""
    text = source.replace("TORCH_EXTENSION_NAME_GIVEN", name)
    load_inline(name, text, "", is_python_module=False, no_implicit_headers=True)
    return getattr(torch.ops, name)


def test_operators_are_called_by_torch_ops(cache: Path) -> None:
    def body(emulation: Emulation) -> Any:
        with emulation.active():
            ops = loaded("kg_called", OPERATORS)
            x = torch.ones(3)
            result, number = ops.both(x, 2.0, 7, None)
            meta = ops.twice(torch.ones(5, device="meta"))
            return (
                ops.twice(x).tolist(),
                result.tolist(),
                number,
                tuple(meta.shape),
                str(ops.both.default._schema),
            )

    twice, result, number, shape, schema = in_worker(cache, body).result()
    assert (twice, result, number, shape) == ([2.0] * 3, [3.0] * 3, 8, (5,))
    assert schema == "kg_called::both(Tensor _0, float _1, int _2, Tensor? _3) -> (Tensor, int)"


def test_an_error_in_an_operator_reaches_python_with_its_words(cache: Path) -> None:
    def body(emulation: Emulation) -> None:
        with emulation.active():
            loaded("kg_refusing", OPERATORS).refuses(torch.ones(3))

    error = in_worker(cache, body).error
    assert error is not None and error.startswith("RuntimeError: not 3")


def test_a_namespace_that_is_taken_is_an_error_as_with_torch(cache: Path) -> None:
    def body(emulation: Emulation) -> None:
        with emulation.active():
            loaded("kg_taken", OPERATORS)
            again = "#include <torch/library.h>\nTORCH_LIBRARY(kg_taken, m) {}"
            load_inline("another", again, "", is_python_module=False)

    error = in_worker(cache, body).error
    assert (
        error is not None
        and "Only a single TORCH_LIBRARY can be used to register the namespace kg_taken" in error
    )


def test_a_function_with_a_backward_of_its_own_is_differentiated(cache: Path) -> None:
    def body(emulation: Emulation) -> Any:
        with emulation.active():
            ops = loaded("kg_differentiated", FUNCTION)
            x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
            first, second = ops.scaled(x, 3.0)
            (first.sum() + second.sum()).backward()
            return (
                first.tolist(),
                x.grad.tolist(),
                torch.autograd.gradcheck(lambda v: ops.scaled(v, 3.0), (x,)),
            )

    assert in_worker(cache, body).result() == ([3.0, 12.0], [5.0, 11.0], True)


def test_a_node_of_autograd_gets_what_it_saved_and_knows_what_is_wanted(cache: Path) -> None:
    def body(emulation: Emulation) -> Any:
        with emulation.active():
            function = loaded("kg_node", NODE).exp_of_product
            x, w = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in ([0.5, -1.0], [2.0, 0.25]))
            correct = torch.autograd.gradcheck(function, (x, w))
            kept = []
            with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t.tolist()) or t, lambda t: t):
                function(x, w.detach()).sum().backward()
            plain = function(x.detach(), w.detach())
            return correct, kept, x.grad.tolist(), (w.detach() * plain).tolist(), plain.requires_grad

    correct, kept, gradient, right, plain_wants = in_worker(cache, body).result()
    assert correct and kept == [[0.5, -1.0], [2.0, 0.25]] and gradient == right and not plain_wants


def test_what_a_node_saves_late_is_its_own(cache: Path) -> None:
    saves_w, history = "    node->w = SavedVariable(w, false);\n", "    torch::autograd::set_history(y, node);\n"
    late = NODE.replace(saves_w, "").replace(history, history + saves_w)

    def body(emulation: Emulation) -> Any:
        with emulation.active():
            function = loaded("kg_node_late", late).exp_of_product
            x, w = (torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in ([0.5, -1.0], [2.0, 0.25]))
            chained = function(function(x, w), w)
            other = (x * w).exp()
            right = (other * w).exp()
            return torch.autograd.grad(chained.sum(), (x, w)), torch.autograd.grad(right.sum(), (x, w))

    ours, right = in_worker(cache, body).result()
    torch.testing.assert_close(ours, right)


def test_a_node_refuses_what_pytorch_refuses(cache: Path) -> None:
    def body(emulation: Emulation) -> list[str]:
        with emulation.active():
            function = loaded("kg_node_refuses", NODE).exp_of_product
            said = []
            x, w = torch.ones(2, requires_grad=True), torch.ones(2)
            used, changed = function(x, w).sum(), function(x, w).sum()
            used.backward()
            w.add_(1)
            for result in (used, changed):
                try:
                    result.backward()
                except RuntimeError as error:
                    said.append(str(error))
            return said

    twice, changed = in_worker(cache, body).result()
    assert "backward through the graph a second time" in twice
    assert "modified by an inplace operation" in changed
