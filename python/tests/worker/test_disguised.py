"""In a process that looks like a notebook's kernel a program builds for a GPU, though our modules are gone by name."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import kernelgate

BUILDS = """
import contextlib, pathlib, sys
from torch.utils import cpp_extension
from kernelgate.compile.cuda import install_cached_load_inline
from kernelgate.worker.disguised import _look_like_a_kernel

def build(extension):
    print(extension.name, "kernelgate" in sys.modules)
    raise RuntimeError

install_cached_load_inline(pathlib.Path(sys.argv[1]), "sm_90", print, build)
_look_like_a_kernel(sys.argv[1])
with contextlib.suppress(RuntimeError):
    cpp_extension.load_inline("relu", "void f();", "void f() {}", functions=["f"])
"""


def test_a_build_for_a_gpu_is_asked_for_where_nothing_of_ours_is_left(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(kernelgate.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", BUILDS, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "relu False"
