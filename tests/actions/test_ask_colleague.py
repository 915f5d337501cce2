"""What is beyond one underwriter's letter of authority, and the second person who approves it."""

import asyncio
import uuid
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from bindery.actions.desk.ask_colleague import answer_colleague, ask_colleague
from bindery.actions.desk.take_decisions import DecidedQuote, take_decision, take_decisions
from bindery.base.errors import BinderyError, ChangedMeanwhile, InvalidRequest
from bindery.domain.access.users import User
from bindery.domain.quote.authority import BeyondAuthority
from bindery.domain.quote.decisions import (
    AmendOption,
    ApproveReferral,
    CancelPolicy,
    Decision,
    DeclineQuote,
    ReinstatePolicy,
    RevokeQuote,
)
from bindery.domain.quote.quote import last_step
from bindery.domain.quote.repricing import ChangedTerms
from bindery.storage.desk import asked_approvals, desk
from bindery.storage.desk.asked_approvals import AskedApproval, ColleagueAnswer
from bindery.storage.desk.desk_filter import DeskFilter, DeskKind
from support.binding import issue, one_quoted, shown, status_of
from support.intake import row_counts
from support.journals import flaws_in_journal
from support.service import Service
from support.underwriters import an_underwriter, give_letter

WHY = "Known to us for years."


async def referred(service: Service) -> str:
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    return str(quote["quote_identifier"])


async def opened(service: Service) -> str:
    return str((await one_quoted(service))["quote_identifier"])


async def bounded(service: Service, **bounds: Any) -> tuple[User, User]:
    """Add Uma, whose letter has these bounds, and Ann, whose letter has none of them."""
    uma, ann = await an_underwriter(service, "Uma"), await an_underwriter(service, "Ann")
    await give_letter(service, uma, **bounds)
    await give_letter(service, ann, may_cancel=True, may_set_by_hand=True)
    return uma, ann


async def decided(service: Service, identifier: str, decision: Decision) -> DecidedQuote:
    step = last_step(await service.journal(identifier), uuid.UUID(identifier))
    return DecidedQuote(uuid.UUID(identifier), decision, step)


async def ask(
    service: Service, identifier: str, decision: Decision, *, user: User, to: User
) -> AskedApproval:
    runtime = service.runtime
    about = await decided(service, identifier, decision)
    await ask_colleague(runtime.database, runtime.rules, [about], user=user, to=to.user_id)
    return await newest(service, identifier)


async def newest(service: Service, identifier: str) -> AskedApproval:
    async with service.runtime.database.reading() as tx:
        submission_id = await tx.value(
            uuid.UUID, "select submission_id from quotes where quote_id = $1", uuid.UUID(identifier)
        )
        found = await asked_approvals.newest_of(tx, submission_id)
    assert found is not None
    return found


async def answer(
    service: Service, asked: AskedApproval, said: ColleagueAnswer, *, user: User, reason: str = ""
) -> AskedApproval:
    runtime = service.runtime
    return await answer_colleague(
        runtime.database, runtime.rules, asked.approval_id, said, user=user, reason=reason
    )


async def queue(service: Service) -> list[tuple[DeskKind, str | None, str | None]]:
    async with service.runtime.database.reading() as tx:
        page = await desk.list_items(tx, DeskFilter(), limit=50)
    return [(item.kind, item.asker, item.taker) for item in page.rows]


async def everything(service: Service) -> tuple[object, ...]:
    return await row_counts(service), await service.count("journal"), await service.count("mails")


async def test_what_is_beyond_the_letter_is_never_done_and_says_with_whom_to_ask(service: Service) -> None:
    identifier = await referred(service)
    uma, ann = await bounded(service, aggregate_limit=500_000)
    before = await everything(service)

    with pytest.raises(BeyondAuthority) as fault:
        await take_decision(
            service.runtime.database,
            service.runtime.rules,
            uuid.UUID(identifier),
            ApproveReferral(reason=WHY),
            actor=uma.email,
        )

    assert fault.value.exceeded == ("a limit of $1,000,000 is above $500,000",)
    assert f"Ask Ann ({ann.email})." in fault.value.message
    assert await everything(service) == before
    assert await status_of(service, identifier) == "quote_referred"


