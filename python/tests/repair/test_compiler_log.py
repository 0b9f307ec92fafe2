"""The compilers' formats."""

import pytest
from built import measured_log

from kernelgate.repair.compiler_log import MAX_LOG, bounded_log, parse_compiler_log


def check(log: str, expected: list[tuple[str, int, int, str, str]]) -> None:
    found = [
        (each.unit, each.line, each.column, each.severity, each.message) for each in parse_compiler_log(log)
    ]
    assert found == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (
            "001-1",
            [
                (
                    "main.cpp",
                    4,
                    54,
                    "error",
                    "'leaky_relu_cuda' was not declared in this scope;"
                    " did you mean 'PyInit_leaky_relu_cuda'?",
                ),
                ("cuda.cu", 23, 0, "error", 'namespace "at::cuda" has no member "getCurrentCUDAStream"'),
            ],
        ),
        ("header", [("cuda.cu", 5, 10, "error", "cutlass/cutlass.h: No such file or directory")]),
        (
            "check",
            [
                ("cuda.cu", 5, 0, "error", 'identifier "y" is undefined'),
                ("cuda.cu", 8, 0, "error", 'identifier "C10_CUDA_KERNEL_LAUNCH_CHECK" is undefined'),
                ("cuda.cu", 10, 0, "error", 'expected a ";"'),
                ("cuda.cu", 11, 0, "warning", 'missing return statement at end of non-void function "f"'),
            ],
        ),
    ],
)
def test_measured_logs_are_read_and_ninjas_lines_are_not(name, expected):
    check(measured_log(name), expected)


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        # The documented formats, not measured.
        (
            'cuda.cu(5): catastrophic error: cannot open source file "a.h"',
            [("cuda.cu", 5, 0, "error", 'cannot open source file "a.h"')],
        ),
        ("main.cpp(12): error: expected a ;", [("main.cpp", 12, 0, "error", "expected a ;")]),
        ("/a b/main.cpp:3: warning: w", [("main.cpp", 3, 0, "warning", "w")]),
        (
            "\x1b[01m\x1b[Kmain.cpp:3:54:\x1b[m\x1b[K \x1b[31merror: \x1b[mno",
            [("main.cpp", 3, 54, "error", "no")],
        ),
        (
            "nvcc fatal   : Unsupported gpu architecture 'compute_35'",
            [("nvcc", 0, 0, "error", "Unsupported gpu architecture 'compute_35'")],
        ),
        (
            "ptxas error   : Entry function 'k' uses too much shared data",
            [("ptxas", 0, 0, "error", "Entry function 'k' uses too much shared data")],
        ),
        ("/bin/sh: 1: /nonexistent/bin/nvcc: not found", [("nvcc", 0, 0, "error", "not found")]),
        (
            "/usr/bin/ld: cannot find -lcudart: No such file or directory",
            [("ld", 0, 0, "error", "cannot find -lcudart: No such file or directory")],
        ),
        (
            "/usr/bin/ld: cuda.o: in function `S::end() const':\n/torch/pybind11.h:957: multiple definition of "
            "`PyInit_m'; main.o:./main.cpp:2: first defined here",
            [("ld", 0, 0, "error", "multiple definition of `PyInit_m'; main.o:./main.cpp:2: first defined here")],
        ),
        (
            "c++: fatal error: Killed signal terminated program cc1plus",
            [("c++", 0, 0, "error", "Killed signal terminated program cc1plus")],
        ),
        ("ninja: build stopped: subcommand failed.\n[1/2] c++ -c main.cpp\nFAILED: main.o", []),
        ("main.cpp:99999999999999999999:1: error: far", []),
        ("", []),
    ],
)
def test_documented_formats_are_read(log, expected):
    check(log, expected)


def test_many_diagnostics_and_long_lines_are_bounded():
    assert len(parse_compiler_log("main.cpp:1:1: error: e\n" * 5000)) == 200
    assert parse_compiler_log("x" * 1_000_000 + ":1:1: error: e") == []


def test_a_long_log_keeps_both_ends_and_its_number_of_lines():
    log, lines = bounded_log("first\n" + "middle\n" * 10_000 + "last\n")
    assert len(log) <= MAX_LOG
    assert log.startswith("first\n") and log.endswith("\nlast")
    assert lines == 10_002
