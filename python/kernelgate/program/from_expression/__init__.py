"""An elementwise operator from one expression of PyTorch: a program that stands alone, and its problem.

In: `x * torch.sigmoid(x)`. Out: two texts in the KernelBench form. Nothing is executed and PyTorch is not imported.
`read.py` makes a term of the expression, `functions.py` its derivative, `cuda_lines.py` CUDA of both, and
`operator_program.py` the program around them. Not here: a program to start from (`program.scaffold`).
"""

from kernelgate.program.from_expression.operator_program import GeneratedOperator, operator

__all__ = ["GeneratedOperator", "operator"]
