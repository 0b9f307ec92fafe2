"""How long a call takes, and how long it must take at least: clocks, statistics, roofs, floors.

Knows no processes: the stage `judge.stages.time` conducts.
"""
