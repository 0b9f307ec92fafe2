"""What the draws of an input have in common is found, and kept in another shape."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F

from kernelgate.check.inputs.cases import Plan, draw
from kernelgate.check.inputs.kinds import CannotKeep, Kind, counts_up, kinds, resized, within

Draw = Callable[[], torch.Tensor]


def kind(make: Draw, *others: Draw) -> Kind:
    """Of the first tensor, seen in three draws."""

    def drawn(seed: int) -> list[torch.Tensor]:
        torch.manual_seed(seed)
        return [one() for one in (make, *others)]

    return kinds(drawn(seed) for seed in range(3))[0]


def another(make: Draw, shape: tuple[int, ...]) -> torch.Tensor:
    found = kind(make, lambda: torch.randn(4))
    torch.manual_seed(9)
    return resized(make(), found, shape, torch.Generator().manual_seed(1))


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.randn(64, 64),
        lambda: torch.rand(64, 64),
        lambda: torch.rand(3, 5) * 1000,
        lambda: torch.rand(64, 64) * 2 - 1,
        lambda: torch.rand(7),
        lambda: torch.randn(1),
        lambda: torch.randn(3, 3),
        lambda: torch.rand(2, 8, 16, 16, dtype=torch.float16),
        lambda: torch.randn(2000, 1000),
    ],
)
def test_any_numbers_are_plain(make: Draw) -> None:
    assert kind(make).plain


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.randint(0, 2, (64,)) * 2.0 - 1,
        lambda: torch.rand(64) + 0.5,
        lambda: torch.randn(64, 64).abs(),
        lambda: torch.sigmoid(torch.randn(64, 64)),
        lambda: torch.where(torch.rand(16, 16) > 0.5, 0.0, -torch.inf),
        lambda: torch.randint(0, 100, (64,)).float(),
        lambda: torch.randn(64, 64).relu(),
        lambda: torch.randint(0, 10, (64,)),
        lambda: torch.rand(64) > 0.5,
    ],
)
def test_values_of_their_own_are_not_plain_and_stay_in_another_shape(make: Draw) -> None:
    assert not kind(make).plain
    there = another(make, (5, 7))
    torch.manual_seed(9)
    assert set(there.reshape(-1).tolist()) <= set(make().reshape(-1).tolist())
    assert there.shape == (5, 7)


@pytest.mark.parametrize(
    ("make", "shape", "holds"),
    [
        (lambda: torch.randn(8, 10).softmax(-1), (3, 5), lambda t: torch.allclose(t.sum(-1), torch.ones(3))),
        (lambda: torch.randn(8, 10).log_softmax(-1), (3, 5), lambda t: bool((t < 0).all())),
        (
            lambda: torch.randn(2, 9, 4).softmax(1),
            (2, 3, 5),
            lambda t: torch.allclose(t.sum(1), torch.ones(2, 5)),
        ),
        (
            lambda: F.one_hot(torch.randint(0, 10, (16,)), 10),
            (5, 10),
            lambda t: bool((t.sum(-1) == 1).all() & (t >= 0).all()),
        ),
        (
            lambda: F.normalize(torch.randn(9, 8), dim=-1),
            (4, 6),
            lambda t: torch.allclose(t.norm(dim=-1), torch.ones(4)),
        ),
        (
            lambda: torch.triu(torch.randn(16, 16)),
            (9, 9),
            lambda t: torch.equal(t, t.triu()) and bool((t[0] != 0).all()),
        ),
        (
            lambda: torch.full((8, 8), -torch.inf).triu(1),
            (5, 5),
            lambda t: torch.equal(t, torch.full((5, 5), -torch.inf).triu(1)),
        ),
        (lambda: torch.diag(torch.randn(8)), (5, 5), lambda t: torch.equal(t, torch.diag(t.diag()))),
        (lambda: (lambda a: a + a.T)(torch.randn(12, 12)), (7, 7), lambda t: torch.equal(t, t.T)),
        (
            lambda: (lambda a: a @ a.T + 12 * torch.eye(12))(torch.randn(12, 12)),
            (7, 7),
            lambda t: not torch.linalg.cholesky_ex(t).info.any(),
        ),
        (lambda: torch.randn(4, 32).sort().values, (3, 9), lambda t: bool((t.diff(dim=-1) >= 0).all())),
        (
            lambda: torch.randint(0, 99, (32,)).sort(descending=True).values,
            (9,),
            lambda t: bool((t.diff() <= 0).all()),
        ),
        (lambda: torch.randperm(32), (9,), lambda t: t.sort().values.tolist() == list(range(9))),
        (lambda: torch.randperm(99)[:32], (9,), lambda t: t.unique().numel() == 9),
    ],
)
def test_structure_is_kept_in_another_shape(
    make: Draw, shape: tuple[int, ...], holds: Callable[[torch.Tensor], bool]
) -> None:
    there = another(make, shape)
    assert there.shape == shape
    assert holds(there)
    assert another(make, (0, *shape[1:])).shape == (0, *shape[1:])


def test_a_matrix_that_must_be_square_has_no_other_shape() -> None:
    with pytest.raises(CannotKeep):
        another(lambda: torch.triu(torch.randn(16, 16)), (7, 16))


def test_what_is_the_same_in_every_draw_is_constant_unless_everything_is() -> None:
    positions: Draw = lambda: torch.linspace(0, 1, 16)  # noqa: E731
    assert kind(positions, lambda: torch.randn(4)).constant
    repeated = kind(lambda: torch.randint(0, 9, (64,), generator=torch.Generator().manual_seed(1)))
    assert repeated.repeats
    assert not repeated.constant


def test_a_shape_that_other_draws_do_not_have_is_no_kind() -> None:
    sizes = iter((3, 4, 5))
    assert kind(lambda: torch.randn(8, next(sizes))).plain


def test_indices_stay_inside_of_what_has_become_smaller() -> None:
    integers = Kind(plain=False)
    indices = torch.tensor([0, 5, 31, -100])
    assert within(indices, integers, [32, 4], [7, 4]).tolist() == [0, 5, 3, -100]
    assert within(indices, integers, [16, 4], [7, 4]) is indices
    with pytest.raises(CannotKeep):
        within(indices, integers, [32], [0])


def test_a_case_draws_each_input_in_its_own_kind() -> None:
    torch.manual_seed(0)
    labels = torch.randint(0, 10, (32,))
    own = [[torch.rand(32, 10), {"labels": labels}], None, 2.5]
    found = [Kind(plain=True), Kind(plain=False)]
    plan = Plan("odd size", "drop-in", "negative", shape=(7, 10))
    (nested, nothing, number) = draw(
        plan, own, 1, torch.float32, graded=True, kinds=found, shapes=[(7, 10), (7,)]
    )
    assert bool((nested[0] < 0).all())
    assert nested[1]["labels"].shape == (7,)
    assert set(nested[1]["labels"].tolist()) <= set(range(10))
    assert (nothing, number) == (None, 2.5)


@pytest.mark.parametrize(
    ("places", "so"),
    [
        (torch.arange(16), True),
        (torch.arange(16).expand(3, 16), True),
        (torch.arange(0, 32, 2), False),
        (torch.arange(1, 17), False),
        (torch.randperm(16), False),
        (torch.arange(3), False),
        (torch.tensor(5), False),
        (torch.ones(16, dtype=torch.bool), False),
    ],
)
def test_places_that_count_up_from_zero_are_seen(places: torch.Tensor, so: bool) -> None:
    assert counts_up(places) is so
