"""The build and check stages, as the judge conducts them: case by case, gates beside them.

In: a judge with a candidate that could be read. Out: cases and gates in the report, and `RunEnded` where a case or a
gate that decides has failed. The module is built by its first case; a compiler's error there ends the build stage.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

import torch

from kernelgate.backend.memory import dtype_of, unpack_cuda, unpack_host
from kernelgate.backend.parcel import BadParcel, Parcel
from kernelgate.build.diagnostics import explain_inputs
from kernelgate.check.cases import (
    DISTRIBUTION_WORDS,
    PROBLEM_PLANS,
    Plan,
    case_seed,
    draw,
    drop_in_plans,
)
from kernelgate.check.diagnosis import diagnose
from kernelgate.check.numerics import Comparison, compare_exact, compare_graded, wrong_elements
from kernelgate.judge.gates import Gates
from kernelgate.judge.outcome import RunEnded
from kernelgate.judge.protocol import Call, Construct, Returned
from kernelgate.judge.reference import Expected, NotAccepted, Reference, shape_words
from kernelgate.judge.verdict import wrong_result
from kernelgate.report import Case, Mismatch, one_line

if TYPE_CHECKING:
    from kernelgate.judge.conduct import Judge

_MAX_RESTARTS = 4
_ORDERS = ("normal", "reversed", "shuffled")
_POISON_EMULATED = 0xFFFB  # the emulator's pattern for fresh memory
_POISON_CUDA = 0x7FC0  # NaN as bfloat16, as the worker fills free memory


class WrongCase(Exception):
    """A case's result is wrong; the message says how, after "Wrong result: "."""


def check_candidate(judge: Judge, device: tuple[str, int]) -> None:
    """Builds the candidate and runs all cases. Raises RunEnded."""
    kind, index = device
    tensors = torch.device("cuda", index) if kind == "cuda" else torch.device("cpu")
    reference = Reference(judge.job, tensors, judge.seed)
    report = judge.report
    report.problem.shape = one_line(reference.shape, 120)
    report.problem.full_shape = one_line(reference.full_shape, 120) if reference.full_shape else None
    report.title = one_line(f"{report.problem.name} {reference.shape} {report.problem.dtype}", 120)
    judge.record.send()
    Checking(judge, reference, device).run()


