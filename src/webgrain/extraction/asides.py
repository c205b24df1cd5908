"""Parts within the text of a page that do not belong to it: counters, forms, teasers, other products.

The models decide about blocks one by one, so such parts are taken where they look like text. Each function
returns the probability of main text (b,), 0 for the blocks of one sort of part:

=================  =========================================================================================
`without_counters`  lines that count the pictures of a gallery, such as "2 of 4"
`without_forms`     a small part with a form for an e-mail address, such as a newsletter
`without_teasers`   three or more headings that are links, with the texts below them, behind the text
`without_pointers`  lines that consist of a label such as "Read also:" and a link, and requests to follow at
                    the end of the text
`without_products`  sections such as "Related products" of the page of a product
=================  =========================================================================================

The rules are hand-set; the manual has the share of true text of what they drop on left-out sites. Words of
pointers are those of some twenty languages.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import compress, islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from webgrain.columns.blocks import PageFacts
from webgrain.extraction import pagekernel, thresholds
from webgrain.page.dom import Dom
from webgrain.page.tagtables import HEADING_LEVELS, AttributeBits, TagSet
from webgrain.page.values import TextQuestion

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.base.arrays import Float64

_COUNTER = re.compile(r"(?P<number>\d{1,3})\s?(?:[/|]|[^\W\d_]{1,4})\s?(?P<all>\d{1,3})")
_CELLS = TagSet("td", "th")
_HOST = re.compile(r"(?:https?:)?//(?P<host>[^/?#\\]*)", re.IGNORECASE)
_SAME_PAGE = "#"
_ALSO = (
    "read also|also read|read more|read next|you may also like|more on this(?: topic)?|related(?: \\w+)?"
    "|recommended(?: \\w+)?|lesen sie auch|lies auch|auch interessant|mehr zum thema|mehr dazu|lire aussi"
    "|à lire(?: aussi)?|lea también|lee también|te puede interesar|leggi anche|leia também|leia mais|lees ook"
    "|läs (?:också|även)|les også|læs også|lue myös|czytaj (?:też|także)|čtěte také|přečtěte si|citește și"
    "|olvassa el|читайте также|читать также|читайте також|bunu da oku|διαβάστε επίσης|اقرأ أيضا|関連記事"
    "|あわせて読みたい|相关阅读|延伸阅读|관련 기사"
)
_POINTER = re.compile(rf"\W*(?:{_ALSO})\s?[:：–—-]\s*", re.IGNORECASE)
_FOLLOW = (
    "follow (?:us|me)|share this (?:article|post|story|page)|like us on|folgen sie uns|folgt uns|folge uns"
    "|teilen sie diesen|suivez-nous|partagez cet|síguenos|síganos|comparte est[ea]|seguici|condividi quest"
    "|siga-nos|compartilhe est|volg ons|följ oss|følg oss|følg os|seuraa meitä|obserwuj nas|sledujte nás"
    "|подписывайтесь|подпишитесь|поделитесь|bizi takip|ακολουθήστε|フォローして|关注我们"
)
_OTHER_PRODUCTS = (
    r"(?:related|similar|recommended|recently viewed|other|suggested|featured)"
    r" (?:products?|items?|accessories|categories)(?: you may (?:also )?like)?"
    r"|recently viewed|more like this|frequently bought together|(?:complete|shop) the look"
    r"|(?:you|we think you) (?:may|might|will|could|would) (?:also )?(?:like|love|enjoy|be interested in)"
    r"|(?:customers?|people|others)(?: who \w+ this(?: \w+)?)? also (?:bought|viewed|liked|purchased)"
    r"|(?:ähnliche|verwandte|weitere|passende|empfohlene) (?:produkte|artikel)"
    r"|zuletzt angesehen(?:e (?:produkte|artikel))?|kunden kauften auch"
    r"|das könnte (?:sie|dich|ihnen|dir) auch (?:interessieren|gefallen)"
    r"|(?:produits?|articles?) (?:similaires?|associés?|apparentés?|liés?|complémentaires?|recommandés?)"
    r"|vous (?:aimerez|aimeriez|pourriez aimer) (?:peut-être )?aussi|dans la même catégorie|déjà vus"
    r"|(?:productos?|artículos?) (?:relacionados?|similares?|recomendados?)"
    r"|también te puede (?:gustar|interesar)|te puede interesar"
    r"|produtos? (?:relacionados?|similares?|recomendados?)|você também pode gostar"
    r"|prodotti (?:correlati|simili|consigliati)|potrebbe(?:ro)? (?:anche )?(?:interessarti|piacerti)"
    r"|(?:gerelateerde|vergelijkbare|soortgelijke|andere) producten|anderen bekeken ook"
    r"|misschien vind je dit ook leuk|samankaltaisia tuotteita"
    r"|(?:relaterade|liknande|relaterte|lignende|relaterede) (?:produkter|varer)"
    r"|(?:podobne|powiązane|polecane) produkty"
    r"|(?:související|podobné|doporučené|súvisiace) (?:produkty|zboží|tovary)"
    r"|(?:kapcsolódó|hasonló) termékek|produse (?:similare|asemănătoare)|σχετικά προϊόντα"
    r"|(?:похожие|сопутствующие|рекомендуемые) товары|с этим товаром (?:также )?покупают|схожі товари"
    r"|(?:benzer|ilgili) ürünler|منتجات (?:ذات صلة|مشابهة)|関連商品|おすすめ商品|最近チェックした商品"
    r"|相关产品|相關產品|猜你喜欢|관련 ?상품|추천 ?상품|sản phẩm (?:liên quan|tương tự)"
    r"|produk (?:terkait|serupa)"
)
_LABEL_OF_PRODUCTS = re.compile(rf"\W{{0,3}}(?:{_OTHER_PRODUCTS})\W{{0,3}}", re.IGNORECASE)
_IS_LABEL_OF_PRODUCTS = TextQuestion(lambda line: _LABEL_OF_PRODUCTS.fullmatch(line.strip()) is not None)
_REQUEST = re.compile(rf"(?:\W|\w+\W+){{0,3}}(?:{_FOLLOW})", re.IGNORECASE)


def without_counters(facts: PageFacts, main: Float64) -> Float64:
    """Return the probability of main text (b,), 0 for lines that count the pictures of a gallery.

    Such a line is a number, a word or sign and the number of all, as in "2 of 4". Lines at the same path with
    the same last number count up; headings and cells of tables do not count.

    >>> from webgrain.columns.blocks import page_facts
    >>> from webgrain.page.parsing import parse
    >>> facts = page_facts(parse("<p>1 of 3<p>A lamp<p>2 of 3<p>A boat<p>3 of 4"))
    >>> without_counters(facts, np.ones(5)).tolist()
    [0.0, 1.0, 0.0, 1.0, 1.0]
    """
    texts = facts.texts
    short = (main > 0) & (texts["characters"] <= thresholds.COUNTER) & (texts["digits"] > 0)
    lines = (short & ~facts.is_heading).nonzero()[0]
    if len(lines) < 2:
        return main
    is_cell = _CELLS.values(facts.dom.tags)[facts.dom.tag[facts.holder[lines]]]
    counters = dict[tuple[int, str], list[tuple[int, int]]]()
    for k in lines[~is_cell].tolist():
        if match := _COUNTER.fullmatch(facts.blocks.texts[k].strip()):
            same = int(facts.path_group[k]), match["all"]
            counters.setdefault(same, []).append((int(match["number"]), k))
    dropped = [
        k
        for (_, total), lines_of_gallery in counters.items()
        if _counts_up([number for number, _ in lines_of_gallery], int(total))
        for _, k in lines_of_gallery
    ]
    return _without(main, dropped)


def _counts_up(numbers: Sequence[int], total: int) -> bool:
    """Return whether several numbers increase up to a total at most."""
    increase = all(a < b for a, b in pairwise(numbers))
    return len(numbers) > 1 and increase and numbers[-1] <= total


def without_forms(facts: PageFacts, main: Float64, chosen: NDArray[np.intp]) -> Float64:
    """Return the probability of main text (b,), 0 for the texts around a form for an e-mail address.

    The form has no other field for text. The texts are those of the largest element around it, up to two
    above it, with at most `thresholds.FORM_SHARE` of the chosen letters and no ``<h1>``. chosen: the blocks.

    >>> from webgrain.columns.blocks import page_facts
    >>> from webgrain.page.parsing import parse
    >>> form = "<div><h3>The best of each week</h3><form><input type=email></form></div>"
    >>> facts = page_facts(parse("<p>" + "The lamp is lit at dusk. " * 20 + form))
    >>> without_forms(facts, np.ones(2), np.arange(2)).tolist()
    [1.0, 0.0]
    """
    dom, blocks = facts.dom, facts.blocks
    forms = dom.find_tag("form")
    if not len(forms):
        return main
    dropped = pagekernel.texts_around_forms(
        (dom.parent, dom.end),
        (forms[: thresholds.MOST_FORMS], dom.find_tag("input"), dom.find_tag("h1")),
        _FIELD_BITS.of_nodes(dom),
        chosen,
        (blocks.first, blocks.weight),
        thresholds.MOST_FIELDS,
        thresholds.FORM_SHARE,
    )
    return _without(main, dropped)


def _type_bits(value: str) -> int:
    """Return what the type of a field states; a field without a type is for text."""
    name = value.strip().lower()
    other = pagekernel.NO_TEXT * (value != "" and name not in _TYPES_OF_TEXT)
    return int(other | pagekernel.ADDRESS * (name == "email"))


_TYPES_OF_TEXT = frozenset(["text", "email", "tel", "search", "password"])
_FIELD_BITS = AttributeBits(
    {"type": _type_bits, "name": lambda value: pagekernel.ADDRESS * ("mail" in value.lower())}
)


def without_teasers(facts: PageFacts, main: Float64, chosen: NDArray[np.intp]) -> Float64:
    """Return the probability of main text (b,), 0 for teasers of other pages behind the text.

    Teasers are three or more chosen headings at the same path that are links to other pages, with the texts
    below them, up to the end of the smallest element around them. Before this element are paragraphs outside
    of links with `thresholds.TEXT_BEFORE_TEASERS` letters, behind it at most a fifth of those before. Most of
    the links lead to one host, `thresholds.SAME_HOST` of them: lists of pages of several hosts are collected
    by the author.

    >>> from webgrain.columns.blocks import page_facts
    >>> from webgrain.page.parsing import parse
    >>> cards = "".join(f"<div><h3><a href=/{k}>A story</a></h3><p>It begins here.</div>" for k in range(3))
    >>> facts = page_facts(parse("<p>" + "The lamp is lit at dusk. " * 20 + f"<section>{cards}</section>"))
    >>> without_teasers(facts, np.ones(7), np.arange(7)).tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    dom, weight = facts.dom, facts.blocks.weight
    linked = chosen[facts.is_heading[chosen] & (facts.linked[chosen] > thresholds.LINK_OF_TEASER)]
    hosts = np.empty(0, object)
    if len(linked) >= thresholds.LEAST_TEASERS:
        hosts = _hosts(dom, facts.blocks.first[linked], facts.blocks.last[linked])
        leads_away = hosts != _SAME_PAGE
        linked, hosts = linked[leads_away], hosts[leads_away]
    if len(linked) < thresholds.LEAST_TEASERS:
        return main
    first = facts.blocks.first[chosen]
    paragraphs = weight[chosen] * (1.0 - facts.linked[chosen]) * (weight[chosen] >= thresholds.PARAGRAPH)
    of_paragraphs = np.append(0.0, paragraphs.cumsum())
    letters = np.append(0, weight[chosen].cumsum())
    is_teaser = np.zeros(len(chosen), np.bool_)  # the texts below the headings of two groups may be the same
    groups = facts.path_group[linked]
    by_group = groups.argsort(kind="stable")
    for rows in np.split(by_group, np.diff(groups[by_group]).nonzero()[0] + 1):
        headings = facts.blocks.first[linked[rows]]
        [(_, most)] = Counter(hosts[rows].tolist()).most_common(1)
        if len(headings) < thresholds.LEAST_TEASERS or most < thresholds.SAME_HOST * len(headings):
            continue
        card = around = int(headings[0])
        while around > 0 and dom.end[around] <= headings[-1]:
            card, around = around, int(dom.parent[around])
        before, begin, stop = first.searchsorted([around, card, dom.end[around]]).tolist()
        behind = letters[-1] - letters[stop]
        if of_paragraphs[before] >= thresholds.TEXT_BEFORE_TEASERS and 5 * behind <= letters[before]:
            is_teaser[begin:stop] = True
    return _without(main, chosen[is_teaser])


