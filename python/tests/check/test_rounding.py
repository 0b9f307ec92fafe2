"""How far rounding moves a result, as operators in float64 that round at random show."""

from __future__ import annotations

import math

import torch

from kernelgate.check.tolerance.rounding import rounding_spread


def _spread(call: object) -> torch.Tensor:
    (found,), _operators = rounding_spread(lambda: [call()], [call()], torch.float32, seed=1)  # type: ignore[operator]
    return found


def test_a_mask_of_infinities_hides_no_rounding() -> None:
    generator = torch.Generator().manual_seed(0)
    scores, values = (torch.randn(16, 16, generator=generator, dtype=torch.float64) for _ in range(2))
    mask = torch.full((16, 16), -math.inf, dtype=torch.float64).triu(1)
    spread = _spread(lambda: torch.softmax(scores * 3 + mask, -1) @ values)
    assert (spread[1:] > 0).all()
    assert float(spread.max()) < 64


def test_what_is_exact_does_not_move() -> None:
    values = torch.tensor([1.0, -2.0, math.inf], dtype=torch.float64)
    assert (_spread(lambda: values.relu().clone()) == 0).all()


def test_an_exact_operator_that_works_in_place_does_not_move_either() -> None:
    values = torch.tensor([1.5, -2.0, 20.2], dtype=torch.float64)
    assert (_spread(lambda: values.relu().ceil_()) == 0).all()


def test_between_two_whole_numbers_only_what_rounds_before_may_go_either_way() -> None:
    halves = torch.arange(-6, 7, dtype=torch.float64) + 0.5
    assert (_spread(lambda: torch.round(halves / 4 * 4) / 4) == 0).all()
    assert (_spread(lambda: torch.round(halves / 3 * 3) / 3) > 0).any()


def test_whole_numbers_on_a_bound_are_counted_and_others_may_be_on_its_other_side() -> None:
    whole = torch.arange(-6, 7, dtype=torch.float64).repeat(50)
    halves = whole / 2
    assert (_spread(lambda: torch.histc(whole, 12, -6, 6)) == 0).all()
    assert (_spread(lambda: torch.histc(halves, 12, -3, 3)) > 0).any()


def test_the_magnitude_of_a_complex_number_rounds() -> None:
    values = torch.complex(_wide(40), _wide(40).flip(0))
    assert (_spread(lambda: values.abs()) > 0).all()


def _wide(*shape: int) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def test_a_product_in_place_or_into_a_result_is_a_sum_as_well() -> None:
    x, w = _wide(32, 200), _wide(200, 24)
    plain = _spread(lambda: x @ w)
    for other in (
        lambda: torch.zeros(32, 24, dtype=torch.float64).addmm_(x, w),
        lambda: torch.mm(x, w, out=torch.empty(32, 24, dtype=torch.float64)),
    ):
        assert 0.5 < float(_spread(other).median() / plain.median()) < 2


def test_values_that_are_added_up_at_places_round() -> None:
    x, places = _wide(4000), torch.arange(4000) % 16
    zeros = torch.zeros(16, dtype=torch.float64)
    for sum_up in (
        lambda: zeros.index_put((places,), x, accumulate=True),
        lambda: zeros.scatter_reduce(0, places, x, "sum"),
        lambda: zeros.scatter_add(0, places, x),
    ):
        assert (_spread(sum_up) > 16).all()
    assert (_spread(lambda: zeros.index_put((places[:16],), x[:16])) == 0).all()


def test_in_half_the_steps_of_gelu_are_those_of_float32() -> None:
    x = torch.full((64,), -1.22, dtype=torch.float64)
    oracle = torch.nn.functional.gelu(x)
    (found,), operators = rounding_spread(
        lambda: [torch.nn.functional.gelu(x)], [oracle], torch.float16, seed=1
    )
    assert float((found / oracle.abs()).max()) < 3
    assert operators.rounds and not operators.sums


def test_operators_that_are_in_no_table_move_with_what_they_are_given() -> None:
    x = _wide(4, 1, 200)
    moved = {
        "avg_pool1d": _spread(lambda: torch.nn.functional.avg_pool1d(x, 8, 1)),
        "interpolate": _spread(lambda: torch.nn.functional.interpolate(x, scale_factor=3.0, mode="linear")),
        "segment_reduce": _spread(lambda: torch.segment_reduce(x.flatten(), "sum", lengths=torch.full((8,), 100))),
        "solve": _spread(lambda: torch.linalg.solve(x[:, 0, :4] @ x[:, 0, :4].T, x[:, 0, :4])),
    }
    for name, spread in moved.items():
        assert (spread > 0).all() and float(spread.median()) > 0.5, name


def test_a_conjugate_that_pytorch_has_not_computed_yet_moves_as_one_that_it_has() -> None:
    a, b = (torch.randn(12, 30, dtype=torch.complex128) for _ in range(2))
    lazy = _spread(lambda: torch.view_as_real(a @ b.mH))
    computed = _spread(lambda: torch.view_as_real(a @ b.mH.resolve_conj()))
    assert float(lazy.max()) < 2 * float(computed.max())


def test_a_small_singular_value_may_be_off_by_rounding_of_the_largest_one() -> None:
    matrix = torch.diag(torch.tensor([1.0, 1e-20], dtype=torch.float64))
    largest, least = _spread(lambda: torch.linalg.svdvals(matrix)).tolist()
    assert 0.1 < largest < 10
    assert least > 0.1
