"""Messages between the fork server and the processes that it forks for: orders, and their results."""

from __future__ import annotations

from typing import Literal

import msgspec


class Start(msgspec.Struct, tag="start"):
    """Fork a process. Descriptors beside it: judge: its client's socket; worker: socket, output, faults.

    `cache`: where a worker's builder builds; what that leaves there half done is removed when it has ended.
    """

    role: Literal["judge", "worker"]
    cache: str = ""
    disguised: bool = False
    """A worker that looks like a notebook's kernel."""


class Stop(msgspec.Struct, tag="stop"):
    """Kill a process that was started over this socket, with all that it started."""

    pid: int


class Adopt(msgspec.Struct, tag="adopt"):
    """The first order of a later client. The descriptor beside it is where output of the server goes from now on."""


class Ready(msgspec.Struct, tag="ready"):
    """The first notice: the slow imports before the first fork are done."""


class Started(msgspec.Struct, tag="started"):
    pid: int


OWN_FAILURE = 70
"""The exit status of a process whose own code, not the program in it, has raised."""


class Ended(msgspec.Struct, tag="ended"):
    """`status` is the exit status, or minus the number of the signal that ended it."""

    pid: int
    status: int


Order = Start | Stop | Adopt
Notice = Ready | Started | Ended
