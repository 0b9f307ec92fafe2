"""What a compiler for GPUs says of a program that runs in emulation: where it refuses for certain, that decides."""

from __future__ import annotations

import pytest

from judge.candidates import forward, verify
from judge.examined import RIGHT, leaky, line_of
from kernelgate.emulator import supported
from kernelgate.nvrtc import library
from kernelgate.report.html import as_html
from kernelgate.report.text import as_text
from kernelgate.run import Limits

pytestmark = [
    pytest.mark.skipif(supported() is not None, reason=f"no emulation here: {supported()}"),
    pytest.mark.skipif(library.nvrtc() is None, reason=library.MISSING),
]

HOST_FUNCTION = (
    "float positive(float v, float slope) { return v > 0 ? v : slope * v; }\n__global__ void leaky"
)
# Macros that no compiler is through with in a minute; g++ does not see them.
ENDLESS = "\n".join(
    ["#ifdef __CUDACC_RTC__", "#define A0 (", "#define B0 )"]
    + [f"#define {side}{i} {side}{i - 1} {side}{i - 1}" for i in range(1, 23) for side in "AB"]
    + ["__device__ int endless = A22 1 B22;", "#endif", "__global__ void leaky"]
)


def test_a_right_program_is_compiled_for_both_architectures_and_its_kernels_are_listed() -> None:
    report = verify(leaky(RIGHT), examine=False, listing=True)
    assert report.verdict is not None and report.verdict.outcome == "pass"
    code = report.device_code
    assert code is not None and code.compiler.startswith("NVRTC ")
    assert [(build.arch, build.state, build.why) for build in code.builds] == [
        ("sm_80", "compiled", ""),
        ("sm_90", "compiled", ""),
    ]
    [on_an_a100] = [kernel for kernel in code.kernels if kernel.arch == "sm_80"]
    assert on_an_a100.name == "leaky"
    assert 0 < on_an_a100.registers < 64
    assert (on_an_a100.threads, on_an_a100.occupancy, on_an_a100.spill_bytes) == (256, 1.0, 0)
    assert "compiles for the A100 (sm_80)" in as_text(report)
    ptx = next(listing for listing in code.listings if listing.kind == "PTX")
    assert ptx.arch == "sm_80" and ".entry" in ptx.text and ptx.lines > 20
    assert "PTX for sm_80" in as_html(report)


def test_a_program_is_judged_and_compiled_for_the_architecture_that_is_asked_for() -> None:
    """Its kernels, its host code and its Python see a T4: by the macro, the device's properties, and torch.cuda."""
    of_a_t4 = "static_assert(__CUDA_ARCH__ == 750);\n__global__ void leaky"
    of_an_a100 = "static_assert(__CUDA_ARCH__ == 800);\n__global__ void leaky"
    text = leaky(RIGHT).replace("__global__ void leaky", of_a_t4)
    seen = "torch.cuda.get_device_capability(), torch.cuda.get_device_properties(0).shared_memory_per_block_optin"
    text = text.replace("import torch\n", f"import torch\nassert ({seen}) == ((7, 5), 64 << 10)\n", 1)
    report = verify(text, examine=False, arch="sm_75")
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert report.device_code is not None
    assert [(build.arch, build.state) for build in report.device_code.builds] == [("sm_75", "compiled")]
    assert "compiles for the T4 (sm_75)" in as_text(report)
    on_an_a100 = verify(leaky(RIGHT).replace("__global__ void leaky", of_an_a100), examine=False, arch="sm_75")
    assert on_an_a100.verdict is not None and on_an_a100.verdict.kind == "build", on_an_a100.verdict


def test_a_kernel_that_calls_a_host_function_fails_in_the_build_at_its_line() -> None:
    text = leaky(RIGHT.replace("v > 0 ? v : slope * v", "positive(v, slope)"))
    text = text.replace("__global__ void leaky", HOST_FUNCTION)
    report = verify(text)
    assert report.verdict is not None and report.failure is not None
    assert (report.verdict.outcome, report.verdict.kind) == ("fail", "build")
    assert report.verdict.sentence == "Does not compile: leaky calls positive, which is for the host alone"
    assert report.failure.where is not None
    assert report.failure.where.line == line_of(text, "= positive(v, slope)")
    assert report.failure.next_step.startswith("Declare positive __device__")
    assert [(stage.name, stage.state) for stage in report.stages] == [
        ("build", "failed"),
        ("check", "not run"),
    ]
    fixed = verify(text.replace("float positive", "__device__ float positive"), examine=False)
    assert fixed.verdict is not None and fixed.verdict.outcome == "pass"


def test_a_program_that_only_gcc_takes_fails_in_the_build_at_its_line() -> None:
    body = "thread_local float last = slope; return v > 0 ? v : last * v;"
    text = leaky(RIGHT.replace("v > 0 ? v : slope * v", "positive(v, slope)"))
    text = text.replace(
        "__global__ void leaky",
        f"__device__ float positive(float v, float slope) {{ {body} }}\n__global__ void leaky",
    )
    report = verify(text)
    assert report.verdict is not None and report.failure is not None and report.failure.where is not None
    assert report.verdict.sentence.startswith("Does not compile for a GPU: cannot use thread_local")
    assert report.failure.where.line == line_of(text, "thread_local")


def test_a_compiler_that_is_kept_busy_decides_nothing() -> None:
    text = leaky(RIGHT).replace("__global__ void leaky", ENDLESS)
    report = verify(text, examine=False, limits=Limits(device_compile_s=1.0))
    assert report.verdict is not None and report.verdict.outcome == "pass"
    assert report.device_code is not None
    assert {(build.state, build.why) for build in report.device_code.builds} == {
        ("not looked at", "NVRTC was ended after 1 s")
    }
    assert "not looked at by a GPU's compiler: NVRTC was ended after 1 s" in " ".join(as_text(report).split())


def test_a_program_without_a_kernel_of_its_own_is_compiled_for_no_device() -> None:
    assert verify(forward("return F.leaky_relu(x, s)")).device_code is None


@pytest.mark.parametrize(
    ("ptx", "kind", "sentence"),
    [
        (
            "maxx.f32 v, v, v;",
            "build",
            "Does not compile for a GPU: inline PTX: Not a name of any known instruction: 'maxx'",
        ),
        ("pmevent 1;", "refused", "Not run: emulation does not cover inline PTX (pmevent)"),
    ],
)
def test_ptx_that_emulation_does_not_cover_fails_where_no_gpu_would_take_it(
    ptx: str, kind: str, sentence: str
) -> None:
    text = leaky(f'asm volatile("{ptx}");\n{RIGHT}')
    report = verify(text)
    assert report.verdict is not None and report.failure is not None and report.failure.where is not None
    assert (report.verdict.kind, report.verdict.sentence) == (kind, sentence)
    assert report.failure.where.line == line_of(text, "asm volatile")
