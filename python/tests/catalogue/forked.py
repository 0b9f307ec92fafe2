"""A piece of a test in a process of its own: autograd starts threads, after which a fork has none."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable


def run_forked(body: Callable[[], None]) -> None:
    """Runs `body` in a forked process; fails where it raises, whose traceback goes to the standard error."""
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        status = 0
        try:
            body()
        except BaseException:
            traceback.print_exc()
            status = 1
        sys.stderr.flush()
        os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, "see the traceback above"
