"""text/html: few elements, nothing unescaped, a verdict in words first. Its words are in the golden files."""

from html.parser import HTMLParser

import msgspec
import pytest
from report_samples import NAMES, hostile, sample

from kernelgate.report.html import as_document, as_html
from kernelgate.report.measured import Timing
from kernelgate.report.shown_words import fill_shown_words
from kernelgate.report.types import Advice, Case, Power

TAGS = {"p", "b", "br", "code", "pre", "table", "tr", "th", "td", "details", "summary", "meter", "progress"}
ATTRIBUTES = {
    ("th", "scope", "row"),
    ("th", "scope", "col"),
    ("td", "style", "text-align:right"),
}


class Page(HTMLParser):
    """Reads a fragment, and fails where it is not balanced or holds what a sanitizer may drop."""

    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.seen = [], [], set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS
        for name, value in attrs:
            if tag in ("progress", "meter"):
                assert name in ("min", "max", "value")
                assert value.isdecimal()
            elif name == "colspan":
                assert tag == "td"
                assert value.isdecimal()
            else:
                assert (tag, name, value) in ATTRIBUTES
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    def handle_comment(self, data):
        raise AssertionError("a comment")

    handle_decl = handle_pi = unknown_decl = handle_comment


def drawn(report):
    """The HTML of a report whose data a test has changed."""
    return as_html(fill_shown_words(report))


@pytest.mark.parametrize("name", NAMES)
def test_every_report_is_well_formed_and_of_few_elements(name):
    Page(as_html(sample(name)))


@pytest.mark.parametrize("name", NAMES)
def test_hostile_texts_stay_text(name):
    html = as_html(hostile(name))
    words = "".join(Page(html).words)
    assert "<script>alert(1)</script><img src=x onerror=a()>" in words
    html.encode("utf-8")
    assert not set("\x00\x1b\u202e") & set(html)
    as_document(hostile(name)).encode("utf-8")
    assert "<script" not in as_document(hostile(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_verdict_comes_first(name):
    report = sample(name)
    first = Page(as_html(report)).words[0]
    # A name in it is code, and a piece of its own.
    assert first == (report.verdict.sentence.partition("`")[0] if report.verdict else "Checking, 9 of 15")


def test_a_graded_case_shows_its_error_in_u():
    case = msgspec.structs.replace(sample("pass").cases[0], error_units=4.2)
    assert '<td style="text-align:right">4.2 u</td>' in drawn(sample("pass", cases=[case]))


def test_the_power_of_a_check_stands_in_front_only_where_it_let_something_pass():
    power = '<th scope="row">Power of the check</th>'
    assert power not in drawn(sample("graded")).split("<details>", 1)[0]
    slipped = drawn(sample("graded", power=Power(caught=9, total=10, slipped=["transposed"])))
    assert f"{power}<td>catches 9 of 10 mutants; misses: transposed</td>" in slipped.split("<details>", 1)[0]


def test_that_a_program_has_no_cuda_kernel_is_said_once():
    for name in ("pass", "wrong-result"):
        candidate = msgspec.structs.replace(sample(name).candidate, cuda_kernels=[])
        assert drawn(sample(name, candidate=candidate)).count("no CUDA kernel") == 1


@pytest.mark.parametrize(
    ("confinement", "unconfined", "says"),
    [
        (["limits", "files", "network"], "", "limits, files, network"),
        (["limits"], "KERNELGATE_CONFINE=off", "no: KERNELGATE_CONFINE=off"),
        ([], "the worker ended", "no: the worker ended"),
        (["limits", "files"], "network: no seccomp", "in part: limits, files; not more: network: no seccomp"),
    ],
)
def test_the_details_say_what_was_closed_to_the_candidate(confinement, unconfined, says):
    environment = msgspec.structs.replace(
        sample("pass").environment, confinement=confinement, unconfined=unconfined
    )
    html = drawn(sample("pass", environment=environment))
    assert f'<th scope="row">Confined</th><td>{says}</td>' in html


def test_a_case_that_is_refused_is_not_called_wrong():
    case: Case = msgspec.structs.replace(
        sample("pass").cases[5], outcome="unsupported", message="needs 4-byte alignment"
    )
    verdict = msgspec.structs.replace(sample("pass").verdict, obstacle="does not support odd sizes")
    html = drawn(sample("pass", cases=[case], verdict=verdict))
    assert '<td>not supported</td></tr><tr><td colspan="6">needs 4-byte alignment</td>' in html
    assert "<summary>Correctness: 0 of 1 cases pass, 1 not supported" in html
    assert '<th scope="row">Drop-in?</th><td>No: does not support odd sizes</td>' in html


def test_a_stage_without_a_count_has_an_open_progress():
    stages = [msgspec.structs.replace(sample("running").stages[0], state="running", done=0)]
    assert "<progress>compiling</progress>" in drawn(sample("running", stages=stages))


def test_what_the_candidate_printed_and_what_was_seen_in_it_are_folded():
    html = drawn(sample("pass", output="one\ntwo\n", advice=[Advice(text="Uses <<<", line=7)]))
    assert (
        "<details><summary>Output: the program printed 2 lines</summary><pre>one\ntwo\n</pre></details>"
        in html
    )
    assert '<th scope="row">line 7</th><td>Uses &lt;&lt;&lt;</td>' in html


def test_a_document_stands_alone():
    page = as_document(sample("pass"))
    assert page.startswith('<!doctype html>\n<html lang="en">')
    assert '<meta charset="utf-8">' in page
    assert (
        "<title>KernelGate: LeakyReLU 64x3072 float32: Correct in emulation; timing not measured</title>"
        in page
    )
    assert "color-scheme: light dark" in page
    assert as_html(sample("pass")) in page
    assert "http" not in page.replace("http-equiv", "")


def test_a_span_stands_beside_the_events_that_tracing_slowed_as_well():
    report = sample("slower")
    report.timing.clocks[1].against_s = 0.005283
    html = drawn(report)
    assert "Device trace span against device events 5.283 ms" in html
    assert "5.290 ms</td><td>+0.13%" in html


def test_what_was_not_timed_is_one_line_that_says_why():
    timing = Timing(shape="64x3072", note="emulation says nothing about speed")
    page = drawn(sample("pass", timing=timing, facts=[]))
    assert "<summary>Timing: not measured: emulation says nothing about speed</summary>" in page
    assert "<summary>Timing" not in drawn(sample("pass", timing=timing))  # a fact says it
    assert "Times" not in page


def test_cases_that_the_run_did_not_come_to_are_one_row():
    page = drawn(sample("wrong-result"))
    assert '<th scope="row">3 more: all negative, extremes, integers</th>' in page
    assert page.count("<td>not run</td>") == 2  # one of the problem, one beyond it
