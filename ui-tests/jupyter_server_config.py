"""The server of the browser tests: no token and no XSRF check, so for tests only."""

import os

from jupyterlab.galata import configure_jupyter_server

c = get_config()  # noqa: F821 - Jupyter reads this file with get_config defined
configure_jupyter_server(c)
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.port = int(os.environ["KERNELGATE_UI_PORT"])
c.ServerApp.port_retries = 0  # another port would be another server than the tests talk to
c.ServerApp.allow_root = True
c.JupyterNotebookApp.expose_app_in_browser = True
