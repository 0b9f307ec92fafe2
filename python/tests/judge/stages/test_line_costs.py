"""A profile without a GPU: what each line costs, at the person's lines, and never a time."""

from __future__ import annotations

import re

import pytest

from judge.candidates import forward, verify
from judge.examined import RIGHT, leaky, line_of
from kernelgate.emulator import supported
from kernelgate.report import build_words, cost_words

pytestmark = [
    pytest.mark.skipif(supported() is not None, reason=f"no emulation here: {supported()}"),
    pytest.mark.drawn,
]


def test_a_load_far_apart_is_the_dearest_line_with_what_would_help():
    body = (
        "  int j = n % 8 ? i : i % 8 * (n / 8) + i / 8;\n"
        "  if (i < n) y[j] = x[j] > 0 ? x[j] : slope * x[j];\n}"
    )
    text = leaky(body)
    report = verify(text, verb="profile")
    assert report.verdict.outcome == "pass"
    dearest = report.profile.lines[0]
    assert (dearest.line, dearest.space, dearest.access) == (line_of(text, "y[j] ="), "global", "load")
    assert cost_words.cost(dearest) == "8 sectors for 128 bytes"
    assert dearest.text.startswith("if (i < n) y[j] =")
    apart = re.match(r"Neighbouring lanes are ([\d,]+) bytes apart: let threadIdx.x choose", dearest.advice)
    assert apart is not None and int(apart[1].replace(",", "")) == dearest.stride_bytes > 32
    said = {section.id: section.conclusion for section in report.sections}
    assert said["profile"].startswith(f"line {dearest.line} costs most in vain: global load")
    assert said["faster"].startswith(f"first: line {dearest.line}, global load, ")
    of_line = next(line for line in report.device_code.lines if line.line == dearest.line)
    assert "1 global load" in build_words.words(of_line) and of_line.text == dearest.text and of_line.mark == ""
    states = {stage.name: stage.state for stage in report.stages}
    assert (states["time"], states["profile"]) == ("not run", "passed")
    assert report.timing.rows == []


def test_a_kernel_of_neighbouring_lanes_moves_nothing_in_vain():
    report = verify(leaky(RIGHT), verb="profile")
    assert [cost_words.cost(line) for line in report.profile.lines] == ["4 sectors for 128 bytes"] * 2
    said = {section.id: section.conclusion for section in report.sections}
    assert said["profile"] == cost_words.conclusion([])
    assert "faster" not in said


def test_a_program_without_a_kernel_has_no_costs():
    report = verify(forward("return F.leaky_relu(x, s)"), verb="profile")
    assert report.profile is None
