"""A certain fix is written into the person's own text, where that text shows the place for certain."""

import pytest
from built import failed_build, measured_log
from programs import real_program

from kernelgate.catalogue import operators
from kernelgate.program import Candidate, Source, read
from kernelgate.repair.diagnostics import explain_compiler
from kernelgate.repair.edits import insertion

PROTOTYPE = "torch::Tensor f(torch::Tensor x);"
INCLUDE = "#include <ATen/cuda/CUDAContext.h>"
PROGRAM = """from torch.utils.cpp_extension import load_inline
{before}
m = load_inline("m", {argument}, cuda_sources="", functions=["f"])
class ModelNew: pass
"""


def candidate_with(argument: str, before: str = "", first_line: int = 1) -> Candidate:
    return read(Source(PROGRAM.format(argument=argument, before=before), "cell [4]", first_line))


def fixed(candidate: Candidate, argument: str, code: str, at: str) -> str | None:
    """The person's text with the insertion, as the front end makes it."""
    found = insertion(candidate, candidate.extensions[0], argument, code, at)
    if found is None:
        return None
    lines = candidate.source.text.split("\n")
    index = found.line - candidate.source.first_line
    lines[index] = lines[index][: found.column] + found.text + lines[index][found.column :]
    return "\n".join(lines)


@pytest.mark.parametrize("name", ["000-0", "000-2", "001-0", "001-1"])
def test_a_real_program_gets_its_declaration_and_nothing_else(name):
    candidate = real_program(name)
    log = measured_log("001-1" if name == "001-1" else "000-0")
    _, failure, *_lacks = explain_compiler(candidate, failed_build(candidate, log))
    found = failure.edit
    assert found is not None and failure.where is not None and found.line == failure.where.line
    lines = candidate.source.text.split("\n")
    assert lines[found.line - 1].strip() == 'cpp_sources="",'
    line = lines[found.line - 1]
    lines[found.line - 1] = line[: found.column] + found.text + line[found.column :]
    again = read(Source("\n".join(lines), "cell [4]"))
    assert again.extensions[0].cpp_sources == failure.fix


@pytest.mark.parametrize(
    ("argument", "before", "value"),
    [
        ('cpp_sources=""', "", PROTOTYPE),
        ("cpp_sources=''", "", PROTOTYPE),
        ('cpp_sources=r""', "", PROTOTYPE),
        ('""', "", PROTOTYPE),
        ("cpp_sources=cpp", 'cpp = ""', PROTOTYPE),
        ('cpp_sources="int a();"', "", f"int a();\n{PROTOTYPE}"),
        ('cpp_sources="""\nint a();\n"""', "", f"\nint a();\n{PROTOTYPE}\n"),
        ('cpp_sources=["int a();", "int b();"]', "", f"int a();\nint b();\n{PROTOTYPE}"),
        ("cpp_sources=[cpp]", 'cpp = ""', PROTOTYPE),
        ("cpp_sources=[first, last]", 'first = "int a();"\nlast = "int b();"', f"int a();\nint b();\n{PROTOTYPE}"),
        ('x=("é", 1), cpp_sources=""', "", PROTOTYPE),
    ],
)
def test_a_declaration_goes_to_the_end_of_cpp_sources(argument, before, value):
    text = fixed(candidate_with(argument, before), "cpp_sources", PROTOTYPE, "end")
    assert text is not None
    assert read(Source(text, "cell [4]")).extensions[0].cpp_sources == value


@pytest.mark.parametrize(
    ("argument", "before"),
    [
        ("cpp_sources=make()", "from x import make"),
        ("cpp_sources=cpp", 'cpp = ""\ncpp = "int a();"'),
        ("cpp_sources=cpp", 'cpp = ""\ncpp += "int a();"'),
        ("cpp_sources=[cpp]", 'cpp = ""\ncpp = "int a();"'),
        ('cpp_sources=f"{1}"', ""),
        ('cpp_sources=f"int a();{1}"', ""),
        ('cpp_sources="" ""', ""),
        ('cpp_sources="" + ""', ""),
        ('cpp_sources=r"int a();"', ""),
        ("cpp_sources=[]", ""),
        ("with_cuda=True", ""),
    ],
)
def test_no_place_is_given_where_the_text_leaves_it_open(argument, before):
    assert fixed(candidate_with(argument, before), "cpp_sources", PROTOTYPE, "end") is None


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ('cpp_sources="""\nint a();\n"""', f"\n{INCLUDE}\nint a();\n"),
        ('cpp_sources="""int a();"""', f"{INCLUDE}\nint a();"),
        ('cpp_sources="int a();"', f"{INCLUDE}\nint a();"),
    ],
)
def test_an_include_goes_to_the_top(argument, value):
    text = fixed(candidate_with(argument), "cpp_sources", INCLUDE, "top")
    assert text is not None
    assert read(Source(text, "cell [4]")).extensions[0].cpp_sources == value


@pytest.mark.parametrize(
    ("written", "at", "after"),
    [
        ('f"""\nint a[{1}];\n"""', "top", f'f"""\n{INCLUDE}\nint a[{{1}}];\n"""'),
        ('f"int a[{1}];"', "top", f'f"{INCLUDE}\\nint a[{{1}}];"'),
        ('f"""\nint a[{1}];\n"""', "end", f'f"""\nint a[{{1}}];\n{INCLUDE}\n"""'),
    ],
)
def test_lines_go_into_the_text_of_a_formatted_literal(written, at, after):
    candidate = candidate_with("cpp_sources=cpp", f"cpp = {written}")
    assert fixed(candidate, "cpp_sources", INCLUDE, at) == candidate.source.text.replace(written, after)


def test_a_brace_is_doubled_in_a_formatted_literal_alone():
    formatted = candidate_with("cpp_sources=cpp", 'cpp = f"int a[{1}]; int b() {{"')
    text = fixed(formatted, "cpp_sources", "}", "end")
    assert text is not None and 'f"int a[{1}]; int b() {{\\n}}"' in text
    plain = fixed(candidate_with('cpp_sources="int b() {"'), "cpp_sources", "}", "end")
    assert plain is not None and '"int b() {\\n}"' in plain


def test_lines_count_from_the_top_of_the_cell():
    candidate = candidate_with('cpp_sources=""', first_line=2)
    found = insertion(candidate, candidate.extensions[0], "cpp_sources", PROTOTYPE, "end")
    assert found is not None and found.line == 4


def test_a_program_that_is_indented_as_a_whole_keeps_its_place():
    program = PROGRAM.format(argument='cpp_sources=""', before="")
    indented = "\n".join(f"    {line}" for line in program.split("\n"))
    text = fixed(read(Source(indented, "cell [4]")), "cpp_sources", PROTOTYPE, "end")
    assert text is None or PROTOTYPE in text.split('cpp_sources="')[1]


def test_an_include_goes_before_the_first_one_of_a_cuda_cell():
    host = "torch::Tensor f(torch::Tensor x, double slope) { return x; }\n"
    cuda = "// ours\n#include <torch/extension.h>\n" + host
    candidate = read(Source(cuda, "cell [4]", 2), operators()["leakyrelu"])
    found = insertion(candidate, None, "cuda_sources", INCLUDE, "top")
    assert found is not None
    assert (found.line, found.column, found.text) == (3, 0, f"{INCLUDE}\n")
