"""Advice: what a text shows, each with the person's line."""

from pathlib import Path

import pytest
from programs import real_program

from kernelgate import catalogue
from kernelgate.catalogue import operators
from kernelgate.program import Source, advise, read

HEAD = "import torch\nclass ModelNew: pass\n"


def found(text: str) -> list[tuple[int | None, str]]:
    return [(advice.line, advice.text) for advice in advise(read(Source(text, "f.py")))]


def check(text: str, part: str, line: int | None) -> None:
    assert [at for at, words in found(text) if part in words] == [line]


def test_a_real_program_gets_all_its_advice_with_lines():
    assert [(advice.line, advice.text.split(" ")[0]) for advice in advise(real_program("000-0"))] == [
        (29, "The"),
        (29, "No"),
        (29, "The"),
        (30, "data_ptr<float>"),
        (30, "Strides"),
        (38, "load_inline"),
        (40, "cpp_sources"),
    ]


def test_a_program_without_a_kernel_gets_no_advice_for_it_because_every_report_says_it():
    assert advise(real_program("000-1")) == []


def test_a_launch_on_the_current_stream_is_not_advised_against():
    assert not any("default stream" in advice.text for advice in advise(real_program("001-1")))


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("torch.backends.cuda.matmul.allow_tf32 = True", "allow_tf32 is set for the whole process"),
        ("torch.set_default_dtype(torch.half)", "torch.set_default_dtype acts on the whole process"),
        ("torch.use_deterministic_algorithms(True)", "acts on the whole process"),
        ("torch.cuda.synchronize = lambda: None", "torch.cuda.synchronize is replaced"),
        ("torch.cuda.Event = Fake", "torch.cuda.Event is replaced"),
        ("setattr(torch.cuda, 'Event', Fake)", "torch.cuda.Event is replaced"),
    ],
)
def test_what_acts_on_the_whole_process_is_named(line, part):
    check(HEAD + line, part, 3)


@pytest.mark.parametrize("operator", ["leakyrelu", "scale_leakyrelu"])
def test_the_catalogues_own_program_gets_no_advice(operator):
    program = operators()[operator].program_text
    assert program is not None
    assert found(program) == []


UNSTRIDED = """import torch
SOURCE = r'''
// x is contiguous
torch::Tensor f(torch::Tensor x) { k<<<1, 32>>>(x.data_ptr<float>()); return x; }
'''
class ModelNew(torch.nn.Module):
    def forward(self, x):
        'x is contiguous'  # as it has to be
        return ext.f(x)
"""


def test_a_program_that_never_looks_at_strides_is_told_so():
    check(UNSTRIDED, "Strides are never looked at", 4)


@pytest.mark.parametrize(
    "looks", ["x.contiguous()", "x if x.is_contiguous() else x.clone()", "packed(x, x.stride())"]
)
def test_strides_that_are_handled_in_python_before_the_launch_are_looked_at(looks):
    text = UNSTRIDED.replace("ext.f(x)", f"ext.f({looks})")
    assert not any("Strides" in words for _, words in found(text))


@pytest.mark.parametrize("operator", ["leakyrelu", "scale_leakyrelu"])
def test_the_catalogues_short_forms_handle_strides(operator):
    text = (Path(catalogue.__file__).parent / operator / "short.py").read_text()
    assert not any("Strides" in words for _, words in found(text))


def test_advice_is_bounded():
    assert len(found(HEAD + "torch.manual_seed(0)\n" * 100)) == 20


@pytest.mark.parametrize(("method", "often"), [("__init__", "for every instance"), ("forward", "in every call")])
def test_compiling_in_a_method_is_said_to_happen_as_often_as_it_does(method: str, often: str) -> None:
    text = (
        "from torch.utils.cpp_extension import load_inline\nclass ModelNew:\n"
        f'    def {method}(self):\n        load_inline(name="m", cpp_sources="int f();", functions=["f"])\n'
    )
    found = [(each.text, each.line) for each in advise(read(Source(text, "cell [1]")))]
    assert found == [(f"load_inline is called {often}; call it once, at module level", 4)]
