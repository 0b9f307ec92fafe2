"""Prepares its weights again at load_state_dict, but not when an optimizer changes them.

Class: 21
Problem: gemm_scale_leakyrelu
Runs: emulation and gpu
Verdict: fail: it goes on with old parameters after they have changed
"""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope
        self.prepared = None
        self.register_load_state_dict_post_hook(lambda module, keys: setattr(module, "prepared", None))

    def forward(self, x):
        if self.prepared is None or self.prepared[0].dtype != x.dtype:
            self.prepared = (self.gemm.weight * self.multiplier, self.gemm.bias * self.multiplier)
        return F.leaky_relu(F.linear(x, *self.prepared), self.negative_slope)
