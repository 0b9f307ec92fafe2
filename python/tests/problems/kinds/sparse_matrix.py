"""A sparse matrix by its rows: three tensors whose sizes differ from draw to draw."""

PROBLEM = """
class Model(nn.Module):
    def forward(self, rowptr, cols, vals, x):
        a = torch.sparse_csr_tensor(rowptr, cols, vals, size=(rowptr.numel() - 1, x.shape[0]))
        return a @ x


def get_inputs():
    dense = torch.randn(24, 40) * (torch.rand(24, 40) > 0.2 + 0.6 * torch.rand(()))
    a = dense.to_sparse_csr()
    return [a.crow_indices(), a.col_indices(), a.values(), torch.randn(40, 5)]
"""

HONEST = """
class ModelNew(nn.Module):
    def forward(self, rowptr, cols, vals, x):
        rows = torch.repeat_interleave(torch.arange(rowptr.numel() - 1, device=x.device), rowptr.diff())
        out = torch.zeros(rowptr.numel() - 1, x.shape[1], dtype=x.dtype, device=x.device)
        return out.index_add(0, rows, vals[:, None] * x[cols])
"""

MISTAKE = ("vals[:, None] * x[cols]", "vals[:, None] * x[cols.flip(0)]")
SAYS = "elements differ"
DROP_IN = True
