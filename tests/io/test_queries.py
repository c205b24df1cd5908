"""Search logs as people have them."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from webgrain.base.errors import InputError, ParameterError
from webgrain.io import queries
from webgrain.io.queries import SearchLog, read_queries, server_rows
from webgrain.page.links import addresses
from webgrain.page.page import Source
from webgrain.page.parsing import parse

SITE = "https://www.example.org"


def page(name, html="<p>x", url=None):
    return parse(Source(name, html.encode(), url=url))


def log_of(tmp_path, content, name="log.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_queries(path)


@pytest.mark.parametrize(
    "content",
    [
        f"url\tquery\tclicks\n{SITE}/a.html\tblue lamp\t3\n",
        f"Query,Page,Clicks\n\"blue lamp\",{SITE}/a.html,3\n",
        f"Suchanfrage;Seite;Klicks;CTR\nblue lamp;{SITE}/a.html;3;2,78%\n",
        f"3,{SITE}/a.html,blue lamp\n",
        f"\ufeffxyz,abc,n\nblue lamp,{SITE}/a.html,3\nblue lamp,{SITE}/b.html,1\n",
        "query\tpath\tclicks\nblue lamp\ta.html\t3\n",
        "data_date,site_url,url,query,is_anonymized_query,clicks\n"
        f"2024-01-01,{SITE}/,{SITE}/a.html,blue lamp,false,3\n",
        json.dumps({"rows": [{"keys": ["blue lamp", f"{SITE}/a.html"], "clicks": 3.0, "ctr": 0.1}]}),
        json.dumps([{"keys": [f"{SITE}/a.html", "2024-01-01", "blue lamp"][::2], "clicks": 3}]),
        json.dumps({"page": f"{SITE}/a.html", "query": "blue lamp", "clicks": 3}) + "\n"
        + json.dumps({"page": f"{SITE}/b.html", "query": "rope", "clicks": 1}),
    ],
    ids=["tsv", "csv", "german", "bare", "unknown", "paths", "bigquery", "api", "list", "lines"],
)  # fmt: skip
def test_rows_of_any_form_are_found(tmp_path, content):
    log = log_of(tmp_path, content)
    assert log.queries_for(page("a.html")) == {"blue lamp": 3}
    assert log.matched == 1


def test_clicks_on_pages_and_on_addresses_without_a_page(tmp_path):
    rows = ["a.html,lamp,3", "a.html,blue lamp,4", "b.html,rope,0", "gone.html,bell,2", "old.html,kiln,0"]
    log = log_of(
        tmp_path, "\n".join(["url,query,clicks", *(f"{SITE}/{row}" for row in rows), "http://c.org/,x,9"])
    )
    assert log.clicks_on("a.html", addresses(page("a.html"))) == (7, ["blue lamp", "lamp"])
    assert log.clicks_on("x", addresses(page("x", url=f"{SITE}/b.html"))) == (0, ["rope"])
    assert log.clicks_on("c.html", addresses(page("c.html"))) == (0, [])
    assert list(log.lost()) == [(SITE.partition("//")[2] + "/gone.html", 2)]


def test_rows_without_clicks_count_as_one(tmp_path):
    log = log_of(tmp_path, f"url,query\n{SITE}/a.html,lamp\n{SITE}/a.html,rope\n")
    assert log.clicks_on("a.html", addresses(page("a.html"))) == (2, ["lamp", "rope"])


def test_addresses_are_compared_in_their_canonical_form(tmp_path):
    log = log_of(tmp_path, "url,query\nHTTP://WWW.example.org:80/shop/index.html#top,lamp\n")
    assert log.queries_for(page("x", url="https://www.example.org/shop/")) == {"lamp": 1}
    assert log.queries_for(page("x", url="https://other.example.org/shop/")) == {}
    assert log.queries_for(page("shop/index.html")) == {"lamp": 1}


def test_quotes_line_breaks_and_empty_queries(tmp_path):
    log = log_of(
        tmp_path, 'url,query,clicks\n/a,"say ""lamp"",\nplease",2\n/a,,9\n,lamp,1\n/b,"1,5 m rope","1,234"\n'
    )
    assert log.queries_for(page("a")) == {'say "lamp", please': 2}
    assert log.queries_for(page("b")) == {"1,5 m rope": 1234}
    assert (log.rows, log.unused) == (4, 2)


def test_tables_with_tabs_have_no_quotes(tmp_path):
    log = log_of(tmp_path, 'query\turl\n"lamp\t/a\nrope"\t/b\n')
    assert log.queries_for(page("a")) == {'"lamp': 1}


def test_the_export_of_the_search_console_joins_no_pages_and_queries(tmp_path):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(
            "Suchanfragen.csv", "Häufigste Suchanfragen,Klicks,CTR\nblue lamp,9,2.78%\nsofa,3,1%\n"
        )
        archive.writestr("Seiten.csv", f"Die häufigsten Seiten,Klicks\n{SITE}/a.html,12\n")
        archive.writestr("Chart.csv", "Date,Clicks\n2024-01-01,3\n")
    log = log_of(tmp_path, content.getvalue(), "export.zip")
    assert not log.joined
    assert log.queries_for(page("a.html", "<title>Blue lamps</title><h1>The blue lamp</h1>")) == {
        "blue lamp": 9
    }
    assert log.queries_for(page("b.html", "<h1>The blue lamp</h1>")) == {}


def test_logs_of_servers_have_searches_in_the_address_before(tmp_path):
    line = '1.2.3.4 - - [10/Oct/2024:13:55:36 +0000] "GET {} HTTP/1.1" {} 2326 "{}" "Mozilla/5.0"\n'
    log = log_of(
        tmp_path,
        line.format("/a.html", 200, "https://www.google.com/search?q=blue+lamp&hl=en")
        + line.format("/a.html", 404, "https://duck.example/?q=rope")
        + line.format("/b.html", 200, f"{SITE}/search?query=%E7%81%AF")
        + line.format("/b.html", 200, "-") + "broken line\n",
    )  # fmt: skip
    assert log.kind == "server"
    assert log.queries_for(page("a.html")) == {"blue lamp": 1}
    assert log.queries_for(page("b.html")) == {"灯": 1}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "a\nb\n",
        "query,clicks\nlamp,3\n",
        "{",
        "[1]",
        '{"rows": 3}',
        '{"rows": [{"keys": 1}]}',
        b"PK\x03\x04xx",
    ],
)
def test_what_is_no_log_is_refused_in_one_sentence(tmp_path, content):
    with pytest.raises(InputError, match=r"log\.csv"):
        log_of(tmp_path, content)


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(queries, "MAX_LOG_ADDRESSES", 5)
    monkeypatch.setattr(queries, "MAX_QUERIES", 3)
    log = SearchLog("table")
    for k in range(100):
        log.add(f"/p{k % 10}", f"lamp {k}", k)
    assert log.rows == 100
    assert log.dropped
    assert len(log._queries) == 5
    assert all(len(own) <= 6 for own in log._queries.values())
    assert len(log.queries_for(page("p1"))) == 3


def test_queries_without_words_are_not_used():
    log = SearchLog("table")
    log.add("/a", "?!", 3)
    assert log.unused == 1


class Column(list):
    def to_list(self):
        return list(self)


class Frame:
    """A table with the interface of pandas and polars."""

    def __init__(self, **columns):
        self.columns = list(columns)
        self._columns = columns

    def __getitem__(self, name):
        return Column(self._columns[name])


def test_a_mapping_from_page_ids_to_queries():
    log = read_queries(
        {"a.html": {"blue lamp": 3, "lamp": 1.0}, "Page 7": ["sofa"], f"{SITE}/c": {"rope": 2}}
    )
    assert log.queries_for(page("a.html")) == {"blue lamp": 3, "lamp": 1}
    assert log.queries_for(page("Page 7")) == {"sofa": 1}
    assert log.queries_for(page("a.html", url=f"{SITE}/other")) == {"blue lamp": 3, "lamp": 1}
    assert log.queries_for(page("x", url=f"{SITE}/c")) == {"rope": 2}
    assert log.queries_for(page("b.html")) == {}
    assert log.matched == 4


@pytest.mark.parametrize("kind", ["pyarrow", "pandas"])
def test_a_table_of_queries(kind):
    columns = {
        "Clicks": [3, None, 2],
        "url": ["a.html", "b.html", f"{SITE}/c"],
        "Top queries": ["blue lamp", "sofa", None],
    }
    table = pytest.importorskip("pyarrow").table(columns) if kind == "pyarrow" else Frame(**columns)
    log = read_queries(table)
    assert (log.kind, log.rows, log.unused) == ("table", 3, 1)
    assert log.queries_for(page("a.html")) == {"blue lamp": 3}
    assert log.queries_for(page("b.html")) == {"sofa": 1}


def test_a_table_without_clicks_and_with_missing_values():
    log = read_queries(Frame(query=["lamp", float("nan"), "lamp"], page=["a.html", "a.html", "a.html"]))
    assert log.queries_for(page("a.html")) == {"lamp": 2}
    assert log.unused == 1


def test_a_path_and_a_search_log(tmp_path):
    (tmp_path / "log.csv").write_text("url,query\n/a.html,lamp\n")
    log = read_queries(str(tmp_path / "log.csv"))
    assert log.queries_for(page("a.html")) == {"lamp": 1}
    assert read_queries(log) is log


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "a mapping from page ids to queries, got int"),
        (None, "got NoneType"),
        (b"log.csv", "got bytes"),
        ({"a.html": 3}, "must map page ids to queries"),
        ({"a.html": "lamp"}, "must map page ids to queries"),
        ({7: ["lamp"]}, "must map page ids to queries"),
        (Frame(query=[]), "a column page"),
    ],
)
def test_other_values_are_refused(value, message):
    with pytest.raises(ParameterError, match=message):
        read_queries(value)


def test_rows_and_long_values_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(queries, "MAX_LOG_ROWS", 5)
    rows = "".join(f"/p{k},lamp {k},1\n" for k in range(9))
    log = log_of(tmp_path, "url,query,clicks\n" + rows)
    assert (log.rows, log.dropped) == (5, True)
    log = log_of(tmp_path, "url,query,clicks\n" + f"/a,{'lamp ' * 1000},1\n/{'b' * 9000},lamp,1\n")
    assert (log.rows, log.unused, log.dropped) == (2, 1, False)
    [query] = log.queries_for(page("a"))
    assert len(query) < 501


def test_a_line_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(queries, "MAX_RECORD", 1000)
    for start in ("url,query,clicks\n/a,lamp,1\n", ""):
        with pytest.raises(InputError, match="a line of more than 1,000 characters"):
            log_of(tmp_path, start + "x" * 2000)


def test_the_tables_of_an_export_are_bounded(tmp_path, monkeypatch):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Queries.csv", "Top queries,Clicks\nlamp,3\nsofa,2\n")
        archive.writestr("Pages.csv", "Top pages,Clicks\nhttps://example.org/a,3\n")
        archive.writestr("Bomb.csv", "Top pages,Clicks\n" + "https://example.org/b,3\n" * 100_000)
    monkeypatch.setattr(queries, "MAX_LOG_BYTES", 10_000)
    log = read_queries(path)
    assert (log.rows, log.dropped) == (3, True)
    monkeypatch.setattr(queries, "MAX_LOG_BYTES", 2**30)
    monkeypatch.setattr(queries, "MAX_LOG_ROWS", 100)
    assert read_queries(path).rows == 100


@pytest.mark.parametrize(
    ("request_line", "path"),
    [
        ("GET /a HTTP/1.1", "/a"), ("HEAD /a?b=c", "/a?b=c"), (r'GET /a\"b HTTP/1.1', r"/a\"b"),
        ('GET /a"b HTTP/1.1', '/a"b'), ("GET /a b c HTTP/1.1", "/a"),
    ],
)  # fmt: skip
def test_paths_of_requests_are_read(request_line: str, path: str) -> None:
    line = f'1.2.3.4 - - [1/Jan/2020] "{request_line}" 200 5 "http://example.org/?q=blue" "x"'
    assert list(server_rows(io.StringIO(line))) == [(path, "blue", 1)]


def test_a_table_of_many_columns_ends(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("url,query,clicks" + "," * 10**6 + "\n/a,lamp,2" + "," * 10**6)
    assert read_queries(path).rows == 1
