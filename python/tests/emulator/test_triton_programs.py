"""Kernels of Triton compute in the interpreter as on a GPU, and what they do to memory is looked at."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
import torch
from support import Outcome, in_worker

from kernelgate.emulator import Emulation, decode_fault

pytest.importorskip("triton", reason="Triton is not installed")

HEAD = """import torch
import triton
import triton.language as tl
from triton.language.extra import libdevice
"""


def run(
    cache: Path, folder: Path, source: str, call: str = "f()", order: str = "normal", **options: Any
) -> Outcome:
    """What `call` gives in the module of a source, where `source` begins in line 5."""
    file = folder / "program_in_triton.py"
    file.write_text(HEAD + source)

    def body(emulation: Emulation) -> Any:
        emulation.order(order)
        with emulation.active(), emulation.guarded():
            spec = importlib.util.spec_from_file_location(file.stem, file)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            results = eval(call, vars(module))
            return [one.cpu().clone() if isinstance(one, torch.Tensor) else one for one in results]

    return in_worker(cache, body, **options)


def kinds(outcome: Outcome) -> list[tuple[str, int | None, int | None]]:
    found = [decode_fault(line) for line in outcome.findings]
    return [(fault.kind, fault.line, fault.other_line) for fault in found]


ARITHMETIC = """
@triton.jit
def k(x, y, z, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    tl.store(y + i, tl.maximum(a, 0.0))
    tl.store(y + B + i, libdevice.tanh(a))
    tl.store(y + 2 * B + i, (a.to(tl.bfloat16) * 3.0 + 1.0).to(tl.float32))
    m = tl.reshape(a, (4, 4))
    tl.store(y + 3 * B + i, tl.reshape(tl.dot(m, m), (B,)))
    tl.store(z + i, a.to(tl.bfloat16))
    tl.store(y + 4 * B, tl.sum(tl.where(i > 0, a, 0.0).to(tl.bfloat16)).to(tl.float32))

def f():
    x = torch.linspace(-3, 4, 16, device="cuda")
    x[0] = float("nan")
    y, z = torch.empty(65, device="cuda"), torch.empty(16, dtype=torch.bfloat16, device="cuda")
    k[(1,)](x, y, z, B=16)
    return x, y, z
"""


def test_numbers_are_those_of_a_gpu(cache, tmp_path):
    x, y, z = run(cache, tmp_path, ARITHMETIC).result()
    maximum, tanh, narrow, product = y[:64].view(4, 16)
    assert torch.equal(maximum, torch.where(x.isnan(), 0, x.clamp(min=0)))  # which is the number, not NaN
    assert torch.allclose(tanh, x.tanh(), equal_nan=True)
    assert torch.equal(z[1:], x[1:].bfloat16())
    assert torch.equal(narrow[1:], ((x.bfloat16() * 3).bfloat16() + 1).float()[1:])
    assert y[64] == x[1:].bfloat16().float().sum().bfloat16()
    m = x.view(4, 4)
    rounded = (m.view(torch.int32) & ~0x1FFF).view(torch.float32)  # of a TF32 number, 13 bits fewer
    exact, coarse = (m.double() @ m.double())[1:, 1:], (rounded.double() @ rounded.double())[1:, 1:]
    assert torch.allclose(product.view(4, 4)[1:, 1:].double(), coarse, rtol=1e-6)
    assert not torch.allclose(product.view(4, 4)[1:, 1:].double(), exact, rtol=1e-6)


LAUNCHES = """
@triton.autotune([triton.Config({"B": 16}), triton.Config({"B": 32})], key=["n"])
@triton.heuristics({"EVEN": lambda args: args["n"] % args["B"] == 0})
@triton.jit
def k(x, y, n, scale, negate, B: tl.constexpr, EVEN: tl.constexpr):
    at = tl.make_block_ptr(x, (n,), (1,), (tl.program_id(0) * B,), (B,), (0,))
    v = tl.load(at, boundary_check=(0,), padding_option="zero") * scale.to(tl.float32)
    if negate:
        v = -v
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, v + tl.num_programs(0) + EVEN, mask=i < n)

@triton.jit
def pointers(table, y, B: tl.constexpr):
    x = tl.load(table + tl.program_id(0)).to(tl.pointer_type(tl.float32))
    tl.store(y + tl.program_id(0) * B + tl.arange(0, B), tl.load(x + tl.arange(0, B)))

def f():
    x, y = torch.ones(40, device="cuda"), torch.empty(40, device="cuda")
    k[lambda meta: (triton.cdiv(40, meta["B"]),)](x, y, 40, 0.5, True)
    parts = [torch.full((16,), float(i), device="cuda") for i in range(3)]
    table = torch.tensor([part.data_ptr() for part in parts], device="cuda")
    z = torch.empty(48, device="cuda")
    compiled = pointers.warmup(table, z, B=16, grid=(1,))
    compiled._init_handles()
    compiled[(3,)](table, z)  # B as it was given before
    active = triton.runtime.driver.active
    properties = active.utils.get_device_properties(x.device.index)
    return y, z, active.get_current_target().arch, properties["max_num_regs"] // compiled.n_regs
"""


def test_what_launches_bring_along_works(cache, tmp_path):
    y, z, arch, threads = run(cache, tmp_path, LAUNCHES, examine=True).result()
    assert torch.equal(y, torch.full((40,), 2.5))  # three programs of 16, of which the last is not even
    assert torch.equal(z, torch.arange(3.0).repeat_interleave(16))
    assert arch == 80 and threads > 0


LOCKED = """
@triton.jit
def k(lock, total, x, RELEASE: tl.constexpr):
    v = tl.load(x + tl.program_id(0))
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    tl.store(total, tl.load(total) + v)
    RELEASE

