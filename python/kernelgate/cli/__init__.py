"""The `kernelgate` command. Start at `cli.main`."""
