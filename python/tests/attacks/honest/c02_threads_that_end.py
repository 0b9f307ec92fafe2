"""Prepares tables on a pool of threads while it is constructed; the pool has ended before the first call.

Class: 2
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

from concurrent.futures import ThreadPoolExecutor

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        with ThreadPoolExecutor(4) as pool:
            self.block_sizes = dict(pool.map(lambda n: (n, min(n, 256)), (64, 128, 256, 512)))

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
