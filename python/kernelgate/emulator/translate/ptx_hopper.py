"""Instructions of Hopper (sm_90, sm_90a) as C++: mbarriers, bulk and tensor copies, wgmma, clusters.

In: an instruction. Out: the call that does what it says. What that computes is in `include/kernelgate/hopper.h` and in
the runtime (`runtime/mbarrier.cpp`, `runtime/bulk.cpp`, `runtime/cluster.cpp`). The forms are those of the PTX ISA,
sections "mbarrier", "Asynchronous copy", "Asynchronous warpgroup-level matrix" and "barrier.cluster".
"""

from __future__ import annotations

import re

from kernelgate.emulator.translate.ptx_call import Call, Unknown, instruction, value_of

HOPPER = "::kernelgate::hopper::"

_SHARED = r"(?:\.shared(?:::(?:cta|cluster))?)?"
_ORDER = r"(?:\.(?:acquire|release|relaxed))?(?:\.(?:cta|cluster))?"


@instruction(r"mbarrier\.init" + _SHARED + r"\.b64")
def _init(call: Call) -> str:
    call.needs(2)
    return f"kernelgate_mbarrier_init({call.address(0)}, {call.read(1, 'uint32_t')});"


@instruction(r"mbarrier\.inval" + _SHARED + r"\.b64")
def _invalidate(call: Call) -> str:
    call.needs(1)
    return f"kernelgate_mbarrier_invalidate({call.address(0)});"


@instruction(r"mbarrier\.expect_tx" + _ORDER + _SHARED + r"\.b64")
def _expect(call: Call) -> str:
    call.needs(2)
    return f"kernelgate_mbarrier_expect({call.address(0)}, {call.read(1, 'uint32_t')});"


@instruction(r"mbarrier\.arrive(?P<expect>\.expect_tx)?" + _ORDER + _SHARED + r"\.b64")
def _arrive(call: Call) -> str:
    call.needs(2, 3)
    amount = call.read(2, "uint32_t") if len(call.arguments) == 3 else "1"
    count, expected = ("1", amount) if call.match["expect"] else (amount, "0")
    arrived = f"kernelgate_mbarrier_arrive({call.address(1)}, {count}, {expected})"
    return f"{arrived};" if call.arguments[0] == "_" else call.write(0, arrived)


@instruction(r"mbarrier\.(?P<how>test|try)_wait(?P<parity>\.parity)?" + _ORDER + _SHARED + r"\.b64")
def _wait(call: Call) -> str:
    call.needs(3, 4)
    by_parity = call.match["parity"] is not None
    phase = call.read(2, "uint32_t" if by_parity else "uint64_t")
    may_fail = int(call.match["how"] == "test")
    return call.write(
        0, f"kernelgate_mbarrier_wait({call.address(1)}, {phase}, {int(by_parity)}, {may_fail}) != 0"
    )


@instruction(r"fence\.proxy\.async(?:\.(?:global|shared)(?:::(?:cta|cluster))?)?")
def _proxy_fence(call: Call) -> str:
    return "kernelgate_proxy_fence();"


_TO_SHARED = r"\.shared::(?:cluster|cta)\.(?P<from>global|shared::cta)\.mbarrier::complete_tx::bytes"
_EXTRAS = r"(?P<multicast>\.multicast::cluster)?(?P<hint>\.L2::cache_hint)?"


def _mask(call: Call, at: int) -> str:
    """The blocks that a copy goes to, 0 if the address says it. An L2 policy may follow, and counts for nothing."""
    given = len(call.arguments) - at
    if given != bool(call.match["multicast"]) + bool(call.match["hint"]):
        raise Unknown(f"{call.opcode} with {len(call.arguments)} operands")
    return call.read(at, "uint16_t") if call.match["multicast"] else "0"


@instruction(r"cp\.async\.bulk" + _TO_SHARED + _EXTRAS)
def _bulk_fetch(call: Call) -> str:
    call.needs(4, 6)
    return (
        f"{HOPPER}fetch_bytes({call.address(0)}, {call.address(1)}, {call.read(2, 'uint32_t')}, "
        f"{call.address(3)}, {_mask(call, 4)});"
    )


