"""Operators from an expression: what is read, what the kernels compute, what is kept, and the program that passes."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from catalogue.programs import layouts
from emulator.support import Emulation, in_worker, same_bits
from expressions import EXPRESSIONS

import kernelgate
from kernelgate.cli.main import main
from kernelgate.program import ProgramError
from kernelgate.program.from_expression.device_template import CudaLines
from kernelgate.program.from_expression.functions import DERIVATIVES, derivative_of
from kernelgate.program.from_expression.read import read_expression
from kernelgate.program.from_expression.terms import Term, X

MORE = {
    "celu": ("F.celu(x, 0.7)", {}),
    "gelu_tanh": ("F.gelu(x, approximate='tanh')", {}),
    "logsigmoid": ("F.logsigmoid(x)", {}),
    "hardshrink": ("F.hardshrink(x, 0.3)", {}),
    "softshrink": ("F.softshrink(x)", {}),
    "threshold": ("F.threshold(x, 0.1, 20.0)", {}),
    "relu6": ("torch.nn.ReLU6()(4 * x)", {}),
    "tanhshrink": ("F.tanhshrink(x)", {}),
    "powers": ("x ** 2 + x.pow(3) - (x * x + 1) ** 0.5 + (x.abs() + 1) ** 1.3", {}),
    "roots": (
        "torch.sqrt(x * x + 2) + torch.rsqrt(x * x + 1) + 1 / (x * x + 1) + (x * x + 3).reciprocal()",
        {},
    ),
    "elementary": ("torch.exp(-x) + torch.expm1(x) + torch.log(x * x + 1) + torch.log1p(x * x)", {}),
    "waves": ("torch.sin(x) * x.cos() - torch.erf(x) + (-x)", {}),
    "chosen": ("torch.where(x > 0.25, torch.log(x + 1), x * 0.5)", {}),
    "more_waves": ("torch.tan(x / 40) + torch.sinh(x / 8) - 2 * (x / 8).cosh() + torch.atan(x) + torch.asinh(x)", {}),
    "arcs": ("torch.arcsin(x / 40) + torch.acos(x / 40) + torch.atanh(x / 40) + torch.acosh(x * x + 2)", {}),
    "logarithms": ("torch.exp2(x) + torch.log2(x * x + 1) + torch.log10(x * x + 1) + torch.erfc(x)", {}),
    "steps": ("x * (x.floor() + torch.ceil(x) - x.trunc() + torch.round(x)) + torch.sign(x) + torch.frac(x)", {}),
    "extremes": ("torch.maximum(x, 0.1 * x) + torch.min(x, x * x) + torch.clamp_min(x, -1) - x.clamp_max(1)", {}),
    "logic": ("torch.where((x > -1) & ~(x > 1) | torch.logical_not(x < 2), x, torch.zeros_like(x))", {}),
    "factors": ("((x > 0).to(x.dtype) * x + abs(x)) * torch.deg2rad(x) + torch.rsub(x, 1)", {}),
    "modules": ("torch.nn.Sequential(torch.nn.Tanh(), torch.nn.ELU(0.5))", {}),
    "lambda": ("lambda x: torch.special.expit(x) * x", {}),
    "straight": ("x * 2 + 1", {}),
    "compared": ("torch.where(x >= 1, x, torch.where(x <= -1, -x, torch.where(x < 0, 3 * x, x)))", {}),
}
ALL = EXPRESSIONS | MORE


def functions_of(term: Term) -> set[str]:
    return {term.function}.union(*map(functions_of, term.arguments))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Each expression and its derivative, from the lines that go into a kernel, by g++ in double precision."""
    head = """#include <cmath>
using std::fabs; using W = double; using T = double;
template <typename> double rounded(double v) { return v; }
static double clamped(double v, double low, double high) { return v < low ? low : v > high ? high : v; }
"""
    parts = [head]
    for name, (expression, parameters) in ALL.items():
        term = read_expression(expression, parameters).term
        fields = "".join(f"double {key} = {value};" for key, value in parameters.items())
        for kind, each in (("value", term), ("slope", derivative_of(term))):
            made = CudaLines(rounded=kind == "value")
            result = made.value(each)
            body = "".join(made.lines)
            parts.append(
                f'extern "C" double {kind}_{name}(double x) {{ struct {{ {fields} }} p; {body} return {result}; }}'
            )
    folder = tmp_path_factory.mktemp("compiled")
    (folder / "all.cpp").write_text("\n".join(parts))
    subprocess.run(
        ["g++", "-O0", "-shared", "-fPIC", "-w", "all.cpp", "-o", "all.so"], cwd=folder, check=True
    )
    return ctypes.CDLL(str(folder / "all.so"))


