"""How long a call takes, and how long it must take at least: clocks, statistics, peak rates, lower bounds.

Knows no processes: the stage `judge.stages.time` conducts.
"""