@instruction(r"cp\.async\.bulk\.global\.shared::cta\.bulk_group(?:\.L2::cache_hint)?")
def _bulk_store(call: Call) -> str:
    call.needs(3, 4)
    return f"{HOPPER}store_bytes({call.address(0)}, {call.address(1)}, {call.read(2, 'uint32_t')});"


@instruction(
    r"cp\.async\.bulk\.tensor\.(?P<rank>[1-5])d"
    + _TO_SHARED.replace("global|shared::cta", "global").replace(r"\.mbarrier", r"(?:\.tile)?\.mbarrier")
    + _EXTRAS
)
def _tensor_fetch(call: Call) -> str:
    call.needs(3, 5)
    tensor_map, coordinates = _tile(call, 1)
    return f"{HOPPER}fetch_tile({call.address(0)}, {tensor_map}, {coordinates}, {call.address(2)}, {_mask(call, 3)});"


@instruction(
    r"cp\.async\.bulk\.tensor\.(?P<rank>[1-5])d\.global\.shared::cta(?:\.tile)?\.bulk_group(?:\.L2::cache_hint)?"
)
def _tensor_store(call: Call) -> str:
    call.needs(2, 3)
    tensor_map, coordinates = _tile(call, 0)
    return f"{HOPPER}store_tile({tensor_map}, {coordinates}, {call.address(1)});"


def _tile(call: Call, at: int) -> tuple[str, str]:
    """The address of a tensor map, and the coordinates of a tile in it as a braced list."""
    m = re.fullmatch(r"\[\s*([^,\s]+)\s*,\s*\{([^}]*)\}\s*\]", call.arguments[at])
    names = [name.strip() for name in m[2].split(",")] if m else []
    if not m or len(names) != int(call.match["rank"]):
        raise Unknown(f"address {call.arguments[at]}")
    values = ", ".join(f"static_cast<int32_t>({value_of(name, call.asm)})" for name in names)
    return f"static_cast<uint64_t>({value_of(m[1], call.asm)})", f"{{{values}}}"


@instruction(r"cp\.async\.bulk\.commit_group")
def _bulk_commit(call: Call) -> str:
    return "kernelgate_bulk_commit();"


@instruction(r"cp\.async\.bulk\.wait_group(?:\.read)?")
def _bulk_wait(call: Call) -> str:
    call.needs(1)
    return f"{HOPPER}wait_stores({call.read(0, 'uint32_t')});"


@instruction(r"cp\.async\.bulk\.prefetch(?:\.\w+|::\w+)*")
def _bulk_prefetch(call: Call) -> str:
    return ";"


@instruction(r"wgmma\.fence\.sync\.aligned")
def _wgmma_fence(call: Call) -> str:
    return "kernelgate_wgmma_fence();"


@instruction(r"wgmma\.commit_group\.sync\.aligned")
def _wgmma_commit(call: Call) -> str:
    return "kernelgate_wgmma_commit();"


@instruction(r"wgmma\.wait_group\.sync\.aligned")
def _wgmma_wait(call: Call) -> str:
    call.needs(1)
    return f"kernelgate_wgmma_wait({call.read(0, 'uint32_t')});"


_ELEMENTS = {"f16": "Half", "bf16": "Bfloat16", "tf32": "Tf32", "s8": "Signed8", "u8": "Unsigned8"}
_DEPTH = {"f16": 16, "bf16": 16, "tf32": 8, "s8": 32, "u8": 32}
_SUMS = {"f32": "float", "f16": "::kernelgate::ptx::half_sum", "s32": "int32_t"}


