"""On a GPU: honest programs pass at full shape, wrong ones fail, and a fault costs its own run only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernelgate.catalogue import operators
from kernelgate.run import Limits

from .candidates import KNOWN_WRONG, PROGRAMS, RIGHT_CUDA, cuda_program, forward, verify

pytestmark = pytest.mark.gpu

SMALL = (64, 3072)


@pytest.mark.parametrize(
    ("operator", "shape"),
    [
        ("leakyrelu", "4096x393216"),
        ("scale_leakyrelu", "4096x393216"),
        ("gemm_scale_leakyrelu", "1024x8192"),
    ],
)
def test_our_own_program_is_a_drop_in_at_full_shape(operator: str, shape: str) -> None:
    entry = operators()[operator]
    assert entry.program_text is not None
    report = verify(entry.program_text, problem=operator, device="cuda", contract="drop-in")
    assert report.verdict is not None
    assert report.verdict.sentence == f"Correct, and a drop-in for {entry.replaces}"
    assert (report.problem.shape, report.device.kind) == (shape, "cuda")
    assert {case.outcome for case in report.cases} == {"pass"}
    assert {gate.name: gate.outcome for gate in report.gates}["as in a notebook's kernel"] == "pass"


def test_what_does_not_need_the_problems_own_size_is_tried_at_a_smaller_one() -> None:
    report = verify(forward("return torch.nn.functional.leaky_relu(x, 0.01)"), device="cuda")
    shapes = {case.name: case.shape for case in report.cases}
    assert report.verdict is not None and report.verdict.outcome == "pass"
    assert shapes["as given"] == report.problem.shape == "4096x393216"
    assert shapes["normal"] != "4096x393216"
    own = [gate.name for gate in report.gates if gate.outcome == "pass" and "(at " not in gate.message]
    assert {"same result three times", "finished with the stream"} <= set(own)
    assert any("(at " in gate.message for gate in report.gates)


def test_what_is_right_only_where_both_sides_are_built_apart_fails() -> None:
    own = "#ifdef __CUDACC__\n    return y + 1;\n#else\n    return y;\n#endif"
    report = verify(cuda_program(RIGHT_CUDA).replace("    return y;", own), device="cuda", shape=SMALL)
    assert report.verdict is not None and report.verdict.outcome == "fail"


def test_a_quicker_build_is_confirmed_by_pytorchs_own() -> None:
    report = verify(cuda_program(RIGHT_CUDA) + "# built for this test alone\n", device="cuda", shape=SMALL)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict.sentence
    assert report.build is not None and report.build.compiler


def test_a_program_that_takes_its_own_size_only_is_judged_at_that() -> None:
    body = "assert x.shape == (4096, 393216)\nreturn torch.nn.functional.leaky_relu(x, 0.01)"
    report = verify(forward(body), device="cuda")
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert {case.shape for case in report.cases if case.contract == "problem"} == {"4096x393216"}
    assert not any("(at " in gate.message for gate in report.gates)


@pytest.mark.skipif(not PROGRAMS.is_dir(), reason="../shared/programs is not here")
@pytest.mark.parametrize("name", ["003-1", "004-0", "004-1"])
def test_an_honest_product_passes_at_full_shape(name: str) -> None:
    text = (PROGRAMS / f"{name}.py").read_text()
    report = verify(text, problem="gemm_scale_leakyrelu", device="cuda")
    assert report.verdict is not None
    assert report.verdict.outcome == "pass", report.verdict.sentence
    assert report.problem.full_shape is None


@pytest.mark.skipif(not PROGRAMS.is_dir(), reason="../shared/programs is not here")
@pytest.mark.parametrize(
    ("name", "problem", "line"),
    [("000-0", "leakyrelu", 40), ("002-0", "leakyrelu", 3), ("003-0", "gemm_scale_leakyrelu", 72)],
)
def test_a_program_that_does_not_build_names_its_line(name: str, problem: str, line: int) -> None:
    report = verify((PROGRAMS / f"{name}.py").read_text(), problem=problem, device="cuda")
    assert report.failure is not None and report.failure.where is not None
    assert (report.failure.stage, report.failure.where.line) == ("build", line)


@pytest.mark.parametrize(("body", "sentence"), KNOWN_WRONG)
def test_a_known_wrong_program_fails_with_the_right_sentence(body: str, sentence: str) -> None:
    report = verify(forward(body), device="cuda", shape=SMALL)
    assert report.verdict is not None
    assert (report.verdict.outcome, report.verdict.sentence) == ("fail", sentence)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("if (i < n) y[i] = x[i] > 0 ? x[i] : 0.011f * x[i];", "multiplied by 0.011 instead of 0.01"),
        ("if (i + 1 < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];", "the last element is never written"),
    ],
)
def test_a_wrong_kernel_fails_with_the_right_sentence(body: str, sentence: str) -> None:
    report = verify(cuda_program(body), device="cuda", shape=SMALL)
    assert report.verdict is not None
    assert report.verdict.outcome == "fail"
    assert sentence in report.verdict.sentence


@pytest.mark.parametrize(("arch", "found"), [(None, None), ("sm_80", "8.0")])
def test_a_program_finds_the_architecture_in_the_environment_only_where_a_person_names_one(
    arch: str | None, found: str | None
) -> None:
    asked = f"import os\nassert os.environ.get('TORCH_CUDA_ARCH_LIST') == {found!r}\n"
    text = forward(asked + "return F.leaky_relu(x, s)")
    report = verify(text, device="cuda", shape=SMALL, arch=arch)
    assert report.verdict is not None
    assert report.verdict.outcome == "pass", report.verdict.sentence


def test_the_product_is_judged_with_the_kernel_that_a_notebook_gets() -> None:
    text = operators()["gemm_scale_leakyrelu"].program_text
    assert text is not None
    report = verify(text, problem="gemm_scale_leakyrelu", device="cuda", verb="profile", budget_s=3.0)
    if "H100" not in report.device.name and "H200" not in report.device.name:
        pytest.skip("only an H100 or H200 has this path")
    assert report.profile is not None, report.verdict
    ran = [facts.name for facts in report.profile.kernels]
    assert any("multiply_wgmma" in name for name in ran), ran


@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("y[i + (1L << 40)] = x[0];", "fault", "Illegal memory access"),
        ("*(volatile int*)nullptr = 1;", "fault", "Illegal memory access"),
        ("__trap();", "fault", ""),
        ("if (i == 0) while (*(volatile const float*)x == x[0] || i == 0) {}", "timeout", "Timed out"),
    ],
)
def test_a_fault_on_the_device_costs_its_own_run_only(body: str, kind: str, words: str) -> None:
    limits = Limits(build_s=300, call_s=10, memory_bytes=0)
    report = verify(cuda_program(body), device="cuda", shape=SMALL, limits=limits)
    assert report.verdict is not None
    assert report.verdict.kind == kind, report.verdict.sentence
    assert words in report.verdict.sentence

    after = verify(cuda_program(RIGHT_CUDA), device="cuda", shape=SMALL)
    assert after.verdict is not None and after.verdict.outcome == "pass", after.verdict.sentence


@pytest.mark.parametrize(
    ("name", "value", "note"),
    [("KERNELGATE_IPC", "off", "host memory"), ("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True", "")],
)
def test_results_come_through_host_memory_where_there_is_no_cuda_ipc(
    tmp_path: Path, name: str, value: str, note: str
) -> None:
    program = tmp_path / "program.py"
    program.write_text(forward("return F.leaky_relu(x, s)"))
    command = [sys.executable, "-m", "kernelgate.cli", "verify", str(program), "--problem", "leakyrelu"]
    done = subprocess.run(
        [*command, "--device", "cuda", "--shape", "64x3072", "--json"],
        capture_output=True,
        text=True,
        env={**os.environ, name: value},
        check=False,
    )
    report = json.loads(done.stdout)
    assert report["verdict"]["outcome"] == "pass", report["verdict"]
    assert note in report["stages"][1]["note"]


def test_a_launch_that_is_refused_is_reported_where_it_happened() -> None:
    text = cuda_program(RIGHT_CUDA).replace("if (n > 0) {", "{")
    report = verify(text, device="cuda", shape=SMALL)
    refused = [case for case in report.cases if "CUDA error: invalid " in case.message]
    assert [case.name for case in refused] == ["empty"]


def test_a_launch_that_the_driver_refuses_is_told_with_its_line() -> None:
    text = cuda_program(RIGHT_CUDA).replace("256", "2048")
    report = verify(text, device="cuda", shape=SMALL)
    assert report.verdict is not None and report.verdict.outcome == "fail"
    assert report.failure is not None and report.failure.where is not None
    assert "Failed launch" in f"{report.verdict.sentence} {report.failure.what}"
    assert "<<<" in text.splitlines()[report.failure.where.line - 1]


def test_a_run_never_touches_cuda_in_the_process_that_asks_for_it() -> None:
    script = (
        "import sys\n"
        "from kernelgate.catalogue import operators\n"
        "from kernelgate.run import Job, new_run_id, run\n"
        "job = Job(run=new_run_id(), text=operators()['leakyrelu'].program_text, label='p', problem='leakyrelu',"
        " device='cuda', shape=(64, 3072))\n"
        "report = run(job)\n"
        "print(report.verdict.outcome, 'torch' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["pass", "False"]
