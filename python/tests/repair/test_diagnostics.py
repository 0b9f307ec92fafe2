"""Why a candidate does not compile: sentence, place, next step, and a fix only where it is certain."""

import re

import msgspec
import pytest
from built import candidate_of, failed_build, measured, measured_log
from programs import real_program

from kernelgate.repair.diagnostics import explain_compiler
from kernelgate.report.types import Failure

PROTOTYPE = "torch::Tensor f(torch::Tensor x);"
CUDA = "torch::Tensor f(torch::Tensor x) { return x; }\n"


def explained(cpp: str, cuda: str, log: str) -> tuple[str, Failure]:
    candidate = candidate_of(cpp, cuda)
    return explain_compiler(candidate, failed_build(candidate, log))[:2]


@pytest.mark.parametrize(
    ("name", "line", "fix"),
    [
        ("000-0", 40, "torch::Tensor leaky_relu_cuda(torch::Tensor x, float negative_slope);"),
        ("000-2", 41, "torch::Tensor leaky_relu_cuda(torch::Tensor x, float slope);"),
        ("001-0", 34, "torch::Tensor leaky_relu_cuda(torch::Tensor input, float negative_slope);"),
        ("001-1", 35, "torch::Tensor leaky_relu_cuda(torch::Tensor input, float negative_slope);"),
    ],
)
def test_a_real_program_without_a_declaration_is_shown_the_declaration(name, line, fix):
    candidate = real_program(name)
    log = measured_log("001-1" if name == "001-1" else "000-0")
    sentence, failure, *_lacks = explain_compiler(candidate, failed_build(candidate, log))
    assert sentence == "Does not compile: cpp_sources declares no leaky_relu_cuda"
    assert failure.stage == "build"
    assert failure.what.startswith("error: 'leaky_relu_cuda' was not declared in this scope")
    assert failure.where is not None and failure.where.line == line
    assert [each.text.strip() for each in failure.where.excerpt if each.marked] == ['cpp_sources="",']
    assert failure.next_step == "Add this declaration to cpp_sources"
    assert failure.fix == fix
    assert failure.log_lines == log.strip("\n").count("\n") + 1


@pytest.mark.parametrize(
    ("guess", "kept"), [("PyInit_scale", False), ("std::scale_all", False), ("scaled", True)]
)
def test_a_compilers_guess_is_passed_on_only_where_it_is_a_name_of_the_program(guess, kept):
    message = "'scale' was not declared in this scope"
    log = f"main.cpp:4:40: error: {message}; did you mean '{guess}'?"
    _, failure = explained("", "torch::Tensor scaled(torch::Tensor x) { return scale(x); }", log)
    assert failure.what == f"error: {message}" + f"; did you mean '{guess}'?" * kept


def test_the_units_may_end_in_any_order():
    candidate = real_program("001-1")
    failed = failed_build(candidate, measured_log("001-1"))
    turned = msgspec.structs.replace(failed, diagnostics=failed.diagnostics[::-1])
    assert explain_compiler(candidate, failed)[0] == explain_compiler(candidate, turned)[0]


def test_001_1_is_shown_its_include_once_the_declaration_is_there():
    candidate = real_program("001-1")
    failed = failed_build(candidate, measured_log("001-1"))
    cuda_only = [each for each in failed.diagnostics if each.unit == "cuda.cu"]
    sentence, failure, *_lacks = explain_compiler(candidate, msgspec.structs.replace(failed, diagnostics=cuda_only))
    assert sentence == "Does not compile: getCurrentCUDAStream needs <ATen/cuda/CUDAContext.h>"
    assert failure.where is not None and failure.where.line == 25
    assert failure.next_step == "Add this include at the top of cuda_sources"
    assert failure.fix == "#include <ATen/cuda/CUDAContext.h>"


@pytest.mark.parametrize(
    ("name", "sentence", "line", "step", "fix"),
    [
        ("header", "CUTLASS is not installed: there is no cutlass/cutlass.h", 3, "Install it: pip install", None),
        ("check", 'identifier "y" is undefined', 3, "Declare y before this line", None),
        ("nowhere", "no function f is defined", 4, "Define f in cuda_sources, or correct its name", None),
        (
            "guard",
            "OptionalCUDAGuard needs <c10/cuda/CUDAGuard.h>",
            4,
            "Add this include",
            "#include <c10/cuda/CUDAGuard.h>",
        ),
    ],
)
def test_a_measured_failure_names_the_persons_line(name, sentence, line, step, fix):
    found, failure, *_lacks = explain_compiler(*measured(name))
    assert found == f"Does not compile: {sentence}"
    assert failure.where is not None and failure.where.line == line
    assert failure.next_step.startswith(step)
    assert failure.fix == fix


# From here on logs are in the documented format, not measured.