def _hosts(dom: Dom, first: NDArray[np.integer], last: NDArray[np.integer]) -> NDArray[np.object_]:
    """Return the host (t,) of the address of the last link of each text, empty for an address without a host.

    `_SAME_PAGE` is that of a text without a link, and of an address of a place of the same page. first, last:
    (t,) the nodes of the texts.
    """
    links = dom.find_tag("a")
    nearest = links[np.maximum(links.searchsorted(last, side="right") - 1, 0)]
    addresses = ((dom.get(link, "href") or "#").strip() for link in nearest.tolist())
    hosts = [_SAME_PAGE if address.startswith("#") else _host(address) for address in addresses]
    is_in_link: NDArray[np.bool_] = dom.end[nearest] > first
    return np.where(is_in_link, np.array(hosts, object), _SAME_PAGE)


def _host(address: str) -> str:
    """Return the host of an address in lower case; empty for a relative one."""
    match = _HOST.match(address)
    return match["host"].lower() if match else ""


def without_pointers(facts: PageFacts, main: Float64, chosen: NDArray[np.intp]) -> Float64:
    """Return the probability of main text (b,), 0 for lines that point to other pages.

    Such a line is a label such as "Read also:" and a link, or one of the last chosen lines and a request to
    follow the authors or to share the text.

    >>> from webgrain.columns.blocks import page_facts
    >>> from webgrain.page.parsing import parse
    >>> facts = page_facts(parse("<p>The lamp.<p>Read also: <a href=b>The boat</a><p>Now.<p>Follow us!"))
    >>> without_pointers(facts, np.ones(4), np.arange(4)).tolist()
    [1.0, 0.0, 1.0, 0.0]
    """
    short = facts.texts["characters"][chosen] <= thresholds.POINTER
    texts = facts.blocks.texts
    dropped = []
    for k in chosen[short & (facts.linked[chosen] > thresholds.LINK_OF_POINTER)].tolist():
        label = _POINTER.match(texts[k])
        if label and len(texts[k]) - label.end() <= facts.linked[k] * len(texts[k]) * thresholds.LINK_ALONE:
            dropped.append(k)
    last = chosen[-thresholds.LAST_LINES :]
    dropped += [k for k in last[short[-thresholds.LAST_LINES :]].tolist() if _REQUEST.match(texts[k])]
    return _without(main, dropped)


