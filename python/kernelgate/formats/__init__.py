"""What other benchmarks write and read, as text of ours: one module a format (docs/formats.md)."""
