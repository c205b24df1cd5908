"""Which walk reads a parsed tree: over Lexbor's own nodes where that was tried, else over the public API.

The native walk hands pointers to the functions that selectolax's library exports. They are no public API, so
it is used only with versions of selectolax that it was tried with, and only if it reads a sample just as the
public walk does. `WALK` says which one is in use: ``"native"`` or ``"public"``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import selectolax
from selectolax import lexbor

from webgrain.kernels.domwalk import walk as public_walk

if TYPE_CHECKING:
    from collections.abc import Callable

    Fields = tuple[Any, ...]
    Walk = Callable[[object, int, int], tuple[Fields, bool]]

_TRIED = ("1.0.1", "1.0.2")

_SAMPLE = """<!doctype html><!-- a --><html lang=en><head><title>Sämple</title><script>1 < 2</script>
<body class="a b" hidden id=''>text <p>\U0001f600 &amp; more<!-- c -->apart<b one two=2>bold</b><my-own:Tag>
<svg viewBox="0 0 1 1"><linearGradient xlink:href="#a"/><![CDATA[data]]></svg><template><i>in</i></template>
<noscript><img></noscript><table><td>cell<tr></table><br><input value="ö"><pre>\n\nlines</pre>"""


def read_tree(root: object, max_nodes: int, max_chars: int) -> tuple[Fields, bool]:
    """Fields of the Dom below a selectolax node, and whether they were cut at a limit.

    >>> fields, cut = read_tree(lexbor.LexborHTMLParser("<p>Hello").root, 100, 100)
    >>> fields[0].tolist(), fields[4], cut
    ([-1, 0, 0, 2, 3], 'Hello', False)
    """
    walk: Walk = native_walk or public_walk
    try:
        return walk(root, max_nodes, max_chars)
    except UnicodeDecodeError:  # of the native walk, which counts characters as it goes
        return public_walk(root, max_nodes, max_chars)  # type: ignore[no-any-return]


def _find_native_walk() -> Walk | None:
    """Native walk, if it was compiled, selectolax is of a version that was tried, and the sample agrees."""
    if selectolax.__version__ not in _TRIED:
        return None
    try:
        from webgrain.kernels.lexborwalk import Walker

        walker = Walker(lexbor.__file__)
    except (ImportError, OSError, AttributeError):
        return None
    root = lexbor.LexborHTMLParser(_SAMPLE, scripting=True).root
    native, public = walker(root, 1000, 1000)[0], public_walk(root, 1000, 1000)[0]
    return walker if all(map(np.array_equal, native, public)) else None


native_walk = _find_native_walk()

WALK = "public" if native_walk is None else "native"
"""The walk in use."""