@pytest.mark.parametrize(
    ("cuda", "log", "sentence", "line", "fix"),
    [
        (
            "int a;\n" + CUDA + "void g() { C10_CUDA_KERNEL_LAUNCH_CHECK(); }\n",
            'cuda.cu(7): error: identifier "C10_CUDA_KERNEL_LAUNCH_CHECK" is undefined',
            "C10_CUDA_KERNEL_LAUNCH_CHECK needs <c10/cuda/CUDAException.h>",
            5,
            "#include <c10/cuda/CUDAException.h>",
        ),
        (
            "int a;\n" + CUDA + "auto s = at::cuda::getCurrentCUDAStream();\n",
            "cuda.cu:4:14: error: 'at::cuda' has not been declared\n"
            "    4 | auto s = at::cuda::getCurrentCUDAStream();",
            "getCurrentCUDAStream needs <ATen/cuda/CUDAContext.h>",
            5,
            "#include <ATen/cuda/CUDAContext.h>",
        ),
        (
            "#include <c10/cuda/CUDAException.h>\n" + CUDA + "void g() { C10_CUDA_CHECK(0); }\n",
            'cuda.cu(7): error: identifier "C10_CUDA_CHECK" is undefined',
            'identifier "C10_CUDA_CHECK" is undefined',
            5,
            None,
        ),
        (
            CUDA + "int b = ;\n",
            "cuda.cu(6): error: expected an expression\n  int b = ;\n",
            "expected an expression",
            4,
            None,
        ),
        (
            CUDA + "int b = g<int>();\n",
            "ATen.h:7:3: error: deep inside\ncuda.cu:6:9:   required from here\nninja: build stopped",
            "deep inside",
            4,
            None,
        ),
        (
            CUDA,
            "nvcc fatal   : Unsupported gpu architecture 'compute_35'",
            "this CUDA toolkit does not know sm_35",
            2,
            None,
        ),
        (CUDA, "/bin/sh: 1: /nonexistent/bin/nvcc: not found", "nvcc is not installed", 2, None),
        (
            CUDA,
            "c++: fatal error: Killed signal terminated program cc1plus",
            "the compiler ran out of memory",
            2,
            None,
        ),
        (CUDA, "something went wrong", "the build ended without naming an error", 2, None),
        (CUDA, "", "the build ended without naming an error", 2, None),
    ],
)
def test_an_error_is_explained_at_its_line(cuda, log, sentence, line, fix):
    found, failure = explained(PROTOTYPE, cuda, log)
    assert found == f"Does not compile: {sentence}"
    assert failure.where is not None and failure.where.line == line
    assert failure.fix == fix
    assert failure.what and failure.next_step


UNDECLARED = "main.cpp:3:5: error: 'f' was not declared in this scope"


@pytest.mark.parametrize(
    ("cuda", "sentence", "fix"),
    [
        (CUDA, "cpp_sources declares no f", PROTOTYPE),
        ("struct S {};\ntorch::Tensor f(S x) {}\n", "cpp_sources declares no f", None),
        (CUDA + "torch::Tensor f(int x) {}\n", "cpp_sources declares no f", None),
        ("namespace n { " + CUDA + "}\n", "cpp_sources declares no f", None),
        ("static " + CUDA, "f is static, a template or in an unnamed namespace", None),
        (
            "__global__ void f(float* x) {}\ntorch::Tensor g(torch::Tensor x) {}\n",
            "f is a CUDA kernel, and functions names host functions",
            None,
        ),
        ("torch::Tensor fx(torch::Tensor x) {}\n", "no function f is defined", None),
    ],
    ids=["plain", "own type", "two of a name", "namespace", "static", "kernel", "nowhere"],
)
def test_a_declaration_is_offered_only_where_it_is_certain(cuda, sentence, fix):
    found, failure = explained("", cuda, UNDECLARED)
    assert (found, failure.fix) == (f"Does not compile: {sentence}", fix)


def test_several_missing_declarations_are_offered_together():
    cuda = CUDA + "torch::Tensor b(torch::Tensor g, double s) { return g; }\n"
    candidate = candidate_of("", cuda)
    log = UNDECLARED + "\nmain.cpp:4:5: error: 'b' was not declared in this scope"
    _, failure, *_lacks = explain_compiler(candidate, failed_build(candidate, log, functions=("f", "b")))
    assert failure.fix == f"{PROTOTYPE}\ntorch::Tensor b(torch::Tensor g, double s);"
    assert failure.next_step == "Add these declarations to cpp_sources"


def test_a_hostile_worker_cannot_make_a_failure_that_a_report_refuses():
    candidate = candidate_of(PROTOTYPE, CUDA)
    log = (
        "cuda.cu:-5:0: error: x\ncuda.cu:99999999:1: error: "
        + "\x1b[31m\0" * 900
        + "e" * 1000
        + "\n"
        + "l\n" * 50_000
    )
    failed = failed_build(candidate, log)
    failed = msgspec.structs.replace(failed, call_line=-7, functions=["f" * 2000] * 200, extension="\0")
    sentence, failure, *_lacks = explain_compiler(candidate, failed)
    assert msgspec.json.decode(msgspec.json.encode(failure), type=Failure).log_lines == 50_002
    assert re.match("Does not compile: ", sentence) and len(sentence) <= 600
