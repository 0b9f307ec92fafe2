"""Stands for an older package than the extension: it answers in an earlier version of the protocol."""


class Answer:
    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        return {"application/json": {"protocol": 0, "version": "0.0.1"}, "text/plain": "kernelgate 0.0.1"}


handshake = Answer