async def test_a_second_person_approves_and_both_are_in_the_journal(service: Service) -> None:
    identifier = await referred(service)
    uma, ann = await bounded(service, aggregate_limit=500_000)
    changed = ChangedTerms(aggregate_retention=25_000)

    asked = await ask(service, identifier, ApproveReferral(changed, reason=WHY), user=uma, to=ann)
    waits = await status_of(service, identifier), await queue(service)
    done = await answer(service, asked, ColleagueAnswer.APPROVED, user=ann)

    assert waits == (
        "quote_referred",
        [(DeskKind.REFERRAL, None, "Ann"), (DeskKind.APPROVAL, "Uma", "Ann")],
    )
    assert (done.answer, done.answerer) == (ColleagueAnswer.APPROVED, "Ann")
    quote = await shown(service, identifier)
    assert (quote["quote_status"], quote["aggregate_retention"]) == ("published", 25_000)
    entries = await service.journal(identifier)
    by = {entry.trigger: entry.actor for entry in entries}
    assert (by["ask_colleague"], by["answer_colleague"]) == (uma.email, ann.email)
    assert by["approve_referral"] == ann.email
    (said,) = [entry for entry in entries if entry.trigger == "ask_colleague"]
    assert msgspec.json.decode(said.data)["beyond"] == ["a limit of $1,000,000 is above $500,000"]
    assert await queue(service) == []
    assert await flaws_in_journal(service, identifier) == []


async def test_the_second_person_is_never_the_first_nor_somebody_without_the_authority(
    service: Service,
) -> None:
    identifier = await referred(service)
    uma, ann = await bounded(service, aggregate_limit=500_000)
    vic = await an_underwriter(service, "Vic")
    await give_letter(service, vic, aggregate_limit=999_999)
    asked = await ask(service, identifier, ApproveReferral(reason=WHY), user=uma, to=ann)
    before = await everything(service)

    with pytest.raises(InvalidRequest, match="must be another person than who asked"):
        await answer(service, asked, ColleagueAnswer.APPROVED, user=uma)
    with pytest.raises(BeyondAuthority, match=r"\$1,000,000 is above \$999,999"):
        await answer(service, asked, ColleagueAnswer.APPROVED, user=vic)
    # What waits goes on waiting, and the case is with Ann.
    assert await everything(service) == before
    assert (await newest(service, identifier)).answer is None
    with pytest.raises(ChangedMeanwhile, match="Uma waits for the approval of Ann already"):
        await ask(service, identifier, ApproveReferral(reason=WHY), user=uma, to=ann)
    await give_letter(service, uma)
    # A wider letter since: she may not be her own second person all the same.
    with pytest.raises(InvalidRequest, match="must be another person"):
        await answer(service, asked, ColleagueAnswer.APPROVED, user=uma)


@pytest.mark.parametrize("said", [ColleagueAnswer.DECLINED, ColleagueAnswer.SENT_BACK])
async def test_what_is_declined_or_sent_back_goes_back_to_who_asked_with_the_words(
    service: Service, said: ColleagueAnswer
) -> None:
    identifier = await referred(service)
    uma, ann = await bounded(service, aggregate_limit=500_000)
    asked = await ask(service, identifier, ApproveReferral(reason=WHY), user=uma, to=ann)

    with pytest.raises(InvalidRequest, match="is required: Uma reads it"):
        await answer(service, asked, said, user=ann)
    done = await answer(service, asked, said, user=ann, reason="Ask for the loss runs first.")

    assert (done.answer, done.reason) == (said, "Ask for the loss runs first.")
    assert await queue(service) == [(DeskKind.REFERRAL, None, "Uma")]
    assert await status_of(service, identifier) == "quote_referred"
    with pytest.raises(ChangedMeanwhile, match=r"Ann (declined it|sent it back) before"):
        await answer(service, asked, ColleagueAnswer.APPROVED, user=ann)
    again = await ask(service, identifier, ApproveReferral(reason=WHY), user=uma, to=ann)
    taken_back = await answer(service, again, ColleagueAnswer.TAKEN_BACK, user=uma)
    assert taken_back.answer is ColleagueAnswer.TAKEN_BACK


