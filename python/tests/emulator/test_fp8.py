"""8-bit floats are PyTorch's own, bit for bit."""

from __future__ import annotations

from typing import Any

import torch
from support import in_worker, load_inline

SOURCE = """
#include <cuda_fp8.h>
__global__ void convert(const float* x, unsigned char* e4m3, unsigned char* e5m2, float* back, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  __nv_fp8_e4m3 narrow(x[i]);
  e4m3[i] = narrow.__x;
  e5m2[i] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E5M2);
  back[i] = static_cast<float>(narrow);
}
std::vector<torch::Tensor> converted(torch::Tensor x) {
  auto bytes = x.options().dtype(torch::kUInt8);
  auto e4m3 = torch::zeros(x.sizes(), bytes), e5m2 = torch::zeros(x.sizes(), bytes), back = torch::zeros_like(x);
  convert<<<1, 1024>>>(x.data_ptr<float>(), e4m3.data_ptr<unsigned char>(), e5m2.data_ptr<unsigned char>(),
                       back.data_ptr<float>(), x.numel());
  return {e4m3, e5m2, back};
}
"""


def test_conversions_round_as_pytorch_does(cache: Any) -> None:
    torch.manual_seed(0)
    # Every finite number of both, half-way numbers between, and beyond their ranges.
    every = torch.arange(256, dtype=torch.uint8)
    x = torch.cat([every.view(torch.float8_e4m3fn).float(), every.view(torch.float8_e5m2).float()])
    x = x[x.isfinite()]
    x = torch.cat([x, x * 1.0625, torch.tensor([1e9, -1e9, 464, 61440, 1e-12])])[:1024]

    def body(emulation: Any) -> list[torch.Tensor]:
        with emulation.active():
            declared = "std::vector<torch::Tensor> converted(torch::Tensor x);"
            program = load_inline("fp8", declared, SOURCE, functions=["converted"])
            return [one.cpu() for one in program.converted(x.cuda())]

    e4m3, e5m2, back = in_worker(cache, body).result()
    narrow = x.clamp(-448, 448).to(torch.float8_e4m3fn)
    assert torch.equal(e4m3, narrow.view(torch.uint8)) and torch.equal(back, narrow.float())
    assert torch.equal(e5m2, x.clamp(-57344, 57344).to(torch.float8_e5m2).view(torch.uint8))
