"""The build cache where several builders share it."""

import re
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from kernelgate.emulator import Finished, ToolchainMissing, build_library
from kernelgate.emulator.build.cache import building_alone, building_where_free, scratch
from kernelgate.emulator.build.toolchain import Command
from kernelgate.emulator.translate.units import HERE

pytestmark = pytest.mark.drawn


def test_what_other_builders_remove_meanwhile_is_no_error(tmp_path: Path) -> None:
    done = threading.Event()

    def come_and_go(name: str) -> None:
        while not done.is_set():
            with building_alone(tmp_path / f"{name}.so"):
                pass

    others = [threading.Thread(target=come_and_go, args=(name,)) for name in ("one", "two", "three")]
    for other in others:
        other.start()
    try:
        for _ in range(300):
            with scratch(tmp_path) as folder:
                assert folder.is_dir()
    finally:
        done.set()
        for other in others:
            other.join()


def test_who_does_not_wait_is_told_that_another_builds(tmp_path: Path) -> None:
    entry = tmp_path / "one.so"
    with building_alone(entry), building_where_free(entry) as free:
        assert not free
    with building_where_free(entry) as free, building_where_free(entry) as free_again:
        assert (free, free_again) == (True, False)
    assert list(tmp_path.iterdir()) == []


def test_all_units_of_the_emulators_libraries_are_compiled_at_the_same_time(tmp_path: Path) -> None:
    """One after another they would take longer than the rest of a first run."""
    batches: list[list[str]] = []

    def failing(_folder: Path, commands: Sequence[Command]) -> list[Finished]:
        batches.append([Path(word).name for command in commands for word in command if word.endswith(".cpp")])
        return [Finished(1, "no")] * len(commands)

    with pytest.raises(ToolchainMissing, match="cannot compile the emulator's runtime and facade and allocator"):
        build_library("allocator", tmp_path, failing)
    assert batches == [
        [
            *("library_threads.cpp", "library_memory.cpp", "library_checks.cpp", "library_words.cpp"),
            *("facade.cpp", "allocator.cpp"),
        ]
    ]


def test_every_part_of_the_runtime_is_in_one_of_its_units() -> None:
    runtime = HERE / "runtime"
    parts = sorted(path.name for path in runtime.glob("*.cpp"))
    units = list(runtime.glob("library_*.cpp"))
    included = [name for unit in units for name in re.findall(r'#include "(\w+\.cpp)"', unit.read_text())]
    assert sorted([*included, *(unit.name for unit in units), "facade.cpp", "allocator.cpp"]) == parts
