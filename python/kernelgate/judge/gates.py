"""Gates: properties beyond right values, noted case by case."""

from __future__ import annotations

from dataclasses import dataclass

from kernelgate.report import Contract, Gate

# Name, contract, and what to say where it does not hold.
_WORDS: dict[str, tuple[str, str]] = {
    "input untouched": (
        "it changes its input in place",
        "The caller's tensor holds other values after the call",
    ),
    "output not aliased": (
        "the output shares memory with the input",
        "A later change of one would change the other",
    ),
    "layout as the reference": (
        "the output's strides are not the reference's",
        "Code that views the result, or reads its memory, behaves otherwise",
    ),
}


@dataclass(frozen=True)
class GateFailure:
    sentence: str
    what: str


class Gates:
    def __init__(self) -> None:
        self._state: dict[str, tuple[Contract, bool]] = {}

    def note(self, name: str, contract: Contract, holds: bool) -> None:
        """One observation. A gate holds if it held every time; it belongs to the stricter contract it failed."""
        before = self._state.get(name)
        if before is None:
            self._state[name] = ("problem" if name != "layout as the reference" else "drop-in", holds)
            if not holds:
                self._state[name] = (contract, False)
        elif not holds and (before[1] or contract == "problem"):
            self._state[name] = (contract, False)

    def rows(self) -> list[Gate]:
        return [
            Gate(
                name=name,
                contract=contract,
                outcome="pass" if holds else "fail",
                message="" if holds else _WORDS[name][1],
            )
            for name, (contract, holds) in self._state.items()
        ]

    def first_failure(self, contract: Contract) -> GateFailure | None:
        """What to say of the first gate of that contract that does not hold."""
        for name, (belongs, holds) in self._state.items():
            if not holds and belongs == contract:
                return GateFailure(*_WORDS[name])
        return None


def gate_words(name: str) -> str:
    """What a gate that does not hold means, as half a sentence."""
    return _WORDS[name][0]
