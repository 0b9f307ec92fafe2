"""What a program calls that writes programs: tools with typed answers. `kernelgate mcp` serves them; jupyter-server-mcp
finds them by the entry point `jupyter_server_mcp.tools`."""

TOOLS = [
    f"kernelgate.agents.tools:{name}"
    for name in ("list_problems", "verify", "benchmark", "profile", "result", "explain", "compare", "cancel")
]
