"""Divides with an epsilon beside the root, in three steps of several inputs.

Class: 12
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x, v, w):
        a = x / (torch.sqrt(v * v) + 1e-6)
        b = torch.where(w.abs() < 1e-4, x, x / w)
        c = torch.log(torch.sigmoid(x) + 1e-7) * v
        d = x * torch.rsqrt(v * v + w * w + 1e-5)
        return a, b, c, d


def get_inputs():
    return [torch.randn(48, 64), torch.randn(48, 64), torch.randn(48, 64)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x, v, w):
        a = x / (v.abs() + 1e-6)
        b = torch.where(w.abs() < 1e-4, x, x / w)
        c = torch.log(torch.sigmoid(x) + 1e-7) * v
        d = x * torch.rsqrt(v * v + w * w + 1e-5)
        return a, b, c, d


"""

WRONG = [
    (
        "epsilon_below_the_root",
        "An epsilon beside a root stands below it.",
        "(v.abs() + 1e-6)",
        "torch.sqrt(v * v + 1e-12)",
        "result 1 of 4",
    ),
    (
        "other_bound_of_a_division",
        "A division is left out below a hundredth of the bound.",
        "w.abs() < 1e-4",
        "w.abs() < 1e-6",
        "result 2 of 4",
    ),
    (
        "epsilon_of_a_logarithm_left_out",
        "An epsilon in a logarithm is left out.",
        "torch.sigmoid(x) + 1e-7",
        "torch.sigmoid(x)",
        "result 3 of 4",
    ),
    (
        "epsilon_of_both_ten_times_smaller",
        "An epsilon below a root of two inputs is ten times smaller.",
        "v * v + w * w + 1e-5",
        "v * v + w * w + 1e-6",
        "result 4 of 4",
    ),
    (
        "epsilon_of_one_alone",
        "An epsilon that is added is a bound.",
        "x / (v.abs() + 1e-6)",
        "x / v.abs().clamp_min(1e-6)",
        "result 1 of 4",
    ),
]
