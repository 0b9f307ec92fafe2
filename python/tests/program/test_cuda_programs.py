"""CUDA C++ becomes a program around it; its lines stay the person's."""

import ast

import pytest
from programs import real_program

from kernelgate.catalogue import operators
from kernelgate.program import Candidate, ProgramError, Source, read

CUDA = """#include <torch/extension.h>

__global__ void leaky_relu_kernel(const float* x, float* y, float slope, int64_t n) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

torch::Tensor leaky_relu(torch::Tensor x, double negative_slope = 0.01) {
  auto y = torch::empty_like(x);
  leaky_relu_kernel<<<(x.numel() + 255) / 256, 256>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), negative_slope, x.numel());
  return y;
}
"""


def around(cuda: str, operator: str = "leakyrelu", first_line: int = 1) -> Candidate:
    return read(Source(cuda, "cell [4]", first_line), operators()[operator])


def constant(candidate: Candidate, name: str) -> str:
    for node in candidate.tree.body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == name
        ):
            return str(ast.literal_eval(node.value))
    raise AssertionError(f"the program has no {name}")


def test_the_program_reads_like_one_that_a_person_wrote():
    program = around(CUDA).python
    head, tail = program.split(CUDA.rstrip("\n"))
    assert head == (
        "import torch.nn as nn\n"
        "from torch.utils.cpp_extension import load_inline\n"
        "\n"
        'CPP_SOURCE = "torch::Tensor leaky_relu(torch::Tensor x, double negative_slope);"\n'
        "\n"
        'CUDA_SOURCE = r"""'
    )
    assert tail == (
        '"""\n'
        "\n"
        "extension = load_inline(\n"
        '    name="leakyrelu_leaky_relu",\n'
        "    cpp_sources=CPP_SOURCE,\n"
        "    cuda_sources=CUDA_SOURCE,\n"
        '    functions=["leaky_relu"],\n'
        ")\n"
        "\n"
        "\n"
        "class ModelNew(nn.Module):\n"
        "    def __init__(self, negative_slope: float = 0.01):\n"
        "        super().__init__()\n"
        "        self.negative_slope = negative_slope\n"
        "\n"
        "    def forward(self, x):\n"
        "        return extension.leaky_relu(x, self.negative_slope)\n"
    )


@pytest.mark.parametrize(
    "cuda",
    [
        CUDA,
        CUDA + "// \"\"\" and '''\n",
        CUDA + '// ends in a quote "',
        CUDA + "// ends in a backslash \\",
        CUDA.replace("\n", "\r\n"),
        CUDA.replace("auto y", 'const char* s = "a\\n\\"b\\""; auto y'),
    ],
    ids=["plain", "all quotes", "quote at the end", "backslash at the end", "CRLF", "escapes"],
)
def test_the_source_is_passed_line_for_line(cuda):
    candidate = around(cuda)
    assert constant(candidate, "CUDA_SOURCE").rstrip("\n") == cuda.replace("\r\n", "\n").rstrip("\n")
    assert candidate.language == "cuda"
    assert candidate.kernels == ("leaky_relu_kernel",)


@pytest.mark.parametrize("cuda", [CUDA, CUDA + "// \"\"\" and '''\n"], ids=["raw string", "joined strings"])
def test_a_line_of_the_cuda_source_is_the_persons_line(cuda):
    candidate = around(cuda, first_line=2)
    unit = constant(candidate, "CUDA_SOURCE")
    assert candidate.cuda_place("cuda.cu", unit, 5).line == 6
    included = "#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n" + unit
    assert candidate.cuda_place("cuda.cu", included, 8).line == 6


def test_a_line_of_ours_leads_to_the_host_function():
    candidate = around(CUDA)
    call = (
        candidate.python.split("\n").index("        return extension.leaky_relu(x, self.negative_slope)") + 1
    )
    assert candidate.place(call).line == 8
    assert candidate.place(1).line is None


def test_cuda_in_a_markdown_answer_keeps_the_lines_of_the_answer():
    candidate = around(f"Here:\n```cuda\n{CUDA}```\n")
    assert candidate.language == "cuda"
    assert candidate.cuda_place("cuda.cu", constant(candidate, "CUDA_SOURCE"), 5).line == 5
    assert (
        "__global__" in candidate.cuda_place("cuda.cu", constant(candidate, "CUDA_SOURCE"), 5).excerpt[2].text
    )


