"""A forward and a backward kernel as one operator of PyTorch, from their CUDA source.

In: a class with `Meta` (source and functions), `forward` and, if it trains, `backward`. Out: something to call in a
module's `forward`: with gradient, under torch.compile and torch.export, on any device that its kernels run on.
"""

from __future__ import annotations

import difflib
import hashlib
import inspect
import itertools
import threading
import typing
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from kernelgate.cuda_source.functions import functions


class InterfaceError(TypeError):
    """A `KernelInterface` is declared in a way that cannot be bound. The message says what to change."""


def declarations(listed: Sequence[Any], cuda_sources: str, owner: str) -> dict[str, str]:
    """A C++ declaration for each listed function, by name.

    An entry is a name, whose declaration is found in the source, or a tuple of a name, its parameters' types and its
    result's type: `("forward_cuda", ["torch::Tensor", "float"], "torch::Tensor")`. Raises InterfaceError.
    """
    return {name: text for name, text in (_declaration(one, cuda_sources, owner) for one in listed)}


def _declaration(entry: Any, cuda_sources: str, owner: str) -> tuple[str, str]:
    if isinstance(entry, str):
        return entry, _found(entry, cuda_sources, owner)
    try:
        name, parameters, result = entry
        if isinstance(name, str) and isinstance(result, str) and not isinstance(parameters, str):
            return name, f"{result} {name}({', '.join(parameters)});"
    except (TypeError, ValueError):
        pass
    raise InterfaceError(
        f"{owner}.Meta.functions holds {entry!r}: give a name, or (name, [parameter types], result type)"
    )


def _found(name: str, cuda_sources: str, owner: str) -> str:
    found = [one for one in functions(cuda_sources) if one.name == name]
    hosts = {one.prototype for one in found if one.kind == "host" and not one.hidden}
    if len(hosts) == 1:
        return hosts.pop()
    if hosts:
        raise InterfaceError(f"{owner}.Meta.functions names {name}, of which the source defines {len(hosts)}")
    kind = "only a kernel, or a hidden function," if found else "no function"
    raise InterfaceError(f"{owner}.Meta.functions names {name}: the source defines {kind} of that name")


_NAMESPACE = "kernelgate_interface"
_FLAGS = ("extra_cflags", "extra_cuda_cflags", "extra_ldflags", "extra_include_paths")
_numbers = itertools.count(1)
_registering = threading.Lock()
_building = threading.Lock()


class KernelInterface:
    """Binds CUDA host functions as an operator with autograd.

    class LeakyReLU(KernelInterface):
        class Meta:
            name = "leaky_relu"
            cuda_sources = "..."                          # kernels, and the host functions that launch them
            functions = ["forward_cuda", "backward_cuda"]  # host functions to bind

        def forward(self, x: Tensor, slope: float) -> Tensor:
            return self.run("forward_cuda", x, slope)

        def backward(self, grad: Tensor, x: Tensor, slope: float) -> Tensor:
            return self.run("backward_cuda", grad, x, slope)

    `forward` and `backward` are annotated and use nothing but their arguments. `backward` takes the result's gradient,
    then forward's arguments, and returns the gradient of the first tensor, or a tuple with one for each tensor.
    Tensors reach the host functions contiguous, on the current device; gradients too. The result has the shape and
    dtype of the first tensor; if it has not, define `fake(self, ...)` with forward's arguments, which returns an
    empty tensor like the result. The source is compiled at the first call. Raises InterfaceError where the class is
    declared in a way that cannot be bound.
    """

    _operator: ClassVar[Any] = None
    _extension: ClassVar[Any] = None

    def __new__(cls, *_args: Any, **_kwargs: Any) -> KernelInterface:
        if cls is KernelInterface:
            raise InterfaceError("KernelInterface is to be derived from: class MyKernel(KernelInterface)")
        with _registering:
            if "_operator" not in vars(cls):
                cls._operator = _registered(cls)
        return super().__new__(cls)

    def __call__(self, *args: Any) -> Any:
        return self._operator(*args)

    def run(self, name: str, *args: Any) -> Any:
        """Calls the listed host function `name`; the first time, it is compiled. Raises InterfaceError."""
        extension = _built(type(self))
        if name not in extension.names:
            near = difflib.get_close_matches(name, extension.names, n=1, cutoff=0.3)
            guess = f"; did you mean {near[0]!r}?" if near else ""
            raise InterfaceError(
                f"{type(self).__name__}.run({name!r}): Meta.functions lists {', '.join(extension.names)}{guess}"
            )
        return getattr(extension.module, name)(*args)


