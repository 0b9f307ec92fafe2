"""The stages time and profile, as judge and worker take them: who is timed, in turns, by which clocks, and how close to
the limit. Start at `stage`; the worker's side is `stopwatch`.

What is measured, and what samples mean, lies in `timing` and `profile`, which know nothing of processes.
"""