def without_products(facts: PageFacts, main: Float64, chosen: NDArray[np.intp]) -> Float64:
    """Return the probability of main text (b,), 0 for sections of other products on the page of a product.

    A section has a label such as "Related products", behind the first of the chosen blocks: it is the
    largest element that begins with the label. If this holds nothing else, the section ends at the next
    heading of the same or a higher level, or with the element around. A section with an ``<h1>`` stays. The
    first `thresholds.MOST_LABELS` labels count.

    >>> from webgrain.columns.blocks import page_facts
    >>> from webgrain.page.parsing import parse
    >>> cards = "<li><a href=b>A boat</a><p>A small one.<li><a href=c>A sail</a>"
    >>> facts = page_facts(parse(f"<p>A lamp.<h2>Related products</h2><ul>{cards}</ul><h2>Size</h2><p>One."))
    >>> without_products(facts, np.ones(7), np.arange(7)).tolist()
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]
    """
    blocks = facts.blocks
    if not len(chosen):
        return main
    short = (facts.texts["characters"] <= thresholds.LABEL_OF_PRODUCTS).nonzero()[0]
    titles = blocks.first.searchsorted(facts.dom.find_tag("h1"))
    dropped = np.zeros(len(main), np.bool_)
    lines = short[short > chosen[0]].tolist()
    is_label = facts.dom.values.text_answers(_IS_LABEL_OF_PRODUCTS, [blocks.texts[line] for line in lines])
    for label in islice(compress(lines, is_label), thresholds.MOST_LABELS):  # each costs a pass over the page
        stop = _end_of_section(facts, label)
        if not ((titles > label) & (titles < stop)).any():
            dropped[label:stop] = True
    return _without(main, dropped.nonzero()[0])


def _end_of_section(facts: PageFacts, label: int) -> int:
    """Return the block behind the section that begins with a block; see `without_products`."""
    parent, first, stop = facts.tree[:3]
    node = int(facts.holder[label])
    while first[parent[node]] == label:
        node = int(parent[node])
    if stop[node] > label + 1:
        return int(stop[node])
    end = facts.dom.end
    levels = HEADING_LEVELS.of_nodes(facts.dom)
    level = int(levels[node : end[node]].max(initial=0)) or 6
    behind = levels[end[node] : end[parent[node]]]
    is_next = (behind > 0) & (behind <= level)
    if not is_next.any():
        return int(stop[parent[node]])
    heading = int(end[node]) + int(is_next.argmax())
    return int(facts.blocks.first.searchsorted(heading))


def _without(main: Float64, blocks: Sequence[int] | NDArray[np.integer]) -> Float64:
    """Return a copy of probabilities (b,), 0 for some blocks; the same if these are all that have any."""
    if not len(blocks):
        return main
    rest = main.copy()
    rest[blocks] = 0.0
    return rest if rest.any() else main
