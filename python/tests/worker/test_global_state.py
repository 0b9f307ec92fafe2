"""What a program changes in its process is named, whatever it is; what PyTorch itself changes while it works is not."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CHANGES = {
    "math.pi is replaced": "import math; math.pi = 3.0",
    "numpy.pi is replaced": "numpy.pi = 3.0",
    "torch.float32 is replaced": "torch.float32 = torch.float64",
    "numpy.allclose is replaced": "import numpy; numpy.allclose = lambda *_: True",
    "copy.deepcopy is replaced": "import copy; copy.deepcopy = lambda value, *_: value",
    "os.cpu_count is replaced": "import os; os.cpu_count = lambda: 1",
    "torch.nn.functional is replaced": "sys.modules['torch.nn.functional'] = sys",
    "torch.nn is replaced": "torch.nn = sys",
    "Parameter.__torch_function__ is replaced": "torch.nn.Parameter.__torch_function__ = classmethod(print)",
    "LeakyReLU.forward is replaced": "torch.nn.LeakyReLU.forward = lambda self, x: x",
    "functional.silu has other code": "torch.nn.functional.silu.__code__ = (lambda *_: 0).__code__",
    "functional.softmax has other code": "torch.nn.functional.softmax.__defaults__ = (0, 3, None)",
    "json.encoder.JSONEncoder.default is replaced": "json.JSONEncoder.default = lambda *_: None",
    "random.Random.shuffle is replaced": "import random; random.Random.shuffle = lambda *_: None",
    "statistics.mean is replaced": "import statistics; statistics.mean = min",
    "the built-in function round is replaced": "import builtins; builtins.round = abs",
    "standard output has": "sys.stdout = sys.stderr",
    "the variable CUDA_CACHES is set": "import ctypes; ctypes.CDLL(None).setenv(b'CUDA_CACHES', b'1', 1)",
    "the variable HOME is gone": "import os; del os.environ['HOME']",
    "the handler of SIGTERM is another one": "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "the current directory is": "import os; os.chdir('/proc')",
    "the default dtype is": "torch.set_default_dtype(torch.float64)",
    "the default device is": "torch.set_default_device('meta')",
    "the gradient mode is": "torch.set_grad_enabled(False)",
    "autocast on the CPU is": "torch.autocast('cpu').__enter__()",
    "the set of kernels for attention has": "torch.backends.cuda.enable_flash_sdp(False)",
    "torch.backends.cuda.matmul.allow_tf32 is": "torch.backends.cuda.matmul.allow_tf32 = True",
    "the number of threads is": "torch.set_num_threads(torch.get_num_threads() + 1)",
    "the number of hooks on every module is": "torch.nn.modules.module.register_module_forward_hook(print)",
    "the treatment of tensors that are saved for a gradient has": (
        "torch._C._autograd._push_saved_tensors_default_hooks(abs, abs)"
    ),
}
ORDINARY_WORK = """
import copy, numpy.testing, pickle, torch.distributions, torch.utils.checkpoint
model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Dropout())
optimizer = torch.optim.Adam(model.parameters())
model(torch.randn(2, 3)).sum().backward()
optimizer.step()
torch.compile(lambda x: torch.relu(x) * 2, backend="eager")(torch.randn(3))
copy.deepcopy(model), pickle.dumps(model), model.register_forward_hook(lambda *_: None)
torch.export.export(model.eval(), (torch.randn(2, 3),))
torch.func.vmap(lambda x: x * 2)(torch.randn(3))
import asyncio, concurrent.futures, copyreg, logging, multiprocessing, unittest.mock
logging.basicConfig()
multiprocessing.get_context().Lock()
with concurrent.futures.ThreadPoolExecutor(1) as pool, unittest.mock.patch("os.getcwd"):
    pool.submit(asyncio.run, asyncio.sleep(0)).result()
copyreg.pickle(type("Own", (), {}), lambda _: (object, ()))
"""
# Each change in a child of its own, so that none sees another's.
RUN = """
import json, os, statistics, sys, torch
from kernelgate.worker.global_state import Watch
import numpy
watch = Watch()
for change in json.load(sys.stdin):
    child = os.fork()
    if child == 0:
        try:
            exec(change)
            words = watch.changed()
        except BaseException as exc:
            words = [repr(exc)]
        os.write(1, (json.dumps(words) + "\\n").encode())
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.fixture(scope="module")
def seen() -> dict[str, list[str]]:
    """What is named after each change."""
    changes = [*CHANGES.values(), ORDINARY_WORK]
    ended = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps(changes), capture_output=True, text=True, check=True, timeout=900
    )
    lines = [json.loads(line) for line in ended.stdout.splitlines()]
    return dict(zip(changes, lines, strict=True))


@pytest.mark.drawn
@pytest.mark.parametrize(("words", "change"), CHANGES.items())
def test_a_change_is_named(words: str, change: str, seen: dict[str, list[str]]) -> None:
    assert any(words in line for line in seen[change]), seen[change]


def test_ordinary_work_changes_nothing(seen: dict[str, list[str]]) -> None:
    assert seen[ORDINARY_WORK] == []
