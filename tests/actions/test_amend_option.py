"""An open offer that an underwriter amends or withdraws, alone, together with others, and by its letter."""

import asyncio
import uuid
from decimal import Decimal
from typing import Any

import httpx
import pytest

from bindery.actions.desk.take_decisions import DecidedQuote, take_decision, take_decisions
from bindery.base.errors import BinderyError, ChangedMeanwhile, InvalidRequest, WrongState
from bindery.contract.vocabulary import ContingencyType, QuoteStatus
from bindery.domain.policy.contingencies import ContingencyKind, DraftContingency
from bindery.domain.quote.decisions import AmendOption, RevokeQuote
from bindery.domain.quote.quote import last_step
from bindery.domain.quote.repricing import ChangedTerms
from documents.reading import text_of
from support.binding import ask_to_bind, bind, decide, one_quoted, shown, status_of
from support.intake import row_counts
from support.journals import flaws_in_journal
from support.service import Service

WHY = "The loss runs came in."
HIGHER = ChangedTerms(aggregate_retention=25_000)


async def amend(
    service: Service, identifier: str, amendment: AmendOption, *, seen: int | None = None
) -> None:
    await take_decisions(
        service.runtime.database,
        service.runtime.rules,
        [DecidedQuote(uuid.UUID(identifier), amendment, seen)],
        actor="uma@example.com",
    )


async def step_of(service: Service, identifier: str) -> int:
    return last_step(await service.journal(identifier), uuid.UUID(identifier))


async def fetch(service: Service, document: str) -> httpx.Response:
    answer = await service.get(f"/v2/quotes/{document}")
    assert answer.status_code == 200, answer.text
    return answer


async def test_an_amendment_keeps_the_identifier_and_tells_what_changed_from_what_to_what(
    service: Service,
) -> None:
    before = await one_quoted(service)
    identifier = before["quote_identifier"]

    await amend(service, identifier, AmendOption(WHY, HIGHER))

    after = await shown(service, identifier)
    assert (after["quote_status"], after["aggregate_retention"]) == ("published", 25_000)
    assert after["quote_expiration_date"] == before["quote_expiration_date"]
    assert after["premium"] < before["premium"]
    (amendment,) = after["amendments"]
    changes = {change["path"]: (change["before"], change["after"]) for change in amendment["changes"]}
    assert changes == {
        "aggregate_retention": (before["aggregate_retention"], 25_000),
        "premium": (before["premium"], after["premium"]),
    }
    assert amendment["reason"] == WHY
    decision = after["decision"]
    assert (decision["kind"], decision["reason"], decision["at"]) == ("amended", WHY, amendment["at"])
    (correction,) = [each for each in after["corrections"] if each["code"] == "changed_by_underwriter"]
    assert (correction["given"], correction["reason"]) == (25_000, WHY)


async def test_the_partner_is_told_of_an_amendment_with_its_changes(service: Service) -> None:
    identifier = (await one_quoted(service))["quote_identifier"]

    await amend(service, identifier, AmendOption(WHY, ChangedTerms(premium=4_321)))

    entries = await service.journal(identifier)
    (told,) = [entry for entry in entries if entry.type == "quote.amended"]
    feed = (await service.get("/v2/events")).json()["events"]
    (event,) = [event for event in feed if event["type"] == "quote.amended"]
    assert (told.trigger, told.actor) == ("publish_amended", "service")
    assert event["data"]["premium"] == 4_321
    assert event["data"]["decision"]["reason"] == WHY
    assert [change["path"] for change in event["data"]["changes"]] == ["premium"]
    (said,) = [entry for entry in entries if entry.trigger == "amend"]
    assert said.actor == "uma@example.com"
    assert "beyond" not in event["data"]
    assert await flaws_in_journal(service, identifier) == []


async def test_an_amended_option_has_a_new_letter_and_the_old_one_stays(service: Service) -> None:
    identifier = (await one_quoted(service))["quote_identifier"]
    before = await fetch(service, f"quote_letter/{identifier}")

    await amend(service, identifier, AmendOption(WHY, ChangedTerms(premium=4_321)))

    newest = await fetch(service, f"quote_letter/{identifier}")
    first = await fetch(service, f"quote_letter/{identifier}?version=1")
    compared = await fetch(service, f"comparison/{identifier}")
    assert [each.headers["document-version"] for each in (newest, first, compared)] == ["2", "1", "2"]
    assert "$4,321" in text_of(newest.content)
    assert "$4,321" in text_of(compared.content)
    assert "replaces the letter of" in text_of(newest.content)
    assert first.content == before.content


