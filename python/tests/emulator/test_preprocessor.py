"""Lines that the preprocessor drops for certain are blanked, all others stay."""

from __future__ import annotations

import pytest

from kernelgate.cuda_source.preprocessor import without_dropped_lines


def kept(source: str, **options: object) -> str:
    """The letters that are left, of lines that are letters."""
    lines = without_dropped_lines(source, **options).splitlines()
    return "".join(line for line in lines if line.strip().isalpha())


CASES = {
    "zero": ("#if 0\na\n#else\nb\n#endif\nc", "bc"),
    "one": ("#if 1\na\n#else\nb\n#endif", "a"),
    "architecture": ("#if __CUDA_ARCH__ >= 900\na\n#elif __CUDA_ARCH__ >= 800\nb\n#else\nc\n#endif", "b"),
    "defined": ("#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ < 700)\na\n#endif\nb", "b"),
    "ifdef of what nvcc defines": ("#ifdef __CUDACC__\na\n#else\nb\n#endif", "a"),
    "ifdef of what torch never defines": ("#ifdef USE_ROCM\na\n#endif\nb", "b"),
    "own macro": ("#define N 2\n#if N == 2\na\n#else\nb\n#endif", "a"),
    "own macro taken back": ("#define N\n#undef N\n#ifdef N\na\n#endif\nb", "b"),
    "nested": ("#if 0\n#if 1\na\n#endif\nb\n#endif\nc", "c"),
    "a name a header may define": ("#ifndef INFINITY\na\n#endif\nb", "ab"),
    "a macro defined in a branch that may be taken": (
        "#ifdef X\n#define N 1\n#endif\n#if N\na\n#else\nb\n#endif",
        "ab",
    ),
    "a macro that is an expression": ("#define N (M + 1)\n#if N > 2\na\n#else\nb\n#endif", "ab"),
    "or with an undecided side": ("#if 1 || X\na\n#else\nb\n#endif", "a"),
    "and with an undecided side": ("#if 0 && X\na\n#else\nb\n#endif", "b"),
    "in a comment": ("/*\n#if 0\n*/\na", "a"),
    "condition over two lines": ("#if 0 && \\\n 1\na\n#endif\nb", "b"),
    "broken condition": ("#if ((\na\n#endif\nb", "ab"),
    "without an end": ("a\n#if 0\nb", "a"),
    "an end too many": ("#endif\na", "a"),
}


@pytest.mark.parametrize("case", CASES)
def test_only_lines_dropped_for_certain_go(case):
    source, expected = CASES[case]
    assert kept(source) == expected
    assert without_dropped_lines(source).count("\n") == source.count("\n")
    assert len(without_dropped_lines(source)) == len(source)


def test_flags_define_and_undefine():
    source = "#ifdef WIDE\na\n#endif\n#if N == 4\nb\n#endif"
    assert kept(source, defines=["-DWIDE", "-DN=4"]) == "ab"
    assert kept(source, defines=["-UWIDE", "-DN=5"]) == ""


def test_main_cpp_is_not_compiled_by_nvcc():
    assert kept("#ifdef __CUDACC__\na\n#else\nb\n#endif", cuda=False) == "b"
