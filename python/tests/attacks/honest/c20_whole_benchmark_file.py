"""A whole benchmark file: reference, inputs and all, with the candidate under another name first.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

batch_size = 4096
dim = 393216


class Model(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)


class Fast(Model):
    def forward(self, x):
        return torch.ops.aten.leaky_relu(x, self.negative_slope)


ModelNew = Fast


def get_inputs():
    return [torch.rand(batch_size, dim)]


def get_init_inputs():
    return []


if __name__ == "__main__":
    print(ModelNew()(get_inputs()[0]).sum())
