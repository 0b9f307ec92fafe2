"""The product of the catalogue on a GPU: what is wrong, then what it takes. python bench/gemm.py OUT [--quick]
[--only SECTION ...] [--variants NAME ...] [--commit ID].

Each section runs in a process of its own, so that a crash or a kernel that never ends costs that section only. It
prints one line a finding; OUT/gemm.json has every figure. Errors are forward errors: |y - y64| over the magnitude
summed, in units of 2^-24, the largest of all elements; `rel` is in the Frobenius norm. Times are medians of calls in
turn with PyTorch's (IEEE float32), by CUDA events, each after the L2 cache was flushed; `sustained` without.
"""

from __future__ import annotations

import argparse
import copy
import functools
import importlib.util
import json
import multiprocessing
import os
import pickle
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
import torch.nn.functional as F
from environment import environment
from gemm_variants import PROGRAM, VARIANTS, Variant

MULTIPLIER, SLOPE = 2.0, 0.1
SECTION_LIMIT_S = 300
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


def behaviour(_given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What PyTorch does with a module."""
    module = program()
    m, n, k = 200, 300, 500
    gemm = layer(module, k, n)
    x = torch.randn(m, k, device="cuda")

    def near(got: torch.Tensor, right: torch.Tensor, least: float = 3e-6) -> None:
        off = float((got.double() - right.double()).abs().max() / right.double().abs().max())
        assert off <= least, f"off by {off:.2g}"

    def right(layer: Any = gemm, x: torch.Tensor = x) -> torch.Tensor:
        return eager(x.double(), layer.gemm.weight.double(), layer.gemm.bias.double()).detach()

    def layouts() -> None:
        with torch.no_grad():
            views = (
                x.t().contiguous().t(),
                torch.randn(m, 2 * k, device="cuda")[:, ::2],
                x[:1].expand(m, k),
                torch.randn(m * k + 1, device="cuda")[1:].view(m, k),
                x[0],
                x[:0],
                x.view(2, 100, k),
            )
            for view in views:
                got = gemm(view)
                assert got.shape == (*view.shape[:-1], n)
                if got.numel():
                    near(got, right(x=view))

    def weights_change() -> None:
        with torch.no_grad():
            gemm(x)
            gemm.gemm.weight.mul_(0.5)
            near(gemm(x), right())
            gemm.load_state_dict({key: v + 0.01 for key, v in gemm.state_dict().items()})
            near(gemm(x), right())
            gemm.gemm.weight = torch.nn.Parameter(torch.randn(n, k, device="cuda"))
            near(gemm(x), right())
            operators = getattr(torch.ops, module._operators())
            assert operators.kept_bytes() > 0
            operators.forget_splits()
            assert operators.kept_bytes() == 0

    def weights_change_unseen() -> None:
        with torch.no_grad():
            gemm(x)
            gemm.gemm.weight.data.mul_(0.75)
            near(gemm(x), right())

    def graph() -> None:
        static = x.clone()
        with torch.no_grad():
            for _ in range(2):
                gemm(static)
            torch.cuda.synchronize()
            captured = torch.cuda.CUDAGraph()
            with torch.cuda.graph(captured):
                y = gemm(static)
            static.copy_(x * 3)
            gemm.gemm.weight.mul_(2)
            captured.replay()
            near(y, right(x=x * 3))

    def streams() -> None:
        with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
            torch.cuda._sleep(10_000_000)
            late = x * 2
            near(gemm(late), right(x=x * 2))
            torch.cuda.current_stream().synchronize()

    def gradients() -> None:
        for m_ in (3, 200):
            given = x[:m_].clone().requires_grad_()
            y = gemm(given)
            up = torch.randn_like(y)
            gemm.zero_grad()
            y.backward(up)
            wide = copy.deepcopy(gemm).double()
            given64 = x[:m_].double().requires_grad_()
            wide.zero_grad()
            F.leaky_relu(wide.gemm(given64) * MULTIPLIER, SLOPE).backward(up.double())
            near(given.grad, given64.grad)
            near(gemm.gemm.weight.grad, wide.gemm.weight.grad)
            near(gemm.gemm.bias.grad, wide.gemm.bias.grad)

    def transposed() -> None:
        product = getattr(torch.ops, module._operators()).linear_scale_leaky_relu
        for m_, n_, k_ in ((1024, 512, 2048), (33, 70, 129), (8192, 300, 1024)):
            for kind in ("randn", "columns 2^14", "Inf and NaN"):
                x_, w_, b_ = drawn(kind, m_, n_, k_)
                dense = product(x_, w_, b_, MULTIPLIER, SLOPE, False)
                x_t, w_t = x_.t().contiguous().t(), w_.t().contiguous().t()
                for a, b in ((x_t, w_), (x_, w_t), (x_t, w_t)):
                    assert torch.equal(
                        product(a, b, b_, MULTIPLIER, SLOPE, False).nan_to_num(), dense.nan_to_num()
                    )

    def compiled() -> None:
        with torch.no_grad():
            faster = torch.compile(gemm, fullgraph=True, dynamic=True)
            near(faster(x), right())
            near(faster(x[:77]), right(x=x[:77]))
        near(torch.compile(gemm, fullgraph=True)(x.clone().requires_grad_()), right())

    def exported() -> None:
        with torch.no_grad():
            rows = {0: torch.export.Dim("rows", min=2, max=4096)}
            whole = torch.export.export(gemm, (x,), dynamic_shapes=(rows,))
            near(whole.module()(x[:50]), right(x=x[:50]))

    def copies() -> None:
        with torch.no_grad():
            gemm(x)
            near(copy.deepcopy(gemm)(x), right())
            near(pickle.loads(pickle.dumps(gemm))(x), right())

    def opcheck() -> None:
        product = getattr(torch.ops, module._operators()).linear_scale_leaky_relu
        w = torch.randn(64, 32, device="cuda", requires_grad=True)
        b = torch.randn(64, device="cuda", requires_grad=True)
        for rows in (3, 40):
            given = torch.randn(rows, 32, device="cuda", requires_grad=True)
            torch.library.opcheck(product, (given, w, b, 2.0, 0.1, True), atol=1e-4, rtol=1e-4)

    def dtypes() -> None:
        with torch.no_grad():
            with torch.autocast("cuda", dtype=torch.bfloat16):
                assert gemm(x).dtype == torch.bfloat16
            for dtype in (torch.float16, torch.bfloat16, torch.float64):
                assert copy.deepcopy(gemm).to(dtype)(x.to(dtype)).dtype == dtype
            assert copy.deepcopy(gemm).cpu()(x.cpu()).device.type == "cpu"

    def inserted_twice() -> None:
        with torch.no_grad():
            again = program()
            start = time.perf_counter()
            near(layer(again, k, n)(x), right(layer(again, k, n)))
            assert time.perf_counter() - start < 2, "built again"

    tests: tuple[Callable[[], None], ...] = (
        layouts, weights_change, weights_change_unseen, graph, streams, gradients, transposed, copies, dtypes,
        inserted_twice, opcheck, exported, compiled,
    )  # fmt: skip
    for test in tests:
        try:
            test()
            yield {"behaviour": test.__name__, "wrong": False}
        except Exception as exc:
            told = traceback.format_exc().strip().splitlines()
            yield {
                "behaviour": test.__name__, "wrong": True, "where": f"{type(exc).__name__}: {str(exc)[-900:]}",
                "trace": told[-8:],
            }  # fmt: skip


def in_turn(calls: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median milliseconds of each, called in turn, with a cold L2 cache."""
    flush = torch.empty(64 << 20, dtype=torch.int32, device="cuda")
    for call in calls.values():
        for _ in range(3):
            call()
    events: dict[str, list[Any]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            flush.zero_()
            pair = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            pair[0].record()
            call()
            pair[1].record()
            events[name].append(pair)
        torch.cuda.synchronize()
    return {
        name: sorted(a.elapsed_time(b) for a, b in pairs)[len(pairs) // 2] for name, pairs in events.items()
    }


def sustained(call: Callable[[], Any], seconds: float) -> float:
    """Milliseconds a call, back to back."""
    once = in_turn({"": call}, 5)[""]
    count = max(10, int(seconds * 1e3 / once))
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(count):
        call()
    end.record()
    torch.cuda.synchronize()
    return float(start.elapsed_time(end)) / count


def kernels(call: Callable[[], Any]) -> dict[str, float]:
    """Microseconds of each kernel of a call, the mean of ten, and from the first one's start to the last one's end."""
    from torch.profiler import ProfilerActivity, profile

    def name(key: str) -> str:
        return re.sub(r"\(.*|^void ", "", key.replace("(anonymous namespace)::", ""))[:70]

    with profile(activities=[ProfilerActivity.CUDA]) as trace:
        for _ in range(10):
            call()
        torch.cuda.synchronize()
    taken: dict[str, float] = {}
    ran = [event for event in trace.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    for event in ran:
        taken[name(event.name)] = taken.get(name(event.name), 0.0) + event.time_range.elapsed_us() / 10
    first, last = min(e.time_range.start for e in ran), max(e.time_range.end for e in ran)
    return {**taken, "from first to last": (last - first) / 10}


def times(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    fast, portable = program(), None
    fast._operators()
    n = k = 8192
    product = getattr(torch.ops, fast._operators()).linear_scale_leaky_relu
    portable = program("mma")
    portable_product = getattr(torch.ops, portable._operators()).linear_scale_leaky_relu
    _x, w, b = drawn("rand", 1, n, k)
    for m in (1024, 1, 2, 8, 16, 17, 64, 128, 256, 512, 4096)[: 8 if given.quick else None]:
        x = torch.rand(m, k, device="cuda")
        calls = {
            "eager": lambda x=x: eager(x, w, b),
            "kept": lambda x=x: product(x, w, b, MULTIPLIER, SLOPE, True),
            "each call": lambda x=x: product(x, w, b, MULTIPLIER, SLOPE, False),
            "mma kept": lambda x=x: portable_product(x, w, b, MULTIPLIER, SLOPE, True),
        }
        cold = in_turn(calls, 11 if m > 1024 else 21)
        row: dict[str, Any] = {"m": m, "n": n, "k": k, "cold_ms": cold}
        row["ratio"] = {name: cold["eager"] / ms for name, ms in cold.items()}
        if m in (1, 16, 128, 1024):
            row["sustained_ms"] = {name: sustained(call, 0.4) for name, call in calls.items()}
            row["kernels_us"] = {name: kernels(call) for name, call in calls.items() if name != "eager"}
        yield row
    x = torch.rand(1024, k, device="cuda")
    x[::5, 77] = float("inf")
    yield {
        "m": "1024, all tiles by float32",
        "cold_ms": in_turn({"kept": lambda: product(x, w, b, 2.0, 0.1, True)}, 7),
    }
    layers = {"ours": layer(fast, k, n), "eager": torch.nn.Linear(k, n).cuda()}
    x = torch.rand(1024, k, device="cuda", requires_grad=True)

    def step(name: str) -> None:
        y = layers[name](x)
        if name == "eager":
            y = F.leaky_relu(y * MULTIPLIER, SLOPE)
        y.backward(torch.ones_like(y))

    steps = {name: functools.partial(step, name) for name in layers}
    yield {
        "training step": in_turn(steps, 7),
        "kernels_us": {name: kernels(call) for name, call in steps.items()},
    }


def built(variant: Variant) -> str:
    """The namespace of the variant's operators."""
    module = program(variant.path)
    for old, new in variant.replaced:
        sources = [key for key in vars(module) if key.startswith("CUDA_") and old in getattr(module, key)]
        assert sources, old
        for key in sources:
            setattr(module, key, getattr(module, key).replace(old, new))
    operators = module._operators()
    assert isinstance(operators, str)
    return operators


def variants(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Times of other ways beside the program as it is, all in turn."""
    tried = [variant for variant in VARIANTS if variant.name in {VARIANTS[0].name, *given.variants}]
    # Built beside each other first; this process then finds them in PyTorch's cache.
    with ProcessPoolExecutor(min(8, os.cpu_count() or 1), multiprocessing.get_context("spawn")) as pool:
        list(pool.map(built, tried))
    x, w, b = drawn("rand", 1024, 8192, 8192)
    products = {variant.name: getattr(torch.ops, built(variant)).linear_scale_leaky_relu for variant in tried}
    for m in (1, 16, 128, 1024):
        chosen = [variant.name for variant in tried if m in variant.rows]
        calls: dict[str, Callable[[], Any]] = {"eager": functools.partial(eager, x[:m], w, b)}
        for name in chosen:
            calls[name] = functools.partial(products[name], x[:m], w, b, MULTIPLIER, SLOPE, True)
        each_call = {
            name: functools.partial(products[name], x[:m], w, b, MULTIPLIER, SLOPE, False) for name in chosen
        }
        right = errors(calls["eager"](), x[:m], w, b)
        yield {
            "m": m, "cold_ms": in_turn(calls, 31), "each_call_ms": in_turn(each_call, 31),
            "sustained_ms": {k: sustained(c, 0.2) for k, c in calls.items()},
            "kernels_us": {name: kernels(calls[name]) for name in chosen},
            "rel": {name: errors(calls[name](), x[:m], w, b)[1] for name in chosen}, "eager_rel": right[1],
        }  # fmt: skip


def build_facts(_given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What each kernel takes of a multiprocessor, by NVRTC, which needs no GPU."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "python/tests"))
    from catalogue.test_gemm import device_source

    from kernelgate.nvrtc.compile_check import used_by
    from kernelgate.profiling.occupancy import occupancy

    module = program()
    for arch in ("sm_80", "sm_90a"):
        for taken in sorted(used_by(device_source(module, arch), arch), key=lambda one: one.name):
            found = re.match(r"_ZN7kernels\d+([a-z_]+?)(?:I((?:L[bi]\d+E)+)E|E)", taken.name)
            assert found is not None, taken.name
            given = [
                value if kind == "i" else ("false", "true")[int(value)]
                for kind, value in re.findall(r"L([bi])(\d+)E", found[2] or "")
            ]
            # As launch_mma and launch_wgmma ask for it: stages of a line of each row of both tiles.
            threads, shared = 256, taken.shared_bytes
            if found[1] == "multiply_mma":
                shared += int(given[0]) * 2 * 128 * 128
            elif found[1] == "multiply_wgmma":
                threads, shared = 384, shared + 4 * (128 + 256) * 128 + 1024
            room = occupancy(arch, threads, taken.registers, shared)
            yield {
                "arch": arch, "kernel": f"{found[1]}<{', '.join(given)}>" if given else found[1],
                "threads": threads, "registers": taken.registers, "spilled_bytes": taken.spilled_bytes,
                "shared_bytes": shared, "occupancy": room.share if room else 0.0,
            }  # fmt: skip


SECTIONS: dict[str, Callable[[argparse.Namespace], Iterator[dict[str, Any]]]] = {
    "values wgmma": lambda given: values("", given.quick),
    "values mma": lambda given: values("mma", given.quick),
    "behaviour": behaviour,
    "times": times,
    "variants": variants,
    "build facts": build_facts,
}


def short(row: dict[str, Any]) -> str:
    def text(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:.4g}"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k} {text(v)}" for k, v in value.items()) + "}"
        return str(value)

    return " | ".join(f"{key} {text(value)}" for key, value in row.items())


def run_section(name: str, given: argparse.Namespace) -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    rows = []
    for row in SECTIONS[name](given):
        rows.append(row)
        if row.get("wrong") or row.get("repeats") is False or "kind" not in row:
            print("  ", "WRONG" if row.get("wrong") else "", short(row), flush=True)
        (given.out / f"{name}.json").write_text(json.dumps(rows, indent=1))
    tried = [row for row in rows if "kind" in row]
    for kind in KINDS:
        of_kind = [row for row in tried if row["kind"] == kind]
        if of_kind:
            worst = max(of_kind, key=lambda row: row["units"] / max(row["eager"], 1e-9))
            big = [row for row in of_kind if row["shape"] == "1024x8192x8192"]
            told = f"   {kind}: {len(of_kind)} tried, worst {worst['units']:.3g} units, eager {worst['eager']:.3g}"
            told += f" ({worst['shape']})"
            told += f"; at most eager's for {sum(row['units'] <= row['eager'] for row in of_kind)} shapes"
            for row in big:
                told += f"; {row['shape']} {row['units']:.3g}/{row['eager']:.3g}"
                told += f" rel {row['rel']:.3g}/{row['eager_rel']:.3g}"
            print(told, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit")
    parser.add_argument("--quick", action="store_true", help="half of the shapes")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    names = [variant.name for variant in VARIANTS]
    parser.add_argument("--variants", nargs="+", choices=names, default=names)
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.in_this_process:
        run_section(given.only[0], given)
        return
    rows: dict[str, Any] = {"environment": environment(given.commit)}
    for name in given.only:
        start = time.perf_counter()
        print(f"{name}:", flush=True)
        command = [sys.executable, __file__, str(given.out), "--only", name, "--in-this-process"]
        command += ["--quick"] * given.quick + ["--variants", *given.variants]
        try:
            status = subprocess.run(command, timeout=SECTION_LIMIT_S).returncode
        except subprocess.TimeoutExpired:
            status = -1
            print("   WRONG: out of time")
        print(f"   {name}: status {status}, {time.perf_counter() - start:.0f} s", flush=True)
        part = given.out / f"{name}.json"
        if part.exists():
            rows[name] = json.loads(part.read_text())
            part.unlink()
    (given.out / "gemm.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
