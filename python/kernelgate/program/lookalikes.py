"""Characters that editors and language models write for those of code: quotation marks, dashes, spaces, signs.

In: a row of code. Out: the row with the characters that are meant, and which ones it had.
"""

from __future__ import annotations

import unicodedata

_MEANT = {
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
    **dict.fromkeys("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    **dict.fromkeys("\u00d7\u22c5\u2217", "*"),
    **{"\u00f7": "/", "\u2264": "<=", "\u2265": ">=", "\u2260": "!="},
    **{"\uff1b": ";", "\uff0c": ",", "\uff08": "(", "\uff09": ")"},
}


def plain(row: str) -> str:
    """The row with the characters that are meant."""
    return "".join(_MEANT.get(each, each) for each in row)


def first_in(row: str) -> str:
    """The first such character in words, "NO-BREAK SPACE (U+00A0)"; "" if there is none."""
    found = next((each for each in row if each in _MEANT), None)
    return f"{unicodedata.name(found, 'a character')} (U+{ord(found):04X})" if found is not None else ""
