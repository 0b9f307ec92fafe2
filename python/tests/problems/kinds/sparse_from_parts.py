"""A sparse matrix of indices and values that are given, times a dense one."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, indices, values, x):
        return torch.sparse.mm(torch.sparse_coo_tensor(indices, values, (64, x.shape[0])), x)

def get_inputs():
    rows, columns = torch.randint(0, 64, (200,)), torch.randint(0, 48, (200,))
    return [torch.stack([rows, columns]), torch.randn(200), torch.randn(48, 16)]
"""
HONEST = """
class ModelNew(nn.Module):
    def forward(self, indices, values, x):
        result = x.new_zeros(64, x.shape[1])
        return result.index_add_(0, indices[0], values[:, None] * x[indices[1]])
"""
CUDA = ""
MISTAKE = ("values[:, None] * x", "values[:, None].abs() * x")
SAYS = "differ"
DROP_IN = "differs under autocast"
