import random
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec
import pytest

from bindery.base.errors import InvalidRequest, WrongState
from bindery.base.ids import uuid7
from bindery.contract.binds import BindRequest
from bindery.contract.vocabulary import (
    ContingencyStatus,
    ContingencyType,
    InsuranceProduct,
    QuoteStatus,
)
from bindery.domain.binding import (
    BindAsk,
    BindDecision,
    IssueConditionalBinder,
    IssuePolicy,
    Paper,
    ReferBind,
    check_effective,
    decide_bind,
    read_bind_ask,
)
from bindery.domain.contingencies import EXPIRING_POLICY, Contingency, ContingencyKind
from bindery.domain.quote import Quote
from bindery.domain.risk import FULL_PRIOR_ACTS, OptionAsk, Term

CYB, TEO, MPL = InsuranceProduct
BORN = datetime(2026, 11, 15, 12, tzinfo=UTC)
TODAY = date(2026, 11, 15)
QUOTED = Term(date(2026, 12, 1), date(2027, 12, 1))
SIGNATURE = Contingency("1", ContingencyKind.SIGNATURE, ContingencyType.POST_BIND, "Sign")
MFA = Contingency("2", ContingencyKind.REMOTE_ACCESS_MFA, ContingencyType.POST_BIND, "Show MFA")
LIST = Contingency("3", ContingencyKind.INSURED_ENTITIES, ContingencyType.PRE_BIND, "List")


def a_quote(status: QuoteStatus = QuoteStatus.PUBLISHED, product: InsuranceProduct = CYB) -> Quote:
    return Quote(
        quote_id=uuid7(BORN, random.Random(1)),
        submission_id=uuid7(BORN, random.Random(2)),
        company_id=123_456_789,
        partner_id=1,
        option_number=0,
        product=product,
        status=status,
        version=0,
        created_at=BORN,
        updated_at=BORN,
        ask=OptionAsk(1_000_000, None, None, None),
        expires_on=TODAY + timedelta(days=60),
    )


def ask_of(
    dates: dict[str, str], *, quoted: Term = QUOTED, product: InsuranceProduct = CYB, **more: Any
) -> BindAsk:
    request = msgspec.convert({"quote_identifier": "x", "dates": dates, **more}, BindRequest)
    return read_bind_ask(request, quoted=quoted, product=product)


def decided(
    *contingencies: Contingency,
    quote: Quote | None = None,
    paper: Paper = Paper.NONE,
    ask: BindAsk | None = None,
    attested: bool = False,
) -> BindDecision:
    return decide_bind(
        quote or a_quote(),
        replace(ask or ask_of({"effective": "2026-12-01"}), attested=attested),
        contingencies=contingencies,
        paper=paper,
        today=TODAY,
    )


def closed(contingency: Contingency) -> Contingency:
    return replace(contingency, status=ContingencyStatus.CLOSED)


@pytest.mark.parametrize("days", [-7, -6, 0, 1, 29, 30])
def test_an_effective_date_inside_the_window_passes(days: int) -> None:
    check_effective(TODAY + timedelta(days=days), TODAY)


