"""Smaller sizes of a problem, at which its reference still runs.

`numbers` finds what can be set, `roles` says what each is for, `steps` which values come next, `work` what a call
costs, `search` puts them together, `candidate` sets them in a candidate's text as well.
Not here: how much is affordable, and whether a number still counts (`judge.reference.affordable`).
"""
