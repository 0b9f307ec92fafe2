"""The person's own headers that a build may read: they decide a library's content as its sources do.

In: the texts of a program, and where a compiler looks for headers. Out: `OwnHeaders`, a digest of every file that may
be included and which files are not there. The toolchain's headers are left out, since the compiler's version stands for
them. After a build the compiler's own list shows whether one was missed. Not here: keys and the cache (`cache`).
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelgate.cuda_source.preprocessor import included
from kernelgate.emulator.build.toolchain import HEADER_FOLDERS, python_headers
from kernelgate.emulator.translate.refusals import HERE
from kernelgate.emulator.translate.units import torch_folder

_MOST_FILES = 1000
_MOST_BYTES = 4 << 20
_ABSENT = ""
_ALWAYS_SEARCHED = ("/usr/local/include",)
_ESCAPED = re.compile(r"(?<!\\)\s+")
_FOLDER = re.compile(r"(?:-I|-isystem|-iquote|-idirafter|--?include-path|--system-include)=?")
_FILE = re.compile(r"(?:-include|-imacros|--pre-include|-pre-include)=?")
_FOR_HOST = re.compile(r"(?:-Xcompiler|--compiler-options)=?")
_UNREADABLE = re.compile(r"@|-optf|--options-file|-B|--?specs|-fplugin|-iprefix|-iwithprefix|--?i?sysroot")


@dataclass(frozen=True)
class OwnHeaders:
    """`digests` by path, "" for a file that is not there; `complete` if they are all that a build can read.
    `folders`: those in which the person has headers, as far as is known."""

    digests: tuple[tuple[str, str], ...]
    complete: bool
    folders: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """Of those that are there, without their folders."""
        return frozenset(Path(path).name for path, digest in self.digests if digest)

    def holds(self, path: str) -> bool:
        real = os.path.realpath(path)
        return any(digest and os.path.realpath(own) == real for own, digest in self.digests)


@dataclass(frozen=True)
class Searched:
    """Where a compiler's flags make it look: folders, and files that it reads in any case."""

    folders: tuple[str, ...]
    files: tuple[str, ...] = ()
    complete: bool = True


def environment_folders(environment: Iterable[tuple[str, str | None]] | None = None) -> tuple[str, ...]:
    """The folders for headers that environment variables name."""
    found = dict(os.environ if environment is None else environment)
    return tuple(part for name in HEADER_FOLDERS for part in (found.get(name) or "").split(os.pathsep) if part)


def searched(flags: Sequence[str]) -> Searched:
    """What flags of g++ and nvcc name; some name it in a file, or in a way that is not read here."""
    words = [word for flag in flags for word in _host_words(flag)]
    folders: list[str] = []
    files: list[str] = []
    complete = True
    i = 0
    while i < len(words):
        for pattern, found in ((_FOLDER, folders), (_FILE, files)):
            if (m := pattern.match(words[i])) is not None:
                joined = words[i][m.end() :]
                if not joined:
                    i += 1
                    joined = words[i] if i < len(words) else ""
                found += joined.split(",") if joined else []
                break
        else:
            complete = complete and _UNREADABLE.match(words[i]) is None
        i += 1
    return Searched(tuple(folders), tuple(files), complete)


def _host_words(flag: str) -> list[str]:
    """The flags within `-Xcompiler -I,folder`, which stands for what follows it."""
    m = _FOR_HOST.match(flag)
    return [flag] if m is None else [word for word in re.split(r"[,\s]+", flag[m.end() :]) if word]


def own_headers(texts: Sequence[str], where: Searched) -> OwnHeaders:
    """Of all files that the texts may include, over any number of steps."""
    digests: dict[str, str] = {}
    complete = where.complete
    folders = (*where.folders, *_ALWAYS_SEARCHED)
    waiting: list[tuple[str, str | None]] = [(text, None) for text in texts]
    named = [path for file in where.files for path in _candidates(file, (*folders, "."))]
    while waiting or named:
        if not named:
            text, beside = waiting.pop()
            found = included(text)
            complete = complete and found.complete
            own = folders if beside is None else (beside, *folders)
            named = [path for name in sorted(found.names) for path in _candidates(name, own)]
            continue
        path = named.pop()
        if path in digests or is_toolchains(path):
            continue
        content = _content(path)
        if len(digests) >= _MOST_FILES or (content is not None and len(content) > _MOST_BYTES):
            return _headers(digests, where, complete=False)
        digests[path] = _ABSENT if content is None else hashlib.sha256(content).hexdigest()
        if content is not None:
            waiting.append((content.decode(errors="replace"), str(Path(path).parent)))
    return _headers(digests, where, complete=complete)


def _headers(digests: dict[str, str], where: Searched, *, complete: bool) -> OwnHeaders:
    folders = (*where.folders, *(str(Path(path).parent) for path, digest in digests.items() if digest))
    return OwnHeaders(tuple(sorted(digests.items())), complete, tuple(dict.fromkeys(folders)))


def _candidates(name: str, folders: Sequence[str]) -> list[str]:
    return [str(Path(folder, name)) for folder in (("/",) if Path(name).is_absolute() else folders)]


def _content(path: str) -> bytes | None:
    try:
        if not Path(path).is_file():  # no pipe is waited for
            return None
        with Path(path).open("rb") as file:
            return file.read(_MOST_BYTES + 1)
    except OSError:
        return None


def is_toolchains(path: str) -> bool:
    """Whether a header belongs to a compiler, to CUDA, to Python, to PyTorch or to the emulator."""
    return _lies_in(path, _toolchain())


def dependencies(text: str) -> list[str]:
    """The files of a rule as compilers write it with -MD: "target: first second \\"."""
    rule = text.replace("\\\n", " ").partition(": ")[2].split("\n")[0]
    words = [word for word in _ESCAPED.split(rule.strip()) if word]
    return [re.sub(r"\\([\s#])", r"\1", word).replace("$$", "$") for word in words]


def missed(read: Iterable[str], own: OwnHeaders) -> list[str]:
    """Of the files that a compiler has read, those of the person's that no digest stands for. What lies elsewhere a
    compiler finds without a flag: it is its own."""
    return [
        path
        for path in read
        if _lies_in(path, own.folders) and not is_toolchains(path) and not own.holds(path)
    ]


def _lies_in(path: str, folders: Iterable[str]) -> bool:
    real = os.path.realpath(path)
    return Path(path).is_absolute() and any(real.startswith(os.path.realpath(f) + os.sep) for f in folders)


@functools.cache
def _toolchain() -> tuple[str, ...]:
    roots = [HERE, python_headers(), Path("/usr/include"), Path("/usr/lib"), Path("/usr/lib64")]
    torch = torch_folder()
    if torch is not None:
        roots += [torch, torch.parent / "nvidia"]
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda", _prefix("nvcc")):
        if home:
            roots += [Path(home) / part for part in ("include", "targets", "lib", "lib64", "nvvm")]
    for compiler in (os.environ.get("CXX", "g++").split(" ")[0], os.environ.get("CC", "gcc").split(" ")[0]):
        prefix = _prefix(compiler)
        if prefix:
            roots += [Path(prefix) / part for part in ("lib", "lib64", "include/c++")]
            roots += Path(prefix).glob("*-linux-gnu*")
    return tuple(dict.fromkeys(os.path.realpath(root) for root in roots))


def _prefix(program: str) -> str | None:
    found = shutil.which(program) if program else None
    return None if found is None else str(Path(found).resolve().parents[1])