def called(library: ctypes.CDLL, name: str) -> Callable[[float], float]:
    function = getattr(library, name)
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double]
    return lambda x: float(function(x))


def reference(expression: str, parameters: dict[str, float]) -> Callable[[torch.Tensor], torch.Tensor]:
    text = read_expression(expression, parameters).text
    return lambda x: eval(text, {"torch": torch, "F": F, "x": x, **parameters})


@pytest.mark.parametrize("name", ALL)
def test_value_and_derivative_are_those_of_pytorch_and_autograd(name: str, compiled: ctypes.CDLL) -> None:
    numbers = [*torch.linspace(-4.1, 4.1, 57, dtype=torch.float64).tolist(), 30.0, -30.0, 0.1234]
    x = torch.tensor(numbers, dtype=torch.float64, requires_grad=True)
    right = reference(*ALL[name])(x)
    (slope,) = torch.autograd.grad(right.sum(), x)
    for kind, expected in (("value", right), ("slope", slope)):
        got = torch.tensor(
            [called(compiled, f"{kind}_{name}")(each) for each in numbers], dtype=torch.float64
        )
        torch.testing.assert_close(
            got, expected.detach(), rtol=1e-7, atol=1e-9, msg=lambda m, k=kind: f"{k}: {m}"
        )


def test_every_function_with_a_derivative_is_in_an_expression_above() -> None:
    used = set[str]().union(*(functions_of(read_expression(*each).term) for each in ALL.values()))
    assert set(DERIVATIVES) <= used


@pytest.mark.parametrize(
    ("expression", "kept"),
    [
        ("torch.relu(x)", "mask"),
        ("F.leaky_relu(x * 3, 0.1) / 2", "mask"),
        ("torch.clamp(x, -1, 1)", "mask"),
        ("x * 2 + 1", "mask"),
        ("torch.sigmoid(x)", "input"),
        ("torch.abs(x)", "input"),  # three values: -1, 0 and 1
        ("torch.clamp(F.leaky_relu(x, 0.1), -1, 1)", "input"),
    ],
)
def test_a_bit_is_kept_where_the_derivative_takes_two_values(expression: str, kept: str) -> None:
    assert kernelgate.operator(expression).kept == kept


@pytest.mark.parametrize(
    ("expression", "parameters", "says"),
    [
        ("x @ x", {}, "x @ x makes an element of several"),
        ("torch.softmax(x, dim=1)", {}, "makes an element of several"),
        ("torch.nn.LayerNorm(64)", {}, "makes an element of several"),
        ("x - x.mean(-1)", {}, "x.mean(-1) makes an element of several"),
        ("F.dropout(x)", {}, "F.dropout(x) is random"),
        ("x.half() * 2", {}, "x.half() changes the type"),
        ("x.relu_()", {}, "x.relu_() changes its input"),
        ("F.relu(x, inplace=True) + x", {}, "changes its input"),
        ("torch.nn.ReLU(inplace=True)", {}, "changes its input"),
        ("torch.atan2(x, x)", {}, "is not known as an elementwise function"),
        ("x *", {}, "The expression is no Python"),
        ("x * scale", {}, "scale is neither x, the one input, nor a parameter"),
        ("x + y", {}, "y is neither x, the one input, nor a parameter"),
        ("5", {}, "computes nothing from x"),
        ("torch.exp(scale) * x", {"scale": 2.0}, "torch.exp(scale) is of numbers"),
        ("x * math.log(0)", {}, "math.log(0) is no number"),
        ("x ** (x > 0)", {}, "computes with a comparison"),
        ("(x > 0) * 2", {}, "computes with a comparison"),
        ("(x > 0) * (x < 1)", {}, "computes with a comparison"),
        ("torch.abs(x > 0) * x", {}, "computes with a comparison"),
        ("torch.where(x, x, 2 * x)", {}, "x is no comparison"),
        ("torch.where(x > 0, 1.0, 0.1) * x", {}, "is of PyTorch's default type"),
        ("x * 2", {"scale": 2.0}, "uses no scale"),
        ("x * mask", {"mask": 2.0}, "cannot be named mask"),
        ("x > 0", {}, "computes nothing from x"),
        ("2 ** x", {}, "exponent"),
        ("torch.max(x)", {}, "makes an element of several"),
        ("torch.lgamma(x)", {}, "torch.lgamma(x) is not known"),
        ("(x > 0) | x", {}, "is not known"),
        ("__import__('os').system('true')", {}, "is not known"),
        ("F.leaky_relu(x, 0.1, 0.2, 0.3)", {}, "is not known"),
        ("x * 2", {"size": "4 096"}, "is no size"),
    ],
)
def test_what_is_no_elementwise_expression_says_so(
    expression: str, parameters: dict[str, float], says: str
) -> None:
    with pytest.raises(ProgramError) as raised:
        kernelgate.operator(expression, **parameters)
    assert says in raised.value.what and raised.value.next_step


