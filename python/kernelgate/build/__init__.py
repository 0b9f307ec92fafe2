"""Building candidates: load_inline with a cache, and why a build failed. Start at `build.diagnostics`."""