@pytest.mark.parametrize(
    ("host", "prototype"),
    [
        ("at::Tensor f(const at::Tensor& x, double s) {", "at::Tensor f(const at::Tensor& x, double s);"),
        ("Tensor f(Tensor x, float s) {", "torch::Tensor f(torch::Tensor x, float s);"),
        (
            "auto f(torch::Tensor x,\n       float s) -> torch::Tensor {",
            "torch::Tensor f(torch::Tensor x, float s);",
        ),
        ("torch::Tensor f(torch::Tensor x /* in */, float) {", "torch::Tensor f(torch::Tensor x, float);"),
        (
            "static int g(int a) { return a; }\ntorch::Tensor f(torch::Tensor x) {",
            "torch::Tensor f(torch::Tensor x);",
        ),
        (
            "torch::Tensor g(torch::Tensor x) { return x; }\ntorch::Tensor f(torch::Tensor x) {",
            "torch::Tensor f(torch::Tensor x);",
        ),
        (
            "namespace kg {\ntorch::Tensor f(torch::Tensor x) { return x; }\n}\nstruct A {",
            "namespace kg { torch::Tensor f(torch::Tensor x); } using kg::f;",
        ),
    ],
)
def test_cpp_sources_declares_the_host_function(host, prototype):
    cuda = f"__global__ void k(float* x) {{}}\n{host}\n  return x;\n}};\n"
    assert constant(around(cuda), "CPP_SOURCE") == prototype


def test_parameters_are_passed_by_name_where_the_host_function_names_them():
    cuda = "torch::Tensor f(torch::Tensor x, torch::Tensor in, float multiplier, float negative_slope) {}"
    program = around(cuda, "gemm_scale_leakyrelu").python
    assert (
        "def __init__(self, in_features: int, out_features: int, multiplier: float, negative_slope: float):"
        in program
    )
    assert "def forward(self, x, in_):" in program
    assert "return extension.f(x, in_, self.multiplier, self.negative_slope)" in program


def test_a_source_that_binds_itself_is_not_bound_again():
    cuda = CUDA + 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &leaky_relu); }\n'
    program = around(cuda).python
    assert "functions=" not in program
    assert "return extension.forward(x, self.negative_slope)" in program


@pytest.mark.parametrize(
    ("cuda", "what", "line"),
    [
        ("#include <cuda.h>\n__global__ void k(float* x) {}", "no host function that takes a tensor", 2),
        ("__global__ void k() {}\nvoid f(torch::Tensor x) {}", "f returns void", 2),
        ("__global__ void k() {}\nstatic torch::Tensor f(torch::Tensor x) { return x; }", "f is static", 2),
        (
            "__global__ void k() {}\nnamespace {\ntorch::Tensor f(torch::Tensor x) { return x; }\n}",
            "f is static",
            3,
        ),
        (
            "\ntorch::Tensor f(torch::Tensor x, float a, float b) { return x; }",
            "f takes 2 arguments beside tensors",
            2,
        ),
        ("torch::Tensor f(torch::Tensor x", "no host function", 1),
    ],
)
def test_a_source_without_a_usable_host_function_is_refused(cuda, what, line):
    with pytest.raises(ProgramError) as caught:
        around(cuda)
    assert what in caught.value.what
    assert caught.value.line == line
    assert caught.value.next_step


@pytest.mark.parametrize(
    ("unit", "unit_line", "cell_line"),
    [("cuda.cu", 1, 38), ("cuda.cu", 2, 12), ("cuda.cu", 9, 19), ("cuda.cu", 99, 38), ("ATen.h", 4, 38)],
)
def test_a_line_of_a_real_programs_string_leads_back_or_else_to_its_call(unit, unit_line, cell_line):
    candidate = real_program("000-0")
    text = next(each.value for each in candidate.literals if "__global__" in each.value)
    assert candidate.cuda_place(unit, text, unit_line, call_line=38).line == cell_line


def test_strings_that_are_joined_escaped_or_formatted_lead_back_too():
    text = (
        'T = "float"\nSOURCE = ("int a;\\n"\n  "int b;\\n" +\n  f"{T} c = {{1}};\\n")\nclass ModelNew: pass\n'
    )
    candidate = read(Source(text, "f.py"))
    unit = "int a;\nint b;\nfloat c = {1};\n"
    assert candidate.cuda_place("cuda.cu", unit, 1).line == 2
    assert candidate.cuda_place("cuda.cu", unit, 2).line == 3
    # The last line was computed: nothing in the program reads the same, and there is no call.
    assert candidate.cuda_place("cuda.cu", unit, 3).line is None
