"""The demo's review by two underwriters: one sends what is beyond the letter, another answers it."""

from typing import Any

import pytest

from bindery.domain.access.users import User
from support.binding import decide, one_quoted, review, shown, status_of
from support.journals import flaws_in_journal
from support.service import Service
from support.underwriters import an_underwriter, give_letter

WHY = "Known to us for years."


async def two(service: Service) -> tuple[User, User, dict[str, Any]]:
    """Return Uma, whose letter ends at $500,000, Ann, who has none, and a referred option of $1,000,000."""
    uma, ann = await an_underwriter(service, "Uma"), await an_underwriter(service, "Ann")
    await give_letter(service, uma, aggregate_limit=500_000)
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    return uma, ann, quote


async def test_what_was_sent_is_carried_out_by_the_second_person_on_the_terms_that_were_sent(
    service: Service,
) -> None:
    uma, ann, quote = await two(service)
    terms = {"aggregate_retention": 25_000}
    asked = {"reason": WHY, "terms": terms, "underwriter": uma.email}
    alone = await review(service, quote, "approve", **asked)

    await decide(service, quote, "approve", **asked, send_to=ann.email)
    own = await review(service, quote, "second_approval", underwriter=uma.email)
    after = await decide(service, quote, "second_approval", underwriter=ann.email)

    assert (alone.status_code, alone.json()["code"]) == (403, "beyond_authority")
    assert (own.status_code, own.json()["errors"][0]["code"]) == (400, "same_person")
    assert (after["quote_status"], after["aggregate_retention"]) == ("published", 25_000)
    by = {entry.trigger: entry.actor for entry in await service.journal(quote["quote_identifier"])}
    assert (by["ask_colleague"], by["answer_colleague"]) == (uma.email, ann.email)
    assert await flaws_in_journal(service, quote["quote_identifier"]) == []


@pytest.mark.parametrize(
    ("answer", "by_sender"), [("declined", False), ("sent_back", False), ("taken_back", True)]
)
async def test_what_is_not_approved_stays_at_the_desk_and_can_be_sent_again(
    service: Service, answer: str, by_sender: bool
) -> None:
    uma, ann, quote = await two(service)
    sent = {"reason": WHY, "underwriter": uma.email, "send_to": ann.email}
    await decide(service, quote, "approve", **sent)
    who = uma if by_sender else ann

    unsaid = await review(service, quote, "second_approval", answer=answer, underwriter=who.email)
    if not by_sender:
        assert unsaid.json()["errors"][0]["path"] == "reason"
        said = {"answer": answer, "reason": "Ask for the loss runs.", "underwriter": who.email}
        await decide(service, quote, "second_approval", **said)

    assert await status_of(service, quote["quote_identifier"]) == "quote_referred"
    again = await decide(service, quote, "approve", **sent)
    assert again["quote_status"] == "quote_referred"


async def test_what_cannot_be_sent_or_answered_is_refused_and_changes_nothing(service: Service) -> None:
    uma, ann, quote = await two(service)
    before = await service.journal(quote["quote_identifier"])
    refusals = [
        ("approve", {"send_to": ann.email}, ("underwriter", "required")),
        ("approve", {"underwriter": uma.email, "send_to": "nobody@x.example"}, ("send_to", "unknown_user")),
        ("approve", {"underwriter": uma.email, "send_to": uma.email}, ("send_to", "not_enough")),
        ("approve", {"underwriter": ann.email, "send_to": uma.email}, ("send_to", "not_needed")),
        ("second_approval", {}, ("underwriter", "required")),
    ]

    for decision, more, problem in refusals:
        answer = await review(service, quote, decision, reason=WHY, **more)
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["path"], error["code"]) == (400, *problem)
    nothing = await review(service, quote, "second_approval", underwriter=ann.email)

    assert nothing.status_code == 400
    assert "Nothing of this submission waits for a second approval." in nothing.text
    assert await service.journal(quote["quote_identifier"]) == before
    assert (await shown(service, quote["quote_identifier"]))["quote_status"] == "quote_referred"
