"""Features of segments by their leaves: which kinds these are of, what they say, how large images are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.page.leaves import BACKGROUND, CONTROL, EMBED, IMAGE, TEXT_LEAF

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webgrain.page.dom import Dom
    from webgrain.segment.members import Members
    from webgrain.segment.traits import Traits

    Floats = NDArray[np.float64]
    Columns = Iterator[tuple[str, NDArray[Any]]]

_SIGNS = np.array([[chr(k).isdigit(), chr(k).isupper(), chr(k) == "©"] for k in range(256)])


def of_kinds(traits: Traits, members: Members) -> Columns:
    """Yield columns (s,) of the kinds of leaves: their shares, their numbers, what stands alone."""
    marks = _marks(traits)
    yield from ((name, members.mean(mark)) for name, mark in marks.items())
    text, image, control, heading = (marks[name] for name in ("texts", "images", "controls", "headings"))
    paragraph = traits.text[0][traits.tree.leaves] > 80
    numbers = {
        "n_images": (image, 100), "n_controls": (control, 20), "n_embeds": (marks["embeds"], 10),
        "n_links": (marks["links"] & text, 300), "n_paragraphs": (paragraph, 50),
    }  # fmt: skip
    yield from ((name, log_scale(members.sum(mark), most)) for name, (mark, most) in numbers.items())
    yield "one_leaf", members.count == 1
    few = {"one_image": (image, 2), "one_text": (text, 1), "one_heading": (heading, 2)}
    for name, (mark, most) in {**few, "few_controls": (control, 6)}.items():
        yield name, (members.sum(mark) > 0) & (members.count <= most)
    yield "first_image", members.most(np.arange(len(image)) == np.argmax(image)) * image.any()


def _marks(traits: Traits) -> dict[str, NDArray[np.bool_]]:
    """Return which leaves (l,) are of which kind."""
    leaf = traits.tree.leaves
    kind, linked, length = traits.tree.kind[leaf], traits.linked[leaf], traits.text[0][leaf]
    text, size, back = kind == TEXT_LEAF, _relative_font(traits), traits.seen.background[leaf]
    return {
        "texts": text, "images": (kind == IMAGE) | (kind == BACKGROUND),
        "controls": kind == CONTROL, "embeds": kind == EMBED,
        "links": linked, "linked_images": linked & ~text,
        "short": text & (length < 25), "long": text & (length > 100),
        "small_font": text & (size < -0.1), "large_font": text & (size > 0.2),
        "bold": text & traits.seen.bold[leaf], "headings": traits.headings[leaf],
        "unlike_page": np.abs(back - np.median(back, axis=0)).max(axis=1) > 0.1,
    }  # fmt: skip


def of_text(traits: Traits, members: Members) -> Columns:
    """Yield columns (s,) of what the texts say and how they look."""
    leaf = traits.tree.leaves
    length, words, sentences = (column[leaf] for column in traits.text)
    text = traits.tree.kind[leaf] == TEXT_LEAF
    linked, weight = traits.linked[leaf], length + 1e-3
    yield "longest", log_scale(members.most(length), 2000)
    yield "per_text", log_scale(members.sum(length) / members.sum(text).clip(1), 500)
    yield "per_link", log_scale(members.sum(length * linked) / members.sum(linked & text).clip(1), 200)
    yield "anchor", members.mean(linked, weight)
    total = members.sum(length).clip(1)
    signs = members.sum(_signs(traits.page.dom, traits.tree.node[leaf]) * text[:, None])
    yield "digits", (signs[:, 0] / total).clip(0, 1)
    yield "capitals", (signs[:, 1] / total).clip(0, 1)
    yield "copyright", signs[:, 2] > 0
    yield "words", (members.sum(words * text) / total).clip(0, 1)
    yield "sentences", (members.sum(sentences * text) / members.sum(text).clip(1)).clip(0, 10) / 10
    size = traits.seen.font_size[leaf] * text
    yield "largest_font", members.most(size) >= 0.95 * max(float(size.max()), 1.0)
    yield "font_size", members.mean(_relative_font(traits).clip(-2, 2) / 2, weight)
    yield "color", members.mean(traits.seen.color[leaf].mean(axis=1), weight)
    yield "background", members.mean(traits.seen.background[leaf].mean(axis=1))


def of_images(traits: Traits, members: Members) -> Columns:
    """Yield columns (s,) of the largest image or embedded object."""
    leaf = traits.tree.leaves
    box, kind = traits.seen.box[leaf], traits.tree.kind[leaf]
    area = (box[:, 2:] - box[:, :2]).prod(axis=1)
    largest = members.most(area * np.isin(kind, (IMAGE, EMBED, BACKGROUND)))
    size = members.most(box[:, 2:]) - members.least(box[:, :2])
    yield "image_fills", (largest / size.prod(axis=1).clip(1)).clip(0, 1)
    yield "image_size", log_scale(np.sqrt(largest), 1500)


def _relative_font(traits: Traits) -> Floats:
    """(l,) log2 of the font size of leaves to the usual one, the median over the characters of the page."""
    leaf = traits.tree.leaves
    size, total = traits.seen.font_size[leaf], traits.text[0][leaf]
    order = np.argsort(size, kind="stable")
    total = np.cumsum(total[order])
    relative: Floats = np.log2(size / size[order[np.searchsorted(total, total[-1] / 2)]])
    return relative


def _signs(dom: Dom, node: NDArray[np.integer]) -> NDArray[np.int64]:
    """(l, 3) number of digits, capitals of Latin-1 and © in texts."""
    spans = zip(dom.text_start[node].tolist(), dom.text_start[node + 1].tolist(), strict=True)
    texts = [dom.text[start:end] for start, end in spans]
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    total = np.zeros((len(codes) + 1, 3), np.int64)
    np.cumsum(_SIGNS[np.minimum(codes, 255)], axis=0, out=total[1:])
    signs: NDArray[np.int64] = np.diff(total[np.cumsum([0, *map(len, texts)])], axis=0)
    return signs


def log_scale(x: NDArray[Any], most: float) -> Floats:
    """Return ``x`` on a logarithmic scale, from 0 to 1 at ``most``."""
    scaled: Floats = np.log1p(np.clip(x.astype(np.float64), 0.0, most)) / np.log1p(most)
    return scaled
