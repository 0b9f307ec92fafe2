"""Reading programs: a candidate from Python, Markdown or CUDA C++, and the way back to the person's lines."""

from kernelgate.program.advice import advise
from kernelgate.program.candidate import Candidate
from kernelgate.program.from_cuda import OperatorLike, ParameterLike
from kernelgate.program.names import NameUse, endless_functions, undefined_names
from kernelgate.program.read import MAX_SOURCE_BYTES, read
from kernelgate.program.source import ProgramError, Source, unreadable

__all__ = [
    "MAX_SOURCE_BYTES",
    "Candidate",
    "NameUse",
    "OperatorLike",
    "ParameterLike",
    "ProgramError",
    "Source",
    "advise",
    "endless_functions",
    "read",
    "undefined_names",
    "unreadable",
]
