"""A table whose rows the call itself makes shorter, in place, where the gradient is asked for as well."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, index, table):
        return F.embedding(index, table, max_norm=1.0)

def get_inputs():
    return [torch.randint(0, 12, (33,)), torch.randn(12, 8)]
"""
HONEST = """
class ModelNew(nn.Module):
    def forward(self, index, table):
        with torch.no_grad():
            norm = table.norm(dim=1, keepdim=True)
            shorter = torch.where(norm > 1, table * (1 / (norm + 1e-7)), table)
            used = torch.bincount(index, minlength=len(table)) > 0
            table.copy_(torch.where(used[:, None], shorter, table))
        return table[index]
"""
CUDA = ""
MISTAKE = ("norm > 1", "norm > 2")
SAYS = "differ"
DROP_IN = "expanded input"
