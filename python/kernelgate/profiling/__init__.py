"""What a program does on the device: its launches, their resources, and the occupancy that these allow.

Knows no processes: the stage `judge.stages.profile` conducts, and `judge.timing.kernel_facts` makes rows of a report.
"""
