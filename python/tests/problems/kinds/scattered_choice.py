"""The largest of each row go back where they were: of equal ones, top-k may take any. The wrong one takes fewer."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, x):
        values, indices = x.topk(5, -1)
        return torch.zeros_like(x).scatter(-1, indices, values.softmax(-1))


def get_inputs():
    return [torch.randn(30, 64)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, x):
        values, indices = x.sort(dim=-1, descending=True, stable=True)
        values, indices = values[..., :5], indices[..., :5]
        return torch.zeros_like(x).scatter(-1, indices, values.softmax(-1))
"""

MISTAKE = ("values[..., :5], indices[..., :5]", "values[..., :4], indices[..., :4]")
SAYS = "elements differ"
DROP_IN = True
