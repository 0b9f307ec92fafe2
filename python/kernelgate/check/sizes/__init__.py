"""Smaller sizes of a problem, at which its reference still runs.

`numbers` finds what can be set, `roles` says what each is for, `steps` which values come next, `work` what a call
costs, `search` puts them together, `bounds` says whether a number still counts, `candidate` sets them in a candidate's
text as well.
Not here: how much is affordable (`judge.reference.affordable`).
"""
