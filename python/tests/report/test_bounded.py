"""Foreign texts become short, valid and harmless, whatever they hold."""

import random
import unicodedata

import pytest

from kernelgate.report.bounded import ascii_only, clean, cut, one_line

ALPHABET = (
    "ab <>&\"' \t\n\r\x00\x07\x0b\x1b[31m\x1b]0;title\x07\x7f\x85\u2028"
    "é漢𝔘\u0301\u202e\u2066\ud800\udfff“×µ…\U0010ffff"
)


def texts(count):
    """Random texts that favour what is hard; the same ones at every run."""
    draw = random.Random(20261121)
    for _ in range(count):
        yield "".join(draw.choices(ALPHABET, k=draw.choice([0, 1, 5, 40, 300])))


@pytest.mark.parametrize("limit", [0, 1, 2, 10, 30, 31, 32, 33, 34, 60, 200])
def test_no_text_is_ever_longer_than_its_limit(limit):
    for text in texts(300):
        assert len(cut(text, limit)) <= limit
        assert len(one_line(text, limit)) <= limit


def test_every_result_is_valid_unicode_without_control_characters():
    for text in texts(300):
        for result in (clean(text), cut(text, 60), one_line(text, 60)):
            result.encode("utf-8")
            assert not [c for c in result if unicodedata.category(c) == "Cc" and c not in "\n\t"]
            assert clean(result) == result


def test_one_line_has_no_line_break():
    for text in texts(300):
        assert len(one_line(text, 60).splitlines()) <= 1


def test_ascii_is_ascii_and_stays_on_its_line():
    for text in texts(300):
        assert ascii_only(clean(text)).isascii()
    assert ascii_only("“a” × 3 µs … naïve ﬁt 漢") == '"a" x 3 us ... naive fit ?'


def test_a_short_text_stays_as_it_is():
    assert cut("def f():\n\treturn 1\n", 100) == "def f():\n\treturn 1\n"
    assert one_line("wrong result", 12) == "wrong result"


def test_a_long_text_keeps_both_ends_and_counts_what_is_missing():
    text = "first error" + "." * 900 + "last error"
    short = cut(text, 100)
    assert short.startswith("first error")
    assert short.endswith("last error")
    head, rest = short.split(" … ", 1)
    note, tail = rest.rsplit(" … ", 1)
    assert note == f"{len(text) - len(head) - len(tail)} characters left out"


def test_colours_of_a_compiler_are_dropped_whole():
    assert clean("\x1b[01;31m\x1b[Kerror:\x1b[m bad") == "error: bad"


def test_directional_controls_cannot_reorder_code():
    assert clean("if x: \u202e# pass\u2066") == "if x: # pass"
