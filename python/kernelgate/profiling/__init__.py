"""What a program does on the device: its launches, their resources, and what those allow.

Knows nothing of processes and of reports: `judge.measured` conducts, and fills the report.
"""
