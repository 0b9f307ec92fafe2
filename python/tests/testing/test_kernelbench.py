"""KernelBench's function, judged by KernelGate: as docs/formats.md shows it, and beside KernelBench's own package."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
from judge.candidates import forward
from pages import block

from kernelgate.catalogue import operators
from kernelgate.testing.kernelbench import eval_kernel_against_ref

PROBLEM = operators()["leakyrelu"].problem_text.replace("393216", "64")
# The package asks for clients of language models, and changes torch.randn: neither is for this process.
THEIRS = """
import inspect, json, sys, types

for name, client in (("openai", "OpenAI"), ("litellm", "completion")):
    sys.modules[name] = types.ModuleType(name)
    setattr(sys.modules[name], client, None)
from kernelbench.eval import KernelExecResult, check_metadata_serializable_all_types, eval_kernel_against_ref

ours = json.loads(sys.argv[1])
loaded = KernelExecResult.model_validate(ours, strict=True)
assert check_metadata_serializable_all_types(loaded.metadata) == ours["metadata"]
print(json.dumps([list(inspect.signature(eval_kernel_against_ref).parameters), loaded.model_dump()]))
"""


def test_the_pages_example_gives_the_verdict(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    program = forward("return F.relu(x)")
    exec(block("formats.md", "python", "kernelbench"), {"problem_text": PROBLEM, "program_text": program})
    assert capsys.readouterr().out.startswith("True False Wrong result")


def test_a_result_is_one_of_kernelbenchs_own(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    found = eval_kernel_against_ref(PROBLEM, "class ModelNew(", device="emulated")
    assert (found.compiled, found.correctness, found.runtime, found.runtime_stats) == (False, False, -1.0, {})
    words = [sys.executable, "-c", THEIRS, json.dumps(asdict(found))]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    if "No module named 'kernelbench'" in done.stderr:
        pytest.skip("KernelBench is not installed: make adapters")
    assert done.returncode == 0, done.stderr
    parameters, fields = json.loads(done.stdout)
    assert parameters == list(inspect.signature(eval_kernel_against_ref).parameters)
    assert fields == asdict(found)
