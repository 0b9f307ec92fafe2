"""The device compile check: compiles the device part of a source, and reports what is certain.

In: a source, an architecture, the program's flags. Out: `DeviceCompile`.
A program that nvcc builds must never be refused here. So it refuses a short list of errors that both compilers share.
Any other error may come from the cut, or from the headers that stand in for others: then the source was "not looked
at". Not here: words for a report (`judge.stages.device_compile`).
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from kernelgate.cuda_source.device_part import MARK, DevicePart, Item, device_part
from kernelgate.cuda_source.instances import Instance, chosen, instances
from kernelgate.cuda_source.preprocessor import CUDA_DEFINES, without_dropped_lines
from kernelgate.messages.device_compile import MAX_LISTING, DeviceCompile, KernelBuild, Refusal
from kernelgate.nvrtc import log
from kernelgate.nvrtc.instructions import by_line
from kernelgate.nvrtc.library import MISSING, Compiled, Nvrtc, nvrtc
from kernelgate.nvrtc.log import demangled, refused_ptx
from kernelgate.report.bounded import cut
from kernelgate.tools.cuobjdump import sass

_ATTEMPTS = 16
_MOST_KERNELS = 16  # a template may be launched with dozens of arguments, and each takes its time
_UNIT = "cuda.cu"
_STANDARD = "c++20"
# Prototypes of host functions stay.
_FLAGS = (
    "--device-as-default-execution-space",
    "--ptxas-options=-v",
    "--device-int128",
    "--pre-include=kernelgate_std.h",
)
_WITH_LINES = ("-lineinfo",)
_PASSED_ON = re.compile(r"-D\w+(?:=[\w+-]*)?|-U\w+|--?std=c\+\+\d\d|--?use_fast_math|--?maxrregcount=\d+|--?fmad=\w+")

# What both compilers refuse in the same words, and what to do about it.
_REFUSED: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"device code does not support exception handling"), "Leave exceptions to host code"),
    (re.compile(r"initializer not allowed for __shared__ variable"), "Assign to it in the kernel, then synchronise"),
    (
        re.compile(r"dynamic initialization is not supported for a (?:__constant__|__device__|__shared__) variable"),
        "Initialise it with a constant, or with cudaMemcpyToSymbol",
    ),
    (re.compile(r"a __global__ function must have a void return type"), "Return void, and write to an argument"),
    (re.compile(r"a __global__ function cannot have ellipsis"), "Name the parameters"),
    (
        re.compile(r"A __global__ function or function template cannot be a member function"),
        "Take the kernel out of the class",
    ),
    (re.compile(r"cannot use thread_local specifier"), "Take thread_local away: a local variable is a thread's own"),
    (re.compile(r"expression must have a constant value"), "Give the array a size that is known to the compiler"),
)
_UNDEFINED = re.compile(r"identifier \"([\w:]+)\" is undefined")
_NO_MEMBER = re.compile(r"namespace \"std\" has no member \"(\w+)\"")
_MARKED = re.compile(rf"function \"(.+)\" was declared deprecated \(\"{MARK}\"\)")
_TOO_MUCH_SHARED = re.compile(r"Entry function '(\w+)' uses too much shared data \(0x(\w+) bytes, 0x(\w+) max\)")
_NAME_EXPRESSION = re.compile(r"Input name expression was: \"(.*)\"")
# In C's library or in namespace std, and never for the device.
_OF_THE_HOST = {"rand", "srand", "random", "drand48", "getenv", "system", "exit", "puts", "putchar", "fprintf", "fopen"}
_OF_THE_HOST |= {"usleep", "sleep", "gettimeofday"}
_STD_OF_THE_HOST = {"cout", "cerr", "function", "rand", "map", "unordered_map", "mutex", "thread", "random_device"}
_STD_OF_THE_HOST |= {"mt19937", "shared_ptr"}
# nvcc takes these as C++20, if they are constexpr.
_STD_BEFORE_20 = {"vector", "string", "sort"}
_UNEVALUATED = re.compile(
    r"\b(?:decltype|sizeof|alignof|noexcept|requires|static_assert|declval|typedef|using|constexpr)\b"
)
_GLOBAL = re.compile(r"^(?:\.\w+\s+)*\.global\s[^;=\n]*?\s(\w+)(?:\[\d*\])?\s*[=;]", re.MULTILINE)


def check_device_code(
    source: str, arch: str, flags: Sequence[str] = (), listing: bool = False, lines: bool = False
) -> DeviceCompile:
    """`flags`: the program's own for nvcc; `listing`: give the code as text as well; `lines`: count each line's
    instructions. NVRTC may end the process."""
    library = nvrtc()
    if library is None:
        return DeviceCompile(arch, "not looked at", MISSING)
    started = time.monotonic()
    kept = [flag for flag in flags if _PASSED_ON.fullmatch(flag)]
    result = _Check(library, source, arch, [*kept, *(_WITH_LINES if lines else ())]).result(listing)
    result.seconds = time.monotonic() - started
    return result


def used_by(source: str, arch: str, flags: Sequence[str] = ()) -> list[log.Used]:
    """What every kernel of a source without host code takes. Raises ValueError with the log if it does not compile,
    OSError if there is no NVRTC."""
    library = nvrtc()
    if library is None:
        raise OSError(MISSING)
    look = _Check(library, source, arch, flags)
    compiled = look.compile(device_part(source, marked=False), [])
    if not compiled.succeeded:
        raise ValueError(compiled.log)
    return log.used(compiled.log)


class _Check:
    def __init__(self, library: Nvrtc, source: str, arch: str, flags: Sequence[str]) -> None:
        self._library = library
        self._arch = arch
        self._flags = flags
        number = re.sub(r"\D", "", arch)
        defines = [f"-D__CUDA_ARCH__={number}0", *(flag for flag in flags if flag.startswith(("-D", "-U")))]
        self._source = without_dropped_lines(source, defines)
        self._marked = True
        self._blanked: list[Item] = []
        self._left_out: dict[str, Instance] = {}

    def result(self, listing: bool) -> DeviceCompile:
        for _ in range(_ATTEMPTS):
            part = device_part(self._source, marked=self._marked, without=self._blanked)
            if not any(item.kernel for item in part.items):
                return self._not_looked_at("no kernel stands in its text")
            missing = next((name for name in part.headers if not self._library.has_header(name)), None)
            if missing is not None:
                return self._not_looked_at(f"it includes {missing}, which is not installed: {_INSTALL}")
            possible = [one for one in instances(part) if one.name not in self._left_out]
            wanted = chosen(possible, _MOST_KERNELS)
            compiled = self.compile(part, wanted)
            found = list(log.messages(compiled.log))
            errors = [one for one in found if one.error]
            if errors and (self._without_names(errors, wanted) or self._without_items(errors, part)):
                continue
            if errors:
                refusal = self._refusal(errors[0], part, wanted)
                if refusal is not None:
                    return self._refused(refusal)
                if self._marked:  # a mark in a wrong place is our mistake
                    self._marked = False
                    continue
                return self._not_looked_at(_reason(errors[0], part))
            refusal = self._host_function(found, part, wanted) or self._too_much_shared(compiled, part, wanted)
            if refusal is not None:
                return self._refused(refusal)
            if not compiled.succeeded:
                return self._by_ptxas(compiled)
            refusal = self._host_variable(compiled.ptx, part)
            if refusal is not None:
                return self._refused(refusal)
            return self._compiled(compiled, part, wanted, len(possible) - len(wanted), listing)
        return self._not_looked_at("its device code cannot be distinguished from its host code")

    def compile(self, part: DevicePart, wanted: Sequence[Instance]) -> Compiled:
        flags = [*_FLAGS, *CUDA_DEFINES]
        if not any("std=" in flag for flag in self._flags):
            flags.append(f"--std={_STANDARD}")
        if part.needs_libcuxx:
            flags.append("-DKERNELGATE_LIBCUXX")
        names = [one.name for one in wanted]
        if part.uses_torch or any("c10::" in name for name in names):
            flags.append("--pre-include=kernelgate_torch.h")
        return self._library.compile(part.text, self._arch, [*flags, *self._flags], names, _UNIT)

    # --- what is left out and tried again -----------------------------------------------------------------------------

    def _without_names(self, errors: Sequence[log.Found], wanted: Sequence[Instance]) -> bool:
        """Leaves out the kernels whose names NVRTC cannot read, which it tells with other blanks."""
        before = len(self._left_out)
        for error in errors:
            named = _NAME_EXPRESSION.search(error.message)
            for one in wanted if named is not None else ():
                if named is not None and re.sub(r"\s", "", one.name) == re.sub(r"\s", "", named[1]):
                    self._left_out[one.name] = one
        return len(self._left_out) > before

    def _without_items(self, errors: Sequence[log.Found], part: DevicePart) -> bool:
        """Blanks what is no device code, where an error lies in it."""
        before = len(self._blanked)
        for error in errors:
            position = part.position(error.line, error.column) if error.unit == _UNIT else None
            item = part.item_at(position) if position is not None else None
            if item is not None and item.kind not in ("device", "both") and item not in self._blanked:
                self._blanked.append(item)
        return len(self._blanked) > before

    # --- what is refused for certain ----------------------------------------------------------------------------------

    def _refusal(self, error: log.Found, part: DevicePart, wanted: Sequence[Instance]) -> Refusal | None:
        """Why the first error is one of the program, if that is certain."""
        item = self._of_the_device(error, part, wanted)
        if item is None:
            return None
        for pattern, next_step in _REFUSED:
            if pattern.search(error.message):
                return self._at(error, part, error.message.strip(), next_step)
        undefined, member = _UNDEFINED.search(error.message), _NO_MEMBER.search(error.message)
        name = undefined[1] if undefined is not None else f"std::{member[1]}" if member is not None else ""
        hosts = {one.name for one in part.items if one.kind == "host" and not one.inside}
        others = {one.name for one in part.items if one.kind != "host"}
        known = _OF_THE_HOST | (hosts - others)
        std = _STD_OF_THE_HOST | (_STD_BEFORE_20 if self._before_20 else set())
        if name in known or (member is not None and member[1] in std):
            return self._at(error, part, *_host_words(name, item, own=name in hosts))
        return None

    @property
    def _before_20(self) -> bool:
        return any(re.fullmatch(r"--?std=c\+\+1\d", flag) for flag in self._flags)

    def _host_function(
        self, found: Sequence[log.Found], part: DevicePart, wanted: Sequence[Instance]
    ) -> Refusal | None:
        for one in found:
            marked = _MARKED.search(one.message)
            if marked is None:
                continue
            item = self._of_the_device(one, part, wanted)
            if item is not None and not self._unevaluated(one, part):
                return self._at(one, part, *_host_words(re.sub(r" \[with .*", "", marked[1]), item, own=True))
        return None

    def _of_the_device(self, one: log.Found, part: DevicePart, wanted: Sequence[Instance]) -> Item | None:
        """The function for the device alone that a message is about; None if it need not be compiled: in a template
        that the program does not instantiate, or that we have instantiated by guessing."""
        position = part.position(one.line, one.column) if one.unit == _UNIT else None
        item = part.item_at(position) if position is not None else None
        if item is None or item.kind != "device":
            return None
        guessed = any(instance.guessed for instance in wanted)
        in_a_template = item.template or any(
            other.template and other.start <= item.start and item.end <= other.end for other in part.items
        )
        return None if in_a_template and (guessed or not one.instantiated) else item

    def _unevaluated(self, one: log.Found, part: DevicePart) -> bool:
        position = part.position(one.line, one.column) or 0
        start = max(part.seen.rfind(mark, 0, position) for mark in ";{}")
        return _UNEVALUATED.search(part.seen, start + 1, position) is not None

    def _too_much_shared(
        self, compiled: Compiled, part: DevicePart, wanted: Sequence[Instance]
    ) -> Refusal | None:
        for error in log.ptxas_errors(compiled.log):
            found = _TOO_MUCH_SHARED.search(error)
            if found is None or any(one.guessed for one in wanted):
                continue
            name = demangled(found[1])
            item = next((i for i in part.items if i.kernel and re.search(rf"\b{i.name}\b", name)), None)
            used, most = int(found[2], 16), int(found[3], 16)
            return Refusal(
                f"{name} declares {used:,} bytes of __shared__ memory, and a kernel may declare {most:,}",
                part.source.count("\n", 0, item.start) + 1 if item is not None else 0,
                0,
                "Declare it extern, and ask for it in the launch, after cudaFuncSetAttribute",
            )
        return None

    def _host_variable(self, ptx: str, part: DevicePart) -> Refusal | None:
        """A variable of the host that the compiled code reads: here it was compiled as one of the device."""
        symbols = set(_GLOBAL.findall(ptx))
        for item in part.items:
            if item.kind != "variable" or item.inside or not item.name or item in self._blanked:
                continue
            length = len(item.name)
            spelled = re.compile(rf"_ZL{length}{item.name}|_ZN\w*?L?{length}{item.name}E|{item.name}")
            symbol = next((one for one in symbols if spelled.fullmatch(one)), None)
            used = self._used(part, item.name) if symbol is not None and _reads(ptx, symbol) else None
            if used is not None:
                return Refusal(
                    f"device code reads {item.name}, a variable of the host",
                    part.source.count("\n", 0, used) + 1,
                    0,
                    f"Declare {item.name} __constant__ or __device__, or pass it to the kernel",
                )
        return None

    def _used(self, part: DevicePart, name: str) -> int | None:
        """Where the code of the device names it first."""
        for found in re.finditer(rf"\b{name}\b", part.seen):
            item = part.item_at(found.start())
            if item is not None and item.kind == "device" and item.body is not None:
                return found.start()
        return None

    def _at(self, one: log.Found, part: DevicePart, what: str, next_step: str) -> Refusal:
        position = part.position(one.line, one.column)
        column = 0 if position is None else position - part.source.rfind("\n", 0, position)
        return Refusal(what[:1500], one.line, column, next_step)

    # --- the result ---------------------------------------------------------------------------------------------------

    def _refused(self, refusal: Refusal) -> DeviceCompile:
        return DeviceCompile(self._arch, "refused", refusal=refusal)

    def _not_looked_at(self, why: str) -> DeviceCompile:
        return DeviceCompile(self._arch, "not looked at", why[:1500])

    def _by_ptxas(self, compiled: Compiled) -> DeviceCompile:
        errors = log.ptxas_errors(compiled.log)
        unsupported = next((e for e in errors if re.search(r"not supported on|requires .*(?:target|sm_)", e)), None)
        if unsupported is not None:
            return DeviceCompile(self._arch, "unsupported", unsupported[:1500])
        refusal = refused_ptx(self._source, errors)
        if refusal is not None:
            return self._refused(refusal)
        return self._not_looked_at(errors[0] if errors else "NVRTC ended without naming an error")

    def _compiled(
        self, compiled: Compiled, part: DevicePart, wanted: Sequence[Instance], more: int, listing: bool
    ) -> DeviceCompile:
        by_symbol = {symbol: name for name, symbol in compiled.lowered.items()}
        asked = {one.name: one for one in wanted}
        names, kernels = {}, []
        for one in log.used(compiled.log)[:64]:
            instance = asked.get(by_symbol.get(one.name, ""))
            name = names[one.name] = instance.name if instance is not None else demangled(one.name)
            threads = instance.threads if instance is not None else None
            bound = _launch_bound(compiled.ptx, one.name)
            kernels.append(
                KernelBuild(
                    name=name[:300],
                    registers=one.registers,
                    stack_bytes=one.stack_bytes,
                    spill_store_bytes=one.spill_store_bytes,
                    spill_load_bytes=one.spill_load_bytes,
                    static_shared_bytes=one.shared_bytes,
                    constant_bytes=one.constant_bytes,
                    threads=threads or bound,
                    launched=threads is not None,
                    dynamic_bytes=instance.dynamic_bytes if instance is not None else None,
                )
            )
        built = {one.kernel.name for one in wanted if one.name in compiled.lowered}
        left_out = [item.name for item in part.items if item.kernel and item.body and item.name not in built]
        if not kernels:
            return self._not_looked_at(
                "its kernels are templates, and their arguments are not in the text"
                if left_out
                else "no kernel was compiled"
            )
        return DeviceCompile(
            self._arch,
            "compiled",
            kernels=kernels,
            left_out=[name[:300] for name in dict.fromkeys(left_out)][:64],
            more=more,
            cubin_bytes=len(compiled.cubin),
            lines=by_line(compiled.ptx, names, _UNIT) if _WITH_LINES[0] in self._flags else [],
            ptx=cut(compiled.ptx, MAX_LISTING) if listing else "",
            sass=cut(sass(compiled.cubin), MAX_LISTING) if listing else "",
        )


_INSTALL = "pip install 'kernelgate[nvrtc]'"


def _host_words(name: str, item: Item, *, own: bool) -> tuple[str, str]:
    """What is wrong and what to do where device code calls a function of the host."""
    caller = f"kernel {item.name}" if item.kernel else f"device function {item.name}"
    if "operator()" not in name:
        name = name.split("(")[0]
    what = f"{caller} uses {name}, which is for the host alone"
    if own and not name.startswith(("at::", "torch::")):
        return what, f"Declare {name} __device__"
    return what, "Use something that CUDA has on the device, or pass what it gives to the kernel"


def _reads(ptx: str, symbol: str) -> bool:
    """Whether an instruction names a symbol."""
    named = re.compile(rf"^[ \t]+[^.\n][^\n]*(?<![\w.%$]){symbol}(?![\w$])", re.MULTILINE)
    return named.search(ptx) is not None


def _reason(error: log.Found, part: DevicePart) -> str:
    where = f"line {error.line}: " if error.unit == _UNIT else f"{error.unit}: "
    return where + error.message


def _launch_bound(ptx: str, symbol: str) -> int | None:
    """The most threads of a block that the kernel was compiled for."""
    entry = re.search(rf"\.entry {re.escape(symbol)}\(", ptx)
    if entry is None:
        return None
    body = ptx.find("{", entry.end())
    found = re.search(r"\.(?:max|req)ntid\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?", ptx[entry.end() : body])
    if found is None:
        return None
    threads = int(found[1]) * int(found[2] or 1) * int(found[3] or 1)
    return threads if 0 < threads <= 1024 else None