@pytest.mark.parametrize(
    ("expression", "parameters", "name"),
    [
        ("x * torch.sigmoid(x)", {}, "x_times_sigmoid"),
        ("torch.nn.GELU()", {}, "gelu"),
        ("F.leaky_relu(x, slope)", {"slope": 0.1}, "leaky_relu"),
        ("F.leaky_relu(x * scale, 1e-05)", {"scale": 2.0}, "leaky_relu_x_times_scale"),
        ("2 * x", {}, "times_x"),
        ("(x > 0) * x", {}, "x_above_times_x"),
    ],
)
def test_an_operator_has_its_functions_name_only_if_it_is_that_function(
    expression: str, parameters: dict[str, float], name: str
) -> None:
    assert kernelgate.operator(expression, **parameters).name == name


def test_numbers_are_computed_in_double_as_python_computes_them() -> None:
    made = kernelgate.operator("x * (a * b) + 1 / 3", a=0.1, b=0.3)
    assert "W((p.a * p.b))" in made.program and "W((double(1) / double(3)))" in made.program


def test_numbers_of_math_are_written_out() -> None:
    made = kernelgate.operator("torch.erf(x / math.sqrt(2)) * math.pi")
    assert "torch.erf(x / 1.4142135623730951) * 3.141592653589793" in made.problem


def test_a_comparison_may_be_a_factor_of_x() -> None:
    assert kernelgate.operator("(x > 0) * x").kept == "mask"


def test_a_common_part_is_computed_once() -> None:
    made = CudaLines(rounded=False)
    sigmoid = Term("sigmoid", (X,))
    made.value(sigmoid * sigmoid)
    assert len(made.lines) == 2


@pytest.mark.drawn
def test_the_files_pass_as_a_drop_in(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    words = ["operator", "torch.where(x > 0, x, torch.tanh(x) * scale)", "--parameter", "scale=0.5"]
    assert main([*words, "--size", "64x96", "--folder", str(tmp_path)]) == 0
    program, problem = (tmp_path / f"where_x_above_x_tanh_times_scale_{kind}.py" for kind in ("model_new", "problem"))
    verify = ["verify", str(program), "--reference", str(problem), "--device", "emulated"]
    assert main([*verify, "--contract", "drop-in"]) == 0
    said = capsys.readouterr()
    assert "CORRECT" in said.out and f"kernelgate verify {program}" in said.out


@pytest.mark.drawn
def test_values_and_gradients_are_pytorchs_bits_in_every_layout_and_type(cache: Path) -> None:
    made = kernelgate.operator("F.leaky_relu(x * scale, slope)", scale=2.0, slope=0.125)

    def body(emulation: Emulation) -> list[Any]:
        found: dict[str, Any] = {"__name__": "program"}
        exec(made.program, found)
        wrong = []
        with emulation.active(), emulation.guarded(), torch.device("cuda"):
            module = found["ModelNew"]()
            for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
                for x in layouts(dtype):
                    ours, theirs = (x.detach().requires_grad_() for _ in range(2))
                    results = module(ours), F.leaky_relu(theirs * 2.0, 0.125)
                    gradients = [
                        torch.autograd.grad(result.sum(), leaf)[0]
                        for result, leaf in zip(results, (ours, theirs), strict=True)
                    ]
                    strides = results[0].stride() == results[1].stride()
                    if not (strides and same_bits(*results) and same_bits(*gradients)):
                        wrong.append((x.shape, x.stride(), dtype))
        return [*wrong, *(fault.text for fault in emulation.overwritten())]

    assert in_worker(cache, body).result() == []
