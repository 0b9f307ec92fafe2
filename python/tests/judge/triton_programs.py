"""Programs in Triton, each with what is right and with planted faults: a piece of its text, and what stands there then.

`Fault.said`: words of the verdict or of what the report says of the line; `Fault.line`: a piece of the line that is
named, where one is.
"""

from __future__ import annotations

from dataclasses import dataclass

_HEAD = """import torch
import torch.nn as nn
import triton
import triton.language as tl

"""


@dataclass(frozen=True)
class Fault:
    name: str
    right: str
    wrong: str
    said: str
    line: str = ""


@dataclass(frozen=True)
class Program:
    name: str
    text: str
    reference: str
    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        return self.name


def _reference(forward: str, inputs: str, init: str = "") -> str:
    init = init or "pass"
    return f"""import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        {init}

    def forward(self, {forward}

def get_inputs():
    return [{inputs}]

def get_init_inputs():
    return []
"""


ELEMENTWISE = Program(
    "elementwise",
    _HEAD
    + """@triton.jit
def gelu_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    x = tl.load(x_ptr + at, mask=inside)
    y = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))
    tl.store(y_ptr + at, y, mask=inside)

class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        n = x.numel()
        gelu_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)
        return y
""",
    _reference("x):\n        return F.gelu(x)", "torch.randn(37, 29)"),
    (
        Fault("mask", "y, mask=inside", "y", "past the end of `y_ptr`", "tl.store("),
        Fault("mask of a load", "at, mask=inside", "at", "past the end of `x_ptr`", "tl.load("),
        Fault("stride", "* BLOCK + tl.arange", "* (BLOCK + 1) + tl.arange", "never written"),
        Fault("dtype", "y = torch.empty_like(x)", "y = torch.empty_like(x).half()", "the result is float16"),
        Fault("race", "y_ptr + at, y", "y_ptr + at % 64, y", "Wrong result"),
        Fault("part left out", "triton.cdiv(n, 256)", "n // 256", "never written"),
    ),
)

REDUCTION = Program(
    "reduction",
    _HEAD
    + """@triton.jit
def sum_kernel(x_ptr, total_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.atomic_add(total_ptr, tl.sum(x, axis=0))

class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        total = torch.zeros((), device=x.device, dtype=x.dtype)
        sum_kernel[(triton.cdiv(x.numel(), 256),)](x, total, x.numel(), BLOCK=256)
        return total
""",
    _reference("x):\n        return x.sum()", "torch.rand(37, 29)"),
    (
        Fault("mask", ", mask=at < n, other=0.0", "", "past the end of `x_ptr`", "tl.load("),
        Fault(
            "race",
            "tl.atomic_add(total_ptr, tl.sum(x, axis=0))",
            "tl.store(total_ptr, tl.load(total_ptr) + tl.sum(x, axis=0))",
            "two programs of one launch write and read `total_ptr[0]`",
            "tl.store(",
        ),
        Fault("dtype", "tl.sum(x, axis=0)", "tl.sum(x.to(tl.float16), axis=0).to(tl.float32)", "Wrong result"),
        Fault("unwritten", "torch.zeros((),", "torch.empty((),", "Uninitialised read", "tl.atomic_add("),
        Fault("stride", "* BLOCK +", "* 2 * BLOCK +", "Wrong result"),
    ),
)

SOFTMAX = Program(
    "softmax",
    _HEAD
    + """@triton.jit
def softmax_kernel(y_ptr, x_ptr, x_stride, y_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * x_stride + at, mask=at < columns, other=-float("inf"))
    x = x - tl.max(x, axis=0)
    e = tl.exp(x)
    tl.store(y_ptr + row * y_stride + at, e / tl.sum(e, axis=0), mask=at < columns)

class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        rows, columns = x.shape
        BLOCK = triton.next_power_of_2(columns)
        softmax_kernel[(rows,)](y, x, x.stride(0), y.stride(0), columns, BLOCK=BLOCK)
        return y
""",
    _reference("x):\n        return torch.softmax(x, dim=1)", "torch.randn(17, 41)"),
    (
        Fault("mask", "tl.sum(e, axis=0), mask=at < columns", "tl.sum(e, axis=0)", "of `y_ptr`", "tl.store("),
        Fault("padding", 'other=-float("inf")', "other=0.0", "Wrong result"),
        Fault("stride", "x.stride(0), y.stride(0)", "x.stride(0), y.stride(0) - 1", "programs of one launch write"),
        Fault("axis", "x.stride(0), y.stride(0)", "x.stride(1), y.stride(0)", "Wrong result"),
        Fault("dtype", "e = tl.exp(x)", "e = tl.exp(x).to(tl.float16)", "Wrong result"),
    ),
)

LAYER_NORM = Program(
    "layer norm",
    _HEAD
    + """@triton.jit
def norm_kernel(x_ptr, y_ptr, w_ptr, b_ptr, stride, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * stride
    y_ptr += row * stride
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / N
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + cols, mask=cols < N, other=0.0).to(tl.float32)
        x = tl.where(cols < N, x - mean, 0.0)
        total += x * x
    rstd = 1 / tl.sqrt(tl.sum(total, axis=0) / N + eps)
    for off in range(0, N, BLOCK):
        cols = off + tl.arange(0, BLOCK)
        inside = cols < N
        w = tl.load(w_ptr + cols, mask=inside)
        b = tl.load(b_ptr + cols, mask=inside)
        x = tl.load(x_ptr + cols, mask=inside, other=0.0).to(tl.float32)
        tl.store(y_ptr + cols, (x - mean) * rstd * w + b, mask=inside)

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(41)

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        N = x.shape[-1]
        norm_kernel[(x.numel() // N,)](x, y, self.norm.weight, self.norm.bias, N, N, self.norm.eps, BLOCK=16)
        return y
""",
    _reference("x):\n        return self.norm(x)", "torch.randn(17, 41)", "self.norm = nn.LayerNorm(41)"),
    (
        Fault("mask", "w_ptr + cols, mask=inside", "w_ptr + cols", "of `w_ptr`", "w = tl.load("),
        Fault("stride", "y_ptr += row * stride", "y_ptr += row * (stride - 1)", "programs of one launch write"),
        Fault("axis", "tl.where(cols < N, x - mean, 0.0)", "x - mean", "Wrong result"),
        Fault("dtype", "(x - mean) * rstd * w", "((x - mean) * rstd).to(tl.float16) * w", "Wrong result"),
        Fault("race", "y_ptr + cols, (x", "y_ptr + cols % 8, (x", "Wrong result"),
    ),
)

