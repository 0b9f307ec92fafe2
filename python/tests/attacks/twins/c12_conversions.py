"""Converts to half, to float8 with five bits of exponent, to whole numbers, and from float64.

Class: 12
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        return (x.half().float(), x.clamp(-100, 100).to(torch.float8_e5m2).float(), torch.round(x * 8).to(torch.int8),
                (x * 3).to(torch.int32))


def get_inputs():
    return [torch.randn(64, 96)]
"""

HONEST = """
def rounded(x, step):
    return torch.round(x / step) * step


class ModelNew(nn.Module):
    def forward(self, x):
        wide = x.double().clamp(-100, 100)
        step = torch.exp2(torch.floor(torch.log2(wide.abs().clamp_min(2.0**-14))))
        eight = rounded(wide, step / 4).float()
        return x.to(torch.float16).float(), eight, (x * 8).round().to(torch.int8), torch.trunc(x * 3).to(torch.int32)
"""

WRONG = [
    (
        "float8_e5m2_halves_upwards",
        "It rounds a number half-way between two of float8 away from zero.",
        "eight = rounded(wide, step / 4).float()",
        "eight = (torch.sign(wide) * torch.floor(wide.abs() / (step / 4) + 0.5) * (step / 4)).float()",
        "result 2 of 4",
    ),
    (
        "int8_halves_upwards",
        "It rounds a number half-way between two whole ones up.",
        "(x * 8).round()",
        "(x * 8 + 0.5).floor()",
        "result 3 of 4",
    ),
    (
        "int32_floor",
        "It rounds down where a conversion cuts off.",
        "torch.trunc(x * 3)",
        "torch.floor(x * 3)",
        "result 4 of 4",
    ),
]
