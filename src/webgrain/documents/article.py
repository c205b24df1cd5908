"""Articles: the title, main text and comments of a page as parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from webgrain.base.arrays import Float32
from webgrain.documents.content import Content
from webgrain.documents.parts import Part

QUOTED_LINE = 40
"""Characters at which a line that two posts have is a quotation (hand-set)."""


@dataclass(frozen=True, slots=True)
class Article:
    """The extracted title, main text and comments of a page.

    Attributes:
        verdict: ``article``, ``index`` (a page that links to articles) or ``unknown``.
        title: the title; empty if there is none.
        blocks: the title, the blocks of the main content in document order, comments, and other text that
            is not on all pages (``sub``). Those of `Content` are made when they are asked for.
        layout: the name of the layout; empty if there is none.
        confidence: the probability that the text is good, or the match with the layout, 0..1.
        evidence: the sources of the text, in words; empty if not recorded.
        byline: author and date of the first post of a thread, as far as they are known.
        notes: a sentence for each thing that a reader of the text should know.
        kinds: the probability of each kind of page, such as ``thread``; empty if they are not known.
        thread: whether the page is a thread.
        joined: whether the text and the views have the comments, too; so it is with the posts of a thread.
        shares: (b,) the share of the pages of the site that have the text of each text block of the page, 0
            for the text of few pages; None if the site is not known.
        shared_values: keys of the images and descriptions that many pages of the site declare, so that they
            are not those of a page, see `webgrain.columns.sitetable.SiteTable.shared_values`.
    """

    verdict: str
    title: str = ""
    blocks: Sequence[Part] = ()
    layout: str = ""
    confidence: float = 0.0
    evidence: str = ""
    byline: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    kinds: Mapping[str, float] = field(default_factory=dict)
    thread: bool = False
    joined: bool = False
    shares: Float32 | None = field(default=None, compare=False, repr=False)
    shared_values: frozenset[int] = field(default=frozenset(), compare=False, repr=False)

    def __repr__(self) -> str:
        return f"<Article {self.title!r:.80}: {self.verdict}, {len(self.blocks)} blocks>"

    @property
    def titles(self) -> tuple[Part, ...]:
        """The block of the title."""
        if isinstance(self.blocks, Content):
            return self.blocks.titles
        return tuple(block for block in self.blocks if block.kind == "title")

    @property
    def main(self) -> tuple[Part, ...]:
        """The blocks of the main content."""
        if isinstance(self.blocks, Content):
            return self.blocks.main
        return tuple(block for block in self.blocks if block.kind not in ("title", "comment", "sub"))

    @property
    def kind(self) -> str:
        """``thread`` if the page is one, else the most probable kind.

        If that is a thread, or the probabilities are not known, the kind is that of the verdict.
        """
        if self.thread:
            return "thread"
        best = max(self.kinds, key=self.kinds.__getitem__, default="thread")
        if best != "thread":
            return best
        return {"article": "article", "index": "list"}.get(self.verdict, "other")

    @property
    def main_text(self) -> str:
        """The text of the main content; of a thread, the first post."""
        if isinstance(self.blocks, Content):
            return self.blocks.text
        return "\n\n".join(filter(None, (block.text for block in self.main)))

    @property
    def text(self) -> str:
        """The main text, code included, with a blank line between its blocks; of a thread, all posts."""
        if not self.joined:
            return self.main_text
        posts = without_quotations(self.main_text, self.comments)
        return "\n\n".join(filter(None, (self.main_text, *(part.text for part in posts))))

    @property
    def posts(self) -> tuple[Part, ...]:
        """The posts of a thread, the first one included, each with the comments on it; else empty."""
        if self.kind != "thread" or not self.main:
            return ()
        return Part("comment", self.main[0].node, self.main, dict(self.byline)), *self.comments

    @property
    def code(self) -> tuple[str, ...]:
        """The code blocks of the main text."""
        if isinstance(self.blocks, Content):
            return self.blocks.code
        return tuple(part.text for block in self.main for part in block.walk() if part.kind == "code")

    @property
    def comments(self) -> tuple[Part, ...]:
        """The comments of readers, with the replies to them; author and date are attributes."""
        if isinstance(self.blocks, Content):
            return self.blocks.comments
        return tuple(block for block in self.blocks if block.kind == "comment")

    @property
    def sub(self) -> tuple[str, ...]:
        """Text that is neither title nor main text but differs between pages: dates, names, tags."""
        if isinstance(self.blocks, Content):
            return ()
        return tuple(block.text for block in self.blocks if block.kind == "sub")

    @property
    def nodes(self) -> list[int]:
        """The elements that contain the lines of the main content, as nodes of the DOM, in order."""
        if isinstance(self.blocks, Content):
            return self.blocks.nodes
        leaves = ("heading", "paragraph", "term", "caption", "code", "math", "figure")
        parts = (part for block in self.main for part in block.walk())
        return sorted({part.node for part in parts if part.kind in leaves})

    @property
    def start(self) -> int:
        """The element of the title; without one, the first element of a block; 0 if neither is known."""
        for block in self.titles:
            if block.node:
                return block.node
        if isinstance(self.blocks, Content):
            nodes = self.blocks.block_nodes
        else:
            nodes = [block.node for block in self.blocks]
        return min(filter(None, nodes), default=0)


def without_quotations(before: str, posts: Sequence[Part]) -> tuple[Part, ...]:
    """Return posts without quotations of earlier posts: quotes with a long line that is in an earlier text.

    before: the text before the posts.

    >>> text = Part("paragraph", 3, ("The lamp is lit at dusk, and nobody knows who pays.",))
    >>> reply = Part("comment", 5, (Part("quote", 6, (text,)), Part("paragraph", 8, ("I do.",))))
    >>> [part.text for part in without_quotations(text.text, [reply])]
    ['I do.']
    """
    known = set(_long_lines(before))

    def unquoted(part: Part) -> Part | None:
        if part.kind == "quote" and not known.isdisjoint(_long_lines(part.text)):
            return None
        if part.kind in ("comment", "quote"):
            children = [unquoted(child) if isinstance(child, Part) else child for child in part.children]
            return replace(part, children=tuple([child for child in children if child is not None]))
        known.update(_long_lines(part.text))
        return part

    return tuple([part for part in map(unquoted, posts) if part is not None])


def _long_lines(text: str) -> Iterable[str]:
    return [line for line in text.split("\n") if len(line) >= QUOTED_LINE]
