"""Memory of tensors that no longer exist, whose pointers live on in host code."""

from __future__ import annotations

from .case import LAUNCH, Case

_KERNEL = "  if (i < n)\n    y[i] = x[i];  //!\n}"
_LAUNCH = LAUNCH.replace("x.data_ptr<float>()", "p")

CASES = [
    Case(
        "pointer_of_a_temporary",
        "freed",
        _KERNEL,
        (("float* p = torch::relu(x).data_ptr<float>();", "auto r = torch::relu(x); float* p = r.data_ptr<float>();"),),
        launch=f"float* p = torch::relu(x).data_ptr<float>();\n{_LAUNCH}",
    ),
    Case(
        "memory_taken_again",
        "freed",
        _KERNEL,
        (("float* p = (x * 2).data_ptr<float>();", "auto r = x * 2; float* p = r.data_ptr<float>();"),),
        launch=f"float* p = (x * 2).data_ptr<float>(); auto z = x + 1;\n{_LAUNCH}",
    ),
    Case(
        "freed_by_hand",
        "freed",
        _KERNEL,
        (("cudaFree(p);\n", "\n"),),
        launch="float* p; cudaMalloc(&p, n * 4);\n"
        f"cudaMemcpy(p, x.data_ptr<float>(), n * 4, cudaMemcpyDeviceToDevice); cudaFree(p);\n{_LAUNCH}",
    ),
    Case(
        "copied_after_it_was_freed",
        "freed",
        "  if (i < n) y[i] = x[i];\n}",
        (("cudaFree(p);\n", "\n"),),
        launch=f"float* p; cudaMalloc(&p, n * 4);\n{LAUNCH.replace('y.data_ptr<float>()', 'p')} cudaFree(p);\n"
        "cudaMemcpy(y.data_ptr<float>(), p, n * 4, cudaMemcpyDeviceToDevice);  //!",
    ),
    Case(
        "freed_in_its_stream",
        "freed",
        _KERNEL,
        (("cudaFreeAsync(p, 0);\n", "\n"),),
        launch="float* p; cudaMallocAsync(&p, n * 4, 0);\n"
        "cudaMemcpyAsync(p, x.data_ptr<float>(), n * 4, cudaMemcpyDeviceToDevice, 0); cudaFreeAsync(p, 0);\n"
        f"{_LAUNCH}",
    ),
]
