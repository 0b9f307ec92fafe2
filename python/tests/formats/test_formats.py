"""Problems and programs in the formats of other benchmarks are judged; results are written for other tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
import torch
from pages import block, commands

from kernelgate.check.problem import Problem
from kernelgate.cli.main import main
from kernelgate.evaluation.found import asked_in
from kernelgate.evaluation.other_formats import asked_of_solution
from kernelgate.formats import FormatError, gpu_mode
from kernelgate.formats.definition import problem_text
from kernelgate.formats.gpu_mode import reference_text
from kernelgate.formats.solution import solution_text
from kernelgate.formats.traces import as_trace
from kernelgate.report import Report

from . import examples

REPORTS = Path(__file__).parents[1] / "fixtures" / "reports"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """The folder in which all examples were evaluated by the command of docs/formats.md."""
    root = tmp_path_factory.mktemp("formats")
    examples.write_all(root)
    (words,) = commands("formats.md", "evaluate")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERNELGATE_CACHE", str(cache))
        patch.chdir(root)
        assert main([*words, "--device", "emulated", "--jobs", "2", "--results", "results.jsonl"]) == 1
    return root


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.drawn
def test_candidates_of_every_format_are_judged(judged: Path) -> None:
    rows = {row["name"]: row["report"]["verdict"] for row in lines(judged / "results.jsonl")}
    assert {name: (verdict["outcome"], verdict["kind"]) for name, verdict in rows.items()} == {
        "set/solutions/right.json@5d0a-sca": ("pass", "pass"),
        "set/solutions/wrong.json@5d0a-sca": ("fail", "wrong"),
        "halves/solution_cuda.json@77aa-hal": ("pass", "pass"),
        "product@1": ("pass", "pass"),
        "3_Scale.py": ("pass", "pass"),
        "3_Scale/answer.md": ("fail", "wrong"),
    }


def test_the_page_shows_the_folder_that_is_judged(judged: Path) -> None:
    shown = [line.split()[0] for line in block("formats.md", "text").splitlines()]
    assert [name for name in shown if not (judged / name.removesuffix("...")).exists()] == []


def test_traces_say_passed_of_what_passed_alone(judged: Path) -> None:
    traces = {trace["solution"]: trace for trace in lines(judged / "traces.jsonl")}
    status = {name: trace["evaluation"]["status"] for name, trace in traces.items()}
    assert status == {
        "scaled_right": "PASSED",
        "scaled_wrong": "INCORRECT_NUMERICAL",
        "halves_cuda": "PASSED",
        "product@1": "PASSED",
        "3_Scale.py": "PASSED",
        "3_Scale/answer.md": "INCORRECT_NUMERICAL",
    }
    assert traces["scaled_wrong"]["workload"] == examples.SCALED_WORKLOAD
    extra = traces["scaled_right"]["evaluation"]["correctness"]["extra"]["kernelgate"]
    assert extra["contract"] == "problem" and extra["timed"] is False and extra["gates"]
    assert "Wrong result" in traces["scaled_wrong"]["evaluation"]["log"]


@pytest.mark.parametrize(("kind", "status"), [("shape", "INCORRECT_SHAPE"), ("dtype", "INCORRECT_DTYPE")])
def test_a_trace_says_whether_shape_or_dtype_is_wrong(kind: Any, status: str) -> None:
    report = msgspec.json.decode((REPORTS / "wrong-result.json").read_bytes(), type=Report)
    next(case for case in report.cases if case.outcome == "fail").kind = kind
    trace = as_trace(report, {}, "mine")
    assert trace is not None and trace["evaluation"]["status"] == status


@pytest.mark.parametrize("module", ["flashinfer_bench.data", "sol_execbench.core.data.trace"])
def test_traces_load_in_the_models_of_both_projects(judged: Path, module: str) -> None:
    trace = pytest.importorskip(module).Trace
    loaded = []
    for one in (judged / "traces.jsonl").read_text().splitlines():
        if '"custom"' in one and module.startswith("flashinfer"):  # an input that SOL-ExecBench alone knows
            continue
        loaded.append(trace.model_validate_json(one))
    assert len(loaded) >= 3
    for found in loaded:
        assert found.is_successful() == (found.solution not in ("scaled_wrong", "3_Scale/answer.md"))


@pytest.mark.parametrize("module", ["flashinfer_bench.data", "sol_execbench.core.data.trace"])
def test_a_trace_of_every_kind_of_report_loads_in_the_models_of_both_projects(module: str) -> None:
    model = pytest.importorskip(module).Trace
    loaded = 0
    for path in sorted(REPORTS.glob("*.json")):
        report = msgspec.json.decode(path.read_bytes(), type=Report)
        trace = as_trace(report, {}, path.stem)
        if trace is not None:
            assert report.verdict is not None
            found = model.model_validate_json(json.dumps(trace))
            assert found.is_successful() == (report.verdict.outcome == "pass"), path
            loaded += 1
    assert loaded > 10


def test_junit_has_a_test_a_candidate_and_the_report_of_a_failure(judged: Path) -> None:
    (suite,) = ElementTree.parse(judged / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("6", "2", "0")
    for failure in suite.iter("failure"):
        assert failure.get("type") == "wrong" and "KernelGate" in (failure.text or "")


def test_junit_is_read_by_junitparser(judged: Path) -> None:
    module = pytest.importorskip("junitparser")
    (suite,) = module.JUnitXml.fromfile(str(judged / "junit.xml"))
    failing = {case.name for case in suite if not case.is_passed}
    assert failing == {"3_Scale/answer.md", "set/solutions/wrong.json@5d0a-sca"}


def test_sarif_is_read_by_sarif_tools(judged: Path) -> None:
    loader = pytest.importorskip("sarif.loader")
    found = loader.load_sarif_file(str(judged / "found.sarif"))
    errors = [(one["Location"], one["Code"]) for one in found.get_records() if one["Severity"] == "error"]
    assert errors == [("candidates/3_Scale/answer.md", "wrong"), ("candidates/set/solutions/wrong.json", "wrong")]


def test_sarif_names_the_program_and_the_kind_of_what_was_found(judged: Path) -> None:
    (run,) = json.loads((judged / "found.sarif").read_text())["runs"]
    errors = [one for one in run["results"] if one["level"] == "error"]
    places = [one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in errors]
    assert [one["ruleId"] for one in errors] == ["wrong", "wrong"]
    assert places == ["candidates/3_Scale/answer.md", "candidates/set/solutions/wrong.json"]
    notes = [one for one in run["results"] if "solution_cuda.json" in json.dumps(one) and one["level"] == "note"]
    assert notes and all(one["message"]["text"].startswith("src/kernel.cu, line ") for one in notes)
    assert all("region" not in one["locations"][0]["physicalLocation"] for one in notes)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"axes": {}}, "The axis M has no size"),
        ({"inputs": {"x": {"type": "random"}}}, "The workload gives no input scale"),
        ({"inputs": {**examples.SCALED_WORKLOAD["inputs"], "scale": {"type": "scalar", "value": "1; import os"}}},
         "The number scale is '1; import os'"),
    ],
)  # fmt: skip
def test_a_workload_that_does_not_fit_is_refused(change: dict[str, Any], says: str) -> None:
    with pytest.raises(FormatError, match=says):
        problem_text(examples.SCALED, {**examples.SCALED_WORKLOAD, **change})


def test_an_expression_can_call_nothing() -> None:
    axes = {**examples.HALVES["axes"], "half": {"type": "expr", "expression": "__import__('os').getpid()"}}
    with pytest.raises(FormatError, match="is no arithmetic"):
        problem_text({**examples.HALVES, "axes": axes}, examples.HALVES_WORKLOAD)


def test_a_binding_that_cannot_be_judged_is_named() -> None:
    spec = {**examples.HALVES_RIGHT["spec"], "binding": "tvm-ffi"}
    with pytest.raises(FormatError, match="Its binding is tvm-ffi"):
        solution_text({**examples.HALVES_RIGHT, "spec": spec}, examples.HALVES, examples.HALVES_WORKLOAD)


@pytest.mark.parametrize(
    "given",
    [{"problem": "leakyrelu", "shape": (8, 64)}, {"reference": "torch.nn.GELU()", "inputs": ["8x64"]}],
)
def test_what_brings_its_problem_along_is_not_held_against_the_one_that_is_named(
    given: dict[str, Any], tmp_path: Path
) -> None:
    examples.write_all(tmp_path)
    found = {one.name: one for one in asked_in([str(tmp_path / "candidates")], given)}
    assert [one.error for one in found.values() if one.job is None] == []
    own = [one.job.reference_text for name, one in found.items() if one.job is not None and "@" in name]
    assert ["GELU" in text or "leaky" in text.lower() for text in own] == [False] * 4
    others = [one.job.reference_text for name, one in found.items() if one.job is not None and "@" not in name]
    assert ["GELU" in text or "leaky" in text.lower() for text in others] == [True] * 2


def test_what_is_missing_from_a_set_is_an_error_of_its_row(tmp_path: Path) -> None:
    (tmp_path / "alone.json").write_text(json.dumps(examples.SCALED_RIGHT))
    (row,) = asked_in([str(tmp_path)], {})
    assert row.job is None and row.error.startswith("There is no definition scaled_sum_n48 for alone.json.")


def test_an_input_that_lies_in_a_file_of_safetensors_is_read(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    safetensors = pytest.importorskip("safetensors.torch")
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    examples.write_all(tmp_path)
    of_a_file = {"type": "safetensors", "path": "blobs/y.safetensors", "tensor_key": "second"}
    workload = {**examples.SCALED_WORKLOAD, "inputs": {**examples.SCALED_WORKLOAD["inputs"], "y": of_a_file}}
    root = tmp_path / "candidates" / "set"
    written = json.dumps({"definition": examples.SCALED["name"], "workload": workload})
    examples.write(root, {"workloads/sum/scaled_sum_n48.jsonl": written, "blobs/about.txt": ""})
    safetensors.save_file({"second": torch.randn(16, 48)}, root / of_a_file["path"])
    words = ["evaluate", str(root / "solutions"), "--device", "emulated", "--results", str(tmp_path / "rows.jsonl")]
    assert main(words) == 1
    rows = {row["name"]: row["report"]["verdict"]["kind"] for row in lines(tmp_path / "rows.jsonl")}
    assert rows == {"right.json@5d0a-sca": "pass", "wrong.json@5d0a-sca": "wrong"}


def test_a_seed_of_a_task_is_drawn_also_where_tensors_have_no_memory() -> None:
    modules = {name: examples.TASK_FILES[f"{name}.py"] for name in ("task", "utils")}
    text = reference_text(examples.TASK_FILES["reference.py"], {"size": 512, "seed": 4242}, modules)
    assert Problem(text, "p.py", torch.device("meta"), {}).inputs(0)[0].shape == (512, 512)
    small = Problem(text, "p.py", torch.device("cpu"), {"size": 8})
    first, again, other = (small.inputs(seed)[0] for seed in (1, 1, 2))
    assert torch.equal(first, again) and not torch.equal(first, other)


def test_a_tolerance_of_a_task_is_read_where_its_check_is_made() -> None:
    made = "check_implementation = match(ref_kernel, rtol=2e-2, atol={})\n"
    assert gpu_mode.tolerance_of(made.format("1e-3")) == (0.02, 0.001)
    assert gpu_mode.tolerance_of(made.format("other()")) == (0.02, 0.0)
    assert gpu_mode.tolerance_of(examples.TASK_FILES["reference.py"]) is None


def test_a_tolerance_of_a_workload_counts_if_the_person_gives_none(tmp_path: Path) -> None:
    workload = {**examples.SCALED_WORKLOAD, "tolerance": {"max_atol": 0.01, "max_rtol": 0.002}}
    files = {"definition.json": examples.SCALED, "workload.jsonl": workload, "right.json": examples.SCALED_RIGHT}
    examples.write(tmp_path, {name: json.dumps(content) for name, content in files.items()})
    (given,) = asked_of_solution(tmp_path / "right.json", "right", {}, "verify")
    assert given.job is not None
    assert (given.job.rtol, given.job.atol, given.job.tolerance_of) == (0.002, 0.01, "the workload's")
    (own,) = asked_of_solution(tmp_path / "right.json", "right", {"atol": 1e-5}, "verify")
    assert own.job is not None
    assert (own.job.rtol, own.job.atol, own.job.tolerance_of) == (None, 1e-5, "")
    workload["tolerance"] = {"max_atol": "large"}
    examples.write(tmp_path, {"workload.jsonl": json.dumps(workload)})
    (refused,) = asked_of_solution(tmp_path / "right.json", "right", {}, "verify")
    assert refused.job is None and "tolerance" in refused.error
