"""Stands for a newer package than the extension: it answers in a later version of the protocol."""


class Answer:
    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        return {"application/json": {"protocol": 99, "version": "99.0.0"}, "text/plain": "kernelgate 99.0.0"}


handshake = Answer
