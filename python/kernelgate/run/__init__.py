"""Judging a candidate: `run` takes a job and gives a report; processes of their own do the work.

report = run(Job(run=new_run_id(), text=text, label="my.py", problem="leakyrelu"))
"""

from kernelgate.messages.job import Job, Limits, UsageError, new_run_id, parse_shape
from kernelgate.run.client import end_idle, run, wait_for_the_next_command

__all__ = ["Job", "Limits", "UsageError", "end_idle", "new_run_id", "parse_shape", "run", "wait_for_the_next_command"]
