"""What the stages `time` and `profile` work with: programs under test, samples, clocks, and how close to the limit.

`timing` and `profiling` say what samples mean, and know no processes.
"""
