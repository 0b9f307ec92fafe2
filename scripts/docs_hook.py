"""A hook of mkdocs: an option such as --reference stays on one line. Browsers break it behind its hyphens."""

from __future__ import annotations

import re

OPTION = re.compile(r"(?<=[ >])--?[a-z][\w-]*")


def on_page_content(html: str, **_: object) -> str:
    """The page with the options in its inline code kept whole."""
    return re.sub(
        r"<code>[^<]*</code>", lambda code: OPTION.sub(r'<span class="option">\g<0></span>', code[0]), html
    )
