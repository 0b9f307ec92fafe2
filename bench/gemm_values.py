"""The values of the product: what it is given, and how far off it is. Used by gemm.py, its section values above all."""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import torch
import torch.nn.functional as F
from gemm_variants import PROGRAM

MULTIPLIER, SLOPE = 2.0, 0.1
SHAPES = [  # m, n, k
    (1, 8192, 8192),
    (1, 33, 70),
    (5, 100, 8192),
    (8, 8191, 257),
    (16, 8192, 8192),
    (16, 31, 8),
    (17, 8192, 8192),
    (64, 1000, 1000),
    (128, 8192, 8192),
    (129, 300, 1000),
    (256, 256, 256),
    (300, 8192, 64),
    (300, 249, 33),
    (777, 1111, 999),
    (1000, 504, 4096),
    (1024, 8192, 8192),
    (2048, 505, 2049),
]
KINDS = (
    "rand", "randn", "positive", "outliers", "wide rows", "wide columns", "columns 2^14", "one-hot", "zero rows",
    "x 1e-30", "x 1e30", "subnormal", "Inf and NaN", "ReLU", "integers",
)  # fmt: skip


def program(path: str = "") -> ModuleType:
    """The program, as a cell that was just inserted."""
    os.environ["KERNELGATE_GEMM_PATH"] = path
    spec = importlib.util.spec_from_file_location("model_new", PROGRAM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules["model_new"] = module
    return module


def layer(module: ModuleType, k: int, n: int) -> Any:
    torch.manual_seed(1)
    return module.ModelNew(k, n, MULTIPLIER, SLOPE).cuda()


def power(low: int, high: int, *shape: int) -> torch.Tensor:
    return torch.exp2(torch.randint(low, high + 1, shape, device="cuda").float())


def drawn(kind: str, m: int, n: int, k: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """x, weight, bias of a kind."""
    torch.manual_seed(m * 7 + n * 5 + k)
    w = (torch.rand(n, k, device="cuda") * 2 - 1) / k**0.5
    b = (torch.rand(n, device="cuda") * 2 - 1) / k**0.5
    x = torch.randn(m, k, device="cuda")
    if kind == "rand":
        x = torch.rand(m, k, device="cuda")
    elif kind == "positive":
        x, w, b = torch.rand(m, k, device="cuda"), w.abs(), b.abs()
    elif kind == "outliers":
        x = x * torch.where(torch.rand(m, k, device="cuda") < 1e-3, 100.0, 1.0)
        w = w * torch.where(torch.rand(n, k, device="cuda") < 1e-3, 100.0, 1.0)
    elif kind == "wide rows":
        x, w = x * power(-12, 12, m, 1), w * power(-12, 12, n, 1)
    elif kind == "wide columns":
        x = x * power(-12, 12, 1, k)
    elif kind == "columns 2^14":
        columns = power(-14, 14, 1, k)
        x, w = x * columns, w / columns
    elif kind == "one-hot":
        x = F.one_hot(torch.arange(m, device="cuda") % k, k).float()
    elif kind == "zero rows":
        x[::2] = 0
    elif kind.startswith("x 1e"):
        x = x * float(kind[2:])
    elif kind == "subnormal":
        x = x * 1e-40
    elif kind == "Inf and NaN":
        x.view(-1)[:: 4097 * 3] = float("inf")
        x.view(-1)[4097 :: 4097 * 3] = float("nan")
        w[n // 2, k // 3] = -float("inf")
    elif kind == "ReLU":
        x = x.relu()
    elif kind == "integers":
        x, w = (torch.randint(-8, 9, v.shape, device="cuda").float() for v in (x, w))
    return x, w, b


def eager(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return F.leaky_relu(F.linear(x, w, b) * MULTIPLIER, SLOPE)


def errors(y: torch.Tensor, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> tuple[float, float, int]:
    """Units, relative error, and elements that are not the Inf or NaN they should be."""
    units, square, whole, special = 0.0, 0.0, 0.0, 0
    xd = x.double()
    for c in range(0, w.shape[0], 2048):
        wd, bd = w[c : c + 2048].double(), b[c : c + 2048].double()
        right = F.leaky_relu((xd @ wd.T + bd) * MULTIPLIER, SLOPE)
        magnitude = (xd.abs() @ wd.abs().T + bd.abs()) * MULTIPLIER
        got = y[:, c : c + 2048].double()
        finite = right.isfinite()
        same = (got == right) | (got.isnan() & right.isnan())
        special += int((~finite & ~same).sum()) + int((finite & ~got.isfinite()).sum())
        good = finite & got.isfinite()
        difference = (got - right)[good]
        if difference.numel():
            smallest = torch.finfo(torch.float32).smallest_normal
            units = max(
                units,
                float((difference.abs() / (magnitude[good] * 2**-24).clamp_min(smallest * 2**-24)).max()),
            )
            square += float(difference.square().sum())
            whole += float(right[good].square().sum())
    return units, (square / whole) ** 0.5 if whole else 0.0, special


def values(path: str, quick: bool) -> Iterator[dict[str, Any]]:
    """Right values for every shape and kind of value."""
    module = program(path)
    start = time.perf_counter()
    operators = module._operators()
    yield {"path": path, "built": operators, "seconds": time.perf_counter() - start}
    product = getattr(torch.ops, operators).linear_scale_leaky_relu
    for m, n, k in SHAPES[::2] if quick else SHAPES:
        large = m * n * k > 1 << 35
        for kind in ("rand", "positive", "Inf and NaN", "columns 2^14") if large and m != 1024 else KINDS:
            x, w, b = drawn(kind, m, n, k)
            y = torch.full((m, n), float("nan"), device="cuda")
            y = product(x, w, b, MULTIPLIER, SLOPE, False)
            torch.cuda.synchronize()
            units, rel, special = errors(y, x, w, b)
            own, own_rel, own_special = errors(eager(x, w, b), x, w, b)
            row = {
                "path": path, "shape": f"{m}x{n}x{k}", "kind": kind, "units": units, "eager": own, "rel": rel,
                "eager_rel": own_rel, "not_special": special, "eager_not_special": own_special,
            }  # fmt: skip
            # A mistake, not a coarser sum; whether an error is at most eager's is counted below.
            row["wrong"] = special > own_special or units > max(8.0, 4 * own)
            if row["wrong"]:
                row["where"] = where(y, x, w, b)
            same = all(
                torch.equal(y.nan_to_num(), product(x, w, b, MULTIPLIER, SLOPE, False).nan_to_num())
                for _ in range(3)
            )
            row["repeats"] = same
            yield row


def where(y: torch.Tensor, x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> str:
    """The region of wrong elements, and one of them."""
    right = eager(x.double(), w.double(), b.double())
    magnitude = eager(x.double().abs(), w.double().abs(), b.double().abs())
    bad = ~(((y - right).abs() <= magnitude * 2**-24 * 100) | (y == right) | (y.isnan() & right.isnan()))
    if not bad.any():
        return "nothing off by 100 units"
    at = bad.nonzero()
    (r0, c0), (r1, c1) = at.min(0).values.tolist(), at.max(0).values.tolist()
    r, c = at[0].tolist()
    place = f"{len(at)} of {bad.numel()}, rows {r0}..{r1}, columns {c0}..{c1}"
    return f"{place}; [{r},{c}] {y[r, c]:.6g} not {right[r, c]:.6g}"
