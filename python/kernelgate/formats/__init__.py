"""What other benchmarks write and read, as text of ours: one module a format (docs/formats.md)."""

from __future__ import annotations


class FormatError(Exception):
    """`what`: one sentence. `next_step`: what to do about it."""

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(f"{what}. {next_step}.")
        self.what = what
        self.next_step = next_step
