"""Kernels that move several elements at a time, as float4 does, given sizes that are no multiple of that.

In: a candidate. Out: its Python with host functions that pad such an input, call themselves with it, and cut the
result; and the line of the first vector. None where nothing moves vectors, or a result has another size than the
inputs. Not here: that a result is wrong (`judge.verdict`). The judge proves the change.
"""

from __future__ import annotations

import re

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.repair.launch_care import Host, launching, with_rows

_VECTOR = re.compile(r"\b(?:float|int|uint|double|half|__half|u?short|uchar|char)[248]\b|\b__nv_bfloat162\b")
_HALVES = re.compile(r"half|Half|bfloat|BFloat")


def padded_to_vectors(candidate: Candidate) -> tuple[str, int] | None:
    """Where an element of the result is made of the same elements of the inputs; the judge finds where it is not."""
    line = _first_vector(candidate)
    for host in launching(candidate) if line is not None else ():
        rows = _padding(host)
        if rows and line is not None and "% 4" not in host.body and "% 8" not in host.body:
            return with_rows(candidate, host.body_line, rows, "").python, line
    return None


def _first_vector(candidate: Candidate) -> int | None:
    for literal in candidate.literals:
        if "<<<" not in literal.value:
            continue
        found = _VECTOR.search(functions.blank(literal.value))
        if found is not None:
            return literal.line_of(functions.line_at(literal.value, found.start()))
    return None


def _padding(host: Host) -> list[str]:
    """Rows for the top of a function that returns a tensor of as many elements as each of its inputs."""
    tensors = [each.name for each in host.tensors]
    if not re.search(rf"\bempty_like\(\s*(?:{'|'.join(tensors)})\s*\)", host.body):
        return []
    each = 8 if _HALVES.search(host.body) else 4
    first, other = tensors[0], [name for name in tensors[1:]]
    same = "".join(f" && {name}.numel() == {first}.numel()" for name in other)
    arguments = ", ".join(f"padded({one.name})" if one.is_tensor else one.name for one in host.parameters)
    return [
        f"{host.indent}if ({first}.numel() % {each} != 0{same}) {{  // the kernel moves {each} elements at a time",
        f"{host.indent}    const int64_t count = {first}.numel();",
        f"{host.indent}    auto padded = [&](const torch::Tensor& t) {{",
        f"{host.indent}        return torch::cat({{t.reshape({{-1}}), t.new_zeros({{{each} - count % {each}}})}});",
        f"{host.indent}    }};",
        f"{host.indent}    return {host.name}({arguments}).narrow(0, 0, count).view({first}.sizes());",
        f"{host.indent}}}",
    ]