async def test_what_was_changed_since_is_dropped_and_not_approved(service: Service) -> None:
    identifier = await referred(service)
    uma, ann = await bounded(service, aggregate_limit=500_000)
    asked = await ask(service, identifier, ApproveReferral(reason=WHY), user=uma, to=ann)
    proof = {"type": "pre_bind", "text": "Proof of backups"}
    # Who adds it decides nothing about the terms, and yet Ann has not seen it.
    answer_of_api = await service.post(
        f"/v2/demo/quotes/{identifier}/review", {"decision": "add_contingency", "contingency": proof}
    )
    assert answer_of_api.status_code == 200, answer_of_api.text

    dropped = await newest(service, identifier)
    with pytest.raises(ChangedMeanwhile):
        await answer(service, asked, ColleagueAnswer.APPROVED, user=ann)

    assert dropped.answer is ColleagueAnswer.DROPPED
    assert await status_of(service, identifier) == "quote_referred"
    assert [kind for kind, *_ in await queue(service)] == [DeskKind.REFERRAL]


async def test_what_a_partner_withdrew_is_dropped_when_it_would_be_approved(service: Service) -> None:
    identifier = await opened(service)
    uma, ann = await bounded(service, deviation=5)
    asked = await ask(service, identifier, AmendOption(WHY, ChangedTerms(premium=4_321)), user=uma, to=ann)
    assert await queue(service) == [(DeskKind.APPROVAL, "Uma", "Ann")]
    await service.post(f"/v2/quotes/{identifier}/withdraw", {})

    with pytest.raises(ChangedMeanwhile):
        await answer(service, asked, ColleagueAnswer.APPROVED, user=ann)

    assert (await newest(service, identifier)).answer is ColleagueAnswer.DROPPED
    assert await queue(service) == []
    assert await status_of(service, identifier) == "quote_revoked"


async def test_nothing_is_asked_that_would_be_refused_anyway_or_needs_nobody(service: Service) -> None:
    identifier = await referred(service)
    uma, ann = await bounded(service, aggregate_limit=500_000)
    wide = await an_underwriter(service, "Wide")
    before = await everything(service)

    changed = ChangedTerms(aggregate_retention=777)
    with pytest.raises(InvalidRequest, match="has no price in the tariff"):
        await ask(service, identifier, ApproveReferral(changed, reason=WHY), user=uma, to=ann)
    with pytest.raises(InvalidRequest, match="must be somebody who may approve all of it"):
        await ask(service, identifier, ApproveReferral(reason=WHY), user=uma, to=uma)
    with pytest.raises(InvalidRequest, match="you may decide this yourself"):
        await ask(service, identifier, ApproveReferral(reason=WHY), user=wide, to=ann)

    assert await everything(service) == before
    assert await service.count("asked_approvals") == 0


async def test_of_fifty_answers_one_counts(service: Service) -> None:
    identifier = await referred(service)
    uma, ann = await bounded(service, aggregate_limit=500_000)
    vic = await an_underwriter(service, "Vic")
    asked = await ask(service, identifier, ApproveReferral(reason=WHY), user=uma, to=ann)
    answers = (ColleagueAnswer.APPROVED, ColleagueAnswer.DECLINED, ColleagueAnswer.SENT_BACK)

    outcomes = await asyncio.gather(
        *(
            answer(service, asked, answers[place % 3], user=(ann, vic)[place % 2], reason="Looked at")
            for place in range(50)
        ),
        return_exceptions=True,
    )

    done = [outcome for outcome in outcomes if isinstance(outcome, AskedApproval)]
    told = [outcome for outcome in outcomes if isinstance(outcome, BinderyError)]
    assert (len(done), len(told)) == (1, 49)
    assert all("Nothing was done." in fault.message or "changed after" in fault.message for fault in told)
    approved = done[0].answer is ColleagueAnswer.APPROVED
    assert await status_of(service, identifier) == ("published" if approved else "quote_referred")
    assert await flaws_in_journal(service, identifier) == []


