"""Each change of what is offered or bound is one new version of the documents that say it."""

import uuid
from typing import Any

import httpx
import pytest

from bindery.actions.desk.take_decisions import DecidedQuote, take_decisions
from bindery.actions.documents.make_document import make_packet
from bindery.contract.documents import DocumentType as D
from bindery.contract.documents import PacketType
from bindery.contract.vocabulary import ContingencyType
from bindery.domain.policy.contingencies import ContingencyKind, DraftContingency
from bindery.domain.quote.decisions import AddContingency
from bindery.worker.idle_press import make_newest
from documents.reading import text_of
from support.binding import bind, decide, one_quoted, quoted, shown
from support.service import Service, request_body

pytestmark = pytest.mark.usefixtures("clock_at_day")
PROOF = {"type": "pre_bind", "text": "Evidence of offline backups"}
REPLACES = "replaces the letter of March 1, 2027"


async def fetch(service: Service, kind: str, quote: dict[str, Any], query: str = "") -> httpx.Response:
    return await service.get(f"/v2/quotes/{kind}/{quote['quote_identifier']}{query}")


async def version_of(service: Service, kind: str, quote: dict[str, Any]) -> int:
    answer = await fetch(service, kind, quote)
    assert answer.status_code == 200, answer.text
    return int(answer.headers["document-version"])


async def versions_of(service: Service, quote: dict[str, Any], *kinds: D) -> list[int]:
    return [await version_of(service, kind, quote) for kind in kinds]


