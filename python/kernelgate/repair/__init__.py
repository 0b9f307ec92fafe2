"""Says why a program failed to build or raised, and how to change it. Start at `repair.diagnostics`."""
