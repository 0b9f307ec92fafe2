"""text/html: few elements, nothing unescaped, a verdict in words first."""

from html.parser import HTMLParser

import msgspec
import pytest
from report_samples import NAMES, hostile, sample

from kernelgate.report.document import as_document
from kernelgate.report.html import as_html
from kernelgate.report.measured import Timing
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
    assert first == (report.verdict.sentence if report.verdict else "Checking, 9 of 15")


def test_a_pass_answers_three_questions():
    html = as_html(sample("pass"))
    assert html.startswith(
        "<p><b>Correct in emulation; timing not measured</b><br>LeakyReLU 64x3072 float32, "
    )
    assert '<th scope="row">Correct?</th><td>Yes, bitwise equal: 15 of 15 cases, 3 of 3 gates</td>' in html
    assert '<th scope="row">Faster?</th><td>Not measured: emulation says nothing about speed</td>' in html
    assert html.count("4096x393216") == 1


def test_a_failed_build_says_what_where_and_what_to_do():
    html = as_html(sample("build-failure"))
    assert html.startswith("<p><b>Does not compile: cpp_sources declares no leaky_relu_cuda</b><br>")
    assert "<br>LeakyReLU, cell [4], line 40</p>" in html
    assert "<td>error: &#x27;leaky_relu_cuda&#x27; was not declared in this scope</td>" in html
    assert "<td>cell [4], line 40: <code>cpp_sources=&quot;&quot;,</code></td>" in html
    assert "<td>add this declaration to cpp_sources:<br><code>torch::Tensor leaky_relu_cuda(" in html
    assert '<th scope="row">Not run</th><td>check</td>' in html
    assert "<details><summary>Compiler output, 42 lines</summary><pre>main.cpp:3:54: error:" in html
    assert "▸ 40 |     cpp_sources=" in html


def test_a_run_that_did_not_come_to_pass_lists_no_unmeasured_facts():
    html = as_html(sample("refused"))
    assert "Faster?" not in html
    assert '<th scope="row">Not run</th><td>build, check</td>' in html


def test_cases_are_folded_under_their_conclusion_with_the_failure_first():
    html = as_html(sample("problem-only"))
    assert "<summary>Cases of this problem: 5 of 5 pass</summary>" in html
    assert "<summary>Cases of a drop-in: 9 of 10 pass, 1 fail</summary>" in html
    drop_in = html.split("Cases of a drop-in")[1]
    assert drop_in.index("strided slice") < drop_in.index("odd size") < drop_in.index("transposed")


def test_a_wrong_case_counts_its_elements_and_shows_the_first():
    html = as_html(sample("wrong-result"))
    assert "<td>wrong: 98,301 of 196,608 elements; first [0, 1]: got -0.2934, expected -0.002934</td>" in html


def test_a_graded_case_shows_its_error_in_u():
    case = msgspec.structs.replace(sample("pass").cases[0], error_units=4.2)
    assert '<td style="text-align:right">4.2 u</td>' in as_html(sample("pass", cases=[case]))


def test_gates_are_folded_under_what_was_tried_with_what_a_failure_costs():
    html = as_html(sample("weak"))
    assert "<summary>Gates of this problem: 6 of 6 hold</summary>" in html
    assert (
        "<summary>Gates of a drop-in: 3 of 5 hold, 1 fail, 1 not supported, 5 not tried here</summary>"
        in html
    )
    assert (
        '<th scope="row">layout as the reference</th><td>does not hold: Code that views the result, '
        "or reads its memory, behaves otherwise</td>" in html
    )
    assert '<th scope="row">second device</th><td>not tried here: needs a GPU</td>' in html


def test_the_power_of_a_check_stands_in_front_only_where_it_let_something_pass():
    power = '<th scope="row">Power of the check</th>'
    front, details = as_html(sample("graded")).split("<details>", 1)
    assert power not in front
    assert f"{power}<td>catches 10 of 10 mutants</td>" in details
    assert '<th scope="row">Arithmetic</th><td>fp32</td>' in details
    slipped = as_html(sample("graded", power=Power(caught=9, total=10, slipped=["transposed"])))
    assert (
        f"{power}<td>catches 9 of 10 mutants; misses: transposed</td>"
        in slipped.split("<details>", 1)[0]
    )
    assert as_html(sample("weak")).split("<details>", 1)[0].count("the sign flipped") == 1


def test_a_program_without_a_cuda_kernel_is_told_so_once():
    for name in ("pass", "wrong-result"):
        candidate = msgspec.structs.replace(sample(name).candidate, cuda_kernels=[])
        assert as_html(sample(name, candidate=candidate)).count("no CUDA kernel") == 1


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
    html = as_html(sample("pass", environment=environment))
    assert f'<th scope="row">Confined</th><td>{says}</td>' in html


def test_a_case_that_is_refused_is_not_called_wrong():
    case: Case = msgspec.structs.replace(
        sample("pass").cases[5], outcome="unsupported", message="needs 4-byte alignment"
    )
    verdict = msgspec.structs.replace(sample("pass").verdict, obstacle="does not support odd sizes")
    html = as_html(sample("pass", cases=[case], verdict=verdict))
    assert "<td>not supported: needs 4-byte alignment</td>" in html
    assert "Cases of a drop-in: 0 of 1 pass, 1 not supported" in html
    assert '<th scope="row">Drop-in?</th><td>No: does not support odd sizes</td>' in html


