"""The magics and `kernelgate.verify` in a real kernel: what a cell shows, binds and raises."""

from __future__ import annotations

from pathlib import Path

import pytest

from .kernels import Kernel, kernel

pytestmark = pytest.mark.drawn

RIGHT = """import torch.nn as nn, torch.nn.functional as F
class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
"""
WRONG = RIGHT.replace("return F.leaky_relu(x, self.negative_slope)", "return x")


def test_a_body_that_uses_model_new_gets_our_program_and_runs(loaded: Kernel) -> None:
    done = loaded.run("%%leakyrelu_cuda --as Fast\nprint('layer', Fast(0.1).negative_slope)")
    assert done.report["verdict"]["outcome"] == "pass"
    assert done.text == "layer 0.1\n"
    assert loaded.run("ModelNew").error == ("NameError", "name 'ModelNew' is not defined")


@pytest.mark.drawn
@pytest.mark.parametrize("magic", ["%%kernelgate verify leakyrelu", "%%leakyrelu_cuda --as Fast"])
def test_a_body_that_neither_defines_nor_uses_model_new_is_judged_itself(loaded: Kernel, magic: str) -> None:
    slipped = WRONG.replace("class ModelNew", "class ModelNw")
    slip = loaded.run(f"{magic}\n{slipped}")
    assert slip.report["candidate"]["label"] != "our program"
    assert slip.error is not None
    assert slip.error[1].startswith("Cannot be read: the program defines ModelNw: did you mean ModelNew?")
    for body in ("x = 3", "class ModelNw(nn.Module)\n    pass"):
        done = loaded.run(f"{magic}\n{body}")
        assert (done.report["verdict"]["kind"], done.error and done.error[0]) == ("read", "NotVerified")


@pytest.mark.drawn
def test_a_report_of_our_program_says_so_first(loaded: Kernel, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = loaded.run(f"%kernelgate verify leakyrelu --for-model --html {page}")
    report = done.report
    assert (report["candidate"]["ours"], report["title"][:22]) == (True, "our program: LeakyReLU")
    assert done.text.startswith("ABOUT: our program: LeakyReLU")
    assert "<p>Our program: LeakyReLU" in page.read_text()
    assert loaded.run("import kernelgate; print(kernelgate.verify('leakyrelu'))").text.startswith(
        "KernelGate  our program: LeakyReLU"
    )


def test_a_body_that_raises_shows_its_error_once(loaded: Kernel) -> None:
    done = loaded.run("%%leakyrelu_cuda\nModelNew(1 / 0)")
    assert done.traceback.count("division by zero") == 1
    assert done.error == ("BodyFailed", "The body of %%leakyrelu_cuda ended with the error above.")


def test_the_umbrella_magic_verifies_the_program_below_it_and_binds_it(loaded: Kernel) -> None:
    done = loaded.run(f"%%kernelgate verify leakyrelu --as Mine --seed 7\n{RIGHT}", cell_id="mine")
    report = done.report
    assert (report["verdict"]["outcome"], report["seed"]) == ("pass", "7")
    assert report["candidate"]["cell_id"] == "mine"
    assert loaded.run("print(Mine.__name__)").text == "ModelNew\n"


def test_a_markdown_answer_is_bound_like_the_program_in_it(loaded: Kernel) -> None:
    done = loaded.run(f"%%leakyrelu_cuda --as Answer\nHere it is:\n```python\n{RIGHT}```\n")
    assert (done.status, done.report["verdict"]["outcome"]) == ("ok", "pass")
    assert loaded.run("print(Answer.__name__)").text == "ModelNew\n"


def test_a_failure_names_the_line_of_the_cell_and_leaves_the_older_binding(loaded: Kernel) -> None:
    loaded.run("ModelNew = 'older'")
    done = loaded.run("\n\n%%leakyrelu_cuda\nx = 1\nclass ModelNew(", cell_id="c")
    where = done.report["failure"]["where"]
    number = int(loaded.run("print(len(In) - 2)").text)
    assert (where["label"], where["line"]) == (f"cell [{number}]", 5)
    assert done.traceback.count("\n") == 0
    assert done.error is not None and done.error[0] == "NotVerified"
    assert done.error[1].endswith("ModelNew is not bound.")
    assert loaded.run("print(ModelNew)").text == "older\n"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("%kernelgate verfy", "There is no verb 'verfy'. Did you mean verify?"),
        ("%kernelgate show leakyrelo", "There is no problem 'leakyrelo'. Did you mean leakyrelu?"),
        ("%leakyrelu_cuda --shap 4x4", "There is no option --shap. Did you mean --shape?"),
        ("%leakyrelu_cuda extra", "'extra' is one word too many. See %leakyrelu_cuda --help."),
        (
            "%leakyrelu_cuda --dtype int8",
            "There is no dtype 'int8'. Choose one of: float32, float16, bfloat16, float64.",
        ),
        (
            "%leakyrelu_cuda --timeout -1",
            "A run cannot take -1 s. Give --timeout a number of seconds above 0.",
        ),
        ("%leakyrelu_cuda --as 'a b'", "--as a b is no name. Write it as --as FastLeakyReLU."),
        ("%leakyrelu_cuda --html /", "/ is a folder. Name a file in it, for example report.html."),
        ("%%kernelgate list\nbody", "%%kernelgate list takes no body. Write %kernelgate list."),
        (
            "%kernelgate verify",
            "The cell defines no ModelNew. Define it below %%kernelgate verify, or name a problem.",
        ),
    ],
)
def test_a_mistake_in_the_options_is_one_line_and_runs_nothing(loaded: Kernel, line: str, says: str) -> None:
    done = loaded.run(line)
    assert done.error == ("UsageError", says)
    assert (done.traceback, done.displays) == (f"UsageError: {says}", 0)


