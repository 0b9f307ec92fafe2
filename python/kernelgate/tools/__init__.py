"""NVIDIA's programs: a command and a reader of its output each. A tool that is missing is said, never guessed."""
