"""Takes a number, a flag, an optional bias and an optional scale in each call, by position and by name.

Class: 13
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, other, step, decoupled, bias=None, scale=1.0):
        y = x / (1 - 0.9**step) + other * (0.1 if decoupled else 0.2)
        if bias is not None:
            y = y + bias
        return y * scale


def get_inputs():
    return [torch.randn(16, 96), torch.randn(16, 96), 7, True]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, other, step, decoupled, bias=None, scale=1.0):
        correction = 1 - 0.9**step
        y = torch.add(x / correction, other, alpha=0.1 if decoupled else 0.2)
        return scale * (y if bias is None else torch.add(y, bias))
"""

_SAYS = "it is wrong with other arguments of a call"
WRONG = [
    (
        "step_of_seven",
        "A step that each call is given is taken to be the problem's own.",
        "0.9**step",
        "0.9**7",
        _SAYS,
    ),
    (
        "flag_of_a_call_ignored",
        "A flag that each call is given is not used.",
        "alpha=0.1 if decoupled else 0.2",
        "alpha=0.1",
        _SAYS,
    ),
    (
        "optional_bias_ignored",
        "An optional tensor that the problem leaves out is accepted and not used.",
        "(y if bias is None else torch.add(y, bias))",
        "y",
        _SAYS,
    ),
    (
        "optional_scale_ignored",
        "An optional number that the problem leaves out is accepted and not used.",
        "return scale * (",
        "return 1 * (",
        _SAYS,
    ),
    (
        "arguments_by_other_names",
        "Its arguments are in the reference's order, and two have each other's name.",
        "other, step, decoupled, bias=None, scale=1.0):\n",
        "other, decoupled, step, bias=None, scale=1.0):\n        step, decoupled = decoupled, step\n",
        _SAYS,
    ),
]
