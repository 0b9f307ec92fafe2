"""What the warm process imports ahead, for all that are forked from it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import kernelgate

IMPORTS = """
import os, socket
from kernelgate.judge.channel import Channel
from kernelgate.judge.warm import WarmProcess
ours, theirs = socket.socketpair()
process = WarmProcess(Channel(ours))
process._to_import = iter(["torch._inductor.config"])
process._import_more()
import torch._inductor.config
os.environ.pop("TORCHINDUCTOR_COMPILE_THREADS", None)
print(torch._inductor.config.compile_threads)
"""


def test_torch_compile_starts_no_pool_of_processes_where_it_was_imported_ahead() -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(kernelgate.__file__).parents[1])}
    environment.pop("TORCHINDUCTOR_COMPILE_THREADS", None)
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "1"
