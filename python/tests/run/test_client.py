"""What the process that asks for a run takes upon itself."""

import subprocess
import sys

from judge.candidates import forward, verify

SCRIPT = """
import sys
from kernelgate.catalogue import operators
from kernelgate.run import Job, new_run_id, run
text = operators()["leakyrelu"].program_text
report = run(Job(run=new_run_id(), text=text, label="p", problem="leakyrelu", device="emulated"))
print(report.verdict.outcome, "torch" in sys.modules)
"""


def test_a_run_imports_no_torch_into_the_process_that_asks_for_it() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["pass", "False"]


def test_a_seed_repeats_a_run_to_the_bit() -> None:
    text = forward("return F.leaky_relu(x, 0.011)")
    first = verify(text)
    again, other = verify(text, seed=int(first.seed)), verify(text)
    assert again.cases == first.cases
    assert other.cases != first.cases
