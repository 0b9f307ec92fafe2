"""A problem, loaded: the reference module, its inputs, and its size.

In: a program in the KernelBench form (`Model`, `get_inputs()`, `get_init_inputs()`), which the person trusts, and
integers that replace its module-level constants. Out: modules and inputs, made on the device of the run.
Not here: cases other than the problem's own input (`check.inputs.cases`).
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import inspect
import linecache
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from kernelgate import torch_errors
from kernelgate.check.construction import constructed, in_dtype, seed_generators
from kernelgate.check.device_asserts import crashes_raise
from kernelgate.check.in_place_results import Written, in_place_result
from kernelgate.check.nesting import mapped, resolved, tensors_in
from kernelgate.check.one_device import OneDevice, put_on_one_device
from kernelgate.check.sizes.numbers import numbers_in, with_numbers

OWN_MODULE = "kernelgate_problem"
"""The module of the classes and functions that a reference defines."""
_PACKAGES = {"cv2": "opencv-python", "PIL": "pillow", "sklearn": "scikit-learn", "yaml": "pyyaml"}
"""What a package is called where its module has another name."""


class ProblemError(Exception):
    """The reference program cannot be used. `line` counts in its own text."""

    def __init__(self, what: str, next_step: str, line: int | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.next_step = next_step


class NoMemory(ProblemError):
    """The reference program needs more memory at these sizes than there is."""


def is_out_of_memory(exc: BaseException) -> bool:
    """On the CPU PyTorch raises a RuntimeError for it."""
    memory = isinstance(exc, MemoryError | torch.OutOfMemoryError | NoMemory)
    return memory or torch_errors.is_no_memory(str(exc))


@contextlib.contextmanager
def refusal_ends_it(*, of_cpu: bool = True) -> Iterator[None]:
    """Whatever the reference raises in the body ends the body alone; only a lack of memory is raised. `of_cpu`: that of
    the CPU as well, unless the run can do without what the body makes."""
    try:
        yield
    except Exception as exc:
        if is_out_of_memory(exc) if of_cpu else isinstance(exc, torch.OutOfMemoryError):
            raise


def constants(text: str, label: str) -> dict[str, int]:
    """The numbers of a program that can be set, by name. Raises ProblemError."""
    return {name: number.value for name, number in numbers_in(parsed(text, label)).items()}


def constructor(text: str) -> tuple[str, ...]:
    """The parameters of Model's constructor as they are written, without self; none if it has no constructor."""
    classes = [n for n in ast.parse(text).body if isinstance(n, ast.ClassDef) and n.name == "Model"]
    for node in classes[-1].body if classes else []:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            return tuple(ast.unparse(node.args).split(", ")[1:])
    return ()


