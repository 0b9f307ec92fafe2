"""The rules of writing numbers."""

import pytest

from kernelgate.report import numbers
from kernelgate.report.bounded import ascii_only


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (3.0151, "3.02"),
        (42, "42.0"),
        (0.00025, "0.000250"),
        (9.999, "10.0"),
        (12345.6, "12,346"),
        (0, "0"),
        (-0.5, "-0.500"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
    ],
)
def test_a_number_has_three_significant_digits(value, written):
    assert numbers.significant(value) == written


def test_a_fourth_digit_is_written_on_request():
    assert numbers.duration(0.003015, digits=4) == "3.015 ms"


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        (0, "0 s"),
        (4.2e-9, "4.20 ns"),
        (15e-6, "15.0 µs"),
        (999.9e-6, "1.00 ms"),
        (0.9, "900 ms"),
        (1.25, "1.25 s"),
        (0.99999, "1.00 s"),
        (3725.0, "3,725 s"),
        (float("inf"), "inf s"),
    ],
)
def test_a_time_has_a_unit_that_fits(seconds, written):
    assert numbers.duration(seconds) == written


def test_microseconds_have_an_ascii_form():
    assert ascii_only(numbers.duration(15e-6)) == "15.0 us"


@pytest.mark.parametrize(
    ("distance", "written"),
    [(0.0, "0 ulp"), (1, "1 ulp"), (2.5, "2.5 ulp"), (98301, "98,301 ulp"), (1.2e9, "1.2e9 ulp")],
)
def test_a_distance_is_written_in_ulp(distance, written):
    assert numbers.ulp(distance) == written


@pytest.mark.parametrize(
    ("units", "written"),
    [(0, "0 u"), (4.2, "4.2 u"), (64, "64 u"), (1024, "1,024 u"), (0.5, "0.50 u"), (4.59e9, "4.6e9 u")],
)
def test_a_graded_error_is_written_in_u(units, written):
    assert numbers.error_units(units) == written


def test_an_error_has_a_short_exponent():
    assert numbers.scientific(2.46e-7) == "2.5e-7"
    assert numbers.scientific(0) == "0"


def test_counts_and_shapes():
    assert numbers.count_of(16, 16) == "16 of 16"
    assert numbers.count_of(98301, 196608) == "98,301 of 196,608"
    assert numbers.counted(1, "line") == "1 line"
    assert numbers.counted(42, "line") == "42 lines"
    assert numbers.shape((4096, 393216)) == "4096x393216"
    assert numbers.shape(()) == "scalar"


@pytest.mark.parametrize(
    ("seconds", "written"),
    [
        ([0.003015, 0.003037, 0.00491], ["3.015 ms", "3.037 ms", "4.910 ms"]),
        ([0.00078, 0.002718], ["0.780 ms", "2.72 ms"]),
        ([999.9e-6, 5e-6], ["1.00 ms", "0.00500 ms"]),
        ([0.0, 0.0], ["0 s", "0 s"]),
        ([], []),
    ],
)
def test_a_column_of_times_has_one_unit_and_digits_that_tell_them_apart(seconds, written):
    assert numbers.durations(seconds) == written


@pytest.mark.parametrize(
    ("value", "written"), [(1.01, "1.01x"), (1 / 1.61, "1.61x"), (1.0, "1.00x"), (12, "12.0x")]
)
def test_a_ratio_never_falls_below_one(value, written):
    assert numbers.ratio(value) == written


@pytest.mark.parametrize(("part", "written"), [(0.625, "63%"), (0.125, "13%"), (0.1875, "19%"), (0.124, "12%")])
def test_half_a_percent_is_rounded_up_as_on_the_screen(part, written):
    assert numbers.share(part) == written


@pytest.mark.parametrize(
    ("part", "written"), [(0.62, "62%"), (1.004, "100%"), (1.01, "100%"), (1.04, "104%"), (0, "0%")]
)
def test_a_share_little_beyond_the_limit_reads_as_at_the_limit(part, written):
    assert numbers.share(part) == written


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (numbers.rate(4.25e12, "B/s"), "4.25 TB/s"),
        (numbers.rate(50.6e12, "FLOP/s"), "50.6 TFLOP/s"),
        (numbers.rate(999.9e9, "B/s"), "1.00 TB/s"),
        (numbers.rate(0, "B/s"), "0 B/s"),
        (numbers.size(201e6), "201 MB"),
        (numbers.size(6.442e9), "6.44 GB"),
        (numbers.size(12), "12 B"),
        (numbers.kibibytes(227 * 1024), "227 KiB"),
        (numbers.kibibytes(16 * 1024), "16 KiB"),
        (numbers.kibibytes(8448), "8.25 KiB"),
        (numbers.kibibytes(0), "0 B"),
        (numbers.fraction(201_326_592, 6_442_450_944), "1/32"),
        (numbers.fraction(45, 100), "45%"),
        (numbers.fraction(625, 1000), "63%"),
        (numbers.fraction(300, 100), "300%"),
    ],
)
def test_rates_and_sizes_are_decimal_and_shared_memory_is_not(written, expected):
    assert written == expected


@pytest.mark.parametrize(
    ("ratios", "digits"),
    [
        ((1.009, 1.01, 1.011), 4),
        ((1 / 1.62, 1 / 1.61), 3),
        ((3.48, 3.484), 4),
        ((3.44, 3.48, 3.52), 3),
        ((), 3),
    ],
)
def test_ratios_get_a_fourth_digit_where_the_difference_sits_there(ratios, digits):
    assert numbers.ratio_digits(*ratios) == digits
