"""How long a call takes, and how long it must take at least: clocks, statistics, roofs, floors.

Knows nothing of processes and of reports: `judge.measured` conducts, and fills the report.
"""
