"""JupyterLab in front of a gateway: no token and no XSRF check, so for tests only.

A page asks for a protocol that JupyterLab's server does not speak with a gateway, and connects once more without it.
Gateways keep the first connection, too, under the same name. Enterprise Gateway 3.3 leaves the second one waiting for
good where the first was not answered yet. Of Kernel Gateway 3.0, a kernel that restarts takes the one of the two that
comes last, and hears nothing of the page where that is the first. Here a connection goes on to the gateway if the page
keeps it.
"""

import asyncio

from jupyter_server.gateway.connections import GatewayWebSocketConnection
from jupyter_server.gateway.gateway_client import GatewayClient
from tornado.httpclient import HTTPRequest
from tornado.ioloop import IOLoop
from tornado.websocket import websocket_connect

# A page drops the first connection within milliseconds, on a busy machine within a tenth of a second.
KEPT_S = 0.5


class KeptConnection(GatewayWebSocketConnection):
    async def connect(self):
        self.ws = None
        self.ws_future = asyncio.ensure_future(self._open())
        self.ws_future.add_done_callback(self._connection_done)
        IOLoop.current().add_future(self.ws_future, lambda _: self._read_messages())

    async def _open(self):
        await asyncio.sleep(KEPT_S)
        client = GatewayClient.instance()
        url = f"{client.ws_url}{client.kernels_endpoint}/{self.kernel_id}/channels?session_id={self.session_id}"
        return await websocket_connect(HTTPRequest(url, **client.load_connection_args()))


load_subconfig("jupyter_server_config.py")  # noqa: F821 - Jupyter reads this file with load_subconfig defined
get_config().ServerApp.kernel_websocket_connection_class = KeptConnection  # noqa: F821
