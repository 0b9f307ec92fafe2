"""A recurrent network with its hidden state as input and result."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(16, 24)

    def forward(self, x, state):
        return self.cell(x, state)


def get_inputs():
    return [torch.randn(6, 8, 16), torch.randn(1, 8, 24)]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRU(16, 24)

    def forward(self, x, state):
        c, h, seen = self.cell, state[0], []
        for step in x:
            ri, zi, ni = F.linear(step, c.weight_ih_l0, c.bias_ih_l0).chunk(3, -1)
            rh, zh, nh = F.linear(h, c.weight_hh_l0, c.bias_hh_l0).chunk(3, -1)
            z = torch.sigmoid(zi + zh)
            h = z * h + (1 - z) * torch.tanh(ni + torch.sigmoid(ri + rh) * nh)
            seen.append(h)
        return torch.stack(seen), h[None]
"""

MISTAKE = ("(ri + rh) * nh", "(ri + rh) * nh.abs()")
SAYS = "result 1 of 2"
DROP_IN = True
