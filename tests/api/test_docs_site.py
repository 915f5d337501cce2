"""The documentation as it is served: every page, its links, the search, and texts for programs."""

import re
from html.parser import HTMLParser

import pytest

from bindery.api.guide.markdown import Example, examples, render
from bindery.api.guide.pages import PAGES, Page
from bindery.api.guide.search import MOST_FOUND, Entry, find
from support.service import Service


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
        if tag == "a":
            self.targets.append(given["href"] or "")
        if tag in {"img", "script", "link"}:
            self.loaded.append(given.get("src") or given.get("href") or "")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
async def test_each_page_is_served_with_its_text(service: Service, page: Page) -> None:
    shown = await service.http.get(page.address)
    text = await service.http.get(f"/docs/{page.name}.md")

    assert (shown.status_code, shown.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert shown.text.count("<h1") == 1
    assert f"<title>{render(page).title} · Bindery</title>".replace("'", "&#39;") in shown.text
    assert (text.status_code, text.headers["content-type"]) == (200, "text/markdown; charset=utf-8")
    assert text.text.startswith("# ")


async def test_all_links_of_the_site_lead_somewhere(service: Service) -> None:
    pages = {page.address: Links((await service.http.get(page.address)).text) for page in PAGES}
    reference = Links((await service.http.get("/docs/reference")).text)
    pages["/docs/reference"] = reference

    wrong = []
    for address, links in pages.items():
        for target in links.targets:
            if re.match(r"https?:|mailto:", target):
                continue
            path, _, anchor = target.partition("#")
            if path.startswith(("/v2/", "/llms.txt")) or path.endswith(".md"):
                assert (await service.http.get(path)).status_code == 200
                continue
            found = pages.get(path or address)
            if found is None or (anchor and anchor not in found.anchors):
                wrong.append((address, target))
    assert wrong == []


async def test_nothing_comes_from_another_host(service: Service) -> None:
    for page in PAGES:
        for source in Links((await service.http.get(page.address)).text).loaded:
            assert source.startswith(("data:", "/docs/images/")) or not source
            if source.startswith("/docs/images/"):
                assert (await service.http.get(source)).status_code == 200


@pytest.mark.parametrize(
    "path", ["/docs/nothing", "/docs/nothing.md", "/docs/images/x.svg", "/docs/images/..%2Fx"]
)
async def test_what_there_is_not_is_404(service: Service, path: str) -> None:
    assert (await service.http.get(path)).status_code == 404


@pytest.mark.parametrize("wanted", ["revenue", "idempotency", "missing_answer", "red-flags", "(approve)"])
async def test_the_search_finds_what_people_look_for(service: Service, wanted: str) -> None:
    found = await service.http.get("/docs/search", params={"q": wanted})

    hits = re.findall(r'<li><a href="(/docs[^"]*)">', found.text.partition('<ol class="hits">')[2])
    assert found.status_code == 200
    assert hits
    assert f"<mark>{wanted}</mark>".lower() in found.text.lower()


async def test_a_hostile_query_is_shown_as_text(service: Service) -> None:
    found = await service.http.get("/docs/search", params={"q": "<script>alert(1)</script>" + "x" * 9000})

    assert found.status_code == 200
    assert "<script>alert" not in found.text
    assert len(found.text) < 60_000


async def test_programs_find_every_page(service: Service) -> None:
    told = await service.http.get("/llms.txt")

    addresses = re.findall(r"\]\((/[^)]+)\)", told.text)
    assert [f"/docs/{page.name}.md" for page in PAGES] == addresses[: len(PAGES)]
    assert addresses[len(PAGES) :] == ["/v2/openapi.json"]


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


def test_neighboring_examples_become_tabs() -> None:
    shown = [example for page in PAGES for example in examples(page)]

    assert Example("bash", "cat receipt.json") not in shown
    assert {"bash", "json"} <= {example.language for example in shown}
