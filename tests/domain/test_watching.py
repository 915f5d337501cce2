"""Watching a policy's domains: the turns of its rescans, and what of them is new and severe."""

import uuid
from collections import Counter
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Term
from bindery.domain.policy.watching import compare_rescan, domain_of, is_watched, next_rescan
from bindery.domain.scan.checks import finding_of
from bindery.domain.scan.scan import Finding, ScanOutcome, ScanResult
from support.policies import a_policy
from support.tables import each_row

AT = datetime(2027, 3, 1, tzinfo=UTC)
FIRST_DAY, LAST_DAY = date(2026, 12, 1), date(2027, 11, 30)
END = date(2027, 12, 1)
DAY = timedelta(days=1)
POLICY = a_policy(term=Term(FIRST_DAY, END), bound_on=date(2026, 11, 15))


def found(check_id: str, host: str = "one.example") -> Finding:
    return finding_of(check_id, host=host, evidence="seen")


RDP, DATABASE, OLD_TLS = found("RDP_OPEN"), found("DB_OPEN"), found("TLS_OLD")


def part(
    *findings: Finding,
    domain: str = "one.example",
    outcome: ScanOutcome = ScanOutcome.FINISHED,
    unchecked: tuple[str, ...] = (),
) -> ScanResult:
    return ScanResult(outcome, (domain,), AT, "test", 90, findings, unchecked=unchecked)


@each_row(
    ("change", "day", "watched"),
    [
        ({}, FIRST_DAY - DAY, False),
        ({}, FIRST_DAY, True),
        ({}, LAST_DAY, True),
        ({}, END, False),
        # A conditional binder covers as a policy does.
        ({"issued_on": None, "fulfil_by": date(2026, 12, 15)}, FIRST_DAY, True),
        ({"product": InsuranceProduct.TEO}, FIRST_DAY, True),
        ({"product": InsuranceProduct.MPL}, FIRST_DAY, False),
        # Canceled from March on: it covers until then.
        ({"in_force": False, "ended_on": date(2027, 3, 1)}, date(2027, 2, 28), True),
        ({"in_force": False, "ended_on": date(2027, 3, 1)}, date(2027, 3, 1), False),
        # Canceled from its first day, or only asked for.
        ({"in_force": False, "ended_on": FIRST_DAY}, FIRST_DAY, False),
        ({"in_force": False, "policy_number": None, "bound_on": None}, FIRST_DAY, False),
        # Bound after its first day.
        ({"bound_on": FIRST_DAY + DAY}, FIRST_DAY, False),
    ],
)
def test_domains_are_watched_while_there_is_cover(
    change: dict[str, object], day: date, *, watched: bool
) -> None:
    assert is_watched(replace(POLICY, **change), day) is watched  # type: ignore[arg-type] # any of its fields


def numbered(number: int) -> uuid.UUID:
    return uuid.UUID(int=number)


@each_row(
    ("number", "after", "turn"),
    [
        (0, date(2026, 11, 15), date(2026, 12, 2)),
        (0, date(2026, 12, 1), date(2026, 12, 2)),
        (0, date(2026, 12, 2), date(2027, 1, 1)),
        (29, date(2026, 11, 15), date(2026, 12, 31)),
        (30, date(2026, 11, 15), date(2026, 12, 2)),
        (29, date(2026, 12, 30), date(2026, 12, 31)),
        (29, date(2026, 12, 31), date(2027, 1, 30)),
        # Late by two turns: the next one comes in its place.
        (29, date(2027, 3, 15), date(2027, 3, 31)),
    ],
)
def test_a_turn_comes_every_30_days_from_a_day_in_the_first_30(number: int, after: date, turn: date) -> None:
    assert next_rescan(replace(POLICY, quote_id=numbered(number)), after=after) == turn


def test_policies_that_begin_together_have_their_turns_on_different_days() -> None:
    ids = [uuid.uuid5(uuid.NAMESPACE_URL, str(number)) for number in range(3_000)]

    days = Counter(next_rescan(replace(POLICY, quote_id=each), after=FIRST_DAY) for each in ids)

    assert len(days) == 30
    assert max(days.values()) < 2 * min(days.values())


def test_what_is_new_and_severe_is_alarming_and_nothing_else() -> None:
    rescan = compare_rescan([RDP], [part(RDP, DATABASE, OLD_TLS)])

    assert rescan.alarming == (DATABASE,)
    assert set(rescan.known) == {RDP, DATABASE, OLD_TLS}


def test_the_same_weakness_on_another_host_is_new() -> None:
    elsewhere = found("RDP_OPEN", "two.example")

    assert compare_rescan([RDP], [part(RDP, elsewhere)]).alarming == (elsewhere,)


def test_a_finding_alarms_once_until_it_is_gone_and_comes_back() -> None:
    first = compare_rescan([], [part(RDP)])
    second = compare_rescan(first.known, [part(RDP)])
    gone = compare_rescan(second.known, [part()])
    back = compare_rescan(gone.known, [part(RDP)])

    assert [len(each.alarming) for each in (first, second, gone, back)] == [1, 0, 0, 1]


@each_row(
    "blind",
    [
        part(outcome=ScanOutcome.FAILED),
        part(outcome=ScanOutcome.NOTHING_COLLECTED),
        part(outcome=ScanOutcome.PARTIAL, unchecked=("RDP_OPEN",)),
    ],
)
def test_a_scan_that_did_not_look_does_not_make_a_finding_new_again(blind: ScanResult) -> None:
    rescan = compare_rescan([RDP], [blind])

    assert (rescan.known, rescan.alarming) == ((RDP,), ())
    assert compare_rescan(rescan.known, [part(RDP)]).alarming == ()


def test_a_domain_that_fails_keeps_its_own_findings_alone() -> None:
    other = found("RDP_OPEN", "remote.two.example")
    foreign = found("MAIL_STARTTLS", "mx.provider.example")
    broken = part(domain="two.example", outcome=ScanOutcome.FAILED)

    assert compare_rescan([RDP, other, foreign], [part(), broken]).known == (other, foreign)
    assert compare_rescan([RDP, other, foreign], [part(), part(domain="two.example")]).known == ()


@each_row(
    ("host", "domain"),
    [
        ("one.example", "one.example"),
        ("vpn.one.example", "one.example"),
        ("a.deep.one.example", "deep.one.example"),
        ("notone.example", "notone.example"),
    ],
)
def test_a_host_belongs_to_the_nearest_domain_above_it(host: str, domain: str) -> None:
    assert domain_of(host, ("one.example", "deep.one.example")) == domain
