"""What a program changes in its process is named, whatever it is; what PyTorch itself changes while it works is not."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

CHANGES = {
    "math.pi is replaced": "import math; math.pi = 3.0",
    "cmath.tau is replaced": "import cmath; cmath.tau = 6.0",
    "numpy.pi is replaced": "numpy.pi = 3.0",
    "numpy.euler_gamma is replaced": "numpy.euler_gamma = float('nan')",
    "torch.float32 is replaced": "torch.float32 = torch.float64",
    "sched.scheduler.enter has other code": (
        "import sched; sched.scheduler.enter.__code__ = (lambda *_: 0).__code__"
    ),
    "numpy.allclose is replaced": "import numpy; numpy.allclose = lambda *_: True",
    "copy.deepcopy is replaced": "import copy; copy.deepcopy = lambda value, *_: value",
    "os.cpu_count is replaced": "import os; os.cpu_count = lambda: 1",
    "warnings.showwarning is replaced": "import warnings; warnings.showwarning = lambda *_: None",
    "torch.nn.functional is replaced": "sys.modules['torch.nn.functional'] = sys",
    "torch.nn is replaced": "torch.nn = sys",
    "torch.ops.aten.relu is replaced": "torch.ops.aten.relu = lambda x: x",
    "Parameter.__torch_function__ is replaced": "torch.nn.Parameter.__torch_function__ = classmethod(print)",
    "json.encoder.JSONEncoder.default is replaced": "json.JSONEncoder.default = lambda *_: None",
    "random.Random.shuffle is replaced": "import random; random.Random.shuffle = lambda *_: None",
    "re.compile is replaced": "import re; re.compile = print",
    "subprocess.run is replaced": "import subprocess; subprocess.run = print",
    "itertools.product is replaced": "import itertools; itertools.product = zip",
    "posixpath.join has other code": "import os; os.path.join.__code__ = (lambda a, *p: a).__code__",
    "what codecs do on errors has": "import codecs; codecs.register_error('strict', lambda e: ('', e.end))",
    "how classes of Python and PyTorch are copied and pickled has": (
        "import copyreg; copyreg.pickle(torch.nn.Linear, lambda _: (torch.nn.Identity, ()))"
    ),
    "how classes of Python and PyTorch are copied and pickled has changed": (
        "import copyreg; copyreg.pickle(dict, lambda _: (dict, ()))"
    ),
    "what finds modules has": (
        "__name__ = 'candidate'\nclass Finder:\n    find_spec = print\nsys.meta_path.insert(0, Finder)"
    ),
    "standard output has": "sys.stdout.write = len",
    "how many lines a traceback has is": "sys.tracebacklimit = 0",
    "how processes are started is": "import multiprocessing; multiprocessing.set_start_method('spawn')",
    "how processes share tensors is": "torch.multiprocessing.set_sharing_strategy('file_system')",
    "how long sockets wait is": "import socket; socket.setdefaulttimeout(1)",
    "the set of floating-point errors that end the process is": (
        "import ctypes; ctypes.CDLL('libm.so.6').feenableexcept(4)"
    ),
    "garbage collection is": "import gc; gc.set_threshold(1)",
    "the list of warnings that raise is": "import warnings; warnings.simplefilter('error')",
    "what shows a result has": "sys.displayhook = print",
    "what is called for an exception has": "sys.unraisablehook = print",
    "the tracing function has": "import threading; threading.settrace(print)",
    "the stack of new threads is": "import threading; threading.stack_size(1 << 18)",
    "the set of signals that are held back is": "import signal; signal.pthread_sigmask(0, {signal.SIGINT})",
    "how long a number may be as text is": "sys.set_int_max_str_digits(0)",
    "the set of processors that may be used is": "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})",
    "how NumPy prints arrays is": "import numpy; numpy.set_printoptions(precision=1)",
    "the number of threads is": "torch.set_num_interop_threads(torch.get_num_interop_threads() + 1)",
    "what autograd does is": "torch._C._set_multithreading_enabled(False)",
    "what happens to tensors that are saved for a gradient is": (
        "torch._C._autograd._push_saved_tensors_default_hooks(abs, abs)"
    ),
    "how a module takes other parameters is": (
        "torch.__future__.set_overwrite_module_params_on_conversion(True)"
    ),
    "which warnings PyTorch repeats is": "torch.set_warn_always(True)",
    "how torch.load reads is": (
        "torch.serialization.set_default_load_endianness(torch.serialization.LoadEndianness.BIG)"
    ),
    "how torch.compile works is": "import torch._dynamo; torch._dynamo.config.suppress_errors = True",
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
# Each change in a child of its own, so that none sees another's. Some modules come after most was looked at.
RUN = """
import json, os, sys, torch
from kernelgate.worker.global_state import Watch, look_ahead
look_ahead()
import sched, numpy
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
