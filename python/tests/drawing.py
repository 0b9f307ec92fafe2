"""What `make test` runs of the tests that take long: one of each group, and a share of the rest, drawn by a seed.

Such tests bear the mark `drawn`. A group is what a folder has of them; with `by`, a parameter's attribute such as
"program.number", it is those of the folder that have the same value there. Without --share all of them run.
The seed, and how many tests of each folder are left out, are printed.
"""

from __future__ import annotations

import random
from collections import Counter
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

import pytest

_SEED, _LEFT_OUT = "kernelgate_seed", "kernelgate_left_out"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kernelgate")
    group.addoption("--share", type=float, default=1.0, help="how much of the tests marked `drawn` is run")
    group.addoption("--seed", type=int, help="draws the share; a seed of chance if not given")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Drawing(config))


def _group(item: pytest.Item, by: str) -> tuple[object, ...]:
    parameters: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
    return item.path.parent, by and attrgetter(by)(SimpleNamespace(**parameters))


def left_out(items: list[pytest.Item], share: float, seed: int) -> list[pytest.Item]:
    """The items that do not run, for the same seed the same whatever else is collected."""
    chosen: dict[tuple[object, ...], tuple[float, pytest.Item]] = {}
    others: list[pytest.Item] = []
    for item in items:
        mark = item.get_closest_marker("drawn")
        if mark is None or item.get_closest_marker("skip"):
            continue
        lot = random.Random(f"{seed} {item.nodeid}").random()
        group = _group(item, mark.kwargs.get("by", ""))
        first = chosen.get(group)
        if first is None or lot < first[0]:
            chosen[group] = (lot, item)
        if lot >= share:
            others.append(item)
    kept = {item.nodeid for _lot, item in chosen.values()}
    return [item for item in others if item.nodeid not in kept]


class Drawing:
    """The plugin. Each process of pytest-xdist draws the same, and tells the first how many it left out."""

    def __init__(self, config: pytest.Config) -> None:
        given = getattr(config, "workerinput", {}).get(_SEED, config.option.seed)
        self.share = config.option.share
        self.seed: int = random.SystemRandom().randrange(10**6) if given is None else given
        self.left_out: dict[str, int] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        out = left_out(items, self.share, self.seed)
        self.left_out = dict(Counter(item.path.parent.name for item in out))
        gone = {item.nodeid for item in out}
        kept = [item for item in items if item.nodeid not in gone]
        # Files with what takes longest go first, so that no process is left with one at the end.
        long = {item.path for item in kept if item.get_closest_marker("drawn")}
        items[:] = sorted(kept, key=lambda item: item.path not in long)
        config.hook.pytest_deselected(items=out)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        node.workerinput[_SEED] = self.seed

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput[_LEFT_OUT] = self.left_out

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self.left_out = getattr(node, "workeroutput", {}).get(_LEFT_OUT) or self.left_out

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.share < 1:
            each = ", ".join(f"{count} of {folder}" for folder, count in sorted(self.left_out.items()))
            terminalreporter.write_line(
                f"Left out, drawn by seed {self.seed} (again: make test SEED={self.seed}; all: make test-all): "
                f"{each or 'nothing'}"
            )
