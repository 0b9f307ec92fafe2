"""A worker that looks like a notebook's kernel, for a few calls: a program finds no judge where it looks for one.

In: one `Alone` over the socket. Out: a `Reply` for each call; the process ends when the judge closes. While the program
runs, nothing of this package is in `sys.modules` or in a frame's name, no filter of system calls is there, and
gradients are on. What stays to be seen, and what is not closed to the program without the filter: docs/observables.md.
Not here: any judgement.
"""

from __future__ import annotations

import ast
import asyncio
import builtins
import contextlib
import ctypes
import dis
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
from kernelgate.backend.tensor_methods import clone, detach, resolved, storage_pointer, untyped_storage
from kernelgate.check.construction import arguments_for
from kernelgate.check.in_place_results import in_place_result
from kernelgate.check.nesting import tensors_in
from kernelgate.messages.channel import Channel
from kernelgate.messages.worker import Alone, Reply, Returned
from kernelgate.sandbox.confine import close_descriptors, confine, private_folder
from kernelgate.worker.arguments import argument_of
from kernelgate.worker.build_client import Builds
from kernelgate.worker.call_results import Before, Packing, described, prints
from kernelgate.worker.global_state import Watch, has_drawn, random_state
from kernelgate.worker.module_state import prepared

_PR_SET_PDEATHSIG = 1
_OURS = ("kernelgate", "msgspec")
_RUN_AS_A_FILE = ("__name__ == '__main__'", "'__main__' == __name__")
_NOT_THE_PROGRAMS = ("/kernelgate/", "/IPython/", "/ipykernel/", "/traitlets/")
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
        with ready.running("normal"):
            ready.execute(ready.code, ready.typed)
        by_position, by_name = ready.given()
        with ready.running("normal"):
            ready.seed(ready.number)
            model = ready.placed(ready.typed["ModelNew"](*by_position, **by_name))
            for number, inputs in enumerate(once.inputs):
                once.before(number)
                result = model(*inputs)
                once.returned(result)
            once.cell_ends()
        once.answer()
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
        self.inputs: list[list[Any]] = []
        self._results_in: list[int] = []
        self._before: list[Before] = []
        self._results: list[tuple[str, str, list[torch.Tensor], list[torch.Tensor]]] = []
        self._shell: Any = None
        self._watch: Any = None
        self._shown: list[Any] = []
        self._drawn: Any = None

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
        state = {name: argument_of(one, place, descriptors) for name, one in request.construct.state.items()}
        self._results_in = request.construct.results_in
        sys.path.append(request.load.folder)  # a finder of ours would be seen
        code = _program(self._folder, request.module, request.load.python)

        def given() -> Any:
            """The constructor's arguments; those of a class of the program's, once it has been loaded."""
            self.inputs = [[argument_of(one, place, descriptors) for one in call.inputs] for call in request.calls]
            init = [argument_of(one, place, descriptors) for one in request.construct.init]
            return arguments_for(vars(sys.modules["__main__"])["ModelNew"], init)

        def placed(model: torch.nn.Module) -> torch.nn.Module:
            with torch.no_grad():
                return prepared(model, request.construct, state, self._backend.to_device)[0]

        self._shell = _look_like_a_kernel(code.co_filename)
        self._watch = Watch()
        self._shown = _shown(self._shell)
        return types.SimpleNamespace(
            running=self._backend.running,
            execute=exec,
            code=code,
            typed=vars(sys.modules["__main__"]),
            given=given,
            placed=placed,
            seed=torch.manual_seed,
            number=request.construct.seed,
        )

    def before(self, number: int) -> None:
        given = self.inputs[number]
        self._drawn = random_state() if self._drawn is None else self._drawn
        self._before.append(Before(given, tensors_in(list(given))))

    def returned(self, result: Any) -> None:
        self._backend.finish()
        result = in_place_result(result, self.inputs[len(self._results)], self._results_in)
        what, form, tensors = described(result, self._backend)
        self._results.append((what, form, tensors, [clone(resolved(detach(one))) for one in tensors]))

    def cell_ends(self) -> None:
        """Triggers what IPython does then, and as the next one begins."""
        drew = has_drawn(self._drawn)
        if self._shell is not None:
            for event, about in _BETWEEN_CELLS:
                self._shell.events.trigger(event, *about)
        self._drawn = drew

    def answer(self) -> None:
        self._backend.finish()
        seen = [words[:2000] for words in self._watch.changed()[:4]]
        if _shown(self._shell) != self._shown:
            seen.append("it changes how tensors are displayed, or what becomes of a cell's text")
        results = [one for _what, _form, tensors, _copies in self._results for one in tensors]
        copied = [one for *_, copies in self._results for one in copies]
        apart = len({storage_pointer(untyped_storage(one)) for one in results}) == len(results)
        if apart and prints(copied) != prints([resolved(detach(one)) for one in results]):
            seen.append("a result holds other values once the cell has ended")
        for number, (before, (what, form, tensors, copies)) in enumerate(
            zip(self._before, self._results, strict=True)
        ):
            packing = Packing(self._backend)
            answer = Returned(
                what=what,
                form=form,
                outputs=[packing.add(one) for one in copies],
                aliases_input=any(one.shares(tensor) for one in self._before for tensor in tensors),
                inputs=[packing.add(memory) for memory in before.memories()],
                inputs_changed=[words[:2000] for words in before.changed()][:20],
                raised=seen,
                aliases_earlier=not apart and number == len(self._results) - 1,
                drew=self._drawn,
            )
            self._send(answer, packing.descriptors)

    def raised(self, exc: BaseException) -> None:
        nothing = Returned(what="", outputs=[], aliases_input=False, inputs=[])
        if _is_for_lack(exc):
            nothing.not_possible = f"in a process of its own it raises {type(exc).__name__}"[:200]
        else:
            nothing.raised = [f"it raises {type(exc).__name__}: {exc}"[:300]]
        self._send(nothing, [])

    def _send(self, answer: Returned, descriptors: list[int]) -> None:
        self._channel.send(Reply(answer=answer), descriptors)

    def end(self) -> None:
        """Waits until the judge closes: the result may be this process's own memory of a GPU."""
        sys.stdout.flush()
        with contextlib.suppress(Exception):
            self._channel.receive(Alone)
        os._exit(0)