def f():
    lock = torch.zeros(1, dtype=torch.int32, device="cuda")
    total, x = torch.zeros(1, device="cuda"), torch.ones(5, device="cuda")
    k[(5,)](lock, total, x, 0)
    return [total]
"""


def test_a_lock_orders_programs(cache, tmp_path):
    source = LOCKED.replace("    RELEASE\n", "    tl.atomic_xchg(lock, 0)\n")
    assert run(cache, tmp_path, source, examine=True).result()[0].item() == 5


def test_an_atomic_that_orders_nothing_leaves_a_race(cache, tmp_path):
    source = LOCKED.replace("    RELEASE\n", "    tl.atomic_xchg(lock, 0, sem='relaxed')\n")
    assert kinds(run(cache, tmp_path, source, examine=True)) == [("race", 11, 11)]


def test_a_lock_that_is_never_given_back_cannot_be_scheduled(cache, tmp_path):
    source = LOCKED.replace("    RELEASE\n", "    pass\n")
    assert run(cache, tmp_path, source, launch_limit_s=0.2).fault.kind == "endless"
    assert ("waits", 9, None) in kinds(run(cache, tmp_path, source, examine=True, launch_limit_s=0.2))


def test_a_grid_that_would_not_end_in_time_is_not_run(cache, tmp_path):
    fault = run(cache, tmp_path, ORDER.replace("(4,)", "(30000, 30000)"), launch_limit_s=20).fault
    assert (fault.kind, fault.line) == ("grid", 12)
    assert fault.what == "kernel k is launched with 900,000,000 programs, more than emulation can run in time"
    assert run(cache, tmp_path, ORDER.replace("(4,)", "(400000,)"), launch_limit_s=1.1).fault.kind == "grid"


def test_a_grid_beyond_what_a_gpu_launches_is_an_error(cache, tmp_path):
    error = run(cache, tmp_path, ORDER.replace("(4,)", "(1, 70000)")).error
    assert error == "RuntimeError: Triton Error [CUDA]: invalid argument"


FROM_ONE_TO_THE_OTHER = """
@triton.jit
def k(x, y, d):
    i = tl.arange(0, 4)
    tl.store(y + i, tl.load(x + d + i))

def f():
    x, y = torch.ones(4, device="cuda"), torch.ones(4, device="cuda")
    k[(1,)](x, y, (y.data_ptr() - x.data_ptr()) // 4)
    return [y]
"""


def test_an_access_that_goes_astray_into_another_tensor_is_found(cache, tmp_path):
    outcome = run(cache, tmp_path, FROM_ONE_TO_THE_OTHER)
    fault = outcome.fault
    assert outcome.status == 139
    assert (fault.kind, fault.access, fault.name, fault.line) == ("out_of_bounds", "read", "x", 9)
    assert (fault.kernel, fault.block, fault.thread, fault.region_bytes) == ("k", (0, 0, 0), None, 16)


ORDER = """
@triton.jit
def k(y, n):
    tl.store(y, tl.program_id(0))

def f():
    y = torch.empty(1, dtype=torch.int32, device="cuda")
    k[(4,)](y, 4)
    return [y]
"""


def test_programs_run_in_the_order_that_is_asked_for(cache, tmp_path):
    last = [run(cache, tmp_path, ORDER, order=order).result()[0].item() for order in ("normal", "reversed")]
    assert last == [3, 0]
    assert kinds(run(cache, tmp_path, ORDER, examine=True)) == [("race", 8, 8)]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("v = tl.inline_asm_elementwise('x', '=f,f', [v], tl.float32, True, 1)", "inline assembly"),
        ("v = v.to(tl.float8e5).to(tl.float32)", "float8"),
        ("v = libdevice.erfinv(v)", "libdevice's erfinv"),
        ("a = b = v", "Multiple assignments"),
    ],
)
def test_what_the_interpreter_does_not_take_is_refused(cache, tmp_path, line, what):
    load, store = "v = tl.load(x + tl.arange(0, 4))", "tl.store(x + tl.arange(0, 4), v)"
    kernel = f"@triton.jit\ndef k(x):\n    {load}\n    {line}\n    {store}\n"
    call = "[k[(1,)](torch.ones(4, device='cuda'))]"
    error = run(cache, tmp_path, kernel, call).error
    assert error is not None and error.startswith("Refused") and what in error


CHOSEN = """
@triton.jit
def k(a, b, y, n, B: tl.constexpr):
    i = tl.arange(0, B)
    half = i % 4
    p = tl.where(i < 4, a + half, b + half + SHIFT)
    tl.store(y + i, tl.load(p))
    tl.store(y + B + i, ((~i.to(tl.uint32)).to(tl.int32) == -1 - i).to(tl.float32))

def f():
    a, b = torch.ones(4, device="cuda"), torch.full((4,), 2.0, device="cuda")
    y = torch.empty(16, device="cuda")
    k[(1,)](a, b, y, 8, B=8)
    return [y]
"""


@pytest.mark.parametrize("examine", [False, True])
def test_pointers_that_are_chosen_from_several_tensors_lead_into_each(cache, tmp_path, examine):
    (y,) = run(cache, tmp_path, CHOSEN.replace("SHIFT", "0"), examine=examine).result()
    assert y.tolist() == [1, 1, 1, 1, 2, 2, 2, 2, *[1] * 8]


def test_a_chosen_pointer_past_the_end_is_found(cache, tmp_path):
    fault = run(cache, tmp_path, CHOSEN.replace("SHIFT", "1")).fault
    assert (fault.kind, fault.line) == ("out_of_bounds", 11)
