"""What a candidate is tried on: the kinds of a problem's inputs, the cases, and the shapes that they have."""
