"""The mistakes that people make in a kernel: as explanations of a wrong result, and as mutants that a check must
catch."""
