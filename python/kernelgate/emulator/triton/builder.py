"""Triton's interpreter with every access looked at, and computing as a GPU does where the interpreter does not.

In: what a kernel asks the interpreter for. Out: its values; `Refused` for what the interpreter does not know.
The interpreter has bfloat16 as numbers of 16 bits, and computes with these; its maximum of a number and NaN is NaN; it
multiplies matrices without TF32. Not here: how memory is looked at (`accesses`), launches (`interpreter`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import triton.language as tl
from triton._C.libtriton import ir
from triton.runtime.interpreter import InterpreterBuilder, ReduceOps, TensorHandle

from kernelgate.cuda_source import Refused
from kernelgate.emulator.triton.accesses import Accesses, Array, Region

_REGION = "kernelgate.region"
_TF32_BITS = np.uint32(0xFFFFE000)  # what a tensor core reads of a float
_FP8 = "float8 numbers in Triton's interpreter"
# Functions of libdevice, where numpy has another name for them.
_OF_NUMPY = {
    **{"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2"},
    **{"asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh", "pow": "power", "nearbyint": "rint"},
    **{"isinfd": "isinf", "isnand": "isnan", "finite": "isfinite", "finited": "isfinite"},
    **{"div_rn": "divide", "fdiv_rn": "divide", "ddiv_rn": "divide", "fdivide": "divide", "divide": "divide"},
    **{"sqrt_rn": "sqrt", "fsqrt_rn": "sqrt", "dsqrt_rn": "sqrt", "abs": "absolute"},
}
_OF_MATH = {"erf": math.erf, "erfc": math.erfc, "lgamma": math.lgamma, "tgamma": math.gamma}


def _is_bf16(handle: Any) -> bool:
    # What a comparison gives keeps the type of what was compared.
    return bool(handle.dtype.scalar == tl.bfloat16 and handle.data.dtype == np.uint16)


def widened(bits: Array) -> Array:
    """Numbers of bfloat16 as float32."""
    return np.asarray((bits.astype(np.uint32) << np.uint32(16)).view(np.float32))


def narrowed(values: Array) -> Array:
    """The nearest numbers of bfloat16, of two the even one, as bits."""
    values = np.asarray(values, np.float32)
    bits = values.reshape(-1).view(np.uint32)
    nearest = (bits + np.uint32(0x7FFF) + (bits >> np.uint32(16) & np.uint32(1))) >> np.uint32(16)
    result = np.where(np.isnan(values.reshape(-1)), bits >> np.uint32(16) | np.uint32(0x40), nearest)
    return np.asarray(result.astype(np.uint16).reshape(values.shape))


def _known(values: Any) -> Any:
    """A handle, or whatever else, with bfloat16 as numbers that numpy computes with."""
    return TensorHandle(widened(values.data), tl.float32) if _is_bf16(values) else values


def _natural(bits: int, value: int) -> Any:
    """A number without a sign, modulo what its bits hold: numpy takes no negative one."""
    return TensorHandle(np.array([int(value) % (1 << bits)], f"u{bits // 8}"), getattr(tl, f"uint{bits}"))


def _keeping_region(name: str) -> Callable[..., Any]:
    """The interpreter's operation of that name on pointers, which lead into the same tensor after it."""
    plain = getattr(InterpreterBuilder, name)

    def operation(self: Any, *args: Any, **kwargs: Any) -> Any:
        result = plain(self, *args, **kwargs)
        given = next((arg for arg in args if isinstance(arg, TensorHandle) and _REGION in arg.attr), None)
        if given is not None:
            result.attr[_REGION] = given.attr[_REGION]
        return result

    return operation