@instruction(
    r"wgmma\.mma_async\.sync\.aligned\.m64n(?P<n>\d+)k(?P<k>\d+)\.(?P<d>f32|f16|s32)\.(?P<a>\w+)\.(?P<b>\w+)"
)
def _wgmma(call: Call) -> str:
    m = call.match
    element, width = m["a"], int(m["n"])
    integers = element in ("s8", "u8")
    is_16_bit = element in ("f16", "bf16")
    known = element == m["b"] and int(m["k"]) == _DEPTH.get(element) and width % 8 == 0 and 8 <= width <= 256
    if not known or integers != (m["d"] == "s32") or (m["d"] == "f16" and element != "f16"):
        raise Unknown(call.opcode)
    of_registers = call.arguments[1].startswith("{")
    signs = 0 if integers else 2
    transposes = (1 if of_registers else 2) if is_16_bit else 0
    call.needs(4 + signs + transposes)
    sign = [_immediate(call, 4 + i, ("1", "-1")) for i in range(signs)] or ["1", "1"]
    for i in range(transposes):
        _immediate(call, 4 + signs + i, ("0",))  # operands whose rows lie across are not covered
    d = []
    for name in call.vector(0):
        if name not in call.asm.outputs:
            raise Unknown(f"{call.opcode} with a sum that is no output")
        call.asm.by_reference.add(name)
        d.append(f"&{call.asm.outputs[name]}")
    a = call.vector(1)
    operand = f"{{{', '.join(a)}}}" if of_registers else f"static_cast<uint64_t>({a[0]})"
    scalars = (
        f"{width}, {m['k']}, ::kernelgate::ptx::{_ELEMENTS[element]}, {_SUMS[m['d']]}, {sign[0]}, {sign[1]}"
    )
    return (
        f"{HOPPER}wgmma<{scalars}>({{{', '.join(d)}}}, {operand}, "
        f"static_cast<uint64_t>({value_of(call.arguments[2], call.asm)}), {call.read(3, 'bool')});"
    )


def _immediate(call: Call, at: int, covered: tuple[str, ...]) -> str:
    """A constant of the instruction: a number, or an operand that the program gives as one."""
    text = call.arguments[at]
    if text in covered:
        return text
    if re.fullmatch(r"-?\d+", text):
        raise Unknown(f"{call.opcode} with {text} as operand {at}")
    value = value_of(text, call.asm)
    allowed = " || ".join(f"{value} == {number}" for number in covered)
    call.asm.checks.append(f'static_assert({allowed}, "wgmma: this constant is not covered by emulation");')
    return value


@instruction(r"setmaxnreg\.(?:inc|dec)\.sync\.aligned\.u32")
def _set_registers(call: Call) -> str:
    call.needs(1)
    return f"{HOPPER}set_registers({call.read(0, 'uint32_t')});"


@instruction(r"barrier\.cluster\.arrive(?:\.(?:release|relaxed))?(?:\.aligned)?")
def _cluster_arrive(call: Call) -> str:
    return "kernelgate_cluster_barrier(1, 0);"


@instruction(r"barrier\.cluster\.wait(?:\.acquire)?(?:\.aligned)?")
def _cluster_wait(call: Call) -> str:
    return "kernelgate_cluster_barrier(0, 1);"


@instruction(r"mapa(?:\.shared::cluster)?\.u(?:32|64)")
def _map_address(call: Call) -> str:
    call.needs(3)
    address = f"static_cast<uint64_t>({value_of(call.arguments[1], call.asm)})"
    return call.write(0, f"kernelgate_map_shared({address}, {call.read(2, 'uint32_t')})")


@instruction(r"getctarank(?:\.shared::cluster)?\.u(?:32|64)")
def _rank_of(call: Call) -> str:
    call.needs(2)
    return call.write(
        0, f"kernelgate_rank_of(static_cast<uint64_t>({value_of(call.arguments[1], call.asm)}))"
    )


@instruction(r"elect\.sync")
def _elect(call: Call) -> str:
    call.needs(2)
    lane, _, elected = call.arguments[0].partition("|")
    mask = call.read(1, "uint32_t")
    text = f"{value_of(elected.strip(), call.asm)} = {HOPPER}elect({mask});"
    if lane.strip() != "_":
        text = f"{value_of(lane.strip(), call.asm)} = __builtin_ctz({mask}); {text}"
    return f"{{ {text} }}"


# The next kernel begins when this one has ended, so that there is nothing to wait for; nor is there any time.
@instruction(r"griddepcontrol\.(?:wait|launch_dependents)|nanosleep\.u32")
def _nothing(call: Call) -> str:
    return ";"


@instruction(r"createpolicy\.fractional\.L2::\w+\.b64")
def _policy(call: Call) -> str:
    return call.write(0, "uint64_t{0}")
