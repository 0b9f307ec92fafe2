"""Adds up the gradients of an embedding's rows, also of one that several tokens share.

Class: 13
Contract: problem
Runs: emulation and gpu
"""

PROBLEM = """
class Model(nn.Module):
    def forward(self, tokens, gradient):
        rows = torch.zeros(50000, gradient.shape[-1], device=gradient.device, dtype=gradient.dtype)
        return rows.index_add(0, tokens, gradient)


def get_inputs():
    return [torch.randint(0, 50000, (44,)), torch.randn(44, 4)]
"""

HONEST = """
from torch.utils.cpp_extension import load_inline

SOURCE = r'''
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

__global__ void add_rows(const long* tokens, const float* gradient, float* rows, int count, int width) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count * width) atomicAdd(&rows[tokens[i / width] * width + i % width], gradient[i]);
}

torch::Tensor embedding_gradient(torch::Tensor tokens, torch::Tensor gradient, int64_t size) {
    auto dense = gradient.contiguous();
    auto places = tokens.contiguous();
    auto rows = torch::zeros({size, dense.size(1)}, dense.options());
    int count = dense.size(0), width = dense.size(1);
    add_rows<<<(count * width + 127) / 128, 128, 0, c10::cuda::getCurrentCUDAStream()>>>(
        places.data_ptr<int64_t>(), dense.data_ptr<float>(), rows.data_ptr<float>(), count, width);
    return rows;
}
'''
ext = load_inline(
    name="embedding_gradient_twins",
    cpp_sources="torch::Tensor embedding_gradient(torch::Tensor tokens, torch::Tensor gradient, int64_t size);",
    cuda_sources=SOURCE,
    functions=["embedding_gradient"],
)


class ModelNew(nn.Module):
    def forward(self, tokens, gradient):
        return ext.embedding_gradient(tokens, gradient, 50000)
"""
_ADDED = "atomicAdd(&rows[tokens[i / width] * width + i % width], gradient[i]);"

WRONG = [
    (
        "embedding_gradient_without_atomics",
        "It adds without atomics: tokens that two threads share hardly ever come up among 50,000.",
        _ADDED,
        "rows[tokens[i / width] * width + i % width] += gradient[i];",
        "",
    ),
    (
        "embedding_gradient_written_over",
        "It writes, and does not add: tokens that come twice hardly ever come up among 50,000.",
        _ADDED,
        "rows[tokens[i / width] * width + i % width] = gradient[i];",
        "",
    ),
]
