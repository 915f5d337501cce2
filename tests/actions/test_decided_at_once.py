"""Many who decide about one option at once, and the record that is left of an option with a long story."""

import asyncio
import re
import uuid
from typing import Any

from bindery.actions.desk.ask_colleague import answer_colleague, ask_colleague
from bindery.actions.desk.take_decisions import DecidedQuote, take_decisions
from bindery.base.errors import ChangedMeanwhile
from bindery.domain.access.users import Role
from bindery.domain.quote.decisions import AmendOption, ApproveReferral, Decision, DeclineQuote, RevokeQuote
from bindery.domain.quote.quote import last_step
from bindery.domain.quote.repricing import ChangedTerms
from bindery.storage.desk import asked_approvals
from bindery.storage.desk.asked_approvals import ColleagueAnswer
from support.binding import one_quoted, shown, status_of
from support.journals import check_journal, flaws_in_journal
from support.people import sign_in_as, text_of
from support.service import Service
from support.underwriters import an_underwriter, give_letter

A_CODE = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")


async def referred(service: Service) -> str:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    return str(quote["quote_identifier"])


async def seen(service: Service, identifier: str, decision: Decision) -> DecidedQuote:
    step = last_step(await service.journal(identifier), uuid.UUID(identifier))
    return DecidedQuote(uuid.UUID(identifier), decision, step)


async def test_of_fifty_who_approve_and_decline_one_option_at_once_one_decides(service: Service) -> None:
    identifier = await referred(service)
    runtime = service.runtime
    decisions: list[Decision] = [
        ApproveReferral(ChangedTerms(premium=4_000 + place), reason="Known")
        if place % 2
        else DeclineQuote(f"Too big for {place}")
        for place in range(50)
    ]
    asked = [await seen(service, identifier, decision) for decision in decisions]

    outcomes = await asyncio.gather(
        *(
            take_decisions(runtime.database, runtime.rules, [each], actor=f"person{place}@bindery.example")
            for place, each in enumerate(asked)
        ),
        return_exceptions=True,
    )

    (winner,) = [place for place, outcome in enumerate(outcomes) if outcome is None]
    assert sum(isinstance(outcome, ChangedMeanwhile) for outcome in outcomes) == 49
    after = await shown(service, identifier)
    assert after["quote_status"] == ("published" if winner % 2 else "quote_declined")
    if winner % 2:
        assert after["premium"] == 4_000 + winner
    else:
        assert after["decision"]["reason"] == f"Too big for {winner}"
    assert await service.count("mails") == 1
    assert await flaws_in_journal(service, identifier) == []


async def test_the_journal_of_a_second_approved_amended_and_withdrawn_option_verifies_and_reads_as_sentences(
    service: Service,
) -> None:
    identifier = await referred(service)
    uma, ann = await an_underwriter(service, "Uma"), await an_underwriter(service, "Ann")
    await give_letter(service, uma, aggregate_limit=500_000)
    runtime = service.runtime

    async def by_two(decision: Decision) -> None:
        asked = await seen(service, identifier, decision)
        await ask_colleague(runtime.database, runtime.rules, [asked], user=uma, to=ann.user_id)
        async with runtime.database.reading() as tx:
            submission_id = await tx.value(
                uuid.UUID, "select submission_id from quotes where quote_id = $1", asked.quote_id
            )
            waiting = await asked_approvals.waiting_of(tx, submission_id)
        assert waiting is not None
        approved = ColleagueAnswer.APPROVED
        await answer_colleague(runtime.database, runtime.rules, waiting.approval_id, approved, user=ann)

    terms: dict[str, Any] = {"aggregate_retention": 25_000}
    await by_two(ApproveReferral(ChangedTerms(**terms), reason="Known to us."))
    await by_two(AmendOption("The loss runs came in.", ChangedTerms(premium=4_321)))
    await by_two(RevokeQuote("The firm was sold."))

    entries = await service.journal(identifier)
    check_journal(entries)
    assert await flaws_in_journal(service, identifier) == []
    assert [entry.trigger for entry in entries if entry.actor in {uma.email, ann.email}] == [
        *("ask_colleague", "answer_colleague", "approve_referral"),
        *("ask_colleague", "answer_colleague", "amend"),
        *("ask_colleague", "answer_colleague", "revoke"),
    ]
    assert await status_of(service, identifier) == "quote_revoked"
    submission_id = await runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(identifier)
    )
    async with await sign_in_as(service, Role.UNDERWRITER) as person:
        page = await person.open(f"/desk/case/{submission_id}")
    history = text_of(page[page.index('id="history"') :])
    for sentence in (
        f"Option 1 was sent to {ann.email} for the approval at $",
        f"Option 1 was sent to {ann.email} for the amendment at $4,321",
        f"Option 1 was sent to {ann.email} for the withdrawal",
        f"Option 1 was approved as the second person for {uma.email}",
        "to $4,321",
        "The loss runs came in.",
        "The firm was sold.",
    ):
        assert sentence in history, sentence
    told = history.partition("What was written to whom")[0]
    assert A_CODE.findall(re.sub(r"\S+@\S+", "", told)) == []