class _Extension(typing.NamedTuple):
    module: Any
    names: tuple[str, ...]


def _built(cls: type[KernelInterface]) -> _Extension:
    """The compiled host functions of a class."""
    with _building:
        if "_extension" not in vars(cls):
            cls._extension = _compiled(cls)
    return typing.cast(_Extension, cls._extension)


def _compiled(cls: type[KernelInterface]) -> _Extension:
    from torch.utils.cpp_extension import load_inline

    meta = _meta(cls)
    cuda = meta.cuda_sources
    declared = declarations(meta.functions, cuda, cls.__name__)
    own = getattr(meta, "cpp_sources", "")
    flags = {flag: getattr(meta, flag) for flag in _FLAGS if hasattr(meta, flag)}
    digest = hashlib.sha256(repr((cuda, own, declared, flags)).encode()).hexdigest()[:12]
    module = load_inline(
        name=f"{_name(cls)}_{digest}",
        cpp_sources="\n".join([own, *declared.values()]),
        cuda_sources=cuda,
        functions=list(declared),
        **flags,
    )
    return _Extension(module, tuple(declared))


def _meta(cls: type[KernelInterface]) -> Any:
    meta = getattr(cls, "Meta", None)
    for field, kind in (("cuda_sources", str), ("functions", (list, tuple))):
        if not isinstance(getattr(meta, field, None), kind):
            raise InterfaceError(f"{cls.__name__} needs a class Meta with {field}")
    return meta


def _name(cls: type[KernelInterface]) -> str:
    name = str(getattr(_meta(cls), "name", cls.__name__))
    if not name.isidentifier():
        raise InterfaceError(f"{cls.__name__}.Meta.name is {name!r}, which is no identifier")
    return name


# --- the operator -----------------------------------------------------------------------------------------------------


def _registered(cls: type[KernelInterface]) -> Any:
    """The operator of a class, its backward pass included. Compiles nothing."""
    import torch

    _meta(cls)
    plain = object.__new__(cls)
    if "forward" not in vars(cls):
        raise InterfaceError(f"{cls.__name__} defines no forward")
    name = f"{_NAMESPACE}::{_name(cls)}_{next(_numbers)}"
    parameters, _ = _signature(cls, "forward")
    tensors = [number for number, kind in enumerate(parameters.values()) if kind is torch.Tensor]
    if not tensors:
        raise InterfaceError(f"{cls.__name__}.forward takes no Tensor")
    forward = _operator(cls, plain, "forward", name, getattr(plain, "fake", None))
    if "backward" in vars(cls):
        _with_gradient(cls, plain, forward, name, tensors)
    return forward._opoverload


