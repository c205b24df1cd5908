"""The source of a formula: TeX, or MathML where the page states no TeX."""

from __future__ import annotations

import re
from html import escape

from webgrain.documents.parts import Part
from webgrain.page.dom import Dom
from webgrain.page.strings import name_set

TEX_SCRIPT = re.compile(r"\s*math/tex\s*(;\s*mode\s*=\s*display)?", re.IGNORECASE)
"""Whether the type of a script is that of a formula."""


def formula_of(dom: Dom, node: int) -> Part | None:
    """Return the formula in an element ``math`` or ``script``; None for an empty script.

    >>> from webgrain.page.parsing import parse_html
    >>> formula_of(parse_html("<math alttext=x^2><mi>x</mi><mn>2</mn></math>"), 3).attributes
    {'tex': 'x^2', 'display': False}
    """
    if dom.name(node) == "script":
        match = TEX_SCRIPT.match(dom.get(node, "type") or "")
        tex = dom.text_of(node).strip()
        if match is None or not tex:
            return None
        return Part("math", node, (tex,), {"tex": tex, "display": bool(match[1])})
    annotations = (
        dom.text_of(inner).strip()
        for inner in range(node, int(dom.end[node]))
        if dom.name(inner) == "annotation" and "tex" in (dom.get(inner, "encoding") or "").lower()
    )
    tex = _tex(next(annotations, "") or dom.attributes(node).get("alttext", ""))
    markup, text = _mathml(dom, node)
    source = {"tex": tex} if tex else {"mathml": markup}
    return Part("math", node, (tex or text,), {**source, "display": dom.get(node, "display") == "block"})


def _tex(source: str) -> str:
    r"""Return TeX without the ``\displaystyle`` group that converters put around it.

    >>> _tex(r"{\displaystyle x^{2}}")
    'x^{2}'
    """
    text = source.strip()
    if text.startswith("{\\displaystyle") and text.endswith("}"):
        return text[len("{\\displaystyle") : -1].strip()
    return text


_MATHML = name_set(
    "math maction merror menclose mfenced mfrac mi mlabeledtr mmultiscripts mn mo mover mpadded mphantom "
    "mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover "
    "none semantics"
)


def _mathml(dom: Dom, top: int) -> tuple[str, str]:
    """Return the markup of a formula, without scripts, and its text."""
    pieces: list[str] = []
    texts: list[str] = []
    open_: list[int] = []
    node, end = top, int(dom.end[top])
    while node < end or open_:
        while open_ and int(dom.end[open_[-1]]) <= node:
            pieces.append(f"</{dom.name(open_.pop())}>")
        if node >= end:
            break
        name = dom.name(node)
        if name == "#text":
            texts += dom.text_of(node).split()
            pieces.append(escape(" ".join(dom.text_of(node).split()), quote=False))
        elif name not in _MATHML:
            node = int(dom.end[node])
            continue
        else:
            display = ' display="block"' if name == "math" and dom.get(node, "display") == "block" else ""
            pieces.append(f"<{name}{display}>")
            open_.append(node)
        node += 1
    return "".join(pieces), "".join(texts)
