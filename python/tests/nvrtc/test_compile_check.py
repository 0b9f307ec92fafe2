"""The device compile check: what a GPU's compiler refuses is refused, and what it takes never is."""

from __future__ import annotations

from pathlib import Path

import pytest
from nvrtc.programs import HONEST, NOT_LOOKED_AT, OTHERS_TAKE, REFUSED, Refused
from nvrtc.sources import cuda_sources

from kernelgate.cuda_source.device_part import device_part
from kernelgate.nvrtc import library
from kernelgate.nvrtc.compile_check import check_device_code
from kernelgate.nvrtc.library import MISSING
from kernelgate.tools.cuobjdump import tool

PROGRAMS = sorted((Path(__file__).parents[1] / "emulator" / "programs").glob("*.py"))
HEAVY = ("cooperative_groups", "cub/", "ATen/cuda/Atomic.cuh")  # headers that take seconds each, or are not read

needs_nvrtc = pytest.mark.skipif(library.nvrtc() is None, reason=MISSING)


@needs_nvrtc
@pytest.mark.parametrize("arch", ("sm_80", "sm_90"))
@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_what_no_compiler_for_gpus_takes_is_refused_at_its_line(case: Refused, arch: str) -> None:
    result = check_device_code(case.source, arch)
    assert result.state == "refused", result.why
    assert result.refusal is not None
    assert case.says in result.refusal.what
    assert result.refusal.line == case.line
    assert result.refusal.next_step


@needs_nvrtc
@pytest.mark.parametrize("name", HONEST)
def test_what_nvcc_builds_is_compiled(name: str) -> None:
    result = check_device_code(HONEST[name], "sm_80")
    assert (result.state, result.why, result.refusal) == ("compiled", "", None)
    assert result.kernels and result.cubin_bytes > 0


@needs_nvrtc
@pytest.mark.parametrize("arch", OTHERS_TAKE)
def test_an_instruction_of_a_later_architecture_is_unsupported_and_not_refused(arch: str) -> None:
    result = check_device_code(OTHERS_TAKE[arch], arch)
    assert (result.state, result.refusal) == ("unsupported", None)


@needs_nvrtc
@pytest.mark.parametrize("name", NOT_LOOKED_AT)
def test_what_is_in_doubt_is_not_looked_at_and_says_why(name: str) -> None:
    result = check_device_code(NOT_LOOKED_AT[name], "sm_80")
    assert result.state == "not looked at"
    assert result.why and not result.kernels


