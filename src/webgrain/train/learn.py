"""Learn all that cuts and describes pages, and judge it on pages held out.

    examples --fit--> method, roles ------------------------------+--> Learnt
        '--cross_validate--> segmentations --fit--> confidence ---'
                                   '--judge--> scores

What tells confidence is learnt from segments of pages that the method which cut them had not seen: on its own
training pages, a method is right too often.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple

from webgrain.errors import ParameterError
from webgrain.evaluate import Result, compare, cross_validate, folds_by_site, site_of
from webgrain.segment.confidence import fit_confidence
from webgrain.segment.describer import Describer
from webgrain.segment.roles import fit_roles
from webgrain.train.judge import Judgement, judge
from webgrain.train.rows import concatenate, fine_rows, marked_rows, predicted_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.datasets.load import Example
    from webgrain.results import Segmentation
    from webgrain.segment.confidence import ConfidenceModel
    from webgrain.segment.roles import RoleModel

FOLDS = 5
"""Parts of the pages of which each is held out in turn; fewer where there are fewer sites."""


class Scores(NamedTuple):
    """Scores on pages held out: of the segments, fine and blocks, and of what is told of them."""

    folds: int
    fine: Result
    blocks: Result
    judgement: Judgement


class Learnt(NamedTuple):
    """A method that was learnt, what describes its segments, and how good both are.

    scores: None where all pages are of one site, which leaves none to be held out.
    """

    method: Any
    describer: Describer
    scores: Scores | None


def learn(method: Any, examples: Sequence[Example]) -> Learnt:
    """Return what is learnt from labelled pages; ``method`` itself stays as it is.

    method: an estimator that can be fitted to pages and the labels (n,) of their nodes. Held out are whole
    sites (`webgrain.evaluate.site_of`). `ParameterError` without examples, `MissingExtraError` without
    scikit-learn.
    """
    if not examples:
        raise ParameterError("learn expects at least one labelled page, got none.")
    pages = [example.page for example in examples]
    truths = [example.truth.over(len(example.page.dom), "fine") for example in examples]
    fitted = deepcopy(method).fit(pages, truths)
    sites = [site_of(page) for page in pages]
    n_folds = min(FOLDS, len(set(sites)))
    if n_folds < 2:
        return Learnt(fitted, Describer(_roles(examples)), None)
    folds = folds_by_site(sites, n_folds)
    found = cross_validate(lambda: deepcopy(method), pages, truths, folds)
    trust = _confidence(examples, found)
    name = found[0].method
    fine, blocks = compare(name, found, examples, "fine"), compare(name, found, examples, "blocks")
    scores = Scores(n_folds, fine, blocks, judge(examples, folds, found))
    return Learnt(fitted, Describer(_roles(examples), {name: trust} if trust else {}), scores)


def _roles(examples: Sequence[Example]) -> RoleModel | None:
    rows = concatenate([rows_of(example) for rows_of in (marked_rows, fine_rows) for example in examples])
    return fit_roles(rows.features, rows.roles)


def _confidence(examples: Sequence[Example], found: Sequence[Segmentation]) -> ConfidenceModel | None:
    rows = concatenate([predicted_rows(e, cut) for e, cut in zip(examples, found, strict=True)])
    return fit_confidence(rows.features, rows.right)
