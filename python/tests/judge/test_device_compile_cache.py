"""What NVIDIA's compiler said of a source is remembered while its headers are as they were."""

from __future__ import annotations

from pathlib import Path

from kernelgate.judge.stages.device_compile import remember, remembered
from kernelgate.messages.device_compile import DeviceCompile
from kernelgate.messages.worker import Compile, Compiled

ANSWER = Compiled("13.0", [DeviceCompile(arch="sm_80", state="compiled")])


def request(source: str, cache: Path) -> Compile:
    return Compile(source, [], ["sm_80"], str(cache))


def test_an_answer_is_forgotten_when_a_header_changes(tmp_path):
    header = tmp_path / "scale.cuh"
    header.write_text("#define SCALE 2\n")
    asked = request(f'#include "{header}"\n', tmp_path)
    path, nothing = remembered(asked)
    assert nothing is None
    remember(path, ANSWER)
    assert remembered(asked)[1] == ANSWER
    header.write_text("#define SCALE 3\n")
    assert remembered(asked)[1] is None


def test_a_source_that_does_not_name_its_header_is_not_remembered(tmp_path):
    path, answer = remembered(request("#define WHICH <math.h>\n#include WHICH\n", tmp_path))
    assert (path, answer) == (None, None)
    remember(path, ANSWER)
    assert not list(tmp_path.iterdir())
