"""The worker: loads a candidate, constructs it and calls it, and answers with data.

In: requests of `messages.worker` over one socket. Out: replies on the same socket; a fault of the device goes to a
descriptor of its own as one line, because the process ends with it.
Not here: any judgement. No expected value ever enters this process.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import linecache
import re
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from kernelgate.backend import Backend, ThreadOrder
from kernelgate.backend.choice import backend_for
from kernelgate.backend.memory import dtype_of, pack_host
from kernelgate.check import MAX_TENSORS
from kernelgate.check.construction import constructed, seed_generators
from kernelgate.check.in_place_results import WrittenAsResult
from kernelgate.check.inputs.bit_patterns import fill
from kernelgate.check.nesting import tensors_in
from kernelgate.check.problem import is_out_of_memory
from kernelgate.messages.arguments import Argument, Construct
from kernelgate.messages.measure import Measure, Trace, Weigh
from kernelgate.messages.worker import (
    Answer,
    Behave,
    Behaved,
    Broke,
    Building,
    Call,
    CallOnPatterns,
    CaughtBuild,
    Compile,
    GetState,
    Inspect,
    Inspected,
    Load,
    Loaded,
    LookAgain,
    LookedAgain,
    Reply,
    Request,
    Returned,
    SetState,
    StateGot,
    StateSet,
)
from kernelgate.program.candidate import CANDIDATE_FILE
from kernelgate.program.folder import open_to_program
from kernelgate.torch_errors import cuda_error
from kernelgate.worker.arguments import argument_of, overwritten
from kernelgate.worker.behaviour import behaviour
from kernelgate.worker.build_client import Builds
from kernelgate.worker.call_modes import (
    DIFFERENTIATING,
    MAKE_ANOTHER,
    NotPossible,
    by_name,
    call,
    in_a_thread,
    wanting_gradients,
)
from kernelgate.worker.call_results import Before, Packing, Results, described, returned
from kernelgate.worker.device_compile import compile_device_code
from kernelgate.worker.exceptions import BuildCall, explain, passes_through_the_program
from kernelgate.worker.global_state import Watch, has_drawn, random_state
from kernelgate.worker.kernel_use import counted, examined, kernels_matter, watched
from kernelgate.worker.module_state import own_state, prepared, put_state
from kernelgate.worker.stopwatch import Stopwatch


class Worker:
    """One candidate in one process, from `Load` until the socket closes."""

    def __init__(self, fault_fd: int, notify: Callable[[Building], None], builds: Builds) -> None:
        self._fault_fd = fault_fd
        self._notify = notify
        self._builds = builds
        self._backend: Backend | None = None
        self._module: torch.nn.Module | None = None
        self._former: torch.nn.Module | None = None
        self._names: dict[str, str] = {}
        self._namespace: dict[str, Any] = {}
        self._inputs: list[Any] = []
        self._results = Results()
        self._stopwatch: Stopwatch | None = None
        self._watch: Watch | None = None
        self._failed_build: BuildCall | None = None
        self._caught_builds: list[CaughtBuild] = []
        self._raised_by_the_program: BaseException | None = None

    @property
    def backend(self) -> Backend:
        assert self._backend is not None, "Load comes first"
        return self._backend

    def answer(self, request: Request, descriptors: list[int]) -> tuple[Reply, list[int]]:
        """The reply to a request, and the descriptors to send with it."""
        to_send: list[int] = []
        try:
            if isinstance(request, Load):
                answer: Answer = self._load(request)
            elif isinstance(request, Construct):
                answer = self._construct(request, descriptors)
            elif isinstance(request, SetState):
                answer = self._set_state(request, descriptors)
            elif isinstance(request, GetState):
                answer, to_send = self._get_state(request)
            elif isinstance(request, LookAgain):
                answer, to_send = self._look_again(request)
            elif isinstance(request, CallOnPatterns):
                answer, to_send = self._call_on_patterns(request)
            elif isinstance(request, Inspect):
                answer = self._inspect()
            elif isinstance(request, Behave):
                answer, to_send = _behaviour(request)
            elif isinstance(request, Compile):
                answer = compile_device_code(request)
            elif isinstance(request, Measure):
                answer, to_send = self._measure(request, descriptors)
            elif isinstance(request, Weigh):
                assert self._stopwatch is not None, "Measure comes first"
                answer = self._stopwatch.weigh()
            elif isinstance(request, Trace):
                assert self._stopwatch is not None, "Measure comes first"
                packing = Packing(self.backend)
                with self._running():
                    answer, to_send = self._stopwatch.trace(request, packing), packing.descriptors
            else:
                answer, to_send = self._call(request, descriptors)
        except BaseException as exc:  # also SystemExit and KeyboardInterrupt: the candidate may raise anything
            answer = explain(exc, self._failed_build)
            if isinstance(answer, Broke) and not self._is_the_programs(exc):
                raise
            if isinstance(answer, Broke) and self._backend is not None:
                cuda_error = "CUDA error" in answer.raised.message
                answer.findings = self._backend.findings(raised=cuda_error)
                answer.raised.unit, answer.raised.unit_line = self._backend.failed_check(exc) or (None, None)
        built = self._backend.built() if self._backend is not None else []
        return Reply(answer=answer, built=built), to_send

    @contextlib.contextmanager
    def _running(self, order: ThreadOrder = "normal") -> Iterator[None]:
        """The program runs inside: what leaves it by an exception is the program's."""
        try:
            with self.backend.running(order):
                yield
        except BaseException as exc:
            self._raised_by_the_program = exc
            raise

    def _is_the_programs(self, exc: BaseException) -> bool:
        """Whether the program is what raised, and not our own code around it: by if it was raised, or because it
        has broken the device or changed what our code uses."""
        theirs = exc is self._raised_by_the_program or passes_through_the_program(exc)
        theirs = theirs or bool(cuda_error(str(exc))) or is_out_of_memory(exc)
        return theirs or self._watch is None or bool(self._watch.changed())

    def _load(self, request: Load) -> Answer:
        self._backend = backend_for(request, self._fault_fd, self._builds, self._builds.cuda_extension)
        self._record_builds()
        open_to_program(request.folder)
        self._watch = Watch()

        module = types.ModuleType("candidate")
        module.__file__ = CANDIDATE_FILE
        sys.modules["candidate"] = module
        self._namespace = module.__dict__
        lines = request.python.splitlines(keepends=True)
        linecache.cache[CANDIDATE_FILE] = (len(request.python), None, lines, CANDIDATE_FILE)
        with self._running():
            exec(compile(request.python, CANDIDATE_FILE, "exec"), self._namespace)
        return Loaded()

    def _record_builds(self) -> None:
        from torch.utils import cpp_extension

        build: Callable[..., Any] = cpp_extension.load_inline
        signature = inspect.signature(build)

        @functools.wraps(build)
        def load_inline(*args: Any, **kwargs: Any) -> Any:
            try:
                arguments = dict(signature.bind(*args, **kwargs).arguments)
            except TypeError:  # a wrong call; its own error says so
                return build(*args, **kwargs)
            caller = sys._getframe(1)
            line = caller.f_lineno if caller.f_code.co_filename == CANDIDATE_FILE else None
            this = BuildCall(arguments, line)
            sources = this.cpp_sources, this.cuda_sources
            self._notify(Building(this.name, *sources, this.cuda_flags, this.includes))
            try:
                return build(*args, **kwargs)
            except Exception as exc:
                self._failed_build = this
                self._caught_builds.append(CaughtBuild(line, _first_error(str(exc))))
                raise
            finally:
                self._notify(Building(None))

        cpp_extension.load_inline = load_inline

    def _construct(self, request: Construct, descriptors: list[int]) -> Answer:
        init = [self._argument(argument, descriptors) for argument in request.init]
        state = {name: self.backend.read(parcel, descriptors) for name, parcel in request.state.items()}
        self._former = self._module if request.keep else None
        self._module = None
        seed_generators(request.seed, of_cuda=not self.backend.emulated)
        assert self._watch is not None, "Load comes first"
        self._watch.seeded()
        with self._running(), torch.no_grad():
            with torch.enable_grad():  # as in a cell
                module = constructed(self._namespace["ModelNew"], init)
            if not isinstance(module, torch.nn.Module):
                raise TypeError(f"ModelNew() gives {type(module).__name__}, not an nn.Module")
            module, answer = prepared(module, request, state, self.backend.to_device)
        if request.results_in:
            module.register_forward_hook(WrittenAsResult(request.results_in))
        self._module, self._names = module, answer.names
        return answer

    def _set_state(self, request: SetState, descriptors: list[int]) -> Answer:
        module = self._constructed()
        receive = self.backend.read if request.how == "in place" else self.backend.place
        state = {name: receive(parcel, descriptors) for name, parcel in request.state.items()}
        with self._running(), torch.no_grad():
            return StateSet(put_state(module, self._names, state, request.how))

    def _get_state(self, request: GetState) -> tuple[Answer, list[int]]:
        packing = Packing(self.backend)
        module = self._constructed()
        if request.saved:
            with self._running():
                state = dict(module.state_dict())
        else:
            state = own_state(module)
        tensors = [(name, one) for name, one in state.items() if isinstance(one, torch.Tensor)]
        own = [(str(name), one) for name, one in tensors if self.backend.is_device_tensor(one)][:MAX_TENSORS]
        return StateGot(state={name: packing.add(tensor) for name, tensor in own}), packing.descriptors

    def _look_again(self, request: LookAgain) -> tuple[Answer, list[int]]:
        if request.module_ends:
            self._module = self._former = None
        packing = Packing(self.backend)
        results = [[packing.add(one) for one in tensors] for tensors in self._results.all[-request.count :]]
        return LookedAgain(results=results), packing.descriptors

    def _call(self, request: Call, descriptors: list[int]) -> tuple[Answer, list[int]]:
        module = self._former if request.former else self._constructed()
        assert module is not None, "Construct with `keep` comes first"
        if request.manner in ("examined", "counted", "without kernels"):
            return self._examine(request, descriptors), []
        inputs = [self._argument(argument, descriptors) for argument in request.inputs]
        if request.same_memory:
            inputs = overwritten(self._inputs, inputs)
        upstream = self._argument(request.upstream, descriptors) if request.upstream is not None else None
        given = wanting_gradients(inputs) if request.manner == "inputs want gradients" else inputs
        tensors = tensors_in(given) + ([upstream] if upstream is not None else [])
        self.backend.poison(max((t.untyped_storage().nbytes() for t in tensors), default=0))
        found: list[torch.Tensor | None] = []
        operators: list[str] = []
        kernels: list[str] | None = None
        left_open: list[str] = []
        launches = self.backend.launches()
        if request.seed is not None:
            seed_generators(request.seed, of_cuda=not self.backend.emulated)
            assert self._watch is not None, "Load comes first"
            self._watch.seeded()
        before = Before(given, tensors, () if request.same_memory else self._inputs)
        drawn_before = random_state()
        self.backend.findings()  # an unchecked launch of an earlier call explains nothing here
        try:
            if request.manner == "in a thread":
                result = self._in_a_thread(module, given, request.order, left_open)
            with self._running(request.order):
                if request.manner in DIFFERENTIATING:
                    assert upstream is not None
                    result, found = DIFFERENTIATING[request.manner](module, given, upstream)
                elif request.manner == "observed":
                    result, operators, kernels = watched(module, given, self.backend)
                elif request.manner != "in a thread":
                    called, emulated = by_name(module, request.names), self.backend.emulated
                    result = call(called, given, request.manner, emulated=emulated, left_open=left_open)
                self._watch_closely(left_open)
                damage = self.backend.finish()
        except NotPossible as exc:
            nothing = Returned(what="", outputs=[], aliases_input=False, inputs=[])
            nothing.not_possible = str(exc)
            return nothing, []
        self._inputs = inputs
        drew = request.manner not in MAKE_ANOTHER and has_drawn(drawn_before)
        own = module if request.manner == "plain" else None
        answer, to_send = returned(result, found, damage, before, self._results, self.backend, own)
        answer.drew = drew
        if request.manner == "observed":
            after = self.backend.launches()
            answer.operators = operators
            answer.launches = after - launches if after is not None and launches is not None else None
            answer.device_kernels = [name[:600] for name in kernels or ()]
            answer.caught_builds = self._caught_builds[:8]
        return answer, to_send

    def _in_a_thread(
        self, module: torch.nn.Module, given: Sequence[Any], order: ThreadOrder, left_open: list[str]
    ) -> Any:
        def plain() -> Any:
            with self._running(order):  # modes are a thread's own
                return call(module, given, "plain", emulated=self.backend.emulated, left_open=left_open)

        return in_a_thread(plain, next((one.device for one in tensors_in(list(given))), None))

    def _call_on_patterns(self, request: CallOnPatterns) -> tuple[Answer, list[int]]:
        module = self._constructed()
        self.backend.release()
        given = fill(self.backend.empty(request.shape, dtype_of(request.dtype)), request.first)
        with self._running(), torch.no_grad():
            result = module(given)
            damage = self.backend.finish()
        packing = Packing(self.backend)
        what, form, tensors = described(result, self.backend)
        outputs = [packing.add(one) for one in tensors]
        answer = Returned(what, outputs, aliases_input=False, inputs=[], damage=damage[:20], form=form)
        return answer, packing.descriptors

    def _measure(self, request: Measure, descriptors: list[int]) -> tuple[Answer, list[int]]:
        self.backend.release()
        if request.inputs:
            self._stopwatch = None
            inputs = [self._argument(argument, descriptors) for argument in request.inputs]
            given = self._argument(request.upstream, descriptors) if request.upstream is not None else None
            self._stopwatch = Stopwatch(self._constructed(), inputs, given, request.flush_bytes)
        assert self._stopwatch is not None, "inputs come first"
        packing = Packing(self.backend)
        with self._running():
            return self._stopwatch.measure(request, packing), packing.descriptors

    def _examine(self, request: Call, descriptors: list[int]) -> Answer:
        def inputs() -> list[Any]:
            return [self._argument(argument, descriptors) for argument in request.inputs]

        def called(given: Sequence[Any]) -> Any:
            with self._running(request.order), torch.no_grad():
                result = self._constructed()(*given)
                self.backend.read_back(result)
                return result

        nothing = Returned(what="", outputs=[], aliases_input=False, inputs=[])
        if request.manner == "without kernels":
            nothing.kernels_matter = kernels_matter(called, inputs, self.backend)
            return nothing
        if request.manner == "counted":
            nothing.costs = counted(lambda: called(inputs()), self.backend)
            return nothing
        nothing.findings, nothing.unwritten_matters = examined(lambda: called(inputs()), self.backend)
        return nothing

    @property
    def module(self) -> torch.nn.Module | None:
        """The candidate's module, once it has been constructed."""
        return self._module

    def _constructed(self) -> torch.nn.Module:
        assert self._module is not None, "Construct comes first"
        return self._module

    def _watch_closely(self, left_open: Sequence[str]) -> None:
        """Before the result is touched: a replacement of a function may undo itself when called."""
        assert self._watch is not None, "Load comes first"
        self._watch.look(left_open)

    def _inspect(self) -> Answer:
        assert self._watch is not None, "Load comes first"
        return Inspected([words[:2000] for words in self._watch.changed()[:50]], self._watch.seeds())

    def _argument(self, argument: Argument, descriptors: list[int]) -> Any:
        return argument_of(argument, self.backend.place, descriptors)


def _first_error(log: str) -> str:
    """A compiler's first error, or the first line: what it prints begins with the command."""
    found = re.search(r"\berror: (.+)", log)
    return (found[1] if found else log.strip().partition("\n")[0])[:300]


def _behaviour(request: Behave) -> tuple[Answer, list[int]]:
    device = torch.device("cuda", request.device_index) if request.device == "cuda" else torch.device("cpu")
    descriptors: list[int] = []
    values = {name: pack_host(value, descriptors) for name, value in behaviour(device).items()}
    return Behaved(values), descriptors
