"""Smaller sizes of a problem, at which its reference still runs.

`numbers` finds what can be set and what each is for, `work` what a call costs, `search` which values come next,
`candidate` sets them in a candidate's text as well. Not here: how much is affordable, and whether a number still counts
(`judge.reference.affordable`).
"""
