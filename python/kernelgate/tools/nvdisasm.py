"""A cubin as SASS, the instructions of the GPU itself, by the CUDA toolkit's disassembler.

In: a cubin. Out: text; "" if there is no toolkit.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from kernelgate.tools.cuobjdump import tool

_TIMEOUT_S = 30
_COMMANDS = (("nvdisasm", "--print-code"), ("cuobjdump", "--dump-sass"))


def sass(cubin: bytes) -> str:
    for name, option in _COMMANDS:
        program = tool(name)
        if program is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernels.cubin"
            path.write_bytes(cubin)
            try:
                done = subprocess.run(
                    [program, option, str(path)], capture_output=True, timeout=_TIMEOUT_S, check=False
                )
            except (OSError, subprocess.TimeoutExpired):
                continue
        if done.returncode == 0:
            return done.stdout.decode(errors="replace")
    return ""
