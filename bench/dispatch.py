"""What a call of the catalogue's operators takes the host, beside PyTorch's own: python bench/dispatch.py OUT.

The tensors have no rows, so that nothing is launched: what is left is PyTorch's dispatcher and autograd, and the C++ of
the program between them. Without a GPU that C++ is compiled by emulation with PyTorch's own headers, and called on the
CPU. Ours and PyTorch's take turns; OUT/dispatch.json has microseconds a call: the rounds' median and their quartiles.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from environment import environment

from kernelgate.emulator import install

CATALOGUE = Path(__file__).parents[1] / "python/kernelgate/catalogue"
ROUNDS, CALLS = 25, 200
# What emulation's own stand-in for PyTorch's headers lacks, so that PyTorch's are taken.
REAL = "#include <ATen/ops/cosh.h>\n"
COLUMNS, FEATURES = 70, 40

Call = Callable[..., Any]


def leaky_relu(x: torch.Tensor) -> torch.Tensor:
    return F.leaky_relu(x, 0.1)


def scaled(x: torch.Tensor) -> torch.Tensor:
    return F.leaky_relu(x * 2.0, 0.1)


def linear_scaled(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return F.leaky_relu(F.linear(x, weight, bias) * 2.0, 0.1)


# The program, its operator, what it gets beside tensors, what it replaces, and the tensors' shapes.
OPERATORS: tuple[tuple[str, str, tuple[Any, ...], Call, tuple[tuple[int, ...], ...]], ...] = (
    ("leakyrelu", "leaky_relu", (0.1,), leaky_relu, ((0, COLUMNS),)),
    ("scale_leakyrelu", "scale_leaky_relu", (2.0, 0.1), scaled, ((0, COLUMNS),)),
    (
        "gemm_scale_leakyrelu",
        "linear_scale_leaky_relu",
        (2.0, 0.1, True),
        linear_scaled,
        ((0, COLUMNS), (FEATURES, COLUMNS), (FEATURES,)),
    ),
)


def operator(program: str, name: str, emulated: bool) -> Any:
    spec = importlib.util.spec_from_file_location(program, CATALOGUE / program / "model_new.py")
    assert spec is not None and spec.loader is not None
    found = sys.modules[program] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    source, build = ("CPP_SOURCE", "_operators") if hasattr(found, "CPP_SOURCE") else ("HOST", "_extension")
    if emulated:
        setattr(found, source, REAL + getattr(found, source))
    return getattr(getattr(torch.ops, getattr(found, build)()), name)


def ways(call: Call, tensors: list[torch.Tensor]) -> dict[str, Callable[[], Any]]:
    plain = [tensor.detach() for tensor in tensors]
    upstream = torch.ones_like(call(*plain))
    return {
        "call": lambda: call(*plain),
        "call that wants a gradient": lambda: call(*tensors),
        "call and gradients": lambda: torch.autograd.grad(call(*tensors), tensors, upstream),
    }


def microseconds(call: Callable[[], Any]) -> float:
    started = time.perf_counter()
    for _ in range(CALLS):
        call()
    return (time.perf_counter() - started) / CALLS * 1e6


def spread(values: list[float]) -> dict[str, float]:
    first, median, third = statistics.quantiles(values, n=4)
    return {"median": round(median, 2), "first_quartile": round(first, 2), "third_quartile": round(third, 2)}


def measured(device: str, emulation: Any) -> Iterator[dict[str, Any]]:
    for program, name, arguments, reference, shapes in OPERATORS:
        if emulation is None:
            found = operator(program, name, emulated=False)
        else:
            with emulation.active(), emulation.guarded():
                found = operator(program, name, emulated=True)
        tensors = [torch.randn(shape, device=device, requires_grad=True) for shape in shapes]
        ours = ways(lambda *t, found=found, arguments=arguments: found(*t, *arguments), tensors)
        theirs = ways(reference, tensors)
        for way in ours:
            times: dict[str, list[float]] = {"ours_us": [], "pytorch_us": []}
            for round_ in range(ROUNDS + 2):
                for whose, call in (("ours_us", ours[way]), ("pytorch_us", theirs[way])):
                    taken = microseconds(call)
                    if round_ >= 2:  # the first ones warm up
                        times[whose].append(taken)
            yield {
                "operator": program,
                "way": way,
                "n": ROUNDS,
                **{whose: spread(values) for whose, values in times.items()},
            }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    gpu = torch.cuda.device_count() > 0
    with tempfile.TemporaryDirectory() as cache:
        emulation = None if gpu else install(cache=Path(cache), fault_fd=sys.stderr.fileno())
        about = environment(args.commit)
        rows = []
        for row in measured("cuda" if gpu else "cpu", emulation):
            rows.append(row)
            print(row["operator"], row["way"], row["ours_us"], row["pytorch_us"], flush=True)
    kept = json.dumps({"environment": about, "rows": rows}, indent=1)
    (args.out / "dispatch.json").write_text(kept + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