def test_a_fault_beyond_the_problem_is_in_the_headline_with_what_to_do():
    html = as_html(sample("fault-beyond"))
    assert html.startswith("<p><b>Correct for this problem; not a drop-in: illegal memory access on odd sizes")
    assert '<th scope="row">Correct?</th><td>For this problem only, bitwise equal: 5 of 5 cases, ' in html
    assert '<th scope="row">Where</th><td>cell [4], line 9: <code>y[i] = ' in html
    assert '<th scope="row">What to do</th><td>check the index against the size' in html


def test_a_running_report_shows_its_progress():
    html = as_html(sample("running"))
    assert '<progress max="15" value="9">checking, 9 of 15</progress>' in html
    assert "details" not in Page(html).seen


def test_a_stage_without_a_count_has_an_open_progress():
    stages = [msgspec.structs.replace(sample("running").stages[0], state="running", done=0)]
    assert "<progress>compiling</progress>" in as_html(sample("running", stages=stages))


def test_what_the_candidate_printed_and_what_was_seen_in_it_are_folded():
    html = as_html(sample("pass", output="one\ntwo\n", advice=[Advice(text="Uses <<<", line=7)]))
    assert (
        "<details><summary>Printed by the candidate, 2 lines</summary><pre>one\ntwo\n</pre></details>" in html
    )
    assert '<th scope="row">Line 7</th><td>Uses &lt;&lt;&lt;</td>' in html


def test_the_seed_and_the_kernels_are_disclosed():
    html = as_html(sample("pass"))
    assert "<code>--seed 81f3c09d55aa7e10</code> repeats the run" in html
    assert "leaky_relu_vec4, leaky_relu_strided" in html


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


def test_a_benchmark_answers_with_its_speed_its_limit_and_its_programs():
    page = as_html(sample("profile"))
    for expected in (
        "<p><b>Correct, 1.01x faster forward, and at the device&#x27;s memory limit</b><br>",
        '<tr><th scope="row">Faster?</th><td>Yes, 1.011x faster than PyTorch eager '
        "(95% CI 1.009x to 1.011x)</td></tr>",
        '<tr><th scope="row">Limit?</th><td><meter min="0" max="100" value="100">100%</meter> '
        "100% of device copy, 4.28 TB/s (device copy: 4.24 TB/s)</td></tr>",
        '<details><summary>Times</summary><table><tr><th scope="col">Program</th><th scope="col">Time</th>'
        '<th scope="col">Against eager</th></tr><tr><th scope="row">This kernel</th>'
        '<td style="text-align:right">3.01 ms</td><td style="text-align:right">1.011x faster</td></tr>'
        '<tr><th scope="row">PyTorch eager</th><td style="text-align:right">3.05 ms</td>'
        '<td style="text-align:right">reference</td></tr>',
        "<summary>Training: step 1.15x faster, 1/32 activation memory</summary>",
        "201 MB</td>",
        "prediction, not measured",
    ):
        assert expected in page
    assert "Profile" not in as_html(sample("benchmark"))


def test_a_span_stands_beside_the_events_that_tracing_slowed_as_well():
    report = sample("slower")
    report.timing.clocks[1].against_s = 0.005283
    assert "5.290 ms, device events 5.283 ms" in as_html(report)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("profile", ["Profile: launches 1, spills 0 B", "forward_dense", ", sm_90", "22 registers"]),
        ("slower", ["1.592x slower than PyTorch eager", "63% of device copy", "an error code (9)"]),
        ("cell-profile", ["Profiled: 56 operators", "aten::linear", "4 calls, 281 µs"]),
        ("cell-profile-gpu", ["Profiled: 51 kernel launches", "91.4 MB", "3 launches, 185 µs"]),
        (
            "unclear",
            [
                "Unclear: the clocks disagree",
                "clocks disagree: device trace span",
            ],
        ),
        ("sweep", ["Sizes: faster at 1 of 12 sizes"]),
        (
            "other-arithmetic",
            [
                ">other arithmetic</td>",
                "90% of FP16, three products, 228 TFLOP/s",
                "occupancy 19%, limited by shared memory",
            ],
        ),
    ],
)
def test_what_was_measured_reads_in_words(name, words):
    page = as_html(sample(name))
    assert [one for one in words if one not in page] == []


def test_what_was_not_timed_is_one_line_that_says_why():
    timing = Timing(shape="64x3072", note="emulation says nothing about speed")
    page = as_html(sample("pass", timing=timing))
    assert "<summary>Timing: not measured</summary><p>emulation says nothing about speed</p>" in page
    assert "Times" not in page


def test_an_examination_has_its_row():
    row = '<th scope="row">Faults</th><td>'
    assert f"{row}none found: bounds, races, uninitialised reads (emulation)</td>" in as_html(sample("pass"))
    assert f"{row}Data race: two threads write and read" in as_html(sample("data-race"))
