"""A worker that looks like a notebook's kernel, for one call: so that a program finds no judge where it looks for one.

In: one `Alone` over the socket. Out: its `Reply`; the process ends when the judge closes. While the program runs,
nothing of this package is in `sys.modules` or in a frame's name, no filter of system calls is there, and gradients are
on. What stays to be seen, and what is not closed to the program without the filter: docs/observables.md.
Not here: any judgement, and more than one call.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import importlib.util
import linecache
import os
import signal
import socket
import sys
import threading
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from kernelgate.backend.choice import backend_for
from kernelgate.backend.tensor_methods import detach, resolved
from kernelgate.check.in_place_results import in_place_result
from kernelgate.messages.channel import Channel
from kernelgate.messages.worker import Alone, Reply, Returned
from kernelgate.sandbox.confine import close_descriptors, confine, private_folder
from kernelgate.worker.arguments import argument_of
from kernelgate.worker.build_client import Builds
from kernelgate.worker.call_results import described
from kernelgate.worker.module_state import prepared

_PR_SET_PDEATHSIG = 1
_OURS = ("kernelgate", "msgspec")
_VARIABLES_OF_OURS = ("OMP_WAIT_POLICY", "PYTHONPATH", "TORCHINDUCTOR_COMPILE_THREADS")


def disguised_main(
    connection: socket.socket, output_fd: int, fault_fd: int, builder: socket.socket, folder: str
) -> None:
    """The body of the process. Arguments as those of `process.worker_main`."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    private_folder(Path(folder))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    close_descriptors({0, 1, 2, connection.fileno(), fault_fd, builder.fileno()})
    sys.stdout = os.fdopen(1, "w", buffering=1, errors="replace", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="replace", closefd=False)
    once = _Once(Channel(connection), fault_fd, Channel(builder), Path(folder))
    # In a process forked from a thread, that thread is the main one, without the frames that are below us here.
    thread = threading.Thread(target=_without_a_name(_body), args=(once,))
    thread.start()
    thread.join()


def _body(once: Any) -> None:
    """The frame below the program's. Its names are looked up as local ones, since its globals are not ours."""
    once.leave_this_process()
    try:
        ready = once.ready()
        with ready.context:
            ready.load(ready.module)
            ready.as_in_a_cell(ready.module)
            ready.seed(ready.number)
            model = ready.placed(ready.module.ModelNew(*ready.init))
            result = model(*ready.inputs)
        once.answer(result)
    except BaseException as exc:
        once.raised(exc)
    once.end()


def _without_a_name(function: Callable[..., None]) -> Callable[..., None]:
    """The same code as if a person had typed it in a cell."""
    code = function.__code__.replace(
        co_filename="<ipython-input-1>", co_name="<module>", co_qualname="<module>"
    )
    return types.FunctionType(code, {"__name__": "__main__", "__builtins__": __builtins__})


class _Once:
    """What the frame below the program calls: each returns before the program runs, or is called after it."""

    def __init__(self, channel: Channel, fault_fd: int, builder: Channel, folder: Path) -> None:
        self._channel = channel
        self._fault_fd = fault_fd
        self._builder = builder
        self._folder = folder
        self._backend: Any = None
        self._inputs: list[Any] = []
        self._results_in: list[int] = []

    def leave_this_process(self) -> None:
        """Goes on in a child. The parent waits, and ends as that one does."""
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # there is one other thread, and it only waits
            pid = os.fork()
        if pid:
            _pid, status = os.waitpid(pid, 0)
            code = os.waitstatus_to_exitcode(status)
            os._exit(code if code >= 0 else 128 - code)
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)

    def ready(self) -> types.SimpleNamespace:
        """Prepares what the program needs, and makes this process look as it should."""
        request, descriptors = self._channel.receive(Alone)
        self._channel.send(confine(self._folder, filtered=False))
        builds = Builds(self._builder, self._channel.send)
        self._backend = backend_for(request.load, self._fault_fd, builds, builds.cuda_extension)
        place = self._backend.place
        init = [argument_of(one, place, descriptors) for one in request.construct.init]
        state = {name: argument_of(one, place, descriptors) for name, one in request.construct.state.items()}
        inputs = [argument_of(one, place, descriptors) for one in request.call.inputs]
        self._inputs, self._results_in = inputs, request.construct.results_in
        sys.path.append(request.load.folder)  # a finder of ours would be seen
        module, load = _program(self._folder, request.module, request.load.python)

        def placed(model: torch.nn.Module) -> torch.nn.Module:
            with torch.no_grad():
                return prepared(model, request.construct, state, self._backend.to_device)[0]

        _look_like_a_kernel()
        context = self._backend.running("normal")
        return types.SimpleNamespace(
            context=context,
            module=module,
            load=load,
            as_in_a_cell=_as_in_a_cell,
            init=init,
            inputs=inputs,
            placed=placed,
            seed=torch.manual_seed,
            number=request.construct.seed,
        )

    def answer(self, result: Any) -> None:
        self._backend.finish()
        result = in_place_result(result, self._inputs, self._results_in)
        what, form, tensors = described(result, self._backend)
        descriptors: list[int] = []
        outputs = [self._backend.collect(resolved(detach(one)), descriptors, copy=False) for one in tensors]
        self._send(
            Returned(what=what, form=form, outputs=outputs, aliases_input=False, inputs=[]), descriptors
        )

    def raised(self, exc: BaseException) -> None:
        nothing = Returned(what="", outputs=[], aliases_input=False, inputs=[])
        nothing.not_possible = f"in a process of its own it raises {type(exc).__name__}"[:200]
        self._send(nothing, [])

    def _send(self, answer: Returned, descriptors: list[int]) -> None:
        self._channel.send(Reply(answer=answer), descriptors)

    def end(self) -> None:
        """Waits until the judge closes: the result may be this process's own memory of a GPU."""
        sys.stdout.flush()
        with contextlib.suppress(Exception):
            self._channel.receive(Alone)
        os._exit(0)


