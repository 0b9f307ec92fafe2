"""Gates of the device: work on streams, graphs, devices, and cuBLAS's arithmetic."""

from __future__ import annotations

import pytest
import torch

from judge.candidates import RIGHT_CUDA, cuda_program, forward, verify
from judge.gates.test_gates import HONEST, gate, linear

pytestmark = pytest.mark.gpu


def side_stream(join: str) -> str:
    return forward(
        "if not x.is_cuda:\n    return F.leaky_relu(x, s)\n"
        "stream = torch.cuda.Stream()\nstream.wait_stream(torch.cuda.current_stream())\n"
        f"with torch.cuda.stream(stream):\n    y = F.leaky_relu(x, s)\n{join}return y"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("finished with the stream", side_stream("")),
        (
            "finished with the stream",
            forward(
                "import threading\ny = torch.empty_like(x)\n"
                "def later():\n    with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):\n"
                "        y.copy_(F.leaky_relu(x, s))\n"
                "t = threading.Thread(target=later)\nt.start()\nreturn y"
            ),
        ),
    ],
)
def test_work_that_the_stream_does_not_wait_for_is_seen(name: str, text: str) -> None:
    report = verify(text, device="cuda", shape=(64, 3072))
    assert report.verdict is not None
    assert report.verdict.outcome == "fail", report.verdict.sentence


@pytest.mark.parametrize(
    ("name", "outcome", "text"),
    [
        (
            "non-default stream",
            "fail",
            cuda_program(RIGHT_CUDA).replace("256, 0, c10::cuda::getCurrentCUDAStream()", "256, 0, 0"),
        ),
        (
            "CUDA graph replay",
            "unsupported",
            forward("y = F.leaky_relu(x, s)\ntorch.cuda.synchronize()\nreturn y"),
        ),
        (
            "CUDA graph replay",
            "fail",
            forward(
                "y = F.leaky_relu(x, s)\n"
                "if torch.cuda.is_current_stream_capturing():\n    return self.last.clone()\n"
                "self.last = y\nreturn y"
            ),
        ),
        ("torch.compile fullgraph", "unsupported", cuda_program(RIGHT_CUDA)),
        (
            "torch.compile fullgraph",
            "unsupported",
            forward("print(end='')\nreturn F.leaky_relu(x, s)"),
        ),
        ("torch.export", "unsupported", cuda_program(RIGHT_CUDA)),
    ],
)
def test_a_program_that_breaks_a_gate_of_the_device_is_no_drop_in(name: str, outcome: str, text: str) -> None:
    report = verify(text, device="cuda", shape=(64, 3072))
    assert gate(report, name).outcome == outcome


def test_a_kernel_on_the_wrong_device_is_no_drop_in_and_one_with_a_guard_is() -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    unguarded = cuda_program(RIGHT_CUDA)
    guarded = unguarded.replace(
        "#include <c10/cuda/CUDAStream.h>",
        "#include <c10/cuda/CUDAStream.h>\n#include <c10/cuda/CUDAGuard.h>",
    ).replace("auto dense =", "c10::cuda::CUDAGuard guard(x.device());\n    auto dense =")
    assert gate(verify(unguarded, device="cuda", shape=(64, 3072)), "second device").outcome == "fail"
    assert gate(verify(guarded, device="cuda", shape=(64, 3072)), "second device").outcome == "pass"


def test_honest_programs_hold_every_gate_on_a_gpu() -> None:
    joined = side_stream("torch.cuda.current_stream().wait_stream(stream)\n")
    for text in (HONEST, joined):
        report = verify(text, device="cuda", shape=(64, 3072))
        assert report.verdict is not None
        assert report.verdict.outcome == "pass", report.verdict.sentence
        failed = [g.name for g in report.gates if g.outcome == "fail"]
        assert failed == []
    report = verify(HONEST, device="cuda", shape=(64, 3072), contract="drop-in")
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict.sentence


@pytest.mark.parametrize(
    ("mode", "grade"),
    [("fp32", "fp32"), ("tf32", "TF32 or FP16"), ("fp16", "TF32 or FP16"), ("bf16", "BF16")],
)
def test_cublas_is_named_by_its_arithmetic(mode: str, grade: str) -> None:
    product = {
        "fp32": "self.gemm(x)",
        "tf32": "self.tf32(x)",
        "fp16": "(x.half() @ self.gemm.weight.half().T).float() + self.gemm.bias",
        "bf16": "(x.bfloat16() @ self.gemm.weight.bfloat16().T).float() + self.gemm.bias",
    }[mode]
    text = linear(f"y = {product}\nreturn F.leaky_relu(y * self.multiplier, self.negative_slope)") + (
        "\n    def tf32(self, x):\n"
        "        before = torch.backends.cuda.matmul.allow_tf32\n"
        "        torch.backends.cuda.matmul.allow_tf32 = True\n"
        "        try:\n            return self.gemm(x)\n"
        "        finally:\n            torch.backends.cuda.matmul.allow_tf32 = before\n"
    )
    report = verify(text, problem="gemm_scale_leakyrelu", device="cuda")
    assert report.verdict is not None
    if mode == "fp32":
        assert (report.verdict.outcome, report.arithmetic) == ("pass", "fp32")
    else:
        assert report.verdict.sentence.startswith(f"Wrong result: computed in {grade}: "), (
            report.verdict.sentence
        )
