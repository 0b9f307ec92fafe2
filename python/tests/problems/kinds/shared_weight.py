"""Two layers share one weight, which has two names."""

PROBLEM = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 16)
        self.out = nn.Linear(16, 30, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        return self.out(self.emb(ids))


def get_inputs():
    return [torch.randint(0, 30, (4, 9))]
"""

HONEST = """
class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, 16)
        self.out = nn.Linear(16, 30, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        return (self.emb.weight @ self.emb.weight.t())[ids].contiguous()
"""

MISTAKE = ("[ids]", "[ids.flip(-1)]")
SAYS = "reverse order along dimension 1"
DROP_IN = True
