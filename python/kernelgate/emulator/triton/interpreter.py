"""Takes Triton over in this process: its kernels are run by its interpreter, which asks for no GPU.

In: a program's `import triton`. Out: kernels that run on the emulated device, and a driver that knows it.
Triton reads TRITON_INTERPRET when it is imported, so that what was imported before is imported anew.
Not here: the interpreter's arithmetic and memory (`builder`), `and` and `or` (`logic`), what launches have in common
(`launches`).
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import inspect
import math
import os
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch

from kernelgate.cuda_source import Refused
from kernelgate.emulator.faults.fault_line import FaultLine
from kernelgate.emulator.triton.launches import Launches
from kernelgate.emulator.triton.logic import compile_logic

OnCpu = Callable[[torch.Tensor], bool]
_NATIVE = "triton._C"  # what is compiled can be loaded only once
_FOR_A_CPU_TENSOR = "Pointer argument (at {}) cannot be accessed from Triton (cpu tensor?)"
_MOST_DIMENSIONS = 3
_MOST_IN_X, _MOST_IN_Y = 2**31 - 1, 65535  # programs of a grid; in z as in y


def take_over(launches: Launches, on_cpu: OnCpu) -> None:
    """Before the program is loaded. `on_cpu`: whether the program would find a tensor on the CPU."""
    os.environ["TRITON_INTERPRET"] = "1"
    for name in [name for name in sys.modules if name.split(".")[0] == "triton"]:
        if not name.startswith(_NATIVE):
            del sys.modules[name]
    sys.meta_path.insert(0, _Finder(lambda: _prepare(launches, on_cpu)))


class _Finder(importlib.abc.MetaPathFinder):
    """Finds Triton where it is, and has something done once it has been imported."""

    def __init__(self, after: Callable[[], None]) -> None:
        self._after = after

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        spec = importlib.machinery.PathFinder.find_spec(name, path, target) if name == "triton" else None
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._after)
        return spec


class _Loader(importlib.abc.Loader):
    def __init__(self, loader: importlib.abc.Loader, after: Callable[[], None]) -> None:
        self._loader, self._after = loader, after

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: types.ModuleType) -> None:
        self._loader.exec_module(module)
        self._after()


def _prepare(launches: Launches, on_cpu: OnCpu) -> None:
    """Puts ours in the place of the interpreter's builder, of its kernels, and of the driver."""
    import triton
    import triton.language as tl
    from triton.language.semantic import TritonSemantic
    from triton.runtime import driver, interpreter

    from kernelgate.emulator.triton.builder import Builder, Reductions
    from kernelgate.emulator.triton.stand_ins import Driver

    major, minor = torch.cuda.get_device_capability()
    builder = Builder(10 * major + minor)
    builder.examine = launches.examine
    builder.options = interpreter.InterpreterOptions(sanitize_overflow=False)  # looks for what it does not report
    semantic = TritonSemantic(builder)
    interpreter.interpreter_builder, interpreter.interpreter_semantic = builder, semantic
    # The interpreter changes the language before each launch and each call of a function, and back: once is enough.
    interpreter._patch_lang(types.SimpleNamespace(__globals__={"tl": tl, "core": tl.core}))
    interpreter._patch_lang = lambda fn: None
    interpreter._get_np_dtype = _once_for_each_type(interpreter._get_np_dtype)  # a tenth of the time
    interpreter.ReduceOps = Reductions
    _reach_libdevice(semantic)
    compile_logic(interpreter, tl.tensor)
    interpreter.InterpretedFunction.run = _runner(launches, on_cpu, builder, triton.__version__)
    driver.set_active(Driver(every_configuration=launches.every_configuration))


def _once_for_each_type(of_type: Callable[[Any], Any]) -> Callable[[Any], Any]:
    known: dict[str, Any] = {}

    def kept(kind: Any) -> Any:
        name = kind.scalar.name
        if name not in known:
            known[name] = of_type(kind.scalar)
        return known[name]

    return kept


def _reach_libdevice(semantic: Any) -> None:
    """Has kernels call libdevice's functions, which the interpreter leaves out."""
    device = importlib.import_module("triton.language.extra.cuda.libdevice")
    stub = importlib.import_module("triton.language.extra.libdevice")
    for name, function in inspect.getmembers(device, inspect.isfunction):
        if "_semantic" in inspect.signature(function).parameters:

            def call(*args: Any, _function: Any = function, **kwargs: Any) -> Any:
                return _function(*args, **{**kwargs, "_semantic": semantic})

            setattr(device, name, call)
            setattr(stub, name, call)


