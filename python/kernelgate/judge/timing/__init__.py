"""What the stages `time` and `profile` work with: programs under test, samples, clocks, and how close to the limit.

What samples mean lies in `timing` and `profile`, which know nothing of processes.
"""