def parsed(text: str, label: str) -> ast.Module:
    """The syntax tree of a reference program. Raises ProblemError."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError) as exc:  # a NUL byte is a ValueError
        line = exc.lineno if isinstance(exc, SyntaxError) else None
        words = exc.msg if isinstance(exc, SyntaxError) else str(exc)
        raise ProblemError(f"{label} is not valid Python: {words}", "Correct the reference program", line) from exc


_UNUSUAL = re.compile("float8_(?!e4m3fn$|e5m2$)|float4|uint16|uint32|uint64|complex32|bits|int[1-7]$")


def strange_words(tensor: torch.Tensor) -> str:
    """What keeps a tensor from being sent or compared, after "a tensor"; "" for nothing."""
    if tensor.is_quantized or tensor.is_nested:
        return "that is quantized" if tensor.is_quantized else "that is nested"
    if tensor.layout != torch.strided:
        return f"of layout {str(tensor.layout).removeprefix('torch.')}"
    dtype = str(tensor.dtype).removeprefix("torch.")
    return f"of {dtype}" if _UNUSUAL.match(dtype) else ""


def _called(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    by_name, code = getattr(module.forward, "__kwdefaults__", None), getattr(module.forward, "__code__", None)
    if not by_name or code is None or code.co_flags & inspect.CO_VARARGS:
        return module(*inputs)
    count = code.co_argcount - 1
    return module(*inputs[:count], **dict(zip(by_name, inputs[count:], strict=False)))


def _arguments(function: Callable[[], Any]) -> list[Any]:
    """What a drawing function returns: arguments, one after another. Raises ProblemError."""
    returned = function()
    if isinstance(returned, torch.Tensor | str) or (isinstance(returned, Mapping) and returned):
        kind = "a tensor" if isinstance(returned, torch.Tensor) else f"a {type(returned).__name__}"
        name, line = function.__name__, getattr(getattr(function, "__code__", None), "co_firstlineno", None)
        step = "Return a list with it: [tensor]" if kind == "a tensor" else "Return a list of arguments"
        raise ProblemError(f"{name}() returns {kind}, not a list of arguments", step, line)
    return list(returned)


class Problem:
    """The reference of a run. `device` is where its tensors live; CPU for emulation. `seeds`: what it has set the
    random seed to. `results_in`: the numbers of the inputs that its calls write to, where these return nothing; None
    before the first call."""

    def __init__(self, text: str, label: str, device: torch.device, sizes: Mapping[str, int]) -> None:
        self.label = label
        self._text = text
        self.seeds: set[int] = set()
        self.results_in: tuple[int, ...] | None = None
        self.device = device
        # On a GPU the device that it names is there; a text without the word names none.
        self._names_devices = device.type != "cuda" and "cuda" in text
        tree = self._parse(text, sizes)
        module = types.ModuleType(OWN_MODULE)
        sys.modules[module.__name__] = module  # where a dataclass looks for its module
        self._namespace: dict[str, Any] = module.__dict__
        lines = text.splitlines(keepends=True)
        linecache.cache[f"<{label}>"] = (len(text), None, lines, f"<{label}>")  # what torch.jit.script reads
        self._run(lambda: exec(compile(tree, f"<{label}>", "exec"), self._namespace), "importing it")
        for name in ("Model", "get_inputs"):
            if name not in self._namespace:
                what = f"{label} defines no {name}"
                step = "Give a reference in the KernelBench form: Model, get_inputs() and get_init_inputs()"
                raise ProblemError(what, step)
        if self._names_devices and isinstance(self._namespace["Model"], type):
            model = self._namespace["Model"]
            if model.__module__ != OWN_MODULE:  # such as one of torch.nn, which others use as well
                model = self._namespace["Model"] = type(model.__name__, (model,), {})
            put_on_one_device(model, device)

    def _parse(self, text: str, sizes: Mapping[str, int]) -> ast.Module:
        tree = parsed(text, self.label)
        known = numbers_in(tree)
        unknown = set(sizes) - set(known)
        if unknown:
            what = f"{self.label} has no integer constant {', '.join(sorted(unknown))}"
            step = f"Set one of its integers: {', '.join(known) or 'none'}"
            raise ProblemError(what, step)
        return with_numbers(tree, sizes)

    def _run(self, action: Any, doing: str) -> Any:
        try:
            with OneDevice(self.device) if self._names_devices else contextlib.nullcontext():
                return action()
        except ProblemError:
            raise
        except (Exception, SystemExit) as exc:
            raise self._unfit(exc, doing) from exc

    def _unfit(self, exc: BaseException, doing: str) -> ProblemError:
        if is_out_of_memory(exc):
            what = f"{self.label} does not fit into memory at these sizes"
            step = "Ask for smaller ones with --shape or --set"
            return NoMemory(what, step)
        next_step = "Correct the reference program"
        if isinstance(exc, ModuleNotFoundError) and exc.name:
            package = exc.name.partition(".")[0]
            step = f"Install it where the kernel runs: pip install {_PACKAGES.get(package, package)}"
            return ProblemError(f"the reference needs {package}, which is not installed", step, self.line_of(exc))
        if isinstance(exc, AttributeError) and exc.name and isinstance(exc.obj, types.ModuleType):
            close = difflib.get_close_matches(exc.name, dir(exc.obj), n=1)
            next_step = f"Did you mean {exc.obj.__name__}.{close[0]}?" if close else next_step
        what = f"the reference raised {type(exc).__name__} while {doing}: {exc}"
        return ProblemError(what, next_step, self.line_of(exc))

    def line_of(self, exc: BaseException) -> int | None:
        """The line of the reference where an exception came from."""
        line = None
        trace = exc.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == f"<{self.label}>":
                line = trace.tb_lineno
            trace = trace.tb_next
        return line

    def init_inputs(self, seed: int) -> list[Any]:
        """The constructor's arguments, drawn after seeding; tensors on the run's device."""
        return self._drawn("get_init_inputs", seed) if "get_init_inputs" in self._namespace else []

    def inputs(self, seed: int) -> list[Any]:
        """The problem's own inputs, drawn after seeding; tensors on the run's device."""
        return self._drawn("get_inputs", seed)

    def _drawn(self, function: str, seed: int) -> list[Any]:
        def draw() -> list[Any]:
            values = self._values_of(self._namespace[function], seed)
            return [mapped(value, lambda tensor: resolved(tensor.to(self.device))) for value in values]

        drawn: list[Any] = self._run(draw, f"calling {function}()")
        if any(isinstance(value, torch.nn.utils.rnn.PackedSequence) for value in drawn):
            what = f"{function}() gives a PackedSequence, of which a part stays on the host"
            step = "Give the padded tensor and its lengths, and pack them in forward"
            raise ProblemError(what, step)
        for tensor in tensors_in(drawn):
            strange = strange_words(tensor)
            if strange:
                what = f"{function}() gives a tensor {strange}, which a program cannot be given"
                step = "Give dense tensors of usual dtypes, and make such a one of them in forward"
                raise ProblemError(what, step)
        return drawn

    def _values_of(self, function: Callable[[], Any], seed: int) -> list[Any]:
        """Made on the run's device where that will do: a text may use a generator or an array of the host."""
        on_gpu = self.device.type == "cuda"
        seed_generators(seed, of_cuda=on_gpu)
        try:
            with torch.device(self.device):
                return _arguments(function)
        except Exception as exc:
            if not on_gpu or is_out_of_memory(exc) or isinstance(exc, ProblemError):
                raise
        seed_generators(seed, of_cuda=on_gpu)
        return _arguments(function)

    def model(self, init: Sequence[Any], seed: int, dtype: torch.dtype) -> torch.nn.Module:
        """A Model of `init` (`check.construction`), its parameters drawn after seeding on the CPU, then moved; in
        eval-agnostic default mode."""

        def construct() -> torch.nn.Module:
            seed_generators(seed, of_cuda=self.device.type == "cuda")
            module = constructed(self._namespace["Model"], init)
            if any(is_lazy(one) for one in (*module.parameters(), *module.buffers())):
                what = "the reference has parameters that get their size in the first call, as those of LazyLinear"
                step = "Give these layers their sizes"
                raise ProblemError(what, step)
            self.note_seed(seed)
            return in_dtype(module.to(device=self.device), dtype)

        return self._run(construct, "constructing Model")

    def note_seed(self, own: int) -> None:
        """Sees whether the reference has set another seed than our `own`."""
        if torch.initial_seed() != own:
            self.seeds.add(torch.initial_seed())

    def call(self, module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
        """The reference's result; without gradients. What it writes to, if it returns nothing. PyTorch's own errors
        pass through. What goes beyond the arguments by position is for those that are taken by name alone."""
        written = Written(inputs)
        with torch.no_grad(), crashes_raise(self._text):
            result = _called(module, inputs)
        if not self.results_in:
            self.results_in = written.numbers() if result is None else ()
        return in_place_result(result, inputs, self.results_in)