class Builder(InterpreterBuilder):  # type: ignore[misc]
    """In the place of the interpreter's own. `accesses`: of the launch that runs."""

    def __init__(self, arch: int) -> None:
        super().__init__()
        self.arch = arch
        self.accesses: Accesses | None = None
        self.examine = False
        self._base: Region | None = None

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("create_", "get_")):
            raise Refused(f"“{name.partition('_')[2]}” in Triton, which its interpreter does not know")
        raise AttributeError(name)

    # Memory.

    def create_masked_load(
        self, ptrs: Any, mask: Any, other: Any, cache_modifier: Any, eviction_policy: Any, is_volatile: Any
    ) -> Any:
        item, region, accesses = self._item(ptrs), self._region(ptrs), self._launch()
        if is_volatile:
            accesses.refuse_waiting()
        wanted = np.broadcast_to(mask.data, ptrs.data.shape)
        inside = accesses.inside(ptrs.data, wanted, item, region, "read")
        if self.examine:
            accesses.touch(ptrs.data[inside], item, region, "read")
        loaded = super().create_masked_load(
            ptrs, TensorHandle(inside, tl.int1), other, cache_modifier, eviction_policy, is_volatile
        )
        return self._looked_at(ptrs, inside, loaded)

    def create_masked_store(self, ptrs: Any, value: Any, mask: Any, cache_modifier: Any, eviction_policy: Any) -> Any:
        item, region, accesses = self._item(ptrs), self._region(ptrs), self._launch()
        wanted = np.broadcast_to(mask.data, ptrs.data.shape)
        inside = accesses.inside(ptrs.data, wanted, item, region, "write")
        if self.examine and inside.any():
            addresses, values = ptrs.data[inside], np.broadcast_to(value.data, ptrs.data.shape)[inside]
            held = super().create_masked_load(ptrs, TensorHandle(inside, tl.int1), None, None, None, False).data
            accesses.written_twice(addresses, values, item, region)
            # A write of the value that is there already changes nothing for anybody.
            changed = held[inside].view(f"u{item}") != values.astype(held.dtype).view(f"u{item}")
            accesses.touch(addresses[changed], item, region, "write")
        return super().create_masked_store(ptrs, value, TensorHandle(inside, tl.int1), None, None)

    def create_atomic_cas(self, ptr: Any, cmp: Any, val: Any, sem: Any, scope: Any) -> Any:
        everywhere = np.ones(ptr.data.shape, bool)
        inside = self._atomic(ptr, everywhere, sem)
        if not inside.all():
            return TensorHandle(np.zeros_like(cmp.data), cmp.dtype.scalar)
        return self._looked_at(ptr, inside, super().create_atomic_cas(ptr, cmp, val, sem, scope))

    def create_atomic_rmw(self, rmwOp: Any, ptr: Any, val: Any, mask: Any, sem: Any, scope: Any) -> Any:
        if _is_bf16(val):
            raise Refused("atomics of bfloat16 in Triton's interpreter")
        inside = self._atomic(ptr, np.broadcast_to(mask.data, ptr.data.shape), sem)
        held = super().create_atomic_rmw(rmwOp, ptr, val, TensorHandle(inside, tl.int1), sem, scope)
        return self._looked_at(ptr, inside, held)

    def _atomic(self, ptr: Any, mask: Array, sem: Any) -> Array:
        item, region, accesses = self._item(ptr), self._region(ptr), self._launch()
        inside = accesses.inside(ptr.data, mask, item, region, "write")
        if self.examine:
            orders = sem != ir.MEM_SEMANTIC.RELAXED
            accesses.touch(ptr.data[inside], item, region, "atomic", orders)
        accesses.refuse_waiting()
        return inside

    def _looked_at(self, ptrs: Any, inside: Array, held: Any) -> Any:
        """`held`: what memory held at the pointers."""
        if self.examine and inside.any():
            self._launch().read_values(ptrs.data[inside], held.data[inside], self._region(ptrs))
        return held

    def create_tensor_pointer_load(self, ptr: Any, *args: Any) -> Any:
        with self._of(ptr.base):
            return super().create_tensor_pointer_load(ptr, *args)

    def create_tensor_pointer_store(self, ptr: Any, *args: Any) -> Any:
        with self._of(ptr.base):
            return super().create_tensor_pointer_store(ptr, *args)

    def create_descriptor_load(self, desc: Any, *args: Any, **kwargs: Any) -> Any:
        with self._of(desc.base):
            return super().create_descriptor_load(desc, *args, **kwargs)

    def create_descriptor_store(self, desc: Any, *args: Any, **kwargs: Any) -> Any:
        with self._of(desc.base):
            return super().create_descriptor_store(desc, *args, **kwargs)

    create_addptr = _keeping_region("create_addptr")
    create_splat = _keeping_region("create_splat")
    create_broadcast = _keeping_region("create_broadcast")
    create_expand_dims = _keeping_region("create_expand_dims")
    create_reshape = _keeping_region("create_reshape")
    create_trans = _keeping_region("create_trans")
    create_bitcast = _keeping_region("create_bitcast")

    @contextmanager
    def _of(self, base: Any) -> Iterator[None]:
        """In the body, pointers are made of a base that they forget."""
        self._base = base.attr.get(_REGION)
        try:
            yield
        finally:
            self._base = None

    def _launch(self) -> Accesses:
        if self.accesses is None:
            raise ValueError("A kernel of Triton's is called without a grid")
        return self.accesses

    def _region(self, ptrs: Any) -> Region | None:
        region: Region | None = ptrs.attr.get(_REGION, self._base)
        return region

    @staticmethod
    def _item(ptrs: Any) -> int:
        return max(1, int(ptrs.get_element_ty().primitive_bitwidth) // 8)

    # Arithmetic.

    def get_all_ones_value(self, type: Any) -> Any:
        kind = type.scalar
        if not kind.is_int_unsigned():
            return super().get_all_ones_value(type)
        return _natural(kind.int_bitwidth, -1)

    def get_uint8(self, value: Any) -> Any:
        return _natural(8, value)

    def get_uint16(self, value: Any) -> Any:
        return _natural(16, value)

    def get_uint32(self, value: Any) -> Any:
        return _natural(32, value)

    def get_uint64(self, value: Any) -> Any:
        return _natural(64, value)

    def get_bf16(self, value: Any) -> Any:
        return TensorHandle(narrowed(np.array([value])), tl.bfloat16)

    def binary_op(self, lhs: Any, rhs: Any, op: Any) -> Any:
        narrow = _is_bf16(lhs)
        result = super().binary_op(_known(lhs), _known(rhs), op)
        if result.data.dtype == np.bool_:
            result.dtype = tl.int1  # and not that of what was compared
        elif narrow:
            return TensorHandle(narrowed(result.data), tl.bfloat16)
        return result

    def ternary_op(self, lhs: Any, rhs: Any, other: Any, op: Any) -> Any:
        if op is np.where or not _is_bf16(other):
            return super().ternary_op(lhs, rhs, other, op)
        result = super().ternary_op(*(_known(arg) for arg in (lhs, rhs, other)), op)
        return TensorHandle(narrowed(result.data), tl.bfloat16)

    def unary_op(self, arg: Any, op: Any) -> Any:
        result = super().unary_op(_known(arg), op)
        return TensorHandle(narrowed(result.data), tl.bfloat16) if _is_bf16(arg) else result

    def create_fma(self, x: Any, y: Any, z: Any) -> Any:
        result = super().create_fma(*map(_known, (x, y, z)))
        return TensorHandle(narrowed(result.data), tl.bfloat16) if _is_bf16(z) else result

    def create_maxnumf(self, lhs: Any, rhs: Any) -> Any:
        return self.binary_op(lhs, rhs, np.fmax)

    def create_minnumf(self, lhs: Any, rhs: Any) -> Any:
        return self.binary_op(lhs, rhs, np.fmin)

    def create_clampf(self, arg: Any, lo: Any, hi: Any, propagate_nans: Any) -> Any:
        if propagate_nans == ir.PROPAGATE_NAN.ALL:
            return super().create_clampf(arg, lo, hi, propagate_nans)
        return self.create_minnumf(self.create_maxnumf(arg, lo), hi)

    def cast_impl(self, src: Any, dst_type: Any) -> Any:
        source = _known(src)
        if dst_type.scalar == tl.bfloat16:
            return TensorHandle(narrowed(source.data), tl.bfloat16)
        if source.dtype.scalar == tl.bfloat16:  # what a comparison gave
            source = TensorHandle(source.data, tl.int1)
        return super().cast_impl(source, dst_type)

    def create_fp_to_fp(self, src: Any, dst_type: Any, rounding_mode: Any) -> Any:
        if src.dtype.scalar.is_fp8() or dst_type.scalar.is_fp8():
            raise Refused(_FP8)
        if rounding_mode not in (None, ir.ROUNDING_MODE.RTNE):
            return super().create_fp_to_fp(src, dst_type, rounding_mode)
        return self.cast_impl(src, dst_type)

    def create_dot(self, a: Any, b: Any, d: Any, input_precision: Any, max_num_imprecise_acc: Any) -> Any:
        if a.dtype.scalar.is_fp8() or b.dtype.scalar.is_fp8():
            raise Refused(_FP8)
        left, right = _known(a).data, _known(b).data
        if left.dtype == np.float32 and not _is_bf16(a) and input_precision == ir.INPUT_PRECISION.TF32:
            left, right = _as_tf32(left), _as_tf32(right)
        wide = np.float32 if d.data.dtype == np.float16 else d.data.dtype
        result = np.matmul(left.astype(wide), right.astype(wide)) + d.data
        return TensorHandle(result.astype(d.data.dtype), d.dtype.scalar)

    def create_extern_elementwise(
        self, libName: Any, libPath: Any, symbol: str, argList: Any, retType: Any, isPure: Any
    ) -> Any:
        given = [handle.data for handle in argList]
        name = symbol.removeprefix("__nv_").removeprefix("fast_")
        if name.endswith("f") and given[0].dtype == np.float32:
            name = name[:-1]
        values = _of_libdevice(name, given)
        as_type = super().create_fp_trunc(TensorHandle(values.astype(np.float64), tl.float64), retType)
        return TensorHandle(as_type.data, retType.scalar)

    def create_inline_asm(self, *_args: Any) -> Any:
        raise Refused("inline assembly in a kernel of Triton's (tl.inline_asm_elementwise)")


class Reductions(ReduceOps):  # type: ignore[misc]
    """In the place of the interpreter's own."""

    def sum(self, input: Any) -> Any:
        if not _is_bf16(input.handle):
            return super().sum(input)
        total = super().sum(tl.tensor(_known(input.handle), tl.block_type(tl.float32, input.shape)))
        kind = total.type.with_element_ty(tl.bfloat16) if total.type.is_block() else tl.bfloat16
        return tl.tensor(TensorHandle(narrowed(total.handle.data), tl.bfloat16), kind)


def _as_tf32(values: Array) -> Array:
    return np.asarray((np.ascontiguousarray(values).view(np.uint32) & _TF32_BITS).view(np.float32))


def _of_libdevice(name: str, given: list[Array]) -> Array:
    of_numpy = getattr(np, _OF_NUMPY.get(name, name), None)
    if isinstance(of_numpy, np.ufunc) and name != "remainder":  # which is another one in C
        return np.asarray(of_numpy(*given))
    if name in _OF_MATH:
        return np.asarray(np.vectorize(_OF_MATH[name], otypes=[given[0].dtype])(*given))
    if name == "rsqrt":
        return np.asarray(1 / np.sqrt(given[0]))
    if name in ("fma", "fma_rn"):
        return np.asarray(given[0] * given[1] + given[2])
    if name in ("round", "llround"):
        return np.asarray(np.trunc(given[0] + np.copysign(0.5, given[0])))
    raise Refused(f"libdevice's {name}, which Triton's interpreter does not know")
