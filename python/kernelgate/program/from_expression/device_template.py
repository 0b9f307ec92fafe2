"""CUDA of a generated program, for either thing that is kept for the gradient: a mask, or the input.

In: a term. Out: CUDA statements, a function of PyTorch a line, that assign `a`, `b`, ..., and what to return. `W` is
the type that is computed in, `T` the tensor's; `x` is the input as W, and a parameter is `p.NAME`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from kernelgate.program.from_expression.functions import COMPARED_AS_STORED, EXACT, FORMULAS
from kernelgate.program.from_expression.terms import Term

_NAMES = "abcdefghijklmnoqrstuvwyz"  # neither x nor p


class CudaLines:
    """`lines` grow with each term that is asked for; what two terms have in common is computed once. `rounded`: each
    result is rounded to the tensor's type, as PyTorch stores it between two of its functions."""

    def __init__(self, *, rounded: bool) -> None:
        self.lines: list[str] = []
        self._rounded = rounded
        self._known: dict[Term, str] = {}
        self._names = _variable_names()

    def value(self, term: Term) -> str:
        """The name or literal that stands for a term."""
        if term.function == "x":
            return "x"
        if term.function == "number":
            return _literal(float(term.value))
        if term.function == "parameter":
            return f"W(p.{term.value})"
        if not term.holds_input and not term.is_condition:
            return f"W({_of_numbers(term)})"
        if term not in self._known:
            self._known[term] = self._assigned(term)
        return self._known[term]

    def _assigned(self, term: Term) -> str:
        values = [self.value(each) for each in term.arguments]
        if term.function in COMPARED_AS_STORED:
            values = [
                value if each.holds_input or each.is_condition else f"rounded<T>({value})"
                for each, value in zip(term.arguments, values, strict=True)
            ]
        text = FORMULAS[term.function].format(*values)
        if self._rounded and term.function not in EXACT:
            text = f"rounded<T>({text})"
        name = next(self._names)
        self.lines.append(f"const {'bool' if term.is_condition else 'W'} {name} = {text};")
        return name


def _of_numbers(term: Term) -> str:
    """A term without x, in double, as Python computes it before PyTorch sees it."""
    if term.function == "number":
        return _literal(float(term.value)).replace("W(", "double(")
    if term.function == "parameter":
        return f"p.{term.value}"
    values = [_of_numbers(each) for each in term.arguments]
    return f"({FORMULAS[term.function].replace('W(', 'double(').format(*values)})"


def _literal(value: float) -> str:
    if math.isinf(value):
        return f"W({'-' if value < 0 else ''}INFINITY)"
    return f"W({int(value)})" if value == int(value) and abs(value) < 1e6 else f"W({value!r})"


def _variable_names() -> Iterator[str]:
    yield from _NAMES
    count = 0
    while True:
        count += 1
        yield from (f"{name}{count}" for name in _NAMES)


