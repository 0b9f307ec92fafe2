"""What the runtime reports about a running kernel: one line, decoded and put into words."""
