"""Singular vectors, eigenvectors, the columns of QR: the sign of each is arbitrary, and either is right.

In: the results of the operators that make them, seen in a call of the reference, and the tensors of its result. Out:
which of these are such vectors as they are, and a program's results with the signs of the reference's. The vectors of
one matrix share their signs: left and right ones are turned together.
Not here: vectors that the reference computes with, and complex ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

MAKERS: dict[str, dict[int, int]] = {
    "_linalg_svd": {0: -1, 2: -2},
    "_linalg_eigh": {1: -1},
    "linalg_qr": {0: -1, 1: -2},
}
"""Of an operator, which of its results are vectors, and which dimension counts them."""


@dataclass(frozen=True)
class Vectors:
    """`matrix`: those of one have the same. `dim`: -1 where each column is one, -2 where each row is."""

    matrix: int
    dim: int


def vectors_among(
    results: Sequence[torch.Tensor], made: Sequence[tuple[torch.Tensor, Vectors]]
) -> dict[int, Vectors]:
    """By the number of a tensor."""
    found: dict[int, Vectors] = {}
    for number, one in enumerate(results):
        for tensor, vectors in made:
            if one.is_complex() or one.data_ptr() != tensor.data_ptr() or one.numel() != tensor.numel():
                continue
            if (one.shape, one.stride()) == (tensor.shape, tensor.stride()):
                found[number] = vectors
            elif (one.shape, one.stride()) == (tensor.mT.shape, tensor.mT.stride()):
                found[number] = Vectors(vectors.matrix, -3 - vectors.dim)
    return found


def with_signs(
    got: Sequence[torch.Tensor], right: Sequence[torch.Tensor], vectors: Mapping[int, Vectors]
) -> list[torch.Tensor]:
    """The program's results, with each vector turned as the reference's is."""
    turned = list(got)
    signs: dict[int, torch.Tensor] = {}
    for number, one in vectors.items():
        if number >= len(turned) or turned[number].shape != right[number].shape:
            continue
        along = -3 - one.dim
        if one.matrix not in signs:
            products = (turned[number].double() * right[number].double()).sum(along)
            signs[one.matrix] = torch.where(products < 0, -1, 1)
        sign = signs[one.matrix]
        count = turned[number].shape[one.dim]
        if sign.shape[-1] < count:  # the others belong to no singular value
            sign = torch.nn.functional.pad(sign, (0, count - sign.shape[-1]), value=1)
        turned[number] = turned[number] * sign[..., :count].unsqueeze(along).to(turned[number].dtype)
    return turned
