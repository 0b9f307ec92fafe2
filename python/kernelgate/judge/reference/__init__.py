"""The problem and its reference: sizes, inputs, calls, and expected values."""