def test_help_is_printed_and_ends_nothing(loaded: Kernel) -> None:
    done = loaded.run("%leakyrelu_cuda --help")
    assert (done.status, "--timeout SECONDS" in done.text) == ("ok", True)


def test_options_mean_what_they_mean_in_a_shell(loaded: Kernel, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    done = loaded.run(f"%%leakyrelu_cuda --shape 8x64 --html {page} --json --contract drop-in\n{RIGHT}")
    assert (done.report["problem"]["shape"], done.report["contract"]) == ("8x64", "drop-in")
    assert '"verdict"' in done.text
    assert page.read_text().startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_report_is_shown_once_in_its_cell_and_again_where_it_is_asked_for(loaded: Kernel) -> None:
    assert (
        loaded.run(f"import kernelgate\nr = kernelgate.verify('leakyrelu', source={RIGHT!r})\nr").displays
        == 1
    )
    assert loaded.run("r").displays == 1
    assert loaded.run("print(r.verdict.outcome)").text == "pass\n"


def test_a_cell_is_verified_by_the_id_or_the_number_under_which_it_ran(loaded: Kernel) -> None:
    loaded.run(WRONG, cell_id="wrong")
    number = int(loaded.run("print(len(In) - 2)").text)
    for cell in ("'wrong'", str(number)):
        candidate = loaded.run(f"kernelgate.verify('leakyrelu', cell={cell})").report["candidate"]
        assert (candidate["label"], candidate["cell_id"]) == (f"cell [{number}]", "wrong")


def test_a_cell_that_a_magic_begins_is_taken_with_the_options_of_its_line(loaded: Kernel) -> None:
    for magic in ("%%leakyrelu_cuda --contract drop-in", "%%kernelgate verify leakyrelu --contract drop-in"):
        loaded.run(f"kernelgate.remember_cell('magic', {f'{magic}{chr(10)}{WRONG}'!r})")
        report = loaded.run("kernelgate.verify(cell='magic')").report
        assert (report["verdict"]["kind"], report["problem"]["id"]) == ("wrong", "leakyrelu")
        assert report["contract"] == "drop-in"
        assert loaded.run("kernelgate.verify(cell='magic', contract='problem')").report["contract"] == "problem"
    loaded.run("kernelgate.remember_cell('ours', '%%leakyrelu_cuda\\nModelNew()')")
    assert loaded.run("kernelgate.verify(cell='ours')").report["candidate"]["ours"]


def test_what_the_front_end_remembers_goes_before_what_was_run(loaded: Kernel) -> None:
    loaded.run(WRONG, cell_id="edited")
    loaded.run(f"kernelgate.remember_cell('edited', {RIGHT!r})")
    report = loaded.run("kernelgate.verify('leakyrelu', cell='edited')").report
    assert (report["verdict"]["outcome"], report["candidate"]["label"]) == ("pass", "the cell above")


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("'none'", "The cell 'none' has not been run"),
        ("999", "No cell has run as [999]"),
        ("0", "No cell has run as"),
    ],
)
def test_a_cell_that_is_not_there_is_one_clear_line(loaded: Kernel, cell: str, says: str) -> None:
    done = loaded.run(f"kernelgate.verify('leakyrelu', cell={cell})")
    assert done.error is not None and done.error[0] == "UsageError" and done.error[1].startswith(says)
    assert done.traceback == f"UsageError: {done.error[1]}"