async def referred(service: Service, *options: dict[str, int]) -> list[dict[str, Any]]:
    def larger(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["red-flags.example.com"]
        body["policy"]["quotes"] = list(options)

    found = await quoted(service, request_body(larger))
    assert {quote["quote_status"] for quote in found} == {"quote_referred"}
    return found


async def ready_events(service: Service, quote: dict[str, Any]) -> list[tuple[list[str], int]]:
    answer = await service.get(f"/v2/events?quote_identifier={quote['quote_identifier']}")
    return [
        (event["data"]["documents"], event["data"]["version"])
        for event in answer.json()["events"]
        if event["type"].endswith("document_ready")
    ]


async def test_a_contingency_added_later_makes_a_letter_that_says_what_it_replaces(service: Service) -> None:
    quote = await one_quoted(service)
    first = await fetch(service, D.QUOTE_LETTER, quote)
    assert first.headers["document-version"] == "1"
    await decide(service, quote, "add_contingency", contingency=PROOF)

    second = await fetch(service, D.QUOTE_LETTER, quote)
    text = text_of(second.content)

    assert second.headers["document-version"] == "2"
    assert second.headers["etag"] != first.headers["etag"]
    assert PROOF["text"] in text
    assert REPLACES in text
    assert "an underwriter reviews the request first" in text
    assert REPLACES not in text_of(first.content)
    assert (await fetch(service, D.QUOTE_LETTER, quote, "?version=1")).content == first.content
    assert (await fetch(service, D.QUOTE_LETTER, quote, "?version=2")).content == second.content
    assert await versions_of(service, quote, D.COMPARISON, D.APPLICATION, D.POLICY_SPECIMEN) == [2, 1, 1]
    comparison = text_of((await fetch(service, D.COMPARISON, quote)).content)
    assert PROOF["text"] in comparison
    assert "replaces the comparison of March 1, 2027" in comparison


async def test_an_old_version_that_nobody_fetched_is_made_from_its_own_facts(service: Service) -> None:
    quote = await one_quoted(service)
    await decide(service, quote, "add_contingency", contingency=PROOF)
    third = await decide(
        service, quote, "close_contingency", contingency_id=await number_of(service, quote, PROOF["text"])
    )

    texts = [
        text_of((await fetch(service, D.QUOTE_LETTER, quote, f"?version={number}")).content)
        for number in (1, 2, 3)
    ]

    assert [PROOF["text"] in text for text in texts] == [False, True, True]
    assert ["Received already" in text for text in texts] == [False, False, True]
    assert [row["status"] for row in third["contingencies"]] == ["open", "closed"]


async def number_of(service: Service, quote: dict[str, Any], text: str) -> str:
    seen = await shown(service, quote["quote_identifier"])
    return next(str(row["contingency_id"]) for row in seen["contingencies"] if row["text"] == text)


async def test_a_version_that_does_not_exist_is_refused_with_those_that_do(service: Service) -> None:
    quote = await one_quoted(service)

    only = await fetch(service, D.QUOTE_LETTER, quote, "?version=2")
    await decide(service, quote, "add_contingency", contingency=PROOF)
    beyond = await fetch(service, D.QUOTE_LETTER, quote, "?version=3")
    unreadable = await fetch(service, D.QUOTE_LETTER, quote, "?version=0")

    assert (only.status_code, only.json()["code"]) == (404, "no_such_version")
    assert only.json()["message"] == "There is no version 2 of this quote letter: there is only version 1."
    assert (
        beyond.json()["message"] == "There is no version 3 of this quote letter: there are versions 1 to 2."
    )
    assert (unreadable.status_code, unreadable.json()["errors"][0]["path"]) == (400, "version")


async def test_a_decision_that_changes_nothing_makes_no_version(service: Service) -> None:
    quote = await one_quoted(service)
    signature = quote["contingencies"][0]["contingency_id"]
    for _ in range(2):
        await decide(service, quote, "close_contingency", contingency_id=signature)

    assert await versions_of(service, quote, D.QUOTE_LETTER, D.COMPARISON) == [2, 2]


async def test_an_approval_is_one_version_and_the_comparison_counts_the_moments(service: Service) -> None:
    first, second = await referred(service, {"aggregate_limit": 1_000_000}, {"aggregate_limit": 2_000_000})
    await decide(service, first, "approve", terms={"aggregate_retention": 25_000}, reason="Open RDP")
    assert await versions_of(service, first, D.QUOTE_LETTER, D.COMPARISON) == [1, 1]
    alone = await fetch(service, D.COMPARISON, first)

    await decide(service, second, "approve", reason="Fine")

    assert await versions_of(service, first, D.QUOTE_LETTER, D.COMPARISON) == [1, 2]
    assert await versions_of(service, second, D.QUOTE_LETTER, D.COMPARISON) == [1, 2]
    both = text_of((await fetch(service, D.COMPARISON, second)).content)
    assert "2 of 2" in both
    assert (await fetch(service, D.COMPARISON, first, "?version=1")).content == alone.content


async def test_a_change_by_a_clock_that_is_behind_is_still_the_next_version(service: Service) -> None:
    quote = await one_quoted(service)
    # As if another decision had read its clock later and been faster.
    await service.runtime.database.pool.execute("update packets set made_at = made_at + interval '1 hour'")

    await decide(service, quote, "add_contingency", contingency=PROOF)

    assert await versions_of(service, quote, D.QUOTE_LETTER, D.COMPARISON) == [2, 2]
    assert PROOF["text"] in text_of((await fetch(service, D.COMPARISON, quote)).content)


async def test_what_is_decided_about_several_options_is_one_version_of_their_comparison(
    service: Service,
) -> None:
    quotes = await quoted(service)
    draft = DraftContingency(ContingencyKind.UNDERWRITER, ContingencyType.PRE_BIND, PROOF["text"])
    decided = [DecidedQuote(uuid.UUID(quote["quote_identifier"]), AddContingency(draft)) for quote in quotes]

    await take_decisions(service.runtime.database, service.runtime.rules, decided, actor="una@example.com")

    assert len(quotes) > 1
    for quote in quotes:
        assert await versions_of(service, quote, D.QUOTE_LETTER, D.COMPARISON) == [2, 2]


async def test_an_idle_worker_makes_the_newest_version_and_announces_it(service: Service) -> None:
    quote = await one_quoted(service)
    await work_idly(service)
    await decide(service, quote, "add_contingency", contingency=PROOF)

    await work_idly(service)

    (everything, one), (letter, two) = await ready_events(service, quote)
    assert (D.QUOTE_LETTER in everything, one) == (True, 1)
    assert (letter, two) == ([D.QUOTE_LETTER], 2)
    assert await service.count("documents") == len(everything) + 1
    metadata = (await service.get(f"/v2/quotes/{quote['quote_identifier']}/documents/quote/metadata")).json()
    assert metadata["version"] == 2
    assert {form["form_number"]: form["version"] for form in metadata["documents"]}["QL 0001 01 26"] == 2
    assert sorted(form["version"] for form in metadata["documents"])[:-1] == [1] * (
        len(metadata["documents"]) - 1
    )


async def test_a_change_before_anything_was_made_announces_both_versions_once(service: Service) -> None:
    quote = await one_quoted(service)
    await decide(service, quote, "add_contingency", contingency=PROOF)

    await work_idly(service)
    await work_idly(service)

    (others, one), (letter, two) = await ready_events(service, quote)
    assert (D.QUOTE_LETTER in others, one) == (False, 1)
    assert (letter, two) == ([D.QUOTE_LETTER], 2)


async def work_idly(service: Service) -> None:
    await service.runtime.database.pool.execute("delete from pgq.pgqueuer")
    while await make_newest(service.runtime):
        pass


async def test_documents_of_a_bind_follow_it_to_its_policy_and_beyond(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    quote_id = uuid.UUID(quote["quote_identifier"])
    await make_packet(service.runtime, quote_id, PacketType.BINDER)
    of_bind = (D.BINDER, D.BILLING_STATEMENT, D.SECURITY_LETTER, D.BINDER_TRIA)
    assert await versions_of(service, quote, *of_bind) == [1, 1, 1, 1]

    await decide(service, quote, "close_contingency", contingency_id=await signature_of(service, quote))

    assert await versions_of(service, quote, *of_bind) == [2, 2, 2, 1]
    binder, bill, letter, _ = [text_of((await fetch(service, kind, quote)).content) for kind in of_bind]
    assert "onditional" not in binder + bill + letter
    assert "in draft" not in binder
    assert "signed and dated" not in letter
    assert "The binder is conditional" in text_of(
        (await fetch(service, D.BILLING_STATEMENT, quote, "?version=1")).content
    )
    # The offer's letter stays: it is what was offered.
    assert await version_of(service, D.QUOTE_LETTER, quote) == 1

    await decide(service, quote, "cancel", reason="business_sold")

    assert await versions_of(service, quote, *of_bind) == [2, 3, 2, 1]
    canceled = text_of((await fetch(service, D.BILLING_STATEMENT, quote)).content)
    assert "The policy is canceled as of" in canceled
    assert "Total due" not in canceled

    await decide(service, quote, "reinstate", reason="It was not sold.")

    assert await versions_of(service, quote, *of_bind) == [2, 4, 2, 1]
    assert "Total due" in text_of((await fetch(service, D.BILLING_STATEMENT, quote)).content)
    await make_packet(service.runtime, quote_id, PacketType.BINDER)
    assert (await ready_events(service, quote))[-1] == ([D.BILLING_STATEMENT], 4)


async def signature_of(service: Service, quote: dict[str, Any]) -> str:
    seen = await shown(service, quote["quote_identifier"])
    return str(seen["contingencies"][0]["contingency_id"])


async def test_a_policy_issued_without_a_signed_file_does_not_say_that_one_is_on_file(
    service: Service,
) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    await decide(
        service,
        quote,
        "close_contingency",
        contingency_id=await signature_of(service, quote),
        closed_as="waived",
        reason="Signed for the expiring policy.",
    )

    text = text_of((await fetch(service, D.POLICY, quote)).content)

    assert "on file with us" not in text
