"""A step of AdamW on four inputs, with the epsilon beside the root.

Class: 12
Contract: drop-in
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, p, g, m, v):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        return p * (1 - 1e-5) - 1e-3 * m / (v.sqrt() + 1e-8)


def get_inputs():
    return [torch.randn(64, 96), torch.randn(64, 96), torch.randn(64, 96), torch.rand(64, 96) + 0.01]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, p, g, m, v):
        m = torch.lerp(m, g, 0.1)
        v = torch.addcmul(0.999 * v, g, g, value=0.001)
        return torch.addcdiv(p * (1 - 1e-5), m, torch.sqrt(v) + 1e-8, value=-1e-3)
"""

WRONG = [
    (
        "adam_epsilon_under_the_root",
        "The epsilon stands under the root, which numbers of about 1 do not show.",
        "torch.sqrt(v) + 1e-8",
        "torch.sqrt(v + 1e-8)",
        "wrong on tiny input",
    ),
    (
        "adam_epsilon_left_out",
        "It has a hundred times the epsilon, which numbers of about 1 do not show.",
        "torch.sqrt(v) + 1e-8",
        "torch.sqrt(v) + 1e-6",
        "wrong on tiny input",
    ),
]