MATMUL = Program(
    "matmul",
    _HEAD
    + """@triton.autotune(
    configs=[triton.Config({"BM": 16, "BN": 16, "BK": 16}), triton.Config({"BM": 32, "BN": 16, "BK": 32})],
    key=["M", "N", "K"],
)
@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, sam, sak, sbk, sbn, scm, scn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    n = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, tl.cdiv(K, BK)):
        left = K - start * BK
        a_at = a_ptr + m[:, None] * sam + (start * BK + k)[None, :] * sak
        b_at = b_ptr + (start * BK + k)[:, None] * sbk + n[None, :] * sbn
        a = tl.load(a_at, mask=(m[:, None] < M) & (k[None, :] < left), other=0.0)
        b = tl.load(b_at, mask=(k[:, None] < left) & (n[None, :] < N), other=0.0)
        acc += tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + m[:, None] * scm + n[None, :] * scn, acc, mask=(m[:, None] < M) & (n[None, :] < N))

class ModelNew(nn.Module):
    def forward(self, a, b):
        M, K = a.shape
        N = b.shape[1]
        c = torch.empty((M, N), device=a.device, dtype=a.dtype)
        grid = lambda meta: (triton.cdiv(M, meta["BM"]), triton.cdiv(N, meta["BN"]))
        matmul_kernel[grid](
            a, b, c, M, N, K, a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1)
        )
        return c
""",
    _reference("a, b):\n        return a @ b", "torch.randn(37, 29), torch.randn(29, 23)"),
    (
        Fault("mask", "acc, mask=(m[:, None] < M) & (n[None, :] < N)", "acc", "of `c_ptr`", "tl.store("),
        Fault("mask of a tile", "(k[:, None] < left) &", "", "of `b_ptr`", "b = tl.load("),
        Fault("stride", "[:, None] * sbk + n[None, :] * sbn", "[:, None] * sbn + n[None, :] * sbk", "Wrong result"),
        Fault("dtype", "tl.dot(a, b, ", "tl.dot(a.to(tl.bfloat16), b.to(tl.bfloat16), ", "Wrong result"),
        Fault("race", "m[:, None] * scm + n", "m[:, None] // 2 * scm + n", "one operation writes"),
    ),
)

ATTENTION = Program(
    "attention",
    _HEAD
    + """@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, o_ptr, head, N, scale, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr):
    base = tl.program_id(1) * head
    m = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + base + m[:, None] * D + d[None, :], mask=m[:, None] < N, other=0.0)
    largest = tl.full([BM], -float("inf"), dtype=tl.float32)
    total = tl.zeros([BM], dtype=tl.float32)
    acc = tl.zeros([BM, D], dtype=tl.float32)
    for start in range(0, N, BN):
        n = start + tl.arange(0, BN)
        k = tl.load(k_ptr + base + n[None, :] * D + d[:, None], mask=n[None, :] < N, other=0.0)
        v = tl.load(v_ptr + base + n[:, None] * D + d[None, :], mask=n[:, None] < N, other=0.0)
        s = tl.dot(q, k, input_precision="ieee") * scale
        s = tl.where(n[None, :] < N, s, -float("inf"))
        now = tl.maximum(largest, tl.max(s, axis=1))
        p = tl.exp(s - now[:, None])
        old = tl.exp(largest - now)
        total = total * old + tl.sum(p, axis=1)
        acc = acc * old[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
        largest = now
    o_at = o_ptr + base + m[:, None] * D + d[None, :]
    tl.store(o_at, acc / total[:, None], mask=m[:, None] < N)

class ModelNew(nn.Module):
    def forward(self, q, k, v):
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        B, H, N, D = q.shape
        o = torch.empty_like(q)
        attention_kernel[(triton.cdiv(N, 16), B * H)](q, k, v, o, N * D, N, D**-0.5, D=D, BM=16, BN=16)
        return o
""",
    _reference(
        "q, k, v):\n        return F.scaled_dot_product_attention(q, k, v)",
        "torch.randn(1, 2, 21, 16), torch.randn(1, 2, 21, 16), torch.randn(1, 2, 21, 16)",
    ),
    (
        Fault("mask", "total[:, None], mask=m[:, None] < N", "total[:, None]", "of `o_ptr`", "tl.store("),
        Fault("padding", "s = tl.where(n[None, :] < N, s, -float", "s = tl.where(n[None, :] <= N, s, -float", "Wrong"),
        Fault("axis", "tl.max(s, axis=1))", "tl.max(s, axis=0))", "Wrong result"),
        Fault("stride", "base = tl.program_id(1) * head", "base = tl.program_id(1) * (head // 2)", "Wrong result"),
        Fault("race", "o_at = o_ptr + base + m", "o_at = o_ptr + m", "programs of one launch write"),
    ),
)

PROGRAMS = (ELEMENTWISE, REDUCTION, SOFTMAX, LAYER_NORM, MATMUL, ATTENTION)