async def test_cancel_reinstate_amend_and_withdraw_are_bounded_too(
    service: Service, subtests: pytest.Subtests
) -> None:
    uma, ann = await bounded(service, deviation=5)
    policy = (await issue(service, await one_quoted(service)))["quote_identifier"]
    offer = await one_quoted(service, lambda body: body["client"].update(name="Second Ltd"))
    teo = await an_underwriter(service, "Teo")
    await give_letter(service, teo, aggregate_limit=500_000)
    small: list[tuple[User, Decision, str, str]] = [
        (teo, RevokeQuote(WHY), offer["quote_identifier"], "a limit of"),
        (uma, AmendOption(WHY, ChangedTerms(premium=9_999)), offer["quote_identifier"], "a deviation of"),
        (uma, CancelPolicy(text=WHY), policy, "canceling and reinstating"),
    ]
    for who, decision, identifier, said in small:
        with subtests.test(type(decision).__name__), pytest.raises(BeyondAuthority, match=said):
            await take_decisions(
                service.runtime.database,
                service.runtime.rules,
                [await decided(service, identifier, decision)],
                actor=who.email,
            )

    asked = await ask(service, policy, CancelPolicy(text=WHY), user=uma, to=ann)
    await answer(service, asked, ColleagueAnswer.APPROVED, user=ann)
    assert await status_of(service, policy) == "policy_canceled"
    with pytest.raises(BeyondAuthority, match="canceling and reinstating"):
        await take_decision(
            service.runtime.database,
            service.runtime.rules,
            uuid.UUID(policy),
            ReinstatePolicy(WHY),
            actor=uma.email,
        )


async def test_with_letters_required_who_has_none_decides_nothing(service: Service) -> None:
    identifier = await referred(service)
    bare = await an_underwriter(service, "Bare")
    rules = replace(service.runtime.rules, authority_required=True)
    decisions: list[Decision] = [ApproveReferral(reason=WHY), DeclineQuote(WHY), RevokeQuote(WHY)]

    for decision in decisions:
        with pytest.raises(BeyondAuthority, match="there is no letter of authority"):
            await take_decision(
                service.runtime.database, rules, uuid.UUID(identifier), decision, actor=bare.email
            )

    await take_decision(
        service.runtime.database,
        service.runtime.rules,
        uuid.UUID(identifier),
        DeclineQuote(WHY),
        actor=bare.email,
    )
    assert await status_of(service, identifier) == "quote_declined"


async def test_a_named_underwriter_is_bounded_in_the_demo_as_on_the_page(service: Service) -> None:
    identifier = await referred(service)
    uma, ann = await bounded(service, aggregate_limit=500_000)
    path = f"/v2/demo/quotes/{identifier}/review"
    body = {"decision": "approve", "reason": WHY, "underwriter": uma.email}

    beyond = await service.post(path, body)
    unknown = await service.post(path, {**body, "underwriter": "nobody@example.com"})
    cheap = await service.post(path, {**body, "underwriter": ann.email, "terms": {"premium": 1}})
    sure = await service.post(path, {**body, "underwriter": ann.email, "terms": {"premium": 1}, "sure": True})

    assert (beyond.status_code, beyond.json()["code"]) == (403, "beyond_authority")
    assert f"Ask Ann ({ann.email})" in beyond.json()["message"]
    assert (unknown.status_code, unknown.json()["errors"][0]["path"]) == (400, "underwriter")
    assert (cheap.status_code, cheap.json()["errors"][0]["path"]) == (400, "sure")
    assert (sure.status_code, sure.json()["premium"]) == (200, 1)
