"""A promise to watch that is kept: rescans of insured domains, alerts, and what was fixed at the renewal."""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from bindery.actions.policy.rescan_policy import rescan_policy
from bindery.actions.timetable.sweep import RESCANS_AT_ONCE, sweep
from bindery.contract.documents import PacketType
from bindery.domain.policy.watching import EVERY
from bindery.domain.scan.scan import ScanResult
from bindery.outside.scanner import Scanner
from bindery.outside.scanner.simulated import SimulatedScanner
from bindery.storage.documents import packets
from bindery.storage.policy import rescans
from support.binding import DAY, bind, decide, issue, move_to, one_quoted, set_day, shown, told
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")

ALERT = "policy.security_alert"


async def covered(service: Service, *domains: str, **client: Any) -> dict[str, Any]:
    """Bind conditionally for an applicant with domains."""
    given = {"domains": list(domains), **client}
    quote = await one_quoted(service, lambda body: body["client"].update(given))
    assert quote["quote_status"] == "published"
    return await bind(service, quote)


def id_of(policy: dict[str, Any]) -> uuid.UUID:
    return uuid.UUID(policy["quote_identifier"])


async def turn_of(service: Service, policy: dict[str, Any]) -> date | None:
    async with service.runtime.database.reading() as tx:
        return await rescans.due_on(tx, id_of(policy))


class Seeing(SimulatedScanner):
    """A scanner that answers for every domain as the simulated one does for another."""

    def __init__(self, domain: str) -> None:
        super().__init__()
        self._domain = domain

    async def scan_each(self, domains: Sequence[str], *, at: datetime) -> tuple[ScanResult, ...]:
        (result,) = await super().scan_each([self._domain], at=at)
        findings = tuple(replace(finding, host=domains[0]) for finding in result.findings)
        return (replace(result, domains=(domains[0],), findings=findings),)


async def turn(service: Service, policy: dict[str, Any], scanner: Scanner) -> None:
    """Go to the policy's next turn, and take it."""
    day = await turn_of(service, policy)
    assert day is not None
    await set_day(service, day)
    await rescan_policy(replace(service.runtime, scanner=scanner), id_of(policy))


