"""Linear, multiply, LeakyReLU by three FP16 products of cuBLAS with float32 sums: what a split costs with a library.

x = hi + lo / 2048 with hi and lo in FP16, and w alike; x w = hi hi + (hi lo + lo hi) / 2048. The split of the weight is
kept as long as PyTorch counts no change of it. Rows are not scaled, so that small values lose bits.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

SCALE = 2048.0


def split(values):
    hi = values.half()
    return hi, ((values - hi) * SCALE).half()


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope
        self._kept = None

    def forward(self, x):
        weight = self.gemm.weight
        key = weight.data_ptr(), weight._version
        if self._kept is None or self._kept[0] != key:
            self._kept = key, split(weight.detach())
        w_hi, w_lo = self._kept[1]
        x_hi, x_lo = split(x)
        small = torch.mm(x_hi, w_lo.T, out_dtype=torch.float32) + torch.mm(x_lo, w_hi.T, out_dtype=torch.float32)
        y = torch.mm(x_hi, w_hi.T, out_dtype=torch.float32).add_(small, alpha=1 / SCALE) + self.gemm.bias
        return F.leaky_relu(y * self.multiplier, self.negative_slope)
