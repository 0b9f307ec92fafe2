"""The trusted process: owns seeds, reference and verdict. It asks workers and believes nothing they say.

Start at `judge.pipeline`: a run from the text to the verdict. **Invariant:** no candidate is loaded here.
"""