def _with_gradient(
    cls: type[KernelInterface], plain: KernelInterface, forward: Any, name: str, tensors: Sequence[int]
) -> None:
    """Registers `backward` as the operator's gradient."""
    import torch

    parameters, result = _signature(cls, "backward")
    given = len(_signature(cls, "forward")[0])
    if len(parameters) != given + 1:
        raise InterfaceError(
            f"{cls.__name__}.backward takes {len(parameters)} arguments: it is given the result's gradient, then "
            f"the {given} of forward"
        )
    several = typing.get_origin(result) is tuple
    if several and len(typing.get_args(result)) != len(tensors):
        raise InterfaceError(f"{cls.__name__}.backward returns not one gradient for each Tensor of forward")

    def like(grad: Any, *args: Any) -> Any:
        empty = [_empty_like(args[number]) for number in tensors]
        return tuple(empty) if several else empty[0]

    backward = _operator(cls, plain, "backward", f"{name}_backward", like)

    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.save_for_backward(*(inputs[number] for number in tensors))
        ctx.others = [None if number in tensors else value for number, value in enumerate(inputs)]

    def differentiate(ctx: Any, grad: torch.Tensor) -> tuple[Any, ...]:
        args = list(ctx.others)
        for number, tensor in zip(tensors, ctx.saved_tensors, strict=True):
            args[number] = tensor
        unanswered = [number for number in tensors[1:] if ctx.needs_input_grad[number]]
        if unanswered and not several:
            raise InterfaceError(
                f"{cls.__name__}.backward returns the gradient of its first Tensor only; argument {unanswered[0] + 1} "
                f"wants one too: return a tuple with one for each Tensor"
            )
        found = backward._opoverload(grad, *args)
        gradients: list[Any] = [None] * len(args)
        for number, value in zip(tensors, found if several else [found], strict=False):
            gradients[number] = value
        return tuple(gradients)

    forward.register_autograd(differentiate, setup_context=setup_context)


def _operator(
    cls: type[KernelInterface], plain: KernelInterface, method: str, name: str, fake: Callable[..., Any] | None
) -> Any:
    """A method as an operator of PyTorch, which knows its result's shape by `fake`."""
    import torch

    action = getattr(plain, method)

    def compute(*args: Any) -> Any:
        dense = [value.contiguous() if isinstance(value, torch.Tensor) else value for value in args]
        first = next(value for value in dense if isinstance(value, torch.Tensor))
        with torch.cuda.device(first.device) if first.is_cuda else torch.device(first.device):
            result = action(*dense)
        if fake is None and (result.shape != first.shape or result.dtype != first.dtype):
            raise InterfaceError(
                f"{cls.__name__}.forward returns {_words(result)} for {_words(first)}: define fake(self, ...), which "
                "returns an empty tensor like the result"
            )
        return result

    operator = torch.library.custom_op(name, compute, mutates_args=(), schema=_schema(cls, method))
    operator.register_fake(fake or (lambda *args: _empty_like(_first_tensor(args))))
    return operator


def _schema(cls: type[KernelInterface], method: str) -> str:
    """The operator's schema, from the annotations of a method."""
    import torch

    parameters, result = _signature(cls, method)

    def prototype() -> None: ...

    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    prototype.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, positional, annotation=kind) for name, kind in parameters.items()],
        return_annotation=result,
    )
    try:
        return str(torch.library.infer_schema(prototype, mutates_args=()))
    except (ValueError, TypeError) as exc:
        raise InterfaceError(f"{cls.__name__}.{method} has annotations that no operator has: {exc}") from exc


def _signature(cls: type[KernelInterface], method: str) -> tuple[dict[str, Any], Any]:
    """The types of a method's parameters by name, without self, and of its result. Raises InterfaceError."""
    function = inspect.unwrap(getattr(cls, method))
    try:
        hints = typing.get_type_hints(function)
    except (NameError, TypeError) as exc:
        raise InterfaceError(f"{cls.__name__}.{method}: {exc}") from exc
    names = list(inspect.signature(function).parameters)[1:]
    bare = [name for name in names if name not in hints] + ([] if "return" in hints else ["its result"])
    if bare:
        raise InterfaceError(
            f"{cls.__name__}.{method} has no annotation for {', '.join(bare)}: write def {method}(self, x: Tensor, "
            "slope: float) -> Tensor"
        )
    return {name: hints[name] for name in names}, hints["return"]


def _first_tensor(args: Sequence[Any]) -> Any:
    import torch

    return next(value for value in args if isinstance(value, torch.Tensor))


def _empty_like(tensor: Any) -> Any:
    import torch

    return torch.empty_like(tensor, memory_format=torch.contiguous_format)


def _words(tensor: Any) -> str:
    return f"{'x'.join(map(str, tensor.shape)) or 'scalar'} {str(tensor.dtype).removeprefix('torch.')}"
