"""The stages of a run, a module each. `judge.pipeline` runs them in order."""
