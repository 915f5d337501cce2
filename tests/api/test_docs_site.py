"""The documentation as it is served: every page, its links, the search, and texts for programs."""

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from bindery.api.guide import pages, site
from bindery.api.guide.markdown import render
from bindery.api.guide.pages import PAGE_BY_NAME, PAGES, GuidePage
from bindery.api.guide.search import MOST_FOUND, Entry, find
from support.service import Service

FILES = (".md", ".xml", ".json", ".whl", ".tgz", ".zip", ".http")
on_shared = pytest.mark.asyncio(loop_scope="module")


class Links(HTMLParser):
    """The addresses a page leads to, the anchors it has, and where it gets things from."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()
        self.loaded: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.anchors.add(given.get("id") or "")
        if tag == "a" or given.get("rel") == "alternate":
            self.targets.append(given["href"] or "")
        elif tag in {"img", "script", "link"}:
            self.loaded.append(given.get("src") or given.get("href") or "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
@on_shared
async def test_each_page_is_served_with_its_text(shared: Service, page: GuidePage) -> None:
    shown = await shared.http.get(page.address)
    text = await shared.http.get(f"/docs/{page.name}.md")

    assert (shown.status_code, shown.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert shown.text.count("<h1") == 1
    assert f"<title>{render(page).title} · Bindery</title>".replace("'", "&#39;") in shown.text
    assert (text.status_code, text.headers["content-type"]) == (200, "text/markdown; charset=utf-8")
    assert text.text.startswith("# ")


@on_shared
async def test_all_links_of_the_site_lead_somewhere(shared: Service) -> None:
    pages = {page.address: Links((await shared.http.get(page.address)).text) for page in PAGES}
    for address in ("/docs/reference", "/docs/question-list", "/packages/"):
        pages[address] = Links((await shared.http.get(address)).text)
    # What the pages of the operations lead to is judged where they are made.
    operations = {target for target in pages["/docs/reference"].targets if "/docs/reference/" in target}
    pages |= dict.fromkeys(operations, Links(""))

    wrong = []
    for address, links in pages.items():
        for target in links.targets:
            if re.match(r"https?:|mailto:", target):
                continue
            path, _, anchor = target.partition("#")
            if path.startswith(("/v2/", "/llms.txt")) or path.endswith(
                (".md", ".xml", ".json", ".whl", ".tgz", ".zip", ".http")
            ):
                assert (await shared.http.get(path)).status_code == 200
                continue
            found = pages.get(path or address)
            if found is None or (anchor and anchor not in found.anchors):
                wrong.append((address, target))
    assert wrong == []


@on_shared
async def test_nothing_comes_from_another_host(shared: Service) -> None:
    for page in PAGES:
        for source in Links((await shared.http.get(page.address)).text).loaded:
            assert source.startswith("data:") or not source


@pytest.mark.parametrize(
    "path",
    [
        "/docs/nothing",
        "/docs/nothing.md",
        "/docs/images/x.svg",
        "/docs/images/..%2Fx",
        "/docs/reference/nothing",
        "/docs/reference/get_quote/x",
    ],
)
@on_shared
async def test_what_there_is_not_is_404(shared: Service, path: str) -> None:
    assert (await shared.http.get(path)).status_code == 404


@pytest.mark.parametrize("wanted", ["revenue", "idempotency", "missing_answer", "red-flags", "(approve)"])
@on_shared
async def test_the_search_finds_what_people_look_for(shared: Service, wanted: str) -> None:
    found = await shared.http.get("/docs/search", params={"q": wanted})

    hits = re.findall(r'<li><a href="(/docs[^"]*)">', found.text.partition('<ol class="hits">')[2])
    assert found.status_code == 200
    assert hits
    assert f"<mark>{wanted}</mark>".lower() in found.text.lower()


@on_shared
async def test_a_hostile_query_is_shown_as_text(shared: Service) -> None:
    found = await shared.http.get("/docs/search", params={"q": "<script>alert(1)</script>" + "x" * 9000})

    assert found.status_code == 200
    assert "<script>alert" not in found.text
    assert len(found.text) < 60_000


@on_shared
async def test_programs_find_every_page(shared: Service) -> None:
    told = await shared.http.get("/llms.txt")

    addresses = re.findall(r"\]\((/[^)]+)\)", told.text)
    assert [f"/docs/{page.name}.md" for page in PAGES] == addresses[: len(PAGES)]
    assert addresses[len(PAGES) :] == ["/v2/openapi.json"]


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("overview", "/v2/openapi.json?webhooks=no"),
        ("quickstart", '`"type": "module"`'),
        ("quickstart", "`npm install --save-dev typescript @types/node`"),
        ("quickstart", "a request that is sent twice is two requests and two companies"),
        ("waiting", "asks once with `get_quote`"),
        ("webhooks", "No event tells that `comparison` and `certificate` are there"),
    ],
)
def test_a_page_says_what_partners_had_to_find_out(page: str, words: str) -> None:
    assert words in pages.source(PAGE_BY_NAME[page])


def test_no_page_for_partners_names_a_file_of_a_checkout() -> None:
    assert [page.name for page in PAGES if ".venv/bin/" in pages.source(page)] == []


def test_titles_come_before_texts() -> None:
    entries = [
        Entry("/a", "Other", "P", "revenue revenue revenue"),
        Entry("/b", "Revenue", "P", "what a company earns"),
        Entry("/c", "Third", "P", "nothing"),
    ]

    assert [hit.entry.address for hit in find(entries, "Revenue")] == ["/b", "/a"]
    assert find(entries, "revenue company") == find(entries[1:2], "revenue company")
    assert find(entries, " ") == find(entries, "nowhere") == []
    assert len(find([entries[0]] * 50, "revenue")) == MOST_FOUND


@on_shared
async def test_the_same_example_in_three_languages_is_one_group_of_tabs(shared: Service) -> None:
    all_three, connecting = ("bash", "python", "typescript"), ("python", "typescript")
    for page, expected in [
        ("/docs/quickstart", {all_three, connecting}),
        ("/docs/reference", {connecting}),
        ("/docs/reference/get_quote", {all_three}),
    ]:
        shown = (await shared.http.get(page)).text

        groups = shown.split('<div class="tabs">')[1:]
        assert {tuple(re.findall(r'data-language="(\w+)"', group)) for group in groups} == expected


@on_shared
async def test_the_guide_leads_to_the_operations_that_it_names_and_they_lead_back(shared: Service) -> None:
    guide = (await shared.http.get("/docs/waiting")).text
    codes = (await shared.http.get("/docs/error-codes")).text
    operation = (await shared.http.get("/docs/reference/get_quote")).text

    assert '<a href="/docs/reference/get_quote"><code>GET /v2/quotes/{identifier}</code></a>' in guide
    assert '<a href="/docs/reference/validate_quotes">' in codes
    assert '<a href="/docs/waiting">Waiting' in operation
    for page in PAGES:
        shown = (await shared.http.get(page.address)).text
        assert not re.search(r"<a [^>]*>(?:(?!</a>).)*<a ", shown, re.DOTALL), page.address


@on_shared
async def test_the_changelog_is_a_feed(shared: Service) -> None:
    shown = (await shared.http.get("/docs/changelog")).text
    answer = await shared.http.get("/docs/changelog.xml")

    entries = ET.fromstring(answer.content).findall("{*}entry")
    headings = re.findall(r"^### (.+)$", changelog(), re.MULTILINE)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/atom+xml")
    assert [text_of(entry, "title").rpartition(" (")[0] for entry in entries] == headings
    assert len({text_of(entry, "id") for entry in entries}) == len(entries) == len(headings)
    for entry in entries:
        link = entry.find("{*}link")
        assert link is not None
        address = link.attrib["href"]
        assert address.partition("#")[2] in Links(shown).anchors
        assert text_of(entry, "content").startswith("<ul>")
    assert '<link rel="alternate" type="application/atom+xml"' in shown
    assert '<a href="/docs/changelog.xml">' in shown


@on_shared
async def test_a_checkout_of_another_day_has_the_same_feed(shared: Service) -> None:
    """An entry has the day of its heading, whenever the file was written to this disk."""
    answer = await shared.http.get("/docs/changelog.xml")

    parts = re.split(r"^## ", changelog(), flags=re.MULTILINE)[1:]
    expected = [
        f"{part.partition(chr(10))[0][-10:]}T00:00:00+00:00"
        for part in parts
        for _ in re.findall(r"^### ", part, re.MULTILINE)
    ]
    whole = ET.fromstring(answer.content)
    assert [text_of(entry, "updated") for entry in whole.findall("{*}entry")] == expected
    assert text_of(whole, "updated") == max(expected)


def test_every_release_of_the_changelog_has_a_day() -> None:
    text = (
        "## 0.2.0, unreleased, as of 2026-12-24\n\n### Quoting\n- A & B.\n\n"
        "## 0.1.0, 2026-12-01\n\n### Quoting\n- C.\n"
    )

    newer, older = site.entries_of(text)

    assert (newer.id, newer.anchor) == ("urn:bindery:changelog:0.2.0:quoting", "quoting")
    assert (older.id, older.anchor) == ("urn:bindery:changelog:0.1.0:quoting", "quoting-1")
    assert (newer.updated, older.updated) == (
        datetime(2026, 12, 24, tzinfo=UTC),
        datetime(2026, 12, 1, tzinfo=UTC),
    )
    assert newer.html == "<ul>\n<li>A &amp; B.</li>\n</ul>\n"
    with pytest.raises(ValueError, match="has no day: "):
        list(site.entries_of("## 0.3.0, unreleased\n\n### Quoting\n- D.\n"))


def changelog() -> str:
    return pages.source(PAGE_BY_NAME["changelog"])


def text_of(entry: ET.Element, name: str) -> str:
    return entry.findtext(f"{{*}}{name}") or ""
