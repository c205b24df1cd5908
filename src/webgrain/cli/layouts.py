"""What ``extract`` and ``learn layouts`` share: how layouts of Webstemmer are learnt from the inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from webgrain.cli.options import InputOptions, option
from webgrain.cli.output import report

if TYPE_CHECKING:
    from webgrain.io.read import Item
    from webgrain.papers.webstemmer2007 import LayoutMethod

LayoutPreset = Literal["documented", "original"]


@dataclass(frozen=True, slots=True)
class LayoutLearning:
    """How layouts of Webstemmer are learnt.

    Options:
        preset: documented (Webstemmer as documented) or original (Webstemmer as implemented). Default of
            webgrain learn layouts: documented.
        cluster_threshold: Minimum similarity of the pages of a layout.
        title_threshold: Minimum similarity of a title and the anchor texts of the page.
        pattern_threshold: Minimum score of a layout of articles.
        mangle: Part of attribute values to keep in patterns, such as [a-z]+.
    """

    preset: LayoutPreset | None = option(None, "--preset NAME")
    cluster_threshold: float = option(0.97, "--cluster-threshold X")
    title_threshold: float = option(0.6, "--title-threshold X")
    pattern_threshold: float = option(100.0, "--pattern-threshold X")
    mangle: str | None = option(None, "--mangle REGEX")

    def create(self, **parameters: Any) -> LayoutMethod:
        """Return the method; `ParameterError` for an invalid threshold."""
        from webgrain.papers.webstemmer import Webstemmer
        from webgrain.papers.webstemmer2007 import OriginalWebstemmer

        given = {name: value for name, value in asdict(self).items() if name != "preset"}
        if self.preset == "original":
            return OriginalWebstemmer(**given, **parameters)
        return Webstemmer(**given, **parameters)


def known_links(inputs: InputOptions) -> dict[str, Counter[str]] | None:
    """Return the texts of the links to each page as archives of textcrawler state them; None without any."""
    from webgrain.io.archives import read_linkinfo

    names = [name for name in inputs.inputs or [] if name.lower().endswith(".zip")]
    several = len(inputs.inputs or []) + bool(inputs.urls) > 1
    texts = (read_linkinfo(Path(name), f"{Path(name).as_posix()}/" if several else "") for name in names)
    return {page: counts for counts_of_page in texts for page, counts in counts_of_page.items()} or None


def reopened(inputs: InputOptions) -> Callable[[], Iterable[Item]]:
    """Return a function that opens the inputs on each call; stdin and URLs are read once and kept."""
    from webgrain.io.urls import is_url

    once = inputs.urls or any(name == "-" or is_url(name) for name in inputs.inputs or [])
    kept = list(inputs.read()) if once else None
    return lambda: inputs.read() if kept is None else kept


def layout_summary(method: LayoutMethod) -> str:
    """Return a sentence on what was learnt."""
    from webgrain.report.terminal import count

    return f"learnt {count(len(method.patterns_ or ()), 'pattern')} from {count(method.n_pages_, 'page')}."


def report_rejected(rejected: Mapping[str, str]) -> None:
    """Report the pages that are not learnt from, with their reasons."""
    from webgrain.report.terminal import plain

    for page_id, reason in rejected.items():
        report(f"{plain(page_id, 200)} is left out: {reason}")
