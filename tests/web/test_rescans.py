"""What was seen of a policy's domains since its bind, on the page of the case and of the company."""

import uuid
from datetime import date, timedelta
from typing import Any

from bindery.domain.policy.watching import Rescan
from bindery.domain.scan.checks import finding_of
from bindery.domain.scan.scan import Finding, ScanOutcome, ScanResult
from bindery.storage.policy import rescans
from support.binding import set_day
from support.people import Person, text_of
from support.service import Service

RDP = finding_of("RDP_OPEN", host="vpn.harborlight.example.com", evidence="Greeting on 3389")


async def rescanned(service: Service, policy: dict[str, Any], score: int | None, *alarming: Finding) -> None:
    outcome = ScanOutcome.FAILED if score is None else ScanOutcome.FINISHED
    result = ScanResult(outcome, ("clean.example.com",), service.runtime.clock.real_now(), "test", score)
    async with service.runtime.database.transaction() as tx:
        await rescans.keep(tx, uuid.UUID(policy["quote_identifier"]), Rescan(result, alarming, alarming))


async def test_pages_say_when_the_domains_were_checked_last_and_what_was_new(
    service: Service, policy: dict[str, Any], underwriter: Person, broker: Person
) -> None:
    company = f"/company/{policy['company_id']}"
    case = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(policy["quote_identifier"])
    )
    before = text_of(await broker.open(company))
    said = []
    for day, score, found in ((0, 95, ()), (30, 65, (RDP,)), (60, None, ())):
        await set_day(service, date(2027, 4, 1) + timedelta(days=day))
        await rescanned(service, policy, score, *found)
        said.append(text_of(await broker.open(company)))

    words = text_of(await underwriter.open(f"/desk/case/{case}")).replace(" :", ":")

    assert "Domains last checked" not in before
    assert "Domains last checked Apr 1, 2027: nothing new" in said[0]
    severe = "new and severe: Remote Desktop reachable from the internet (vpn.harborlight.example.com)"
    assert f"Domains last checked May 1, 2027: {severe}" in said[1]
    assert "Domains last checked May 31, 2027: could not be checked, tried again in 30 days" in said[2]
    assert "Checked since the bind" in words
    assert "Apr 1, 2027: score 95, nothing new." in words
    assert f"May 1, 2027: score 65, {severe}." in words
    assert "May 31, 2027: could not be checked, tried again in 30 days." in words
    # The score over time has the rescans too.
    assert "3 scans: the score fell" in words
