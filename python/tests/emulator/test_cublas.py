"""Products of cuBLAS are computed by columns, fail where cuBLAS fails, and a fault in one has its line."""

from __future__ import annotations

from typing import Any

import torch
from support import HEAD, in_worker, load_inline

ARGUMENTS = "torch::Tensor a, torch::Tensor b, torch::Tensor c"
CALL = (
    "cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, b.data_ptr<float>(), n, "
    "a.data_ptr<float>(), k, &beta, c.data_ptr<float>(), n)"
)


def function(name: str, call: str, *, beta: str = "0", sizes: str = "m = a.size(-2), k = a.size(-1)") -> str:
    """`int name(a, b, c)`: what cuBLAS's call says, for a of m x k and b of k x n."""
    return (
        f"int {name}({ARGUMENTS}) {{ int {sizes}, n = c.size(-1); (void)m; (void)k; (void)n;\n"
        "cublasHandle_t handle = at::cuda::getCurrentCUDABlasHandle();\n"
        "cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);\n"
        f"float alpha = 2, beta = {beta};\nreturn {call}; }}\n"
    )


def loaded(functions: dict[str, str]) -> Any:
    names = list(functions)
    cpp = "\n".join(f"int {name}({ARGUMENTS});" for name in names)
    cuda = HEAD + "#include <ATen/cuda/CUDAContext.h>\n" + "\n".join(functions.values())
    return load_inline("blas", cpp, cuda, functions=names, extra_ldflags=["-lcublas"])


FUNCTIONS = {
    "plain": function("plain", CALL),
    "added": function("added", CALL, beta="3"),
    "transposed": function(
        "transposed",
        CALL.replace("_N", "_T").replace("(), n, a", "(), k, a").replace("(), k, &", "(), m, &"),
        sizes="k = a.size(0), m = a.size(1)",
    ),
    "of_pieces": function(
        "of_pieces",
        "cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, b.data_ptr<float>(), n, k * n, "
        "a.data_ptr<float>(), k, m * k, &beta, c.data_ptr<float>(), n, m * n, a.size(0))",
    ),
    "rounded": function("rounded", f"(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH), {CALL})"),
    "in_half": function(
        "in_half",
        "cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &alpha, b.data_ptr(), CUDA_R_16F, n, a.data_ptr(), "
        "CUDA_R_16F, k, &beta, c.data_ptr(), CUDA_R_16F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP)",
    ),
    "of_a_vector": function(
        "of_a_vector",
        "cublasSgemv(handle, CUBLAS_OP_T, k, m, &alpha, a.data_ptr<float>(), k, b.data_ptr<float>(), 1, &beta, "
        "c.data_ptr<float>(), 1)",
    ),
    "narrow": function("narrow", CALL.replace("(), k, &beta", "(), k - 1, &beta")),
}


def test_products_are_those_of_torch(cache):
    torch.manual_seed(0)
    a, b, c = torch.randn(5, 7), torch.randn(7, 3), torch.randn(5, 3)

    def body(emulation: Any) -> list[Any]:
        results = []
        with emulation.active(), emulation.guarded():
            module = loaded(FUNCTIONS)

            def called(name: str, *tensors: torch.Tensor, status: int = 0) -> None:
                given = [tensor.clone().contiguous().cuda() for tensor in tensors]
                assert getattr(module, name)(*given) == status, name
                results.append(given[-1].cpu())

            called("plain", a, b, torch.full((5, 3), torch.nan))  # which beta = 0 does not read
            called("added", a, b, c)
            called("transposed", a.T, b.T, c)
            called("of_pieces", torch.stack([a, -a]), torch.stack([b, b]), torch.stack([c, c]))
            called("rounded", a, b, c)
            called("in_half", a.half(), b.half(), c.half())
            called("of_a_vector", a, b[:, 0], c[:, 0])
            called("narrow", a, b, c, status=7)
        return [results, [fault.text for fault in emulation.findings()], emulation.launches()]

    results, findings, launches = in_worker(cache, body).result()
    tf32 = [((x.view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32) for x in (a, b)]
    wanted = [
        2 * a @ b,
        2 * a @ b + 3 * c,
        2 * a @ b,
        torch.stack([2 * a @ b, -2 * a @ b]),
        2 * tf32[0] @ tf32[1],
        (2 * a.half().float() @ b.half().float()).half(),
        2 * a @ b[:, 0],
        c,
    ]
    for result, right in zip(results, wanted, strict=True):
        torch.testing.assert_close(result, right)
    assert not torch.equal(results[0], results[4])
    assert launches == 7
    assert len(findings) == 1 and "leading dimension of 6 for B, whose columns have 7 elements" in findings[0]


def test_a_product_beyond_its_tensor_has_its_line(cache):
    def body(emulation: Any) -> None:
        with emulation.active(), emulation.guarded():
            loaded(FUNCTIONS).plain(torch.ones(5, 7).cuda(), torch.ones(6, 3).cuda(), torch.ones(5, 3).cuda())

    fault = in_worker(cache, body).fault
    assert fault is not None and fault.unit == "cuda.cu"
    lines = (HEAD + "#include <ATen/cuda/CUDAContext.h>\n" + FUNCTIONS["plain"]).split("\n")
    assert fault.line == 1 + next(n for n, line in enumerate(lines) if CALL in line)
    assert "past the end of a tensor of 72 bytes" in str(fault)


def test_a_product_of_host_memory_is_a_fault(cache):
    def body(emulation: Any) -> None:
        with emulation.active(), emulation.guarded():
            loaded(FUNCTIONS).plain(torch.ones(5, 7), torch.ones(7, 3).cuda(), torch.ones(5, 3).cuda())

    fault = in_worker(cache, body).fault
    assert fault is not None and "host memory" in str(fault)
