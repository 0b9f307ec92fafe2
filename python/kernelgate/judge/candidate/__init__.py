"""The candidate in its worker: a process, a module that stays alive, and the results of its calls."""
