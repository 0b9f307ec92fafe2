"""`%%kernelgate profile` on any cell of Python, in a real kernel: a timeline, and the cell as it always is."""

from __future__ import annotations

import pytest

from .kernels import Kernel

pytestmark = pytest.mark.drawn

TRAINS = """%%kernelgate profile
import torch
net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for step in range(3):
    loss = net(torch.randn(4, 8)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print('steps', step + 1)
"""


def test_three_steps_of_training_are_drawn_and_the_cell_does_what_it_does(loaded: Kernel) -> None:
    done = loaded.run(TRAINS)
    assert (done.status, done.text) == ("ok", "steps 3\n")
    report = done.report
    assert (report["verdict"]["kind"], report["state"]) == ("profiled", "finished")
    assert report["verdict"]["sentence"].startswith("Profiled: ")
    names = {facts["name"]: facts["calls"] for facts in report["profile"]["kernels"]}
    assert names["aten::linear"] == 6
    assert any("Backward" in name for name in names), names
    starts = [bar["start_s"] for bar in report["profile"]["timeline"]]
    assert starts == sorted(starts) and len(starts) > 20
    assert loaded.run("print(type(net).__name__)").text == "Sequential\n"


def test_what_a_profiled_cell_raises_is_shown_once_and_stops_run_all(loaded: Kernel) -> None:
    done = loaded.run("%%kernelgate profile\n1 / 0")
    assert done.traceback.count("division by zero") == 1
    assert done.error == ("BodyFailed", "The body of %%kernelgate profile ended with the error above.")


def test_what_a_profiled_cell_writes_to_the_standard_error_stays(loaded: Kernel) -> None:
    done = loaded.run("%%kernelgate profile\nimport sys\nprint('out')\nprint('err', file=sys.stderr)")
    assert "out\n" in done.text
    assert "USDT" not in done.text
