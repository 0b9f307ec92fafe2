"""Compiling translated programs and the emulator's own libraries, and the cache of what was compiled."""
