"""A decision is taken whole or not at all, and its words are held to the same limits as the API's."""

import uuid
from typing import Any

import pytest

from bindery.contract.texts import LONGEST_BY_HAND
from support.people import Person, fields_of, text_of
from support.service import Service, request_body


def red_flags(body: dict[str, Any]) -> None:
    body["client"]["domains"] = ["red-flags.example.com"]


async def referred_case(service: Service, underwriter: Person) -> tuple[str, list[str], dict[str, Any]]:
    """Refer two options, and return the page of the case, their ids and the form that decides both."""
    quote = await service.quote(request_body(red_flags))
    rows = await service.runtime.database.pool.fetch(
        "select quote_id, submission_id from quotes where company_id = $1 order by option_number",
        int(quote["company_id"]),
    )
    path, options = f"/desk/case/{rows[0]['submission_id']}", [str(row["quote_id"]) for row in rows]
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    return path, options, {**form, "options": options, "decision": "approve", "reason": "Looked at."}


async def triggers(service: Service, quote_id: str) -> list[str]:
    return [entry.trigger for entry in await service.journal(quote_id)]


async def test_of_two_options_approved_together_none_is_published_when_one_price_has_changed(
    working_service: Service, underwriter: Person
) -> None:
    path, options, form = await referred_case(working_service, underwriter)
    before = [await triggers(working_service, option) for option in options]

    page = await underwriter.send(
        f"{path}/decide", status=422, **{**form, f"shown_premium-{options[1]}": "1"}
    )

    assert len(options) == 2
    assert "premium" in text_of(page)
    assert [await triggers(working_service, option) for option in options] == before
    await underwriter.send(f"{path}/decide", **form)
    for option in options:
        assert (await working_service.ready(option))["quote_status"] == "published"


async def test_an_approval_and_what_it_is_subject_to_are_written_in_one_transaction(
    working_service: Service, underwriter: Person
) -> None:
    path, options, form = await referred_case(working_service, underwriter)

    await underwriter.send(f"{path}/decide", **{**form, "contingency_text": "Proof that RDP is closed"})

    written = await working_service.runtime.database.pool.fetch(
        "select trigger, xmin::text as transaction from journal where quote_id = any($1) and actor = $2",
        [uuid.UUID(option) for option in options],
        underwriter.email,
    )
    assert sorted({row["trigger"] for row in written}) == ["approve_referral", "change_contingencies"]
    assert len({row["transaction"] for row in written}) == 1
    for option in options:
        owed = (await working_service.ready(option))["contingencies"]
        assert "Proof that RDP is closed" in [contingency["text"] for contingency in owed]


@pytest.mark.parametrize(
    ("typed", "refusal"),
    [
        ({"reason": "x" * (LONGEST_BY_HAND + 1)}, "reason must have at most 1,000 characters"),
        (
            {"contingency_text": "x" * (LONGEST_BY_HAND + 1)},
            "contingency text must have at most 1,000 characters",
        ),
        ({"reason": "Fine\u202eenif"}, "reason must not contain the character U+202E"),
        ({"contingency_text": "Proof\u2028of it"}, "contingency text must not contain the character U+2028"),
    ],
)
async def test_words_that_the_api_would_refuse_are_refused_here_and_stay_on_the_page(
    working_service: Service, underwriter: Person, typed: dict[str, str], refusal: str
) -> None:
    path, options, form = await referred_case(working_service, underwriter)
    before = [await triggers(working_service, option) for option in options]

    page = await underwriter.send(f"{path}/decide", status=422, **{**form, **typed})

    assert refusal in text_of(page)
    assert next(iter(typed.values())) in page
    assert [await triggers(working_service, option) for option in options] == before


async def test_words_of_the_longest_length_are_taken_with_their_lines(
    working_service: Service, underwriter: Person
) -> None:
    path, options, form = await referred_case(working_service, underwriter)
    text = "Proof that RDP is closed\r\n".ljust(LONGEST_BY_HAND + 1, "x")

    page = await underwriter.open(path)
    await underwriter.send(f"{path}/decide", **{**form, "contingency_text": text, "reason": text})

    assert page.count(f'maxlength="{LONGEST_BY_HAND}"') == 3, (
        "reason, contingency, and why an option is offered"
    )
    owed = (await working_service.ready(options[0]))["contingencies"]
    assert text.replace("\r\n", "\n") in [contingency["text"] for contingency in owed]


async def test_the_reason_of_an_offer_has_its_limit_too(
    working_service: Service, underwriter: Person
) -> None:
    path, _, _ = await referred_case(working_service, underwriter)
    form = fields_of(await underwriter.open(path), f"{path}/offer")
    typed = {**form, "aggregate_limit": "2000000", "reason": "x" * (LONGEST_BY_HAND + 1)}

    page = await underwriter.send(f"{path}/offer", status=422, **typed)

    assert "reason must have at most 1,000 characters" in text_of(page)
    assert typed["reason"] in page


async def test_a_note_with_what_cannot_be_seen_is_not_kept(
    working_service: Service, underwriter: Person
) -> None:
    path, _, _ = await referred_case(working_service, underwriter)

    answer = await underwriter.post(f"{path}/note", note="Fine\u202eenif")

    assert answer.status_code == 422
    assert "must not contain the character U+202E" in text_of(answer.text)
    assert await working_service.count("desk_notes") == 0
