"""A fused layer with a backward pass of its own, whose gradients add up in the leaves.

Class: 24
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return x * self.weight * self.weight + self.bias


def get_inputs():
    return [torch.randn(24, 40)]


def get_init_inputs():
    return [40]
"""

HONEST = """
class Fused(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight, bias)
        return x * weight * weight + bias

    @staticmethod
    def backward(ctx, dy):
        x, weight, bias = ctx.saved_tensors
        dz = dy * 1
        return dz * weight * weight, (2 * dz * x * weight).sum(0), dz.sum(0)


class ModelNew(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x):
        return Fused.apply(x, self.weight, self.bias)
"""

WRONG = [
    (
        "bias_gradient_kept_in_the_leaf",
        "Its backward pass writes the gradient of its bias into the leaf, in the place of what is there.",
        "return dz * weight * weight, (2 * dz * x * weight).sum(0), dz.sum(0)",
        "bias.grad = dz.sum(0).detach()\n        return dz * weight * weight, (2 * dz * x * weight).sum(0), None",
        "",
    ),
    (
        "parameter_needs_no_gradient_after_a_call",
        "After a call its bias wants no gradient.",
        "        return Fused.apply(x, self.weight, self.bias)",
        (
            "        out = Fused.apply(x, self.weight, self.bias)\n"
            "        self.bias.requires_grad_(False)\n"
            "        return out"
        ),
        "its gradient is wrong",
    ),
    (
        "input_gradient_taken_away",
        "Each call takes the gradient of its input away.",
        "        return Fused.apply(x, self.weight, self.bias)",
        "        x.grad = None\n        return Fused.apply(x, self.weight, self.bias)",
        "its gradient is wrong",
    ),
    (
        "hook_of_a_parameter_in_each_call",
        "Each call leaves a hook that halves the gradient of its weight.",
        "        return Fused.apply(x, self.weight, self.bias)",
        (
            "        if self.weight.requires_grad:\n"
            "            self.weight.register_hook(lambda g: g * 0.5)\n"
            "        return Fused.apply(x, self.weight, self.bias)"
        ),
        "its gradient is wrong",
    ),
    (
        "second_backward_counts_twice",
        "A second backward pass of one result counts twice.",
        "dz = dy * 1",
        "ctx.times = getattr(ctx, 'times', 0) + 1\n        dz = ctx.times * dy * 1",
        "its gradient is wrong",
    ),
    (
        "hooks_of_parameters_removed",
        "Each call removes the hooks of its parameters.",
        "        return Fused.apply(x, self.weight, self.bias)",
        (
            "        for one in self.parameters():\n"
            "            one._backward_hooks = None\n"
            "        return Fused.apply(x, self.weight, self.bias)"
        ),
        "its gradient is wrong",
    ),
]
