"""The times of the product, beside PyTorch's and beside its variants: sections of gemm.py."""

from __future__ import annotations

import argparse
import functools
import multiprocessing
import os
import re
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import torch
import torch.nn.functional as F
from gemm_values import MULTIPLIER, SLOPE, drawn, eager, errors, layer, program
from gemm_variants import VARIANTS, Variant


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
