"""Which candidates files and folders mean, which problem each has, and what is wrong with a job."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernelgate.evaluation.asked import asked_as_json
from kernelgate.evaluation.found import asked_in
from kernelgate.messages.job import UsageError

PROGRAM = "class ModelNew:\n    pass\n"


def write(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{PROGRAM}# {name}\n")


def test_a_folder_means_its_programs_at_any_depth_and_nothing_hidden(tmp_path: Path) -> None:
    write(tmp_path, "b.py", "a/answer.md", "a/kernel.cu", "a/notes.txt", ".git/c.py", "__pycache__/d.py")
    found = asked_in([str(tmp_path)], {"problem": "leakyrelu"})
    assert [one.name for one in found] == ["a/answer.md", "a/kernel.cu", "b.py"]
    assert all(one.job is not None and one.job.problem == "leakyrelu" for one in found)


def test_a_program_beside_a_folder_of_a_task_is_a_candidate_and_what_the_task_shares_is_none(tmp_path: Path) -> None:
    write(tmp_path, "mine.py", "eval.py", "product/submission.py", "product/reference.py", "product/task.py")
    (tmp_path / "product" / "task.yml").write_text('files:\n  - {name: eval.py, source: "../eval.py"}\n')
    assert {one.name.partition("@")[0] for one in asked_in([str(tmp_path)], {})} == {"mine.py", "product"}


def test_a_program_goes_with_the_problem_that_has_its_name(tmp_path: Path) -> None:
    problems, candidates = tmp_path / "problems", tmp_path / "candidates"
    write(problems, "level1/19_ReLU.py", "level1/20_LeakyReLU.py", "level2/20_ConvT.py", "level1/2_Matmul.py")
    belongs = {
        "19_ReLU.py": "19_ReLU.py",
        "20_LeakyReLU_fast.py": "20_LeakyReLU.py",
        "2_Matmul/second.py": "2_Matmul.py",
        "level_2_problem_20_sample_0_kernel.py": "20_ConvT.py",
        "20_LeakyReLUs.py": "",
    }
    write(candidates, *belongs)
    found = asked_in([str(candidates)], {}, str(problems))
    assert {one.name: one.job.reference_label if one.job else "" for one in found} == belongs
    (without,) = [one for one in found if one.job is None]
    assert without.error.startswith(
        f"{problems} has no problem for 20_LeakyReLUs.py. Give the candidate the name"
    )


def test_a_list_of_jobs_has_files_beside_it_and_options_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, "mine.py", "problem.py")
    jobs = [
        {"candidate": "mine.py", "problem": "leakyrelu", "options": {"dtype": "float16", "timeout": 5}},
        {"candidate": PROGRAM, "reference": "problem.py", "name": "inline", "verb": "benchmark"},
        {"candidate": "mine.py", "problem": "leakyrelo"},
        {"candidate": "none.py", "problem": "leakyrelu"},
        {"candidate": "mine.py", "problem": "leakyrelu", "options": {"dtyp": "float16"}},
        {"program": "mine.py"},
        7,
    ]
    path = tmp_path / "jobs.jsonl"
    path.write_text("\n".join([*map(json.dumps, jobs), "{half"]))
    first, second, *wrong = asked_in([str(path)], {"device": "emulated"})
    assert first.job is not None and second.job is not None
    assert (first.job.dtype, first.job.device, first.job.limits.run_s) == ("float16", "emulated", 5)
    assert (second.name, second.job.verb, second.job.reference_label) == ("inline", "benchmark", "problem.py")
    assert [one.job for one in wrong] == [None] * 6
    says = [one.error.split(". ")[0] for one in wrong]
    assert says[0] == "There is no problem 'leakyrelo'"
    assert says[1] == f"There is no file {tmp_path}/none.py"
    assert says[2:5] == ["verify takes no dtyp", "A job has no program", "A job is no object"]
    assert says[5].startswith("Line 8 of jobs.jsonl is no JSON")


def test_an_option_of_the_usual_problem_is_not_for_a_job_with_one_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, "problem.py")
    catalogue = {"candidate": PROGRAM, "problem": "leakyrelu"}
    own = {"candidate": PROGRAM, "reference": "problem.py"}
    usual = {"problem": "leakyrelu", "shape": (8, 64)}
    assert [asked_as_json(job, 1, tmp_path, usual).error for job in (catalogue, own)] == ["", ""]
    assert asked_as_json(catalogue, 1, tmp_path, {"reference": "problem.py", "inputs": ["8x64"]}).error == ""
    assert "--shape needs" in asked_as_json({**own, "options": {"shape": "8x64"}}, 1, tmp_path, usual).error


def test_the_same_question_has_the_same_key_and_another_one_another(tmp_path: Path) -> None:
    def key(**written: object) -> str:
        job = {"candidate": PROGRAM, "problem": "leakyrelu", "name": "a", **written}
        return asked_as_json(job, 1, tmp_path, {}).key

    others = [key(name="b"), key(candidate=f"{PROGRAM}#"), key(options={"seed": 3}), key(verb="benchmark")]
    assert key() == key()
    assert len({key(), *others}) == 5


def test_a_path_without_a_candidate_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no candidate in .*\. Name files that end with \.py"):
        asked_in([str(tmp_path)], {"problem": "leakyrelu"})
    with pytest.raises(UsageError, match="There is no file nothing"):
        asked_in(["nothing"], {"problem": "leakyrelu"})
