"""Which arithmetic the grade names for a product in each: python bench/arithmetic.py OUT [--commit ID].

OUT/arithmetic.json has a row for each way to multiply, each distribution and each length of the sums: the error, in
units of the rounding of float32 scaled by the magnitudes summed, the bounds it was held against, and the grade.
On a GPU the products are cuBLAS's in its own modes; elsewhere the CPU's, and TF32 is left out.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import torch
from environment import environment

from kernelgate.check.tolerance.arithmetic import Bounds, rounded_to_bf16, rounded_to_tf32
from kernelgate.check.tolerance.numerics import compare_graded

ROWS, COLUMNS = 256, 512
LENGTHS = (64, 256, 1024, 8192)
Product = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def fp32(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    torch.backends.cuda.matmul.allow_tf32 = False
    return x @ w.T


def tf32(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        return x @ w.T
    finally:
        torch.backends.cuda.matmul.allow_tf32 = False


def fp16(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return (x.half() @ w.half().T).float()


def bf16(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return (x.bfloat16() @ w.bfloat16().T).float()


def split(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Three products of TF32 parts, added in float32, as 3xTF32 does."""
    parts = [(v, v - rounded_to_tf32(v)) for v in (x, w)]
    (x_all, x_low), (w_all, w_low) = parts
    x_high, w_high = x_all - x_low, w_all - w_low
    return tf32(x_low, w_high) + tf32(x_high, w_low) + tf32(x_high, w_high)


def split_bf16(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """Three products of bfloat16 parts, added in float32."""
    x_high, w_high = rounded_to_bf16(x), rounded_to_bf16(w)
    x_low, w_low = rounded_to_bf16(x - x_high), rounded_to_bf16(w - w_high)
    return fp32(x_low, w_high) + fp32(x_high, w_low) + fp32(x_high, w_high)


PRODUCTS: dict[str, tuple[Product, str]] = {
    "fp32": (fp32, "fp32"),
    "3xTF32": (split, "fp32 or split"),
    "3xBF16": (split_bf16, "fp32 or split"),
    "TF32": (tf32, "TF32 or FP16"),
    "FP16": (fp16, "TF32 or FP16"),
    "BF16": (bf16, "BF16"),
}


def inputs(distribution: str, length: int, device: torch.device) -> torch.Tensor:
    generator = torch.Generator(device=device).manual_seed(length)
    shape = (ROWS, length)
    if distribution == "rand":
        return torch.rand(shape, generator=generator, device=device)
    values = torch.randn(shape, generator=generator, device=device)
    if distribution == "wide":
        values *= torch.exp2(torch.randint(-12, 12, shape, generator=generator, device=device).float())
    return values


def row(name: str, distribution: str, length: int, device: torch.device) -> dict[str, object]:
    product, expected = PRODUCTS[name]
    x = inputs(distribution, length, device)
    generator = torch.Generator(device=device).manual_seed(length + 1)
    w = (torch.rand((COLUMNS, length), generator=generator, device=device) * 2 - 1) / length**0.5
    oracle, magnitude = x.double() @ w.double().T, x.double().abs() @ w.double().abs().T

    def units(result: torch.Tensor) -> float:
        return compare_graded(result.float(), oracle, magnitude, float("inf"), 0).error_units or 0.0

    coarse = [units(f(x).double() @ f(w).double().T) for f in (rounded_to_tf32, rounded_to_bf16)]
    bounds = Bounds(units(fp32(x, w)), *coarse)
    error = units(product(x, w))
    grade = bounds.grade(error)
    return {
        "product": name,
        "distribution": distribution,
        "K": length,
        "error_units": round(error, 2),
        "bounds": [round(bounds.limit(a), 1) for a in ("fp32", "split", "TF32 or FP16", "BF16")],
        "grade": grade,
        "as_expected": grade is not None and grade in expected,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    names = [name for name in PRODUCTS if device.type == "cuda" or name not in ("TF32", "3xTF32")]
    rows = [
        row(name, distribution, length, device)
        for name in names
        for distribution in ("randn", "rand", "wide")
        for length in LENGTHS
    ]
    result = {
        "environment": environment(args.commit),
        "n": ROWS * COLUMNS,
        "as_expected": sum(bool(r["as_expected"]) for r in rows),
        "rows": rows,
    }
    (args.out / "arithmetic.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"{result['as_expected']} of {len(rows)} grades as expected")
    for found in rows:
        if not found["as_expected"]:
            print(found)


if __name__ == "__main__":
    main()
