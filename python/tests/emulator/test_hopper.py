"""The catalogue's product for an H100 runs in emulation: TMA, mbarriers, clusters and wgmma, at a small size."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from support import in_worker

from kernelgate.emulator import Emulation

pytestmark = pytest.mark.drawn

PRODUCT = Path(__file__).parents[2] / "kernelgate/catalogue/gemm_scale_leakyrelu/model_new.py"


def test_the_product_for_an_h100_has_the_accuracy_of_float32(cache, monkeypatch):
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0a")

    def body(emulation: Emulation) -> tuple[float, bool]:
        names: dict[str, object] = {"__name__": "candidate"}
        torch.manual_seed(1)
        with emulation.active(), emulation.guarded():
            exec(compile(PRODUCT.read_text(), "model_new.py", "exec"), names)
            layer = names["ModelNew"](72, 140, 2.0, 0.1).cuda()  # type: ignore[operator]
            x = torch.randn(130, 72).cuda()
            y = layer(x)
            is_for_hopper = "wgmma" in "".join(names["_build_plan"]()[0])  # type: ignore[operator]
        x, w, b = (t.detach().cpu().double() for t in (x, layer.gemm.weight, layer.gemm.bias))
        right = torch.nn.functional.leaky_relu((x @ w.T + b) * 2.0, 0.1)
        return ((y.cpu().double() - right).norm() / right.norm()).item(), is_for_hopper

    error, is_for_hopper = in_worker(cache, body).result()
    assert is_for_hopper
    assert error < 3e-7
