"""What a process gives up before it loads a candidate or runs a compiler: Landlock, seccomp, descriptors, limits.

`sandbox.confined_process` runs a function in a process that is confined like this.
"""
