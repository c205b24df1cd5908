"""What the models of `SinglePage` find of the blocks of a page with its site, as features of other models.

    page + SiteTable --page_reading--> probabilities, chosen blocks --context--> (j, b)

The features are small, so they are stored on the page. In an audit, a page of the sample is read when the
site is learnt; what is found of it is written with its article and remembered by the page that the stage
``extract`` reads (`webgrain.site.samplefiles.KnownArticle`).

Cost: a pass over the blocks for a page that was read before (`page_reading`).
"""

from __future__ import annotations

import numpy as np

from webgrain.base.arrays import Float32
from webgrain.columns.blocks import page_facts
from webgrain.columns.sitetable import SiteTable
from webgrain.extraction import single
from webgrain.extraction.sitetexts import context, context_names, site_features
from webgrain.page.dom import cached_on_page
from webgrain.page.page import Page

_AROUND = (
    "main in 1", "share of 1", "main in 3", "share of 3", "main before", "from the start", "from the end",
    "main below the heading", "page share of main",
)  # fmt: skip
_AROUND_ROWS = [context_names().index(name) for name in _AROUND]
JUDGEMENTS = ("main", "comment", "chosen", "main alone", "comment alone", *_AROUND)
"""Names of what is found of a block, in the order of `judgements_with_site`."""


@cached_on_page
def judgements_with_site(page: Page, site: SiteTable) -> Float32 | None:
    """Return what the models find of the blocks of a page with its site; None if the site does not know it.

    Returns (j, b) float32, in the order of `JUDGEMENTS`: the probabilities of main text and of a comment with
    the site, 1 for a block that is chosen as main text, both probabilities by the page alone, and features of
    `context` by the probabilities with the site.

    >>> from webgrain.page.parsing import parse
    >>> judgements_with_site(parse("<p>Menu<p>Text"), SiteTable()) is None
    True
    """
    if not len(page_facts(page).letters) or site_features(page, site) is None:
        return None
    read = single.page_reading(page, site, single.trained_models())
    is_chosen = np.zeros(len(read.main))
    is_chosen[read.chosen] = 1.0
    of_block = np.stack([read.main, read.comment, is_chosen, *read.alone], dtype=np.float32)
    around = context(read.facts, read.x, read.main, read.comment).T[_AROUND_ROWS]
    return np.concatenate([of_block, around])