@pytest.mark.parametrize(("days", "code"), [(-400, "too_early"), (-8, "too_early"), (31, "too_late")])
def test_an_effective_date_outside_the_window_is_refused(days: int, code: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        check_effective(TODAY + timedelta(days=days), TODAY)

    assert [(problem.path, problem.code) for problem in refused.value.problems] == [("dates.effective", code)]


def test_with_the_signature_alone_owed_a_binder_is_issued_for_thirty_days() -> None:
    assert decided(SIGNATURE) == IssueConditionalBinder(date(2026, 12, 15))


def test_an_attested_application_that_was_uploaded_issues_the_policy() -> None:
    assert decided(SIGNATURE, attested=True, paper=Paper.ACCEPTED) == IssuePolicy()


@pytest.mark.parametrize("contingencies", [(), (closed(SIGNATURE),), (closed(SIGNATURE), closed(MFA))])
def test_with_nothing_owed_the_policy_is_issued_without_a_paper(contingencies: tuple[Contingency]) -> None:
    assert decided(*contingencies) == IssuePolicy()


@pytest.mark.parametrize("in_the_way", [MFA, LIST])
@pytest.mark.parametrize("attested", [True, False])
def test_anything_owed_beyond_the_signature_is_reviewed(in_the_way: Contingency, *, attested: bool) -> None:
    assert decided(SIGNATURE, in_the_way, attested=attested, paper=Paper.ACCEPTED) == ReferBind()


def test_a_closed_contingency_is_in_nobodys_way() -> None:
    assert decided(SIGNATURE, closed(MFA), closed(LIST)) == IssueConditionalBinder(date(2026, 12, 15))


@pytest.mark.parametrize(
    ("paper", "code"),
    [
        (Paper.NONE, "application_none"),
        (Paper.OTHER_QUOTE, "application_other_quote"),
        (Paper.ALTERED, "application_altered"),
        (Paper.DAMAGED, "application_damaged"),
    ],
)
def test_an_attestation_that_the_papers_do_not_bear_out_is_refused(paper: Paper, code: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        decided(SIGNATURE, attested=True, paper=paper)

    assert [(problem.path, problem.code) for problem in refused.value.problems] == [("app_attestation", code)]


@pytest.mark.parametrize("status", [s for s in QuoteStatus if s not in {"published", "offer_email"}])
def test_a_quote_that_is_not_open_is_not_bound(status: QuoteStatus) -> None:
    with pytest.raises(WrongState) as refused:
        decided(SIGNATURE, quote=a_quote(status))

    assert refused.value.available_statuses == ("published", "offer_email")


def test_a_quote_is_bound_on_its_last_day_and_not_after_it() -> None:
    last = replace(a_quote(), expires_on=TODAY)
    past = replace(a_quote(), expires_on=TODAY - timedelta(days=1))

    assert isinstance(decided(SIGNATURE, quote=last), IssueConditionalBinder)
    with pytest.raises(WrongState):
        decided(SIGNATURE, quote=past)


def test_a_bind_without_expiration_runs_twelve_months() -> None:
    assert ask_of({"effective": "2026-12-05"}).term == Term(date(2026, 12, 5), date(2027, 12, 5))


def test_a_bind_from_a_leap_day_without_expiration_ends_on_the_last_of_february() -> None:
    assert ask_of({"effective": "2028-02-29"}).term == Term(date(2028, 2, 29), date(2029, 2, 28))


@pytest.mark.parametrize("expiration", ["2027-06-01", "2027-06-02", "2028-05-31", "2028-06-01"])
def test_a_term_of_six_to_eighteen_months_is_taken(expiration: str) -> None:
    ask = ask_of({"effective": "2026-12-01", "expiration": expiration})

    assert ask.term.expiration == date.fromisoformat(expiration)


@pytest.mark.parametrize(
    ("expiration", "code"), [("2027-05-31", "term_too_short"), ("2028-06-02", "term_too_long")]
)
def test_a_shorter_or_longer_term_is_refused(expiration: str, code: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        ask_of({"effective": "2026-12-01", "expiration": expiration})

    assert [(p.path, p.code) for p in refused.value.problems] == [("dates.expiration", code)]


def test_all_problems_of_a_bind_are_listed() -> None:
    with pytest.raises(InvalidRequest) as refused:
        ask_of(
            {"effective": "2026-12-01", "expiration": "2030-01-01", "teo_retroactive_date": "2027-01-01"},
            product=TEO,
            client={
                "insured_main_contact": {"email": "nobody"},
                "additional_contacts": [
                    {"email": "a@example.com", "contact_roles": ["policy_notices", "policy_notices"]}
                ],
            },
        )

    assert {(p.path, p.code) for p in refused.value.problems} == {
        ("dates.expiration", "term_too_long"),
        ("dates.teo_retroactive_date", "after_effective"),
        ("client.insured_main_contact.email", "not_an_email"),
        ("client.additional_contacts[0].contact_roles", "duplicate_items"),
    }


TEO_QUOTED = {
    "none": QUOTED,
    "equal": replace(QUOTED, teo_retroactive=date(2026, 12, 1)),
    "2024": replace(QUOTED, teo_retroactive=date(2024, 1, 1)),
}


@pytest.mark.parametrize(
    ("quoted", "effective", "given", "holds", "anew"),
    [
        # Nothing given: the cover starts with the policy, wherever that moves.
        ("none", "2026-12-01", None, None, False),
        ("none", "2026-12-10", None, None, False),
        # Given at the bind.
        ("none", "2026-12-01", "2026-12-01", "2026-12-01", False),
        ("none", "2026-12-01", "2026-11-30", "2026-11-30", True),
        ("2024", "2026-12-01", "2024-01-01", "2024-01-01", False),
        ("2024", "2026-12-01", "2023-12-31", "2023-12-31", True),
        ("2024", "2026-12-01", "2025-01-01", "2025-01-01", False),
        # Given with the quote: it holds.
        ("2024", "2026-12-10", None, "2024-01-01", False),
        ("equal", "2026-12-01", None, "2026-12-01", False),
        # A policy that starts later than the date that was given reaches back to it.
        ("equal", "2026-12-10", None, "2026-12-01", True),
        # One that starts before it takes the date along.
        ("equal", "2026-11-25", None, "2026-11-25", False),
    ],
)
def test_a_technology_bind_that_reaches_back_as_nobody_quoted_is_reviewed(
    quoted: str, effective: str, given: str | None, holds: str | None, *, anew: bool
) -> None:
    dates = {"effective": effective, **({"teo_retroactive_date": given} if given else {})}

    ask = ask_of(dates, quoted=TEO_QUOTED[quoted], product=TEO)

    assert ask.term.teo_retroactive == (date.fromisoformat(holds) if holds else None)
    assert ask.reaches_back_anew is anew
    decision = decided(SIGNATURE, ask=ask, quote=a_quote(product=TEO))
    assert decision == (ReferBind((EXPIRING_POLICY,)) if anew else IssueConditionalBinder(date(2026, 12, 15)))


@pytest.mark.parametrize(
    ("quoted", "effective", "given", "holds", "anew"),
    [
        (None, "2026-12-01", None, None, False),
        (None, "2026-12-01", "2026-12-01", date(2026, 12, 1), False),
        (None, "2026-12-01", "2026-11-30", date(2026, 11, 30), True),
        (None, "2026-12-01", "Full_Prior_Acts", FULL_PRIOR_ACTS, True),
        (date(2024, 1, 1), "2026-12-01", None, date(2024, 1, 1), False),
        (date(2024, 1, 1), "2026-12-01", "2023-12-31", date(2023, 12, 31), True),
        (date(2024, 1, 1), "2026-12-01", "2025-01-01", date(2025, 1, 1), False),
        (date(2024, 1, 1), "2026-12-01", "full_prior_acts", FULL_PRIOR_ACTS, True),
        (FULL_PRIOR_ACTS, "2026-12-01", None, FULL_PRIOR_ACTS, False),
        (FULL_PRIOR_ACTS, "2026-12-01", "2024-01-01", date(2024, 1, 1), False),
        (date(2026, 12, 1), "2026-12-10", None, date(2026, 12, 1), False),
        (date(2026, 12, 1), "2026-11-25", None, date(2026, 11, 25), False),
    ],
)
def test_a_professional_bind_that_reaches_further_back_than_quoted_is_reviewed(
    quoted: date | str | None, effective: str, given: str | None, holds: date | str | None, *, anew: bool
) -> None:
    dates = {"effective": effective, **({"mpl_retroactive_date": given} if given else {})}

    ask = ask_of(dates, quoted=replace(QUOTED, mpl_retroactive=quoted), product=MPL)

    assert ask.term.mpl_retroactive == holds
    assert ask.reaches_back_anew is anew
    decision = decided(SIGNATURE, ask=ask, quote=a_quote(product=MPL))
    assert decision == (ReferBind() if anew else IssueConditionalBinder(date(2026, 12, 15)))


def test_cyber_knows_no_retroactive_date() -> None:
    ask = ask_of(
        {
            "effective": "2026-12-01",
            "teo_retroactive_date": "2020-01-01",
            "mpl_retroactive_date": "full_prior_acts",
        }
    )

    assert ask.term == QUOTED
    assert not ask.reaches_back_anew


def test_the_same_ask_has_the_same_fingerprint_and_another_has_another() -> None:
    contact = {"insured_main_contact": {"email": "ann@example.com"}}
    asks = [
        ask_of({"effective": "2026-12-01"}),
        ask_of({"effective": "2026-12-02"}),
        ask_of({"effective": "2026-12-01", "expiration": "2027-12-02"}),
        ask_of({"effective": "2026-12-01"}, app_attestation=True),
        ask_of({"effective": "2026-12-01"}, client=contact),
    ]
    again = ask_of({"effective": "2026-12-01", "expiration": "2027-12-01"}, app_attestation=False)

    assert len({ask.fingerprint for ask in asks}) == len(asks)
    assert again.fingerprint == asks[0].fingerprint
