"""An evaluation on the local cluster of an engine: python bench/engines.py ENGINE JOBS RESULTS [--slots 2].

ENGINE: processes (`kernelgate evaluate` itself), dask, ipyparallel, ray, executorlib or submitit, which has to be
installed. Each gets as many workers as `--slots`. bench/evaluate.py starts this as a process that may be killed.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import kernelgate
from kernelgate.cli.main import main as command
from kernelgate.evaluation.engines import engine_of


@contextlib.contextmanager
def dask(slots: int) -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=slots, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client.get_executor()


@contextlib.contextmanager
def ipyparallel(slots: int) -> Iterator[Any]:
    import ipyparallel as parallel

    with parallel.Cluster(n=slots) as client:
        yield client.load_balanced_view().executor


@contextlib.contextmanager
def executorlib(slots: int) -> Iterator[Any]:
    from executorlib import SingleNodeExecutor

    with SingleNodeExecutor(max_workers=slots, block_allocation=True) as executor:
        yield executor


@contextlib.contextmanager
def submitit(slots: int) -> Iterator[Any]:
    import submitit as module

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(slots) as threads:
        yield Bounded(engine_of(module.LocalExecutor(folder)), threads)


class Bounded:
    """An engine that gets no more than so many jobs at a time: submitit starts all at once on one machine, if no
    Slurm holds them back."""

    def __init__(self, engine: Any, threads: ThreadPoolExecutor) -> None:
        self._engine = engine
        self._threads = threads

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self._threads.submit(lambda: self._engine.submit(function, *arguments).result())


@contextlib.contextmanager
def ray(slots: int) -> Iterator[Any]:
    import ray as module

    module.init(num_cpus=slots, include_dashboard=False, log_to_driver=False)
    try:
        yield module
    finally:
        module.shutdown()


ENGINES = {each.__name__: each for each in (dask, ipyparallel, ray, executorlib, submitit)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=["processes", *ENGINES])
    parser.add_argument("jobs")
    parser.add_argument("results")
    parser.add_argument("--slots", type=int, default=2)
    options = parser.parse_args()
    if options.engine == "processes":
        return command(["evaluate", options.jobs, "--jobs", str(options.slots), "--results", options.results])
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // options.slots)))
    with ENGINES[options.engine](options.slots) as executor:
        kernelgate.evaluate(Path(options.jobs), executor, results=options.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