class Checking:
    """The state of the two stages."""

    def __init__(self, judge: Judge, reference: Reference, device: tuple[str, int]) -> None:
        self._judge = judge
        self._reference = reference
        self._device = device
        self._dtype: torch.dtype | None = (
            None  # what the worker's module was constructed in; None: not at all
        )
        self._restarts = 0
        self._gates = Gates()
        self._poison = _POISON_CUDA if device[0] == "cuda" else _POISON_EMULATED

    def run(self) -> None:
        plans = list(PROBLEM_PLANS)
        if self._reference.template is not None:
            plans += drop_in_plans(self._reference.template, any_shape=self._reference.any_shape)
        else:
            plans = plans[:1]
        self._judge.start_worker(*self._device)
        self._construct(self._reference.dtype)
        assert self._judge.candidate is not None
        failure = explain_inputs(self._judge.candidate)
        if failure is not None:
            raise RunEnded("build", f"Does not run: {failure.what}", failure)

        report, record = self._judge.report, self._judge.record
        for number, plan in enumerate(plans):
            report.progress = f"Case “{plan.name}”"
            record.tick()
            self._one(plan, _ORDERS[number % len(_ORDERS)])
            if number == 0:
                record.end("build", passed=True)
                record.stage("build").done = 1
                record.begin("check", len(plans))
            stage = record.stage("check")
            stage.done = number + 1
        report.gates = self._gates.rows()
        stage = record.stage("check")
        stage.done = stage.total = len(report.cases)
        record.end("check", passed=True)
        failed = self._gates.first_failure("problem")
        if failed is not None:
            raise wrong_result(self._judge.candidate, failed.sentence, failed.what)

    def _construct(self, dtype: torch.dtype) -> None:
        if self._dtype is dtype:
            return
        init, seed, state, descriptors = self._reference.construction()
        name = str(dtype).removeprefix("torch.")
        self._dtype = None
        self._judge.construct(Construct(init=init, seed=seed, dtype=name, state=state), descriptors)
        self._dtype = dtype

    def _one(self, plan: Plan, order: Any) -> None:
        """Runs one case and adds its row. Raises RunEnded if it fails and decides."""
        reference, report = self._reference, self._judge.report
        seed = case_seed(self._judge.seed, plan.name)
        dtype = plan.dtype or reference.dtype
        inputs = draw(plan, reference.own_inputs, seed, reference.dtype, graded=reference.graded)
        case = Case(
            name=plan.name,
            contract=plan.contract,
            shape=one_line(shape_words(inputs), 120),
            dtype=str(dtype).removeprefix("torch."),
            layout=plan.layout,
            distribution=DISTRIBUTION_WORDS[plan.distribution],
            seed=seed,
            outcome="not run",
        )
        if self._restarts > _MAX_RESTARTS:
            case.message = "too many workers had to be started anew"
            report.cases.append(case)
            return
        try:
            expected = reference.expected(inputs, dtype)
        except NotAccepted:
            return  # what the reference does not accept, a candidate need not
        report.cases.append(case)
        try:
            self._construct(dtype)
            returned, received = self._call(plan, inputs, order)
            try:
                self._compare(case, returned, received, inputs, expected)
            finally:
                for descriptor in received:
                    os.close(descriptor)
            case.outcome = "pass"
        except WrongCase as exc:
            case.outcome = "fail"
            case.message = one_line(str(exc), 600)
            if plan.contract == "problem":
                assert self._judge.candidate is not None
                report.gates = self._gates.rows()
                raise wrong_result(self._judge.candidate, str(exc), self._where(case)) from None
        except RunEnded as exc:
            self._interrupted(case, plan, exc)

    def _interrupted(self, case: Case, plan: Plan, end: RunEnded) -> None:
        """The call raised, crashed or was ended. A drop-in case survives that; a case of the problem does not."""
        refusal = end.kind in ("wrong", "build") and self._judge_alive(end)
        case.outcome = "unsupported" if refusal and plan.contract == "drop-in" else "fail"
        case.message = one_line(end.sentence, 600)
        if plan.contract == "problem":
            raise end
        if end.kind in ("build", "refused", "environment", "internal", "cancelled") and not refusal:
            raise end
        self._restarts += 1
        self._dtype = None
        if not refusal and self._restarts <= _MAX_RESTARTS:
            self._judge.start_worker(*self._device)

    def _judge_alive(self, end: RunEnded) -> bool:
        """A refusal by exception leaves the worker whole; then nothing has to be started anew."""
        if end.kind in ("wrong", "build"):
            self._restarts -= 1
            return True
        return False

    def _call(self, plan: Plan, inputs: list[Any], order: Any) -> tuple[Returned, list[int]]:
        descriptors: list[int] = []
        arguments = [self._reference.pack(value, descriptors) for value in inputs]
        answer, received = self._judge.ask(
            Call(inputs=arguments, order=order),
            descriptors,
            "check",
            f"calling ModelNew on case “{plan.name}”",
        )
        assert isinstance(answer, Returned)
        return answer, received

    def _compare(
        self, case: Case, returned: Returned, received: list[int], inputs: list[Any], expected: Expected
    ) -> None:
        """Fills in the case's numbers. Raises WrongCase."""
        contract = case.contract
        if returned.damage:
            raise WrongCase(f"it writes outside of a tensor: {returned.damage[0]}")
        if returned.what != "a tensor" or returned.output is None:
            what = returned.what if returned.what != "a tensor" else "a tensor that is not on the device"
            raise WrongCase(f"ModelNew returns {what} instead of a tensor on the device")
        try:
            self._check_form(returned.output, expected.value)
            got = self._unpack(returned.output, received)
            found = self._numbers(got, expected)
            case.total, case.wrong = found.total, found.wrong
            case.max_ulp, case.error_units = found.max_ulp, found.error_units
            if found.wrong:
                case.first = _mismatch(inputs, got, expected.value, found)
                raise WrongCase(diagnose(inputs, got, expected.value, found))
            untouched = self._untouched(returned, received, inputs)
        except BadParcel as exc:
            raise WrongCase(f"the result cannot be read: {exc}") from exc
        self._gates.note("input untouched", contract, untouched)
        self._gates.note("output not aliased", contract, expected.aliases_input or not returned.aliases_input)
        same = _same_strides(returned.output, expected.value)
        self._gates.note("layout as the reference", "drop-in", same)

    def _check_form(self, output: Parcel, expected: torch.Tensor) -> None:
        if dtype_of(output.dtype) != expected.dtype:
            wanted = str(expected.dtype).removeprefix("torch.")
            raise WrongCase(f"the result is {output.dtype} instead of {wanted}")
        if tuple(output.shape) != tuple(expected.shape):
            got = "x".join(map(str, output.shape)) or "scalar"
            wanted = "x".join(map(str, expected.shape)) or "scalar"
            raise WrongCase(f"the result has shape {one_line(got, 80)} instead of {wanted}")

    def _unpack(self, parcel: Parcel, received: list[int]) -> torch.Tensor:
        if self._device[0] == "cuda":
            return unpack_cuda(parcel, self._reference.device)
        return unpack_host(parcel, received)

    def _numbers(self, got: torch.Tensor, expected: Expected) -> Comparison:
        if expected.oracle is not None and expected.magnitude is not None:
            return compare_graded(got, expected.oracle, expected.magnitude, expected.bound, self._poison)
        return compare_exact(got, expected.value, self._poison)

    def _untouched(self, returned: Returned, received: list[int], inputs: list[Any]) -> bool:
        for value, after in zip(inputs, returned.inputs, strict=False):
            if not isinstance(value, torch.Tensor):
                continue
            if not isinstance(after, Parcel) or after.shape != list(value.shape):
                return False
            now = self._unpack(after, received)
            if value.is_floating_point():
                if bool(wrong_elements(now.reshape(-1), value.reshape(-1)).any()):
                    return False
            elif not torch.equal(now, value):
                return False
        return True

    def _where(self, case: Case) -> str:
        words = f"Case “{case.name}” ({case.shape} {case.dtype}, {case.distribution})"
        if case.first is None:
            return words
        given = f" for input {case.first.input}" if case.first.input is not None else ""
        return (
            f"{words}: {case.wrong:,} of {case.total:,} elements differ; the first is {case.first.index}: "
            f"got {case.first.got}, expected {case.first.expected}{given}"
        )


