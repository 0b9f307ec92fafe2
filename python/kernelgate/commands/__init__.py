"""What the shell command and the magics share: options, subcommands, files that a person names, and the doctor.

Knows how to ask for a run, and nothing of how one is done. Importing it imports no torch.
"""
