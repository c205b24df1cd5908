"""Tables 3, 4 and 5 of the paper on the sites at hand: key paths, what the topmost refers to, wrapper paths.

The wrapper paths were written by hand for three sites: where a scraper would find the title of a page of the
main type. Precision is over all key paths and over those on pages of that type.
"""

from __future__ import annotations

from keyclus_common import arguments, counted_sites

from webgrain.cluster.wrappers import wrapper_precision
from webgrain.page.paths import Path, Step

WRAPPERS = {
    "flink-web": ("post", "html body main.flex section.book-page.container article.markdown h1"),
    "grass": ("module", "div#container em b"),
    "sqlite3": ("c3ref", "html body div.nosearch h2"),
}


def path_of(text: str) -> Path:
    """Return a path from ``tag#id.class`` and so on, with spaces between."""
    steps = []
    for part in text.split():
        name, *classes = part.split(".")
        tag, _, own = name.partition("#")
        steps.append(Step(tag, own, tuple(sorted(classes))))
    return Path(tuple(steps))


def main() -> None:
    """Print the key paths of each site, and their precision where wrapper paths are known."""
    arguments(__doc__, 1)
    for counted in counted_sites():
        found = counted.keyclus(tabs=True).clustering_
        kinds = [kind for kind in found.types if kind.key_path is not None]
        paths = list(dict.fromkeys(kind.key_path for kind in kinds))
        tabs = sum(bool(kind.tab) for kind in kinds)
        print(f"{counted.site.name}: {len(paths)} key paths, {tabs} tabs; topmost {paths[0]}")
        print("  it says: " + " | ".join(kinds[0].contents[:3]))
        if counted.site.name in WRAPPERS:
            name, text = WRAPPERS[counted.site.name]
            wrapped = {page for page, kind in counted.site.types.items() if kind == name}
            labels = zip(found.pages, found.labels.tolist(), strict=True)
            numbers = {label for page, label in labels if page in wrapped}
            there = {found.types[number].key_path for number in numbers}
            wrapper = [path_of(text)]
            whole = wrapper_precision(paths, wrapper)
            there.discard(None)
            print(f"  precision {whole:.2f}; on wrapper pages {wrapper_precision(there, wrapper):.2f}")


if __name__ == "__main__":
    main()
