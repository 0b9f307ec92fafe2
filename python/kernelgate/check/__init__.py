"""The check stage: inputs, comparison, and words for what is wrong. It knows nothing of processes."""
