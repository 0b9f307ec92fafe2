"""Builds candidates: load_inline with a cache by content. Start at `compile.cuda`, in the worker."""
