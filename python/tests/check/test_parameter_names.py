"""Which tensor stands for which: the likeliest first, and every one of a few."""

from __future__ import annotations

import torch

from kernelgate.messages.arguments import Construct
from kernelgate.worker.module_state import assignments, prepared

VECTOR, MATRIX = torch.zeros(8), torch.zeros(8, 8)
FUSED = {"conv.weight": MATRIX, "conv.bias": VECTOR, "norm.weight": VECTOR, "norm.bias": VECTOR}


def test_equal_names_stand_for_each_other_whatever_their_order() -> None:
    assert assignments(dict(reversed(FUSED.items())), FUSED) == [{name: name for name in reversed(FUSED)}]


def test_a_name_that_both_have_comes_first_then_the_words_that_names_share() -> None:
    own = {"weight": VECTOR, "bias": VECTOR, "conv.weight": MATRIX, "conv.bias": VECTOR}
    first, other = assignments(own, FUSED)
    assert (first["weight"], first["bias"], first["conv.bias"]) == ("norm.weight", "norm.bias", "conv.bias")
    assert (other["weight"], other["bias"]) == ("norm.bias", "norm.weight")


def test_names_that_a_sequential_of_fewer_modules_has_by_chance_stand_in_their_order_if_not_for_themselves() -> None:
    given = {f"network.{number}.weight": MATRIX for number in (0, 2, 4)}
    *_, last = assignments({f"network.{number}.weight": MATRIX for number in (0, 1, 2)}, given)
    assert list(last.values()) == list(given)


def test_layers_that_are_numbered_otherwise_stand_in_their_order_if_their_numbers_mislead() -> None:
    both = {"weight": MATRIX, "bias": VECTOR}
    given = {f"network.{number}.{part}": both[part] for number in range(0, 34, 2) for part in both}
    own = {f"hidden.{number}.{part}": both[part] for number in range(16) for part in both}
    own |= {f"last.{part}": both[part] for part in both}
    assert list(given) in [[one[name] for name in own] for one in assignments(own, given)[:2]]


def test_gamma_and_beta_are_a_weight_and_a_bias() -> None:
    own = {"beta": VECTOR, "gamma": VECTOR, "conv1.weight": MATRIX, "conv1.bias": VECTOR}
    first, *others = assignments(own, FUSED)
    assert (first["gamma"], first["beta"], first["conv1.bias"]) == ("norm.weight", "norm.bias", "conv.bias")
    assert len(others) == 5


def test_layers_of_one_shape_keep_their_order_where_names_say_nothing() -> None:
    given = {f"fc{number}.weight": MATRIX for number in (1, 2, 3)}
    first = assignments({"a": MATRIX, "b": MATRIX, "c": MATRIX}, given)[0]
    assert first == {"a": "fc1.weight", "b": "fc2.weight", "c": "fc3.weight"}


def test_what_is_optional_may_be_missing_and_a_workspace_stands_for_nothing() -> None:
    given = {"weight": VECTOR, "count": torch.zeros(())}
    assert assignments({"weight": VECTOR, "workspace": MATRIX}, given, {"count"}) == [{"weight": "weight"}]
    assert assignments({"weight": VECTOR}, given) == []


def test_many_layers_of_one_shape_take_no_time() -> None:
    given = {f"layers.{number}.weight": VECTOR for number in range(60)}
    own = {f"blocks.{number}.w": VECTOR for number in range(60)}
    assert assignments(own, given)[0]["blocks.37.w"] == "layers.37.weight"


def test_a_module_that_stands_in_two_places_takes_its_parameters_once() -> None:
    first, second = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
    module = torch.nn.ModuleDict({"plain": first, "fused": torch.nn.Sequential(first), "last": second})
    given = {f"layers.{number}.weight": torch.randn(3, 3) for number in (0, 1)}
    given |= {f"layers.{number}.bias": torch.randn(3) for number in (0, 1)}
    asked = Construct(init=[], seed=0, dtype="float32", state={})
    with torch.no_grad():
        _module, made = prepared(module, asked, given, lambda module: module)
    assert made.state_loaded == "by assignment"
    assert sorted(made.names) == ["last.bias", "last.weight", "plain.bias", "plain.weight"]
    assert torch.equal(first.weight, given["layers.0.weight"]) and torch.equal(second.bias, given["layers.1.bias"])