async def test_an_amendment_can_add_what_is_owed_and_is_one_version_with_it(service: Service) -> None:
    identifier = (await one_quoted(service))["quote_identifier"]
    proof = DraftContingency(ContingencyKind.UNDERWRITER, ContingencyType.PRE_BIND, "Proof of backups")

    await amend(service, identifier, AmendOption(WHY, HIGHER, contingencies=(proof,)))
    await amend(service, identifier, AmendOption(WHY, contingencies=(proof,)))

    after = await shown(service, identifier)
    assert [owed["text"] for owed in after["contingencies"]].count("Proof of backups") == 2
    assert len(after["amendments"]) == 1, "what is owed alone is told as such"
    versions = await service.runtime.database.pool.fetchval(
        "select max(version) from editions where quote_id = $1 and type = 'quote_letter'",
        uuid.UUID(identifier),
    )
    assert versions == 3


@pytest.mark.parametrize(
    ("amendment", "path", "said"),
    [
        (AmendOption(WHY), "terms", "is the one that is offered already: change something"),
        (AmendOption(" ", HIGHER), "reason", "is required: it goes on record"),
        (AmendOption(WHY, ChangedTerms(aggregate_retention=777)), "terms", "has no price in the tariff"),
        (AmendOption(WHY, ChangedTerms(aggregate_retention=500_000)), "aggregate_retention", "no coverage"),
        (AmendOption("", ChangedTerms(premium=1), is_sure=True), "reason", "is required"),
        (AmendOption(WHY, ChangedTerms(premium=1), is_sure=False), "sure", "is below the minimum premium"),
    ],
)
async def test_an_amendment_that_cannot_be_made_changes_nothing(
    service: Service, amendment: AmendOption, path: str, said: str
) -> None:
    small = await one_quoted(
        service, lambda body: body["policy"]["quotes"][0].update(aggregate_limit=500_000)
    )
    identifier = small["quote_identifier"]
    before = await row_counts(service), await service.count("journal"), await shown(service, identifier)

    with pytest.raises(InvalidRequest) as fault:
        await amend(service, identifier, amendment)

    assert [problem.path for problem in fault.value.problems] == [path]
    assert said in fault.value.problems[0].message
    assert (
        await row_counts(service),
        await service.count("journal"),
        await shown(service, identifier),
    ) == before


async def test_breaches_are_on_record_and_not_told_to_the_partner(service: Service) -> None:
    identifier = (await one_quoted(service))["quote_identifier"]

    await amend(service, identifier, AmendOption(WHY, ChangedTerms(premium=1), is_sure=True))

    (said,) = [entry for entry in await service.journal(identifier) if entry.trigger == "amend"]
    assert "$1 is below the minimum premium" in said.data
    told = [entry for entry in await service.journal(identifier) if entry.type]
    assert all("minimum" not in entry.data for entry in told)


async def test_a_premium_in_percent_is_that_of_the_tariff_with_it(service: Service) -> None:
    before = await one_quoted(service)
    identifier = before["quote_identifier"]
    await amend(service, identifier, AmendOption(WHY, ChangedTerms(percent=Decimal("-7.5"))))

    after = await shown(service, identifier)
    assert after["premium"] == round(before["premium"] * 0.925)


async def test_what_is_not_open_any_more_cannot_be_amended_and_says_where_it_stands(
    service: Service, subtests: pytest.Subtests
) -> None:
    quote = await one_quoted(service)
    identifier = quote["quote_identifier"]
    await bind(service, quote)

    with subtests.test("bound"), pytest.raises(WrongState, match="policy_active cannot be amended"):
        await amend(service, identifier, AmendOption(WHY, HIGHER))

    expired = await one_quoted(service, lambda body: body["client"].update(name="Late Ltd"))
    await service.runtime.database.pool.execute(
        "update quotes set expires_on = expires_on - 100 where quote_id = $1",
        uuid.UUID(expired["quote_identifier"]),
    )
    with subtests.test("expired"), pytest.raises(WrongState, match="has expired"):
        await amend(service, expired["quote_identifier"], AmendOption(WHY, HIGHER))


