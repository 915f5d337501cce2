"""A renewal that is declined on its case: the insured gets the notice that the renewal book mails."""

import asyncio
import json
import re
import uuid
from datetime import date, timedelta
from typing import Any

import pytest

from bindery.actions.desk.take_decisions import DecidedQuote, take_decision, take_decisions
from bindery.base.errors import InvalidRequest
from bindery.contract.policy_ending import NonrenewalReason
from bindery.domain.access.users import Role
from bindery.domain.quote.decisions import DeclineQuote, HoldRenewal, NotRenew, RenewAfterAll
from support.binding import move_to, set_day, shown, status_of
from support.journals import flaws_in_journal
from support.people import fields_of, sign_in_as, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")
END = date(2028, 3, 2)
UMA = "uma@bindery.example"
WHY = "Three losses in two years."


def key(quote: dict[str, Any]) -> uuid.UUID:
    return uuid.UUID(quote["quote_identifier"])


async def take(service: Service, quote: dict[str, Any], decision: Any) -> None:
    await take_decision(service.runtime.database, service.runtime.rules, key(quote), decision, actor=UMA)


async def at_the_desk(service: Service, policy: dict[str, Any]) -> dict[str, Any]:
    """Return the renewal of a policy that was held, as the case that it is."""
    await take(service, policy, HoldRenewal("To look at the losses first."))
    made = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    return await shown(service, made)


async def notices(service: Service) -> list[tuple[list[str], str]]:
    rows = await service.runtime.database.pool.fetch(
        "select recipients, subject from mails where kind like 'policy_not_renewed%' order by created_at"
    )
    return [(sorted(row["recipients"]), row["subject"]) for row in rows]


async def test_declining_a_renewal_mails_the_notice_to_the_same_people_as_not_renewing_and_records_it(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    held = await at_the_desk(service, policy)
    assert held["quote_status"] == "quote_referred"

    await take(service, held, DeclineQuote(WHY))

    now = await shown(service, policy["quote_identifier"])
    assert await status_of(service, held["quote_identifier"]) == "quote_declined"
    assert now["nonrenewal"] == {"reason": "other", "text": WHY, "notified_on": "2028-01-02"}
    assert (now["renewal"]["state"], now["renewal"]["stopped_by"]) == ("ends", "not_renewed")
    assert "nonrenewal_notice" in now["available_documents"]
    (entry,) = [
        entry for entry in await service.journal(policy["quote_identifier"]) if entry.trigger == "not_renew"
    ]
    assert (entry.type, entry.actor, json.loads(entry.data)["text"]) == ("policy.not_renewed", UMA, WHY)
    declined = await notices(service)
    # The same as from the renewal book, which mails it for another reason after this was undone.
    await take(service, policy, RenewAfterAll("Settled."))
    await take(service, policy, NotRenew(NonrenewalReason.LOSS_HISTORY))
    assert len(declined) == 2
    assert sorted(await notices(service)) == sorted([*declined, *declined])
    assert await flaws_in_journal(service, policy["quote_identifier"]) == []
    assert await flaws_in_journal(service, held["quote_identifier"]) == []
    await move_to(service, END)
    assert await status_of(service, policy["quote_identifier"]) == "policy_expired"


async def test_a_late_decline_mails_the_notice_too_and_two_of_them_mail_it_once(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    held = await at_the_desk(service, policy)
    await set_day(service, END - timedelta(days=20))

    await take(service, held, DeclineQuote(WHY))
    with pytest.raises(Exception, match="declined"):
        await take(service, held, DeclineQuote(WHY))

    assert len(await notices(service)) == 2
    now = await shown(service, policy["quote_identifier"])
    assert now["nonrenewal"]["notified_on"] == "2028-02-11"


async def test_a_decline_without_a_reason_is_refused_because_the_notice_says_why(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    held = await at_the_desk(service, policy)
    before = await service.count("journal"), await service.count("mails")

    with pytest.raises(InvalidRequest) as refused:
        await take(service, held, DeclineQuote(" "))

    assert [problem.path for problem in refused.value.problems] == ["reason"]
    assert (await service.count("journal"), await service.count("mails")) == before
    assert await status_of(service, held["quote_identifier"]) == "quote_referred"


async def test_what_is_over_or_was_told_already_gets_no_notice(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    held = await at_the_desk(service, policy)
    await move_to(service, END)
    assert await status_of(service, policy["quote_identifier"]) == "policy_expired"

    await take(service, held, DeclineQuote(WHY))

    assert await notices(service) == []
    assert (await shown(service, policy["quote_identifier"]))["nonrenewal"] is None


async def test_the_page_says_before_the_button_to_whom_the_notice_goes_and_that_it_is_late(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    held = await at_the_desk(service, policy)
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", key(held)
    )
    path = f"/desk/case/{submission_id}"
    async with await sign_in_as(service, Role.UNDERWRITER) as underwriter:
        page = await underwriter.open(path)
        (to_sure,) = {
            part.partition('"')[0].replace("&amp;", "&")
            for part in page.split('formaction="')[1:]
            if part.startswith("/sure?step=decline")
        }
        form = {**fields_of(page, f"{path}/decide"), "reason": WHY}

        in_time = text_of(await underwriter.send(to_sure, **form))
        await set_day(service, END - timedelta(days=20))
        late = text_of(await underwriter.send(to_sure, **form))
        (before,) = re.findall(f'renews <a href="([^"]*)">{policy["policy_number"]}</a>', page)
        assert policy["policy_number"] in await underwriter.open(before)

    assert "Decline the renewal of" in in_time
    assert f"The notice of nonrenewal of {policy['policy_number']} is made and emailed at once, to" in in_time
    assert policy["client"]["broker_email"] in in_time
    assert "Coverage ends on Mar 2, 2028." in in_time
    assert "It is late" not in in_time
    assert "It is late: 60 days' notice had to be mailed by Jan 2, 2028." in late


async def test_of_a_decline_and_a_ruling_at_once_one_notice_is_mailed(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any]
) -> None:
    held = await at_the_desk(service, policy)
    runtime = service.runtime

    async def decide(number: int) -> None:
        about = (held, DeclineQuote(WHY)) if number % 2 else (policy, NotRenew(NonrenewalReason.APPETITE))
        decided = DecidedQuote(key(about[0]), about[1])
        await take_decisions(runtime.database, runtime.rules, [decided], actor=f"p{number}@bindery.example")

    outcomes = await asyncio.gather(*(decide(number) for number in range(10)), return_exceptions=True)

    assert outcomes.count(None) == 1
    assert len(await notices(service)) == 2
    assert await flaws_in_journal(service, policy["quote_identifier"]) == []