DEVICE_MASK = """\
// The choice behind d y / d x, which takes one of two values: a bit of the mask.
template <typename T>
__device__ __forceinline__ bool keeps(Wide<T> x, const Numbers& p) {
  using W = Wide<T>;
@CONDITION_LINES@
}
template <typename T>
__device__ __forceinline__ Wide<T> slope(bool kept, const Numbers& p) {
  using W = Wide<T>;
@SLOPE_LINES@
}
"""
DEVICE_INPUT = """\
// d y / d x, from x itself.
template <typename T>
__device__ __forceinline__ Wide<T> slope(Wide<T> x, const Numbers& p) {
  using W = Wide<T>;
@SLOPE_LINES@
}
"""
KERNELS_MASK = """\
template <bool whole, bool masked, typename T, int each>
__device__ __forceinline__ void forward_block(const T* x, T* y, unsigned char* mask, int64_t n, const Numbers& p) {
  T value[each];
  load<whole>(x, value, n);
  unsigned bits = 0;
#pragma unroll
  for (int k = 0; k < each; ++k) {
    const Wide<T> wide = widen(value[k]);
    if (masked) bits |= unsigned(keeps<T>(wide, p)) << k;
    value[k] = narrow<T>(forward<T>(wide, p));
  }
  store<whole>(y, value, n);
  if (masked) mask[blockIdx.x * int64_t(kThreads) + threadIdx.x] = static_cast<unsigned char>(bits);
}
template <bool masked, typename T, int each>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(const T* x, T* y, unsigned char* mask, int64_t n, bool aligned, Numbers p) {
  if (is_whole<each>(n, aligned)) forward_block<true, masked, T, each>(x, y, mask, n, p);
  else forward_block<false, masked, T, each>(x, y, mask, n, p);
}
template <bool masked, typename T, int each>
void start_forward(const T* x, T* y, void* kept, int64_t n, bool aligned, Numbers p, void* stream) {
  const int64_t blocks = (n + kThreads * each - 1) / (kThreads * each);
  forward_kernel<masked, T, each><<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      x, y, static_cast<unsigned char*>(kept), n, aligned, p);
}
template <typename T>
int forward_as(const void* from, void* to, void* kept, int64_t n, bool aligned, Numbers p, void* stream) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  if (kept != nullptr) start_forward<true, T, kEach>(x, y, kept, n, aligned, p, stream);
  // A word a thread where there are few: more of the GPU's processors have work.
  else if (n <= kFew) start_forward<false, T, kWord<T>>(x, y, nullptr, n, aligned, p, stream);
  else start_forward<false, T, kEach>(x, y, nullptr, n, aligned, p, stream);
  return cudaGetLastError();
}

template <bool whole, typename T>
__device__ __forceinline__ void backward_block(const T* grad, const unsigned char* mask, T* grad_x, int64_t n,
                                               const Numbers& p) {
  T value[kEach];
  load<whole>(grad, value, n);
  const unsigned bits = mask[blockIdx.x * int64_t(kThreads) + threadIdx.x];
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    value[k] = narrow<T>(widen(value[k]) * slope<T>(bits >> k & 1, p));
  }
  store<whole>(grad_x, value, n);
}
template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(const T* grad, const unsigned char* mask, T* grad_x, int64_t n, bool aligned, Numbers p) {
  if (is_whole<kEach>(n, aligned)) backward_block<true>(grad, mask, grad_x, n, p);
  else backward_block<false>(grad, mask, grad_x, n, p);
}
"""
KERNELS_INPUT = """\
template <bool whole, typename T, int each>
__device__ __forceinline__ void forward_block(const T* x, T* y, int64_t n, const Numbers& p) {
  T value[each];
  load<whole>(x, value, n);
#pragma unroll
  for (int k = 0; k < each; ++k) {
    value[k] = narrow<T>(forward<T>(widen(value[k]), p));
  }
  store<whole>(y, value, n);
}
template <typename T, int each>
__global__ void __launch_bounds__(kThreads) forward_kernel(const T* x, T* y, int64_t n, bool aligned, Numbers p) {
  if (is_whole<each>(n, aligned)) forward_block<true, T, each>(x, y, n, p);
  else forward_block<false, T, each>(x, y, n, p);
}
template <typename T, int each>
void start_forward(const T* x, T* y, int64_t n, bool aligned, Numbers p, void* stream) {
  const int64_t blocks = (n + kThreads * each - 1) / (kThreads * each);
  forward_kernel<T, each><<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(x, y, n, aligned, p);
}
template <typename T>
int forward_as(const void* from, void* to, void*, int64_t n, bool aligned, Numbers p, void* stream) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  // A word a thread where there are few: more of the GPU's processors have work.
  if (n <= kFew) start_forward<T, kWord<T>>(x, y, n, aligned, p, stream);
  else start_forward<T, kEach>(x, y, n, aligned, p, stream);
  return cudaGetLastError();
}

template <bool whole, typename T>
__device__ __forceinline__ void backward_block(const T* grad, const T* x, T* grad_x, int64_t n, const Numbers& p) {
  T value[kEach], at[kEach];
  load<whole>(grad, value, n);
  load<whole>(x, at, n);
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    value[k] = narrow<T>(widen(value[k]) * slope<T>(widen(at[k]), p));
  }
  store<whole>(grad_x, value, n);
}
template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(const T* grad, const T* x, T* grad_x, int64_t n, bool aligned, Numbers p) {
  if (is_whole<kEach>(n, aligned)) backward_block<true>(grad, x, grad_x, n, p);
  else backward_block<false>(grad, x, grad_x, n, p);
}
"""
