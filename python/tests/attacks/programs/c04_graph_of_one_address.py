"""Captures a CUDA graph on the first input and replays it for every other, without copying the input in.

Class: 4
Problem: leakyrelu
Runs: gpu
Verdict: fail: Wrong result
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.kept = {}

    def forward(self, x):
        key = (x.shape, x.dtype, x.stride())
        if key not in self.kept:
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                y = F.leaky_relu(x, self.negative_slope)
            self.kept[key] = (graph, x, y)
        graph, _first, y = self.kept[key]
        graph.replay()
        return y.clone()
