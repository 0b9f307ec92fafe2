"""What a size is for, by its name or its place in a shape.

In: a name as people write it. Out: a `Role`. It only says what is made smaller first: a step after which the reference
does not run is taken back, whatever the name says.
"""

from __future__ import annotations

import re
from typing import Literal

Role = Literal["batch", "space", "other", "channels", "structure"]
"""batch; height, width, length; a size of unknown use; channels or features; what the module is built of, such as a
kernel's size, groups, heads, layers or classes."""


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BATCH = {"batch", "batches", "batchsize", "bs", "b", "nbatch"}
_ALONE = {"b", "h", "w", "d", "t", "l", "c"}  # letters that mean something as a whole name only
_SPACE = _words_of(
    "height width depth length len seq seqlen sequence image img h w d t l time frames frame spatial resolution "
    "rows columns cols row col tokens points samples context pixels dim1 dim2 dim3"
)
_CHANNELS = _words_of(
    "channel channels feature features embed embedding embd emb hidden dim model units unit planes filters inner mlp "
    "ff ffn vocab widths sizes size in out input output inputs outputs proj 1x1 3x3 5x5 c state"
)
_STRUCTURE = _words_of(
    "kernel ksize stride strides pad padding padded dilation dilations group groups head heads nhead layer layers "
    "stage stages class classes ratio rate factor pool patch window block blocks expansion expand reduction axis "
    "top topk order seed seeds iter iters iterations steps step expert experts cluster clusters bins bits power degree "
    "ndim ndims label labels levels repeats reduce growth shift splits parts"
)
_SMALL = 8  # a smaller number may count anything


def role_of(name: str, value: int, position: int = 0, elements: int = 1) -> Role:
    """`position`, `elements`: where the name holds a tuple, which element is meant, and of how many."""
    words = _words(name)
    if any(word in _BATCH for word in words):
        return "batch" if position == 0 else role_in_shape(value, position, elements)
    if value < _SMALL:
        return "structure"
    if any(word in ("sizes", "widths", "dims", "channels", "features") for word in words):
        return "channels"
    if any(word in _STRUCTURE for word in words):
        return "structure"
    if elements > 1 and words and words[-1] in ("shape", "size"):
        return role_in_shape(value, position, elements)
    if any(word in _SPACE for word in words):
        return "space"
    if words == ["depth"] and value < 2 * _SMALL:
        return "structure"
    return "channels" if any(word in _CHANNELS for word in words) else "other"


def _words(name: str) -> list[str]:
    """ "maxSeqLen_2" as max, seq, len; dim1 stays what it is."""
    words = [word.lower() for word in re.split(r"_+|(?<=[a-z])(?=[A-Z])", name)]
    words = [word if word in _SPACE | _CHANNELS else word.rstrip("0123456789") for word in words]
    return [word for word in words if word and (len(words) == 1 or word not in _ALONE)]


def role_in_shape(value: int, position: int, elements: int) -> Role:
    """Of a number in a shape of so many dimensions."""
    if position == 0 and elements > 1 and value > 1:
        return "batch"
    if value < _SMALL:
        return "structure"
    if elements >= 3:
        return "channels" if position == 1 else "space"
    return "other"
