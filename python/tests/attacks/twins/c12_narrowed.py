"""Rounds to bfloat16 and to float8 as PyTorch does, halves to the even number.

Class: 12
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        eighths = (x.clamp(-200, 200) * 2).to(torch.float8_e4m3fn).float()
        return x.to(torch.bfloat16).float(), eighths


def get_inputs():
    return [torch.randn(64, 96)]
"""

HONEST = """
def rounded(x, step):
    return torch.round(x / step) * step


class ModelNew(nn.Module):
    def forward(self, x):
        wide = x.double()
        step = torch.exp2(torch.floor(torch.log2(wide.abs().clamp_min(2.0**-126))))
        sixteen = rounded(wide, step / 128)
        wide = wide.clamp(-200, 200) * 2
        step = torch.exp2(torch.floor(torch.log2(wide.abs().clamp_min(2.0**-6))))
        return sixteen.float(), rounded(wide, step / 8).float()
"""
WRONG = [
    (
        "float8_halves_upwards",
        "It rounds a number half-way between two of float8 away from zero: one in a million random ones.",
        "rounded(wide, step / 8).float()",
        "(torch.sign(wide) * torch.floor(wide.abs() / (step / 8) + 0.5) * (step / 8)).float()",
        "",
    ),
]