def test_the_extension_comes_and_goes_and_never_over_another_magic() -> None:
    with kernel() as fresh:
        taken = (
            "from IPython.core.magic import register_line_magic\ndef leakyrelu_cuda(line): print('theirs')\n"
        )
        fresh.run(f"{taken}register_line_magic(leakyrelu_cuda)")
        refused = fresh.run("%load_ext kernelgate")
        assert refused.traceback.startswith(
            "UsageError: The magic %leakyrelu_cuda belongs to something else, so nothing was loaded."
        )
        assert "not found" in fresh.run("%kernelgate list").text
        assert fresh.run("%leakyrelu_cuda").text == "theirs\n"

        fresh.run("del get_ipython().magics_manager.magics['line']['leakyrelu_cuda']")
        assert fresh.run("%load_ext kernelgate").status == "ok"
        assert fresh.run("%reload_ext kernelgate").status == "ok"
        assert "leakyrelu" in fresh.run("%kernelgate list").text
        fresh.run(f"{taken}register_line_magic(leakyrelu_cuda)")
        fresh.run("%unload_ext kernelgate")
        assert fresh.run("%leakyrelu_cuda").text == "theirs\n"
        assert "not found" in fresh.run("%kernelgate list").text


@pytest.mark.parametrize(
    ("does", "says"),
    [
        ("import ctypes; ctypes.string_at(0)", "Illegal memory access"),
        ("import os; os._exit(0)", "Ended its process while calling ModelNew"),
        # Where the system confines signals, the second; elsewhere the judge's own parent is gone.
        (
            "import os, signal; os.kill(os.getppid(), signal.SIGKILL)",
            ("Not judged: the judge's process ended", "Raises PermissionError"),
        ),
    ],
)
def test_a_program_that_brings_its_process_down_leaves_the_kernel_alive(
    loaded: Kernel, does: str, says: str | tuple[str, str]
) -> None:
    loaded.run("kept = 1")
    done = loaded.run(f"%%leakyrelu_cuda\n{WRONG.replace('return x', does)}")
    assert done.error is not None and done.error[0] == "NotVerified" and done.error[1].startswith(says)
    assert loaded.run("import os; print(os.getpid(), kept)").text == f"{loaded.pid} 1\n"


def test_the_doctor_answers_in_a_cell_without_importing_torch_into_the_kernel() -> None:
    with kernel() as fresh:
        fresh.run("%load_ext kernelgate")
        done = fresh.run("%kernelgate doctor")
        assert "RESULT   A verification runs here" in done.text
        assert fresh.run("import sys; print('torch' in sys.modules)").text == "False\n"
