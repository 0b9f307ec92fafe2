"""Why a candidate raised: what happened, the person's line, one next step."""

import msgspec
import pytest
from built import PROGRAMS, candidate_of, real_program

from kernelgate.messages.failures import Frame, Raised
from kernelgate.program import Source, read
from kernelgate.repair.exceptions import explain_inputs, explain_raised
from kernelgate.report.types import Failure


def raised(kind: str, message: str, line: int | None = 3) -> Raised:
    frames = [
        Frame(900, False, "run"),
        *([Frame(line, True, "f")] if line else []),
        Frame(12, False, "inner"),
    ]
    return Raised(kind, message, frames)


def test_002_0_imports_a_package_that_is_not_known():
    failure = explain_raised(
        real_program("002-0"),
        raised("ModuleNotFoundError", "No module named 'torchind'"),
        "build",
        "importing the program",
    )
    assert failure.what == "No module named 'torchind'"
    assert failure.where is not None and failure.where.line == 3
    assert failure.next_step == "Import KernelInterface from kernelgate, which has it"


def test_003_0_fails_for_its_undefined_name_at_its_earliest_line():
    failure = explain_inputs(real_program("003-0"))
    assert failure is not None
    assert failure.stage == "build"
    assert failure.what == "'in_features' is not defined"
    assert failure.where is not None and failure.where.line == 72


def test_001_0_fails_for_its_endless_function():
    failure = explain_inputs(real_program("001-0"))
    assert failure is not None and failure.what == "get_init_inputs calls itself for ever"


@pytest.mark.parametrize(
    "name", ["000-0", "000-1", "000-2", "001-1", "002-0", "002-1", "003-1", "004-0", "004-1"]
)
def test_no_other_real_program_fails_for_its_input_functions(name):
    assert explain_inputs(real_program(name)) is None


@pytest.mark.parametrize(
    ("kind", "message", "what", "step"),
    [
        (
            "ModuleNotFoundError",
            "No module named 'cupy.cuda'",
            "No module named 'cupy.cuda'",
            "Install it where the notebook's kernel runs: pip install cupy-cuda",
        ),
        (
            "ModuleNotFoundError",
            "No module named 'torch.fastest'",
            "No module named 'torch.fastest'",
            "Correct the name, or remove the import: torch has no such module here",
        ),
        ("NameError", "name 'n' is not defined", "'n' is not defined", "Define n before this line"),
        ("NameError", "name 'n' is not defined. Did you mean: 'm'?", "'n' is not defined", "Define n before"),
        ("ImportError", "cannot import name 'x' from 'torch'", "ImportError while", "Correct this line"),
        (
            "OSError",
            "CUDA_HOME environment variable is not set. Please set it to your CUDA install root.",
            "There is no CUDA toolkit here: CUDA_HOME environment",
            "Install the CUDA toolkit and set CUDA_HOME, or run with --device emulated",
        ),
        ("RuntimeError", "Ninja is required to load C++ extensions", "RuntimeError while", "Install ninja"),
        (
            "OutOfMemoryError",
            "CUDA out of memory. Tried to allocate 6.00 GiB",
            "OutOfMemoryError while",
            "Free memory",
        ),
        ("AcceleratorError", "CUDA error: out of memory", "AcceleratorError while", "Free memory"),
        (
            "TypeError",
            "f(): incompatible function arguments. The following",
            "TypeError while",
            "Call f with the",
        ),
        ("SystemExit", "1", "The program ended its process", "Remove the call that exits"),
        ("KeyError", "'a'", "KeyError while importing the program: 'a'", "Correct this line"),
        ("ValueError", "", "ValueError while importing the program", "Correct this line"),
        (
            "ValueError",
            "{braces} %s",
            "ValueError while importing the program: {braces} %s",
            "Correct this line",
        ),
    ],
)
def test_an_exception_gets_words_and_one_next_step(kind, message, what, step):
    failure = explain_raised(real_program("000-1"), raised(kind, message), "build", "importing the program")
    assert failure.what.startswith(what)
    assert failure.next_step.startswith(step)


@pytest.mark.parametrize(
    ("message", "constructor", "step"),
    [
        (
            "ModelNew.__init__() takes 2 positional arguments but 5 were given",
            ("in_features", "out_features", "multiplier", "negative_slope"),
            "Give ModelNew the constructor of Model:"
            " __init__(self, in_features, out_features, multiplier, negative_slope)",
        ),
        (
            "ModelNew.__init__() missing 1 required positional argument: 'slope'",
            (),
            "Give ModelNew the constructor of Model, which takes no arguments",
        ),
    ],
)
def test_a_constructor_with_other_parameters_is_shown_the_references(message, constructor, step):
    failure = explain_raised(
        real_program("000-1"),
        raised("TypeError", message, line=None),
        "build",
        "constructing ModelNew",
        constructor,
    )
    assert failure.next_step == step
    assert failure.where is not None and failure.where.line == 5


def test_a_definition_that_does_not_match_its_declaration_is_named():
    # Measured: a double declared, a float defined, loaded by torch 2.13.
    message = "/tmp/torch_extensions/l.so: undefined symbol: _Z1fN2at6TensorEd"
    failure = explain_raised(
        candidate_of(*PROGRAMS["nowhere"]),
        raised("ImportError", message, line=2),
        "build",
        "importing the program",
    )
    assert failure.what == "f is declared, but not defined with these parameter types"
    assert failure.where is not None and failure.where.line == 2


def test_the_innermost_line_of_the_candidate_counts():
    frames = [Frame(9, True, "forward"), Frame(7, True, "helper"), Frame(100, False, "torch")]
    failure = explain_raised(
        real_program("000-1"), Raised("ValueError", "no", frames), "check", "calling ModelNew on case 3"
    )
    assert failure.what == "ValueError while calling ModelNew on case 3: no"
    assert failure.where is not None and failure.where.line == 7


def test_lines_are_those_of_the_cell():
    candidate = read(Source("import torchind\nclass ModelNew: pass", "cell [4]", first_line=2))
    failure = explain_raised(candidate, raised("KeyError", "k", line=1), "build", "importing the program")
    assert failure.where is not None and failure.where.line == 2


def test_what_a_hostile_worker_says_fits_a_report():
    failure = explain_raised(
        real_program("000-1"),
        raised("E\0" * 900, "\x1b[31m" + "x" * 1900, line=-4),
        "check",
        "calling ModelNew",
    )
    assert len(msgspec.json.decode(msgspec.json.encode(failure), type=Failure).what) <= 600