def _same_strides(output: Parcel, expected: torch.Tensor) -> bool:
    """Whether the result lies in memory as the reference's does, as far as that can be told from strides."""
    if expected.numel() == 0 or output.result_stride is None:
        return True
    pairs = zip(output.result_stride, expected.stride(), expected.shape, strict=False)
    return all(a == b for a, b, size in pairs if size > 1)


def _mismatch(inputs: list[Any], got: torch.Tensor, expected: torch.Tensor, found: Comparison) -> Mismatch:
    assert found.first is not None
    index: list[int] = []
    left = found.first
    for size in reversed(expected.shape):
        index.insert(0, left % size)
        left //= size
    given = None
    tensors = [v for v in inputs if isinstance(v, torch.Tensor)]
    if len(tensors) == 1 and tensors[0].shape == expected.shape:
        given = _number(tensors[0][tuple(index)])
    return Mismatch(
        index=one_line(str(index), 120),
        input=given,
        got=_number(got[tuple(index)]),
        expected=_number(expected[tuple(index)]),
    )


def _number(value: torch.Tensor) -> str:
    """A number with as many digits as tell it from its neighbours."""
    with contextlib.suppress(TypeError):
        digits = {torch.float64: 17, torch.float32: 9}.get(value.dtype, 5)
        return f"{float(value):.{digits}g}"
    return one_line(str(value.item()), 60)
