"""The search of the docs: what partners look up is found, right ones first."""

import re

import pytest

from bindery.api.guide.search import Entry, find
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def found(shared: Service, query: str) -> list[tuple[str, str]]:
    page = (await shared.http.get("/docs/search", params={"q": query})).text
    return re.findall(r'<li><a href="(/docs[^"]*)">([^<]*)</a>', page.partition('<ol class="hits">')[2])


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("BOR", "roker"),
        ("Q2302", "Q2302"),
        ("quote_open", "quote_open"),
        ("policy_cancelled", "policy_cancelled"),
        ("webhok", "ebhook"),
        ("how do I cancel", "ancel"),
        ("deductible", "etention"),
        ("quote_bind_requested", ""),
        ("policy.issued", "policy.issued"),
        ("missing_answer", ""),
    ],
)
async def test_what_partners_look_up_comes_first(shared: Service, query: str, first: str) -> None:
    hits = await found(shared, query)

    assert hits
    assert first in f"{hits[0][1]} {(await shared.http.get(hits[0][0])).text}"
    assert not any("arborlight" in title for _, title in hits)


async def test_the_broker_of_record_is_meant_by_its_letters(shared: Service) -> None:
    page = (await shared.http.get("/docs/search", params={"q": "BOR"})).text

    marked = re.findall(r"<mark>([^<]*)</mark>", page)
    assert {mark.lower() for mark in marked} <= {"bor", "broker of record", "broker-of-record"}
    assert marked


async def test_the_words_of_a_question_lead_to_it(shared: Service) -> None:
    listed = (await shared.http.get("/docs/question-list")).text
    number, text = re.findall(r'<h3 id="(CYB-Q\d+)">Q\d+</h3>\n<p>([^<&]*)', listed)[3]

    hits = await found(shared, text.strip())

    assert f"/docs/question-list#{number}" in [address for address, _ in hits]


async def test_every_hit_leads_to_an_anchor_that_is_there(shared: Service) -> None:
    for query in ("revenue", "webhook", "policy", "multi-factor"):
        for address, _ in await found(shared, query):
            path, _, anchor = address.partition("#")
            page = (await shared.http.get(path)).text
            assert not anchor or f'id="{anchor}"' in page, address


async def test_every_page_has_the_search(shared: Service) -> None:
    for path in ("/docs", "/docs/reference", "/docs/search", "/docs/question-list", "/packages/"):
        assert 'action="/docs/search"' in (await shared.http.get(path)).text, path


async def test_whole_words_come_before_beginnings_and_a_wrong_letter_is_forgiven() -> None:
    entries = [
        Entry("/in", "One", "P", "Harborlight border"),
        Entry("/begins", "Two", "P", "binders binders binders"),
        Entry("/whole", "Three", "P", "a binder"),
        Entry("/record", "Four", "P", "A broker of record letter"),
    ]

    def addresses(query: str) -> list[str]:
        return [hit.entry.address for hit in find(entries, query)]

    assert addresses("bor") == ["/record"]
    assert addresses("bindre")[0] == "/whole"
    assert addresses("a binder is") == ["/whole", "/begins"]
    assert addresses("arborl") == ["/in"]
    assert addresses("xyzxyz") == []
    # A word that nothing has does not hide what has the others.
    assert addresses("binder zzzzzz") == ["/whole", "/begins"]
