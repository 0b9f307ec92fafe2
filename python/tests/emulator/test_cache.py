"""The build cache where several builders share it."""

import threading
from pathlib import Path

from kernelgate.emulator.build.cache import building_alone, scratch


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
