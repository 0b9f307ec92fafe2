"""NVIDIA's programs: a command and a reader of its output each. A missing tool is reported, never guessed around."""