async def test_an_option_that_was_changed_since_is_not_amended(service: Service) -> None:
    identifier = (await one_quoted(service))["quote_identifier"]
    seen = await step_of(service, identifier)
    await amend(service, identifier, AmendOption(WHY, HIGHER), seen=seen)

    with pytest.raises(ChangedMeanwhile):
        await amend(service, identifier, AmendOption(WHY, ChangedTerms(premium=4_321)), seen=seen)

    assert len((await shown(service, identifier))["amendments"]) == 1


async def test_review_takes_withdraw_and_amend(service: Service) -> None:
    quote = await one_quoted(service)

    amended = await decide(service, quote, "amend", reason=WHY, terms={"aggregate_retention": 25_000})
    withdrawn = await decide(service, quote, "withdraw", reason="A slip")

    assert amended["amendments"][0]["reason"] == WHY
    assert (withdrawn["quote_status"], withdrawn["decision"]["reason"]) == ("quote_revoked", "A slip")
    kinds = [row["kind"] for row in await service.runtime.database.pool.fetch("select kind from mails")]
    assert [kind.rpartition("_")[0] for kind in kinds] == ["quote_amended", "quote_withdrawn"]


async def test_of_fifty_amendments_of_one_page_a_single_one_is_made(service: Service) -> None:
    identifier = (await one_quoted(service))["quote_identifier"]
    seen = await step_of(service, identifier)

    outcomes = await asyncio.gather(
        *(
            amend(service, identifier, AmendOption(WHY, ChangedTerms(premium=4_000 + place)), seen=seen)
            for place in range(50)
        ),
        return_exceptions=True,
    )

    assert sum(outcome is None for outcome in outcomes) == 1
    assert all(isinstance(outcome, ChangedMeanwhile) for outcome in outcomes if outcome is not None)
    after = await shown(service, identifier)
    assert len(after["amendments"]) == 1
    assert await flaws_in_journal(service, identifier) == []


async def test_of_binds_amendments_and_withdrawals_at_once_the_record_has_one_order(service: Service) -> None:
    quote = await one_quoted(service)
    identifier = quote["quote_identifier"]
    seen = await step_of(service, identifier)

    async def act(place: int) -> Any:
        match place % 3:
            case 0:
                return await ask_to_bind(service, quote)
            case 1:
                return await amend(
                    service, identifier, AmendOption(WHY, ChangedTerms(premium=4_000 + place)), seen=seen
                )
            case _:
                return await take_decisions(
                    service.runtime.database,
                    service.runtime.rules,
                    [DecidedQuote(uuid.UUID(identifier), RevokeQuote("A slip"), seen)],
                    actor="uma@example.com",
                )

    outcomes = await asyncio.gather(*map(act, range(50)), return_exceptions=True)

    entries = await service.journal(identifier)
    assert await flaws_in_journal(service, identifier) == []
    decided = [entry.trigger for entry in entries if entry.trigger in {"amend", "revoke", "bind"}]
    after = await status_of(service, identifier)
    assert decided in (["bind"], ["revoke"], ["amend", "bind"])
    assert after == ("quote_revoked" if decided == ["revoke"] else "policy_active")
    assert not [
        outcome
        for outcome in outcomes
        if isinstance(outcome, Exception) and not isinstance(outcome, BinderyError)
    ]


async def test_a_withdrawn_option_stays_withdrawn(service: Service) -> None:
    quote = await one_quoted(service)
    await decide(service, quote, "withdraw", reason="A slip")

    with pytest.raises(WrongState):
        await take_decision(
            service.runtime.database,
            service.runtime.rules,
            uuid.UUID(quote["quote_identifier"]),
            AmendOption(WHY, HIGHER),
            actor="uma@example.com",
        )
    assert (await ask_to_bind(service, quote)).status_code == 400
    assert await status_of(service, quote["quote_identifier"]) == QuoteStatus.QUOTE_REVOKED
