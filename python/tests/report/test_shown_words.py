"""What a report shows is written into it once, by Python; the front end draws it and has none of it."""

import functools
import re
from pathlib import Path

import msgspec
import pytest
from report_samples import NAMES, hostile, longest, sample

from kernelgate.report import limit_words
from kernelgate.report.measured import Timing
from kernelgate.report.shown_words import fill_shown_words
from kernelgate.report.types import Environment, Report

SOURCES = Path(__file__).parents[3] / "src"

SENTENCES = re.compile(
    r"(?:^|\.)(?:doing|scaled|kernel_note|cases_conclusion|headline_times|short|against|words)$"
    r"|sections.*\.conclusion$"
)
"""Fields that a viewer reads as a phrase; the others are single figures."""

ELSEWHERE = {
    "of the limit": "a heading: share of the limit",
    "not measured": "the panel, on what a device can do before anything was run",
    "no verdict": "a run that never came to its end, of which there is no last report",
}
"""What the front end says of something else than a report's conclusion, and of what."""


@pytest.mark.parametrize("name", NAMES)
def test_every_fixture_holds_the_words_that_it_shows(name):
    assert fill_shown_words(sample(name)) == sample(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("texts", [hostile, longest])
def test_what_is_filled_in_stays_within_its_bounds(name, texts):
    filled = msgspec.to_builtins(fill_shown_words(texts(name)))
    assert msgspec.convert(filled, Report).run == filled["run"]


def test_a_report_without_its_words_is_filled_in():
    bare = sample("sweep", sections=[], cases_conclusion="")
    assert fill_shown_words(bare) == sample("sweep")


@pytest.mark.parametrize(
    ("confinement", "unconfined", "words"),
    [
        (["limits", "files", "network"], "", "limits, files, network"),
        (["limits"], "KERNELGATE_CONFINE=off", "no: KERNELGATE_CONFINE=off"),
        ([], "the worker ended", "no: the worker ended"),
        (["limits", "files"], "network: no seccomp", "in part: limits, files; not more: network: no seccomp"),
    ],
)
def test_what_was_closed_is_said_with_what_was_not(confinement, unconfined, words):
    environment = Environment(kernelgate="1", python="3", confinement=confinement, unconfined=unconfined)
    details = _section(fill_shown_words(sample("pass", environment=environment)), "details")
    assert {item.name: item.value for item in details.blocks[0].items.rows}["Confined"] == words


@pytest.mark.parametrize(
    ("share", "reached"),
    [(0.97, "below"), (0.98, "reached"), (1.05, "reached"), (1.06, "not believed")],
)
def test_a_limit_is_reached_missed_or_not_believed(share, reached):
    report = sample("profile")
    ours = next(one for one in report.timing.limit.shares if one.phase == "forward")
    ours.share = share
    assert fill_shown_words(report).timing.limit.reached == reached


def test_nothing_timed_says_why():
    report = sample("pass", timing=Timing(shape="64x64", note="emulation says nothing about speed"), facts=[])
    found = _section(fill_shown_words(report), "timing")
    assert found.conclusion == "not measured: emulation says nothing about speed"


def test_no_phrase_that_a_report_shows_is_written_in_the_front_end():
    phrases = {phrase for name in NAMES for text in _shown(sample(name)) for phrase in _phrases(text)}
    assert {"clocks agree", "cases bitwise equal"} <= phrases
    both = {p for p in phrases - set(ELSEWHERE) if any(p in text for text in _front_end_texts())}
    assert both == set()


def test_no_threshold_of_a_conclusion_is_in_the_front_end():
    thresholds = [limit_words.AT_LIMIT, limit_words.BELIEVED]
    found = [
        f"{path.name}: {value}"
        for path in _sources()
        for value in thresholds
        if re.search(rf"(?<![\d.]){re.escape(f'{value:g}')}(?!\d)", path.read_text(encoding="utf-8"))
    ]
    assert found == []


def _section(report, name):
    return next(one for one in report.sections if one.id == name)


def _shown(report):
    """Every phrase of a report that `fill_shown_words` writes."""
    filled = msgspec.to_builtins(report)
    return [text for path, text in _texts(filled, "") if SENTENCES.search(path) and text]


def _texts(value, path):
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _texts(one, f"{path}.{key}")
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, path)
    elif isinstance(value, str):
        yield path, value


def _phrases(text):
    """Runs of at least two words, without the figures and names between them."""
    runs = re.findall(r"[a-z][a-z-]*(?: [a-z][a-z-]*)+", text)
    return {run for run in runs if len(run) > 8}


def _sources():
    return [
        path for path in SOURCES.rglob("*.ts*") if "__tests__" not in path.parts and path.name != "types.ts"
    ]


@functools.cache
def _front_end_texts():
    """What the front end gives to its translation, which is all that it writes in words itself."""
    calls = re.compile(r"trans\s*\.\s*_[_n]\(\s*((?:'[^']*'|\"[^\"]*\"|`[^`]*`)(?:,\s*'[^']*')?)")
    return [text for path in _sources() for text in calls.findall(path.read_text(encoding="utf-8"))]
