"""Captures a CUDA graph once a shape; every call copies its input in, replays, and returns a copy of the result.

Class: 4
Problem: leakyrelu
Runs: gpu
Verdict: pass
"""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.graphs = {}

    def forward(self, x):
        key = (x.shape, x.dtype, x.stride())
        if key not in self.graphs:
            place = x.clone()
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                y = F.leaky_relu(place, self.negative_slope)
            self.graphs[key] = (graph, place, y)
        graph, place, y = self.graphs[key]
        place.copy_(x)
        graph.replay()
        return y.clone()
