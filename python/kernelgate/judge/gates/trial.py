"""What the functions that try gates work with: inputs, what they should give, and calls that are compared at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from kernelgate.check.captured import TRIALS
from kernelgate.check.construction import seed_generators
from kernelgate.check.inputs.cases import Plan, case_seed
from kernelgate.check.nesting import flatten, tensors_in
from kernelgate.check.tolerance.numerics import same_bits
from kernelgate.judge.candidate.calls_apart import DisguisedCall
from kernelgate.judge.candidate.model_in_worker import Result
from kernelgate.judge.candidate.session import Session
from kernelgate.judge.comparison.changed_inputs import changed_words
from kernelgate.judge.comparison.compare import Comparer, RandomNumbers, WrongResult
from kernelgate.judge.endings.run_ended import CandidateRaised
from kernelgate.judge.gates.gate_kind import (
    INPUT_UNTOUCHED,
    INPUT_WRITTEN,
    NEW_RESULTS,
    RANDOM_NUMBERS,
    WANTS_NO_GRADIENT,
    DoesNotHold,
    GateKind,
    NotTried,
    WrongValues,
)
from kernelgate.judge.reference.calls import about_equal
from kernelgate.judge.reference.copies import Mode, State, copied, fresh
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.reference.reference import NotAccepted, Reference

OWN_SHAPE = Plan("gate", "problem", "normal")
_OWN_INTEGERS = Plan("gate", "problem", "integers")
_ON_COPIES = frozenset({"late inputs", "side stream", "other device", "graph"})
"""Manners that call the module on copies of its inputs on a GPU: what it is to write to them shows in the copies."""


@dataclass(frozen=True)
class Trial:
    """Of one gate. `disguised`: the call in a process of its own, if that has begun already. `seen`: the gates that
    these calls show not to hold beside their values, each with words for it. `too_slow`: why a gradient of the
    reference's is not asked for again, for all gates of a run."""

    session: Session
    reference: Reference
    comparer: Comparer
    seed: int
    disguised: DisguisedCall | None = None
    seen: dict[GateKind, str] = field(default_factory=dict)
    too_slow: list[str] = field(default_factory=list)

    def inputs(self, name: str) -> list[Any]:
        """Inputs of the problem's own shape, drawn anew for each name."""
        return self._drawn(OWN_SHAPE, name, self.reference.dtype)

    def integers(self, name: str) -> list[Any]:
        """The same with small whole numbers, whose sums are all exact."""
        return self._drawn(_OWN_INTEGERS, name, self.reference.dtype)

    def change(self, inputs: list[Any], how: Callable[[torch.Tensor], object]) -> bool:
        """Changes each input that may hold any numbers, by a function that writes into it: whether there is one."""
        kinds = self.reference.case_inputs.kinds
        free = [
            one
            for one, kind in zip(tensors_in(inputs), kinds, strict=False)
            if one.is_floating_point() and one.numel() and kind.plain and kind.matrix is None
        ]
        for one in free:
            how(one)
        return bool(free)

    def generator(self, name: str) -> torch.Generator:
        """Draws on the CPU, from the seed of the run."""
        return torch.Generator().manual_seed(case_seed(self.seed, f"gate {name}"))

    def small_inputs(self, name: str, dtype: torch.dtype | None = None) -> list[Any]:
        """The same, small where the reference takes a smaller input."""
        return self._drawn(self.reference.small_plan or OWN_SHAPE, name, dtype or self.reference.dtype)

    def upstream(self, like: torch.Tensor) -> torch.Tensor:
        """The gradient of a result: random, of its shape and dtype."""
        generator = torch.Generator(device=like.device).manual_seed(case_seed(self.seed, "upstream"))
        return torch.randn(like.shape, generator=generator, device=like.device).to(like.dtype)

    def expected(
        self,
        inputs: list[Any],
        state: State = "own",
        mode: Mode = "as made",
        dtype: torch.dtype | None = None,
        earlier: Sequence[list[Any]] = (),
    ) -> Expected:
        """What the reference makes of them, in the run's dtype or another. Raises NotTried if it refuses them."""
        try:
            dtype = dtype or self.reference.dtype
            expected = self.reference.expected(inputs, dtype, state, mode=mode, earlier=earlier)
        except NotAccepted as exc:
            raise NotTried(None) from exc
        expected.made_up = True
        return expected

    def check(
        self,
        inputs: list[Any],
        expected: Expected,
        doing: str,
        *,
        manner: str = "plain",
        same_memory: bool = False,
        upstream: torch.Tensor | None = None,
        former: bool = False,
        names: Sequence[str] = (),
    ) -> Result:
        """Calls the candidate and compares. Raises WrongResult, RunEnded, NotTried."""
        result = self.session.call(
            inputs,
            doing,
            manner=manner,
            same_memory=same_memory,
            upstream=upstream,
            seed=expected.seed,
            former=former,
            changes=bool(expected.state_after),
            names=names,
        )
        if result.answer.not_possible is not None:
            raise NotTried(result.answer.not_possible)
        arriving = [upstream] if upstream is not None else []
        after = None if expected.inputs_after is None else [*expected.inputs_after, *arriving]
        if manner not in _ON_COPIES or after is None:
            changed = changed_words([*inputs, *arriving], result, after)
            self.note(INPUT_UNTOUCHED if after is None else INPUT_WRITTEN, bool(changed), changed)
        self.note(RANDOM_NUMBERS, result.answer.drew and expected.seed is None)
        try:
            self.comparer.check(result, expected, inputs)
        except RandomNumbers:
            raise NotTried("its results are random, and compared in the cases alone") from None
        if manner == "gradients on" and result.answer.wants_gradient:
            weights = self.reference.module(self.reference.dtype).parameters()
            self.note(WANTS_NO_GRADIENT, not any(one.requires_grad for one in weights))
        self.note(NEW_RESULTS, result.answer.aliases_earlier and not expected.aliases_input)
        return result

    def note(self, kind: GateKind, does_not_hold: bool, how: str = "") -> None:
        if does_not_hold:
            self.seen.setdefault(kind, how)

    def blame_no_manner(self, wrong: WrongResult, inputs: list[Any], expected: Expected) -> None:
        """Raises WrongValues if a plain call gives the same wrong result: it is the numbers that are wrong."""
        if wrong.got is None or self.reference.observed.keeps:
            return
        got = wrong.got.clone()
        try:
            self.check(inputs, expected, "calling ModelNew again with the same input")
        except WrongResult as exc:
            if exc.got is not None and exc.got.shape == got.shape and same_bits(exc.got, got):
                raise WrongValues(wrong.how) from None

    def own(self, manner: str, doing: str) -> None:
        """One call of a manner, with inputs of the problem's own shape, of a module that is made for it and then gone:
        what it keeps from that call does not matter."""
        self.session.forget()
        try:
            self.session.construct(self.reference.dtype)
            inputs = self.inputs(manner)
            expected = self.expected(inputs)
            try:
                self.check(inputs, expected, doing, manner=manner)
            except WrongResult as exc:
                self.session.forget()
                self.session.construct(self.reference.dtype)
                self.blame_no_manner(exc, inputs, expected)
                raise
        finally:
            self.session.forget()

    def small(self, manner: str, doing: str) -> None:
        """One call of a manner, with small inputs."""
        self.session.construct(self.reference.dtype)
        inputs = self.small_inputs(manner)
        mode: Mode = "train" if manner == "train" else "eval" if manner == "eval" else "as made"
        expected = self.expected(inputs, mode=mode)
        try:
            self.check(inputs, expected, doing, manner=manner)
        except (WrongResult, CandidateRaised) as exc:
            if manner in TRIALS and not supports(self.reference, manner, inputs):
                raise NotTried("the reference itself does not support it") from exc
            raise

    def _drawn(self, plan: Plan, name: str, dtype: torch.dtype) -> list[Any]:
        seed = case_seed(self.seed, f"gate {name}")
        try:
            return self.reference.inputs(plan, seed, dtype)
        except NotAccepted as exc:
            raise NotTried(None) from exc


def in_manner(manner: str, doing: str, seen: str) -> Callable[[Trial], str]:
    """Tries a gate by one call of a manner, with small inputs. `seen`: what is said of it, if it holds."""

    def attempt(trial: Trial) -> str:
        trial.small(manner, doing)
        return seen

    return attempt


def supports(reference: Reference, manner: str, inputs: list[Any]) -> bool:
    """Whether the reference itself gives its result when it is compiled, exported or captured in a graph."""
    module = reference.module(reference.dtype)
    try:
        seed_generators(reference.call_seed, of_cuda=reference.device.type == "cuda")
        with torch.no_grad():
            trial = TRIALS[manner](fresh(module), [copied(v) for v in inputs])
        return about_equal(flatten(trial)[1], flatten(reference.call(module, inputs))[1])
    except Exception:  # whatever PyTorch raises, and a person's module in its hands
        return False


def require(holds: bool, otherwise: str) -> None:
    """Raises DoesNotHold with those words where something does not hold."""
    if not holds:
        raise DoesNotHold(otherwise)