_BETWEEN_CELLS = (("post_execute", ()), ("post_run_cell", (None,)), ("pre_execute", ()), ("pre_run_cell", (None,)))


def _shown(shell: Any) -> list[Any]:
    """How a tensor is shown, and what the shell does to the text of a cell."""
    one = torch.arange(6, dtype=torch.float32).view(2, 3) / 7e4
    shown = [repr(one), str(one), f"{one[0, 1]}"]
    if shell is None:
        return shown
    return [*shown, shell.display_formatter.format(one), [*shell.ast_transformers], [*shell.input_transformers_post]]


def _program(folder: Path, name: str, text: str) -> types.CodeType:
    """The program in a file of its own. What stands below `if __name__ == "__main__"` is no part of a program."""
    file = folder / f"{name}.py"
    file.write_text(text)
    tree = ast.parse(text)
    own = [one for one in tree.body if not (isinstance(one, ast.If) and ast.unparse(one.test) in _RUN_AS_A_FILE)]
    tree.body = own
    return compile(tree, str(file), "exec", dont_inherit=True)  # else annotations are words, as they are here


def _is_for_lack(exc: BaseException) -> bool:
    """Whether an exception may come from what this process has not, and no notebook's kernel lacks: a module or a file,
    memory, a shell that was started. Those that pass through the shell, or through our own code, may; what the program
    raises by a statement of its own may only if it is about a module or a file that is not there."""
    files, trace = [], exc.__traceback__
    while trace is not None:
        files.append(trace.tb_frame.f_code.co_filename)
        last, trace = trace, trace.tb_next
    raises = dis.opname[last.tb_frame.f_code.co_code[last.tb_lasti]] == "RAISE_VARARGS"
    named = isinstance(exc, ModuleNotFoundError | FileNotFoundError)
    if isinstance(exc, ImportError | OSError | MemoryError | KeyboardInterrupt | torch.OutOfMemoryError) and (
        named or not raises or files[-1] != vars(sys.modules["__main__"])["__file__"]
    ):
        return True
    of_shell = type(getattr(exc, "obj", None)).__name__ == "ZMQInteractiveShell"
    return of_shell or any(part in file for file in files for part in _NOT_THE_PROGRAMS)


def _a_shell(main: types.ModuleType) -> Any:
    """The names by which a program asks for IPython. The shell behind them was never started, since that takes longer
    than the call, and runs code of its own."""
    import IPython
    from ipykernel.zmqshell import ZMQInteractiveShell
    from IPython.core.events import EventManager, available_events
    from IPython.core.formatters import DisplayFormatter

    shell = ZMQInteractiveShell.__new__(ZMQInteractiveShell)
    for one in ZMQInteractiveShell._walk_mro():
        one._instance = shell
    shell.events = EventManager(shell, available_events)
    shell.input_transformers_post = []
    shell.display_formatter = DisplayFormatter()
    names = {"get_ipython": IPython.get_ipython, "display": IPython.display.display, "__IPYTHON__": True}
    vars(builtins).update(names)
    typed: dict[str, Any] = {"In": [""], "Out": {}, "_dh": [Path.cwd()], "_i": "", "_ii": "", "_iii": ""}
    vars(main).update(typed, _ih=typed["In"], _oh=typed["Out"], get_ipython=IPython.get_ipython)
    asyncio._set_running_loop(asyncio.new_event_loop())
    return shell


def _look_like_a_kernel(file: str) -> Any:
    """Gives the process the modules and names of a notebook's kernel, and gives its shell, None without IPython."""
    main, shell = types.ModuleType("__main__"), None
    main.__file__ = file
    main.__dict__["__builtins__"] = __builtins__
    sys.modules["__main__"] = main
    with contextlib.suppress(Exception):  # if they are not installed, no notebook's kernel is
        import ipykernel.kernelapp  # noqa: F401

        shell = _a_shell(main)
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
    return shell


def _rename_process(words: list[str]) -> None:
    """Writes over the arguments that the system shows for this process, as far as there is room for others."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
        start, end = int(fields[45]), int(fields[46])
        shown = b"\0".join(os.fsencode(word) for word in words)[: end - start - 1]
        ctypes.memmove(start, shown.ljust(end - start, b"\0"), end - start)
