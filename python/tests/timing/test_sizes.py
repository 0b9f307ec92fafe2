"""The sizes of a sweep: from small to the problem's own, in its own shape where the shape matters."""

from __future__ import annotations

import torch

from kernelgate.timing.sizes import sizes_of


def test_any_shape_is_swept_by_elements() -> None:
    x = torch.randn(64, 3072)
    sizes = sizes_of([x], flat=True)
    assert [size.elements for size in sizes] == [1024, 4096, 16384, 65536, 196608]
    (small,) = sizes[0].of([x])
    assert small.shape == (1024,)
    assert torch.equal(small, x.view(-1)[:1024])
    assert small.data_ptr() != x.data_ptr()


def test_a_product_is_swept_by_rows_and_keeps_its_other_dimension() -> None:
    x = torch.randn(100, 8)
    sizes = sizes_of([3, x], flat=False)
    assert [size.rows for size in sizes] == [1, 4, 16, 64, 100]
    number, smaller = sizes[1].of([3, x])
    assert (number, tuple(smaller.shape)) == (3, (4, 8))
    assert sizes[1].elements == 32


def test_labels_are_swept_with_their_rows_and_a_weight_is_not() -> None:
    scores, labels, weight = torch.randn(100, 8), torch.arange(100), torch.randn(8)
    small = sizes_of([scores, labels, weight], flat=False)[1].of([scores, labels, weight])
    assert [tuple(one.shape) for one in small] == [(4, 8), (4,), (8,)]


def test_what_has_no_size_is_not_swept() -> None:
    assert sizes_of([3, torch.arange(4)], flat=True) == []
    assert [size.elements for size in sizes_of([torch.randn(5)], flat=True)] == [5]
