"""The mistakes that people make in a kernel, as explanations of a wrong result."""
