"""Has a value for each thread and slope, draws that it puts back, another way in inference mode, methods of its own
that do what nn.Module's do, and is not busy after a call that raised.

Class: 25
Problem: leakyrelu
Contract: drop-in
Runs: emulation
Verdict: pass
"""

import threading

import torch
import torch.nn as nn
import torch.nn.functional as F

here = threading.local()
slopes = {}


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = slopes.setdefault(negative_slope, negative_slope)
        self.busy = False

    def forward(self, x):
        if not hasattr(here, "calls"):
            here.calls = 0
        here.calls += 1
        self.busy = True
        try:
            if torch.is_inference_mode_enabled():
                return F.leaky_relu_(x.clone(), slopes[self.negative_slope])
            if not x.requires_grad and here.calls % 2:
                state = torch.default_generator.get_state()
                torch.rand(3, device="cpu")
                torch.default_generator.set_state(state)
            return F.leaky_relu(x, slopes[self.negative_slope])
        finally:
            self.busy = False

    def __call__(self, *args, **kwargs):
        return super().__call__(*args, **kwargs)

    def train(self, mode=True):
        self.training = mode
        return self
