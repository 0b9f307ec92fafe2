"""Triton's kernels on the CPU, by Triton's own interpreter, with every access looked at.

`launches` is what the rest of the emulator knows; `interpreter` takes Triton over when the program imports it;
`builder` computes as a GPU does where the interpreter does not; `accesses` looks at memory, and knows no Triton.
"""
