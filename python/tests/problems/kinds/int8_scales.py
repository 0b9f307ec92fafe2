"""A product of int8 matrices with two scales, which a program multiplies with each other first."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, a, b, rows, columns):
        return (a.float() @ b.float()) * rows * columns


def get_inputs():
    a, b = (torch.randint(-128, 128, shape, dtype=torch.int8) for shape in ((16, 64), (64, 24)))
    return [a, b, torch.rand(16, 1) * 0.01, torch.rand(24) * 0.01]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, a, b, rows, columns):
        return (a.int() @ b.int()).float() * (rows * columns)
"""

MISTAKE = ("(rows * columns)", "rows")
SAYS = "without its mul (2 of 2)"
DROP_IN = "half"