def _runner(launches: Launches, on_cpu: OnCpu, builder: Any, version: str) -> Callable[..., Any]:
    """What a launch of a kernel does: `kernel[grid](...)`."""
    from kernelgate.emulator.triton.stand_ins import Compiled

    def run(kernel: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        own = {name: value for name, value in kwargs.items() if name in kernel.arg_names}  # others are the compiler's
        if warmup:
            return Compiled(kernel, kwargs)
        bound = inspect.signature(kernel.fn).bind(*args, **own)
        bound.apply_defaults()
        for hook in kernel.pre_run_hooks:
            hook(*args, **own)
        launches.begin(version)
        launch = _Launch(launches, on_cpu, builder, kernel)
        tensors = [value for value in bound.arguments.values() if isinstance(value, torch.Tensor)]
        launches.streams.note(lambda: launch.run(bound.arguments, grid), tensors)
        launch.run(bound.arguments, grid)
        return Compiled(kernel, kwargs)

    return run


class _Launch:
    """One launch of a kernel."""

    def __init__(self, launches: Launches, on_cpu: OnCpu, builder: Any, kernel: Any) -> None:
        self._launches, self._on_cpu, self._builder, self._kernel = launches, on_cpu, builder, kernel
        self._regions: dict[str, Any] = {}

    def run(self, given: dict[str, Any], wanted: Any) -> None:
        """Runs all programs of the grid. Raises what the kernel raises, and Refused."""
        if self._launches.skipped:
            return
        import numpy as np

        from kernelgate.emulator.triton.accesses import Accesses

        grid = _whole_grid(wanted(given) if callable(wanted) else wanted)
        function = self._rewritten()
        constants = {
            name
            for name, parameter in inspect.signature(self._kernel.fn).parameters.items()
            if "constexpr" in str(parameter.annotation)
        }
        arguments = {
            name: value if name in constants else self._argument(name, number, value)
            for number, (name, value) in enumerate(given.items())
        }
        file = self._kernel.fn.__code__.co_filename
        accesses = Accesses(self._kernel.fn.__name__, file, list(self._regions.values()), self._launches)
        before, self._builder.accesses = self._builder.accesses, accesses
        self._builder.set_grid_dim(*grid)
        line, count = accesses.line(), math.prod(grid)

        def too_many() -> FaultLine:
            return accesses.fault("grid", detail=f"{count:,} programs", line=line)

        self._launches.refuse_too_many(0, count, too_many)
        try:
            with np.errstate(all="ignore"):
                for done, program in enumerate(self._launches.ordered(grid)):
                    if done % 16 == 1:
                        self._launches.refuse_too_many(done, count, too_many)
                    accesses.begin(program)
                    self._builder.set_grid_idx(*program)
                    function(**arguments)
        except Refused:
            raise
        except Exception as exc:
            raise _of_the_program(exc) from None
        finally:
            self._builder.accesses = before
        streams = self._launches.streams
        streams.begins()
        for address, size, way in accesses.touched():
            streams.touches_bytes(address, size, f"the kernel {accesses.kernel}", write=way != "read")

    def _rewritten(self) -> Any:
        try:
            return self._kernel.rewrite()
        except ValueError as exc:
            raise Refused(f"this in a kernel of Triton's: its interpreter says “{exc}”") from exc

    def _argument(self, name: str, number: int, value: Any) -> Any:
        """What the kernel gets for an argument: a pointer to a tensor, a number."""
        import numpy as np
        import triton.language as tl
        from triton.runtime import interpreter

        if type(value) is tuple:
            return tl.tuple([self._argument(name, number, one) for one in value])
        base = getattr(value, "base", value)  # of a descriptor, or of a tensor as another type
        if isinstance(base, torch.Tensor):
            if self._on_cpu(base) and not base.is_pinned():
                raise ValueError(_FOR_A_CPU_TENSOR.format(number))
            region = self._region(name, base)
            converted = interpreter._implicit_cvt(value)
            handle = converted.handle
            getattr(handle, "base", handle).attr["kernelgate.region"] = region
            return converted
        if isinstance(value, bool):
            return tl.tensor(interpreter.TensorHandle(np.array([value]), tl.int1), tl.int1)
        if isinstance(value, float):
            return tl.tensor(interpreter.TensorHandle(np.array([value], np.float32), tl.float32), tl.float32)
        return interpreter._implicit_cvt(value)

    def _region(self, name: str, tensor: torch.Tensor) -> Any:
        from kernelgate.emulator.triton.accesses import Region, Shadow

        storage = tensor.untyped_storage()
        begin, size = storage.data_ptr(), storage.nbytes()
        same = next((each for each in self._regions.values() if each.begin == begin), None)
        shadow = same.shadow if same is not None else Shadow(size, tensor.element_size())
        self._regions[name] = Region(name, begin, size, shadow)
        return self._regions[name]


def _whole_grid(grid: Any) -> tuple[int, int, int]:
    sizes = [int(size) for size in grid]
    if not 1 <= len(sizes) <= _MOST_DIMENSIONS:
        raise ValueError(f"A grid has one to three dimensions, not {len(sizes)}")
    x, y, z = (*sizes, 1, 1)[:_MOST_DIMENSIONS]
    if x > _MOST_IN_X or max(y, z) > _MOST_IN_Y:
        raise RuntimeError("Triton Error [CUDA]: invalid argument")
    return x, y, z


def _of_the_program(exc: Exception) -> Exception:
    """The exception that a kernel ended with: the program's own, or `Refused` where the interpreter itself gives up."""
    from triton.runtime.errors import InterpreterError

    while isinstance(exc, InterpreterError) and isinstance(exc.__cause__, Exception):
        exc = exc.__cause__
    if isinstance(exc, Refused):
        return exc
    trace = exc.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    module = trace.tb_frame.f_globals.get("__name__", "") if trace is not None else ""
    gives_up = module.split(".")[0] in ("numpy", "kernelgate") or module == "triton.runtime.interpreter"
    if isinstance(exc, NotImplementedError) or (gives_up and not isinstance(exc, AssertionError)):
        words = f"what this line asks of Triton's interpreter ({type(exc).__name__}: {exc})"
        return Refused(words).with_traceback(exc.__traceback__)
    return exc