def _program(folder: Path, name: str, text: str) -> tuple[types.ModuleType, Callable[[Any], None]]:
    """The program as a module in a file of its own, and what executes it."""
    file = folder / f"{name}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    return module, spec.loader.exec_module


def _as_in_a_cell(module: types.ModuleType) -> None:
    """What a person types in a cell is `__main__`. While the file is loaded it is not, because what stands below
    `if __name__ == "__main__"` is no part of a program."""
    typed = {name: value for name, value in vars(sys.modules["__main__"]).items() if name not in vars(module)}
    vars(module).update(typed, __name__="__main__", __spec__=None, __loader__=None)
    sys.modules["__main__"] = module


def _a_shell(main: types.ModuleType) -> None:
    """The names by which a program asks for IPython. The shell behind them was never started, since that takes longer
    than the call, and runs code of its own."""
    import IPython
    from ipykernel.zmqshell import ZMQInteractiveShell

    shell = ZMQInteractiveShell.__new__(ZMQInteractiveShell)
    for one in ZMQInteractiveShell._walk_mro():
        one._instance = shell
    names = {"get_ipython": IPython.get_ipython, "display": IPython.display.display, "__IPYTHON__": True}
    vars(builtins).update(names)
    typed: dict[str, Any] = {"In": [""], "Out": {}, "_dh": [Path.cwd()], "_i": "", "_ii": "", "_iii": ""}
    vars(main).update(typed, _ih=typed["In"], _oh=typed["Out"], get_ipython=IPython.get_ipython)


def _look_like_a_kernel() -> None:
    """Gives the process the modules and names of a notebook's kernel."""
    main = types.ModuleType("__main__")
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    with contextlib.suppress(Exception):  # where they are not installed, no notebook's kernel is
        import ipykernel.kernelapp  # noqa: F401

        _a_shell(main)
    threading.current_thread().name = "MainThread"
    launcher = str(Path(torch.__file__).parents[1] / "ipykernel_launcher.py")
    arguments = ["-f", str(Path.home() / ".local/share/jupyter/runtime/kernel.json")]
    sys.argv[:] = [launcher, *arguments]
    sys.orig_argv[:] = [sys.executable, "-m", "ipykernel_launcher", *arguments]
    _rename_process(sys.orig_argv)
    for name in [name for name in os.environ if name in _VARIABLES_OF_OURS or name.startswith("KERNELGATE")]:
        del os.environ[name]
    os.environ["JPY_PARENT_PID"] = str(os.getppid())
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in [name for name in sys.modules if name.partition(".")[0] in _OURS]:
        del sys.modules[name]
    for known in (sys.path_importer_cache, linecache.cache):
        for path in [path for path in known if "kernelgate" in path]:
            del known[path]


def _rename_process(words: list[str]) -> None:
    """Writes over the arguments that the system shows for this process, as far as there is room for others."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(fields[45]), int(fields[46])
        shown = b"\0".join(os.fsencode(word) for word in words)[: end - start - 1]
        ctypes.memmove(start, shown.ljust(end - start, b"\0"), end - start)
