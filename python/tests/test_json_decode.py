"""What other processes say becomes records, or an error: in any thread, and whatever they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from kernelgate.json_decode import decoded

PACKAGE = Path(__file__).parents[1]
REPORT = Path(__file__).parent / "fixtures/reports/benchmark.json"

# Threads that begin half a millisecond apart, and take turns every microsecond: with msgspec's own decode, each of
# twenty such processes ended with a segmentation fault.
AT_ONCE = """
import sys, threading, time
from pathlib import Path
from kernelgate.json_decode import decoded
from kernelgate.report import Report

body = Path(sys.argv[1]).read_bytes()
verdicts = []

def decode(after_s):
    time.sleep(after_s)
    verdicts.append(decoded(body, Report).verdict.outcome)

threads = [threading.Thread(target=decode, args=(0.0005 * each,)) for each in range(30)]
sys.setswitchinterval(1e-6)
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(verdicts), set(verdicts))
"""


class Named(msgspec.Struct):
    name: str


def test_threads_that_decode_a_report_for_the_first_time_together_all_get_it() -> None:
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE, str(REPORT)], cwd=PACKAGE, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "30 {'pass'}\n"), done.stderr


@pytest.mark.parametrize(
    "data",
    [b"", b"name", b'{"name": 1}', b'{"name": "\xff"}', b'{"name": "\xed\xa0\x80"}', b'{"other": ' + b"[" * 100_000],
    ids=["nothing", "no JSON", "another type", "not UTF-8", "half of a surrogate pair", "nested deeply"],
)
def test_what_describes_no_record_is_a_decode_error(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decoded(data, Named)