async def kept(service: Service, policy: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """Return the outcome and the alarming checks of each rescan, the oldest first."""
    async with service.runtime.database.reading() as tx:
        found = await rescans.of_quotes(tx, [id_of(policy)], limit=50)
    return [(str(past.outcome), [f.check_id for f in past.alarming]) for past in reversed(found)]


async def alerts(service: Service, policy: dict[str, Any]) -> list[dict[str, Any]]:
    answer = await service.get(f"/v2/events?quote_identifier={policy['quote_identifier']}&type={ALERT}")
    events: list[dict[str, Any]] = answer.json()["events"]
    return [event["data"] for event in events]


async def alert_mails(service: Service, policy: dict[str, Any]) -> list[tuple[list[str], str, str]]:
    statement = (
        "select recipients, subject, body from mails where quote_id = $1 and kind like 'security_alert%'"
    )
    rows = await service.runtime.database.pool.fetch(f"{statement} order by created_at", id_of(policy))
    return [tuple(row) for row in rows]


async def test_moving_the_clock_scans_again_and_announces_what_is_new_and_severe_once(
    service: Service,
) -> None:
    domain = "exposed-2027-03-03.example.com"
    policy = await issue(
        service, await one_quoted(service, lambda body: body["client"].update(domains=[domain]))
    )

    # The policy begins on the second of March: there is one turn in the 30 days after it.
    await move_to(service, date(2027, 4, 1))

    (alert,) = await alerts(service, policy)
    assert alert["policy_number"] == policy["policy_number"]
    assert (alert["quote_status"], alert["level"]) == ("policy_active", "policy")
    assert alert["findings"] == [
        {
            "code": "RDP_OPEN",
            "title": "Remote Desktop reachable from the internet",
            "severity": "critical",
            "domain": "exposed-2027-03-03.example.com",
            "host": "exposed-2027-03-03.example.com",
            "what_to_do": "Close the port, and reach desktops through a VPN or gateway with MFA.",
        }
    ]
    entries = [e for e in await service.journal(policy["quote_identifier"]) if e.level == "policy"]
    assert [entry.sequence for entry in entries] == list(range(1, len(entries) + 1))
    assert await kept(service, policy) == [("finished", ["RDP_OPEN"])]
    ((recipients, subject, body),) = await alert_mails(service, policy)
    assert recipients == ["ann@harborlight.example"]
    assert subject == "Security alert for Harborlight Bakery LLC: Remote Desktop reachable from the internet"
    assert "What to do: Close the port" in body


async def test_a_finding_is_announced_again_only_when_it_was_gone(
    service: Service, policy: dict[str, Any]
) -> None:
    severe, clean = Seeing("red-flags.example.com"), Seeing("clean.example.com")

    counts = []
    for scanner in (clean, severe, severe, Seeing("scan-error.example.com"), severe, clean, severe):
        await turn(service, policy, scanner)
        counts.append(len(await alerts(service, policy)))

    assert counts == [0, 1, 1, 1, 1, 1, 2]
    assert len(await alert_mails(service, policy)) == 2
    first, second = await alerts(service, policy)
    assert [finding["code"] for finding in first["findings"]] == ["RDP_OPEN", "DB_OPEN"]
    assert second["sequence"] == first["sequence"] + 1


@pytest.mark.parametrize(("blind", "outcome"), [("scan-error", "failed"), ("no-data", "nothing_collected")])
async def test_a_rescan_that_fails_or_sees_nothing_is_no_alarm_and_has_a_next_turn(
    service: Service, policy: dict[str, Any], blind: str, outcome: str
) -> None:
    before = await service.journal(policy["quote_identifier"])
    day = await turn_of(service, policy)
    assert day is not None

    await turn(service, policy, Seeing(f"{blind}.example.com"))

    assert await kept(service, policy) == [(outcome, [])]
    assert await service.journal(policy["quote_identifier"]) == before
    assert await alert_mails(service, policy) == []
    assert await turn_of(service, policy) == day + EVERY


async def test_a_rescan_comes_on_its_day_and_once_however_many_look(
    service: Service, policy: dict[str, Any]
) -> None:
    day = await turn_of(service, policy)
    assert day is not None
    severe = replace(service.runtime, scanner=Seeing("red-flags.example.com"))
    await set_day(service, day - timedelta(days=1))
    early = await sweep(service.runtime.database, service.runtime.rules, "rescan_policy")
    await rescan_policy(severe, id_of(policy))
    assert (early, await kept(service, policy)) == (0, [])

    await set_day(service, day)
    queued = [await sweep(service.runtime.database, service.runtime.rules, "rescan_policy") for _ in (1, 2)]
    await asyncio.gather(*(rescan_policy(severe, id_of(policy)) for _ in range(3)))

    assert queued == [1, 0]
    assert await kept(service, policy) == [("finished", ["RDP_OPEN", "DB_OPEN"])]
    assert len(await alerts(service, policy)) == len(await alert_mails(service, policy)) == 1


async def test_few_rescans_wait_at_a_time_and_one_that_failed_holds_up_no_other(
    service: Service, policy: dict[str, Any]
) -> None:
    pool = service.runtime.database.pool
    own = id_of(policy)
    await pool.execute("alter table watched_policies drop constraint watched_policies_quote_id_fkey")
    more = "insert into watched_policies select gen_random_uuid(), $1::date from generate_series(1, 20)"
    await pool.execute(more, DAY)
    await set_day(service, date(2027, 6, 1))

    first = await sweep(service.runtime.database, service.runtime.rules, "rescan_policy")
    again = await sweep(service.runtime.database, service.runtime.rules, "rescan_policy")
    await pool.execute("update pgq.pgqueuer set status = 'failed'")
    after = await sweep(service.runtime.database, service.runtime.rules, "rescan_policy")

    assert (first, again, after) == (RESCANS_AT_ONCE, 0, RESCANS_AT_ONCE)
    assert await pool.fetchval("select count(*) from watched_policies where quote_id <> $1", own) == 20


CONTACTS = [
    {"email": "ciso@harborlight.example", "contact_roles": ["security_alerts"]},
    {"email": "cfo@harborlight.example", "contact_roles": ["policy_notices"]},
    {"email": "a,b@harborlight.example", "contact_roles": ["security_alerts"]},
]


@pytest.mark.parametrize(
    ("contacts", "recipients"),
    [([], ["ann@harborlight.example"]), (CONTACTS, ["ciso@harborlight.example"])],
)
async def test_an_alert_goes_to_those_named_for_it_or_to_the_main_contact(
    service: Service, contacts: list[dict[str, Any]], recipients: list[str]
) -> None:
    policy = await covered(service, "clean.example.com", additional_contacts=contacts)

    await turn(service, policy, Seeing("red-flags.example.com"))

    ((written_to, _, _),) = await alert_mails(service, policy)
    assert written_to == recipients


async def test_the_watch_ends_with_the_cover_and_begins_again_with_a_reinstatement(
    service: Service, policy: dict[str, Any]
) -> None:
    day = await turn_of(service, policy)
    assert day is not None
    await set_day(service, day - timedelta(days=1))
    await decide(service, policy, "cancel", reason="business_sold")
    await set_day(service, day)
    await rescan_policy(service.runtime, id_of(policy))
    ended = await turn_of(service, policy), await kept(service, policy)

    await decide(service, policy, "reinstate", reason="Not sold.")

    assert ended == (None, [])
    assert await turn_of(service, policy) == day + EVERY


async def test_a_canceled_policy_is_watched_until_its_last_day(
    service: Service, policy: dict[str, Any]
) -> None:
    await turn(service, policy, Seeing("clean.example.com"))
    day = await turn_of(service, policy)
    assert day is not None
    await decide(service, policy, "cancel", reason="business_sold", effective=str(day + timedelta(days=1)))

    await turn(service, policy, Seeing("red-flags.example.com"))

    (alert,) = await alerts(service, policy)
    assert alert["quote_status"] == "policy_canceled"


async def test_a_policy_without_a_domain_is_not_watched_for_long(service: Service) -> None:
    def no_domain(body: dict[str, Any]) -> None:
        body["client"]["domains"] = []
        body["questions"] = [
            {"id": "Q2134", "value": False} if answer["id"] == "Q2134" else answer
            for answer in body["questions"]
        ]

    policy = await bind(service, await one_quoted(service, no_domain))
    day = await turn_of(service, policy)
    assert day is not None
    await set_day(service, day)

    await rescan_policy(service.runtime, id_of(policy))

    assert (await turn_of(service, policy), await kept(service, policy)) == (None, [])


async def test_the_renewal_says_what_was_fixed_since(service: Service) -> None:
    # Exposed from the second month to the eighth: at the renewal it is gone.
    quote = await one_quoted(
        service,
        lambda body: body["client"].update(domains=["exposed-2027-04-01-2027-10-01.example.com"]),
    )
    policy = await issue(service, quote)

    await move_to(service, date(2028, 1, 15))

    renewed = (await shown(service, policy["quote_identifier"]))["renewal"]["renewed_by"]
    async with service.runtime.database.reading() as tx:
        found = await packets.find(tx, uuid.UUID(renewed), PacketType.QUOTE)
    assert found is not None
    assert found.facts.renewal is not None
    assert found.facts.renewal.settled == ("Remote Desktop reachable from the internet",)
    assert (await told(service, policy["quote_identifier"])).count(ALERT) == 1
    # Every 30 days: eleven turns from the first of March to the middle of January, ten if the first is late.
    assert len(await kept(service, policy)) in {10, 11}
