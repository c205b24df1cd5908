"""What the HTML files of webgrain share: one look, and a policy that lets a browser use their own parts only.

Pages are hostile. Should something of theirs ever get into such a file as markup, the policy still lets it
neither run nor load: script and style are known by their hashes, and nothing else is allowed.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files


def asset(*names: str) -> str:
    """Return files that come with this package, one after the other.

    >>> "--paper" in asset("common.css")
    True
    """
    return "\n".join(files(__package__).joinpath(name).read_text(encoding="utf-8") for name in names)


def policy(style: str, script: str = "", images: bool = False) -> str:
    """Return a Content-Security-Policy for a file with one style, one script and pictures as data URLs.

    >>> policy("p {}").split("; ")[:3]
    ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    """
    allowed = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", f"style-src {_hash(style)}"]
    allowed += [f"script-src {_hash(script)}"] if script else []
    allowed += ["img-src data:"] if images else []
    return "; ".join(allowed)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