@needs_nvrtc
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_no_correct_program_is_refused(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for source, flags in cuda_sources(program, monkeypatch):
        if any(header in source for header in HEAVY):
            continue
        result = check_device_code(source, "sm_90a" if "wgmma" in source else "sm_80", flags)
        assert (result.state, result.why, result.left_out) == ("compiled", "", [])


@needs_nvrtc
def test_what_a_kernel_takes_is_reported_with_its_name_and_its_launch() -> None:
    source = """
    template <typename T, int V> __global__ void __launch_bounds__(512) scale(const T* x, T* y) {
      __shared__ T s[256];
      s[threadIdx.x] = x[threadIdx.x] * V;
      __syncthreads();
      y[threadIdx.x] = s[255 - threadIdx.x];
    }
    __global__ void __launch_bounds__(128, 2) other(float* x) { x[threadIdx.x] = 1; }
    void run(const float* x, float* y, int n) {
      const int threads = 64 * 4;
      scale<float, 4><<<n / threads, threads, threads * sizeof(float)>>>(x, y);
    }
    """
    kernels = {kernel.name: kernel for kernel in check_device_code(source, "sm_80").kernels}
    assert set(kernels) == {"scale<float, 4>", "other"}
    scale, other = kernels["scale<float, 4>"], kernels["other"]
    assert (scale.threads, scale.launched, scale.dynamic_bytes) == (256, True, 1024)
    assert scale.static_shared_bytes == 1024 and 0 < scale.registers < 40
    assert (other.threads, other.launched, other.dynamic_bytes) == (128, False, None)


@needs_nvrtc
def test_a_constant_of_other_constants_is_one_value() -> None:
    source = """
    constexpr int kStageBytes = (128 + 128) * 128;
    constexpr int kStages = (160 << 10) / kStageBytes;
    template <int kCount> __global__ void wait(float* x) {
      extern __shared__ float stage[];
      x[threadIdx.x] = stage[kCount];
    }
    template <int kCount> void launch(float* x) { wait<kCount><<<1, 32, kCount * kStageBytes>>>(x); }
    void run(float* x) { launch<kStages>(x); }
    """
    (kernel,) = check_device_code(source, "sm_80").kernels
    assert (kernel.name, kernel.dynamic_bytes) == ("wait<5>", 160 << 10)


@needs_nvrtc
def test_an_argument_that_a_launching_template_has_by_default_is_one_that_it_is_given() -> None:
    source = """
    template <int kCount, bool kTwice> __global__ void k(float* x) { x[threadIdx.x] *= kTwice ? 2 * kCount : kCount; }
    template <int kCount, bool kTwice = false, int kThreads = 32 * kCount> void launch(float* x) {
      k<kCount, kTwice><<<1, kThreads>>>(x);
    }
    void run(float* x, bool few) { few ? launch<3, true>(x) : launch<5>(x); }
    """
    kernels = {kernel.name: kernel.threads for kernel in check_device_code(source, "sm_80").kernels}
    assert kernels == {"k<3, true>": 96, "k<5, false>": 160}


@needs_nvrtc
def test_spills_are_reported() -> None:
    source = """
    __global__ void __maxnreg__(24) k(float* x) {
      float v[64];
      for (int i = 0; i < 64; i++) v[i] = x[i * 3];
      __syncthreads();
      for (int i = 0; i < 64; i++) x[i * 5] = v[63 - i] * v[i];
    }
    """
    [kernel] = check_device_code(source, "sm_80").kernels
    assert kernel.registers <= 24
    assert kernel.spill_store_bytes > 0 and kernel.spill_load_bytes > 0


@needs_nvrtc
def test_dispatched_types_are_those_of_the_macro() -> None:
    source = """
    #include <torch/extension.h>
    template <typename scalar_t> __global__ void k(const scalar_t* x, scalar_t* y) {
      y[0] = static_cast<scalar_t>(static_cast<float>(x[0]) * 2.0f);
    }
    void run(torch::Tensor x, torch::Tensor y) {
      AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "k", [&] {
        k<scalar_t><<<1, 32>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>());
      });
    }
    """
    assert {kernel.name for kernel in check_device_code(source, "sm_80").kernels} == {
        "k<float>",
        "k<c10::Half>",
    }


@needs_nvrtc
def test_what_another_architecture_has_is_no_failure() -> None:
    source = '__global__ void k() { asm volatile("setmaxnreg.inc.sync.aligned.u32 232;"); }'
    result = check_device_code(source, "sm_80")
    assert result.state == "unsupported"
    assert result.why


@needs_nvrtc
def test_the_programs_own_flags_are_used() -> None:
    source = "#ifdef WIDE\n__global__ void k(float4* x) { x[0] = x[1]; }\n#endif"
    assert check_device_code(source, "sm_80").state == "not looked at"
    assert check_device_code(source, "sm_80", ["-O3", "-DWIDE", "--use_fast_math"]).state == "compiled"


@needs_nvrtc
def test_ptx_is_given_where_it_is_asked_for() -> None:
    source = "__global__ void k(float* x) { x[0] = 1; }"
    assert check_device_code(source, "sm_80").ptx == ""
    listed = check_device_code(source, "sm_80", listing=True)
    assert ".entry _Z1kPf" in listed.ptx
    # Other instructions than those of PTX, where there is a toolkit.
    assert bool(listed.sass) == (tool("nvdisasm") is not None or tool("cuobjdump") is not None)
    assert "STG" in listed.sass or not listed.sass


def test_the_instructions_of_each_line_are_counted_by_kind() -> None:
    source = """#include <torch/extension.h>
__device__ float half_of(float v) {
  return v * 0.1;
}
__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float kept[8];
  for (int j = 0; j < 8; j++)
    kept[j] = x[(i + j) % n];
  if (i < n)
    y[i] = half_of(kept[int(x[i]) & 7]);
}
"""
    lines = {one.line: one.counts for one in check_device_code(source, "sm_80", lines=True).lines}
    assert (lines[9]["global load"], lines[9]["integer division"]) == (8, 8)
    assert lines[9]["local store"] > 0 and "local load" not in lines[9]
    assert (lines[11]["local load"], lines[11]["global store"]) == (1, 1)
    assert (lines[3]["fp64"], lines[3]["conversion"]) == (1, 2)
    assert check_device_code(source, "sm_80").lines == []


def test_without_nvrtc_nothing_is_looked_at_and_the_package_to_install_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    library.nvrtc.cache_clear()
    try:
        result = check_device_code("__global__ void k(float* x) { x[0] = 1; }", "sm_80")
    finally:
        library.nvrtc.cache_clear()
    assert result.state == "not looked at"
    assert "kernelgate[nvrtc]" in result.why


@pytest.mark.parametrize("source", [case.source for case in REFUSED] + list(HONEST.values()))
def test_the_device_part_has_the_lines_of_the_source(source: str) -> None:
    part = device_part(source)
    assert part.text.count("\n") == source.count("\n")
    for line, row in enumerate(part.text.split("\n"), start=1):
        position = part.position(line, 1)
        assert row == "" or position is None or source.count("\n", 0, position) == line - 1


BROKEN = ("{", "}", "template <", "__global__ void k(", "#define A(", "a<<<", "\\", 'R"(', "((((" * 2000)


@pytest.mark.parametrize("text", BROKEN)
def test_broken_text_is_read_without_an_error(text: str) -> None:
    assert check_device_code(text, "sm_80").state in ("not looked at", "refused")
