import random
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec
import pytest

from bindery.base.errors import AlreadyBound, ChangedMeanwhile, InvalidRequest, WrongState
from bindery.base.ids import uuid7
from bindery.contract.binds import BindOutcome, BindRequest
from bindery.contract.vocabulary import (
    ClosedAs,
    ContingencyStatus,
    ContingencyType,
    InsuranceProduct,
    QuoteStatus,
)
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, OptionAsk, Term
from bindery.domain.policy.bind_ask import BindAsk, read_bind_ask, sent_contacts
from bindery.domain.policy.binding import (
    Approval,
    BindConcern,
    BindDecision,
    IssueConditionalBinder,
    IssuePolicy,
    ReferBind,
    bad_effective,
    check_bindable,
    check_no_less_than_shown,
    decide_approval,
    decide_bind,
    withdrawn_contingencies,
)
from bindery.domain.policy.contingencies import (
    ATTESTED,
    EXPIRING_POLICY,
    FULFILLED,
    Closing,
    Contingency,
    ContingencyKind,
)
from bindery.domain.policy.evidence import Evidence
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.quote import Quote
from support.contingencies import numbered
from support.policies import a_policy
from support.tables import each_row

CYB, TEO, MPL, *_ = InsuranceProduct
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
    dates: dict[str, Any], *, quoted: Term = QUOTED, product: InsuranceProduct = CYB, **more: Any
) -> BindAsk:
    body = {"quote_identifier": "x", "dates": dates, **more}
    contacts = sent_contacts(msgspec.json.encode(body))
    return read_bind_ask(
        msgspec.convert(body, BindRequest), contacts=contacts, quoted=quoted, product=product
    )


def decided(
    *contingencies: Contingency,
    quote: Quote | None = None,
    paper: Evidence = Evidence.NONE,
    ask: BindAsk | None = None,
    attested: bool = False,
    cover: Policy | None = None,
) -> BindDecision:
    return decide_bind(
        quote or a_quote(),
        replace(ask or ask_of({"effective": "2026-12-01"}), attested=attested),
        contingencies=contingencies,
        paper=paper,
        cover=cover,
        today=TODAY,
    )


def closed(contingency: Contingency) -> Contingency:
    return replace(contingency, status=ContingencyStatus.CLOSED)


@pytest.mark.parametrize("days", [-7, -6, 0, 1, 29, 30])
def test_an_effective_date_inside_the_window_passes(days: int) -> None:
    assert list(bad_effective(TODAY + timedelta(days=days), TODAY)) == []


@pytest.mark.parametrize(("days", "code"), [(-400, "too_early"), (-8, "too_early"), (31, "too_late")])
def test_an_effective_date_outside_the_window_is_refused(days: int, code: str) -> None:
    (problem,) = bad_effective(TODAY + timedelta(days=days), TODAY)

    assert (problem.path, problem.code) == ("dates.effective", code)
    window = "must be from 2026-11-08 to 2026-12-15, 7 days before to 30 days after today, 2026-11-15"
    assert problem.message == window


def test_a_date_and_an_attestation_that_are_wrong_are_reported_together() -> None:
    with pytest.raises(InvalidRequest) as refused:
        decided(SIGNATURE, attested=True, ask=ask_of({"effective": "2026-12-16"}))

    found = [(problem.path, problem.code) for problem in refused.value.problems]
    assert found == [("dates.effective", "too_late"), ("app_attestation", "application_none")]


@pytest.mark.parametrize(
    ("shown", "may_be"),
    [
        (None, (ReferBind(BindConcern.STILL_OPEN), IssueConditionalBinder(TODAY), IssuePolicy())),
        (
            BindOutcome.BIND_REQUESTED,
            (ReferBind(BindConcern.STILL_OPEN), IssueConditionalBinder(TODAY), IssuePolicy()),
        ),
        (BindOutcome.CONDITIONAL_BINDER, (IssueConditionalBinder(TODAY), IssuePolicy())),
        (BindOutcome.POLICY_ISSUED, (IssuePolicy(),)),
    ],
)
def test_a_bind_gives_no_less_than_the_page_showed(
    shown: BindOutcome | None, may_be: Sequence[BindDecision]
) -> None:
    for decision in (ReferBind(BindConcern.STILL_OPEN), IssueConditionalBinder(TODAY), IssuePolicy()):
        if decision in may_be:
            check_no_less_than_shown(decision, shown)
        else:
            with pytest.raises(ChangedMeanwhile, match="the page showed"):
                check_no_less_than_shown(decision, shown)


def test_with_the_signature_alone_owed_a_binder_is_issued_for_thirty_days() -> None:
    assert decided(SIGNATURE) == IssueConditionalBinder(date(2026, 12, 15))


def test_an_attested_application_that_was_uploaded_issues_the_policy() -> None:
    assert decided(SIGNATURE, attested=True, paper=Evidence.ACCEPTED) == IssuePolicy()


@pytest.mark.parametrize("contingencies", [(), (closed(SIGNATURE),), (closed(SIGNATURE), closed(MFA))])
def test_with_nothing_owed_the_policy_is_issued_without_a_paper(contingencies: tuple[Contingency]) -> None:
    assert decided(*contingencies) == IssuePolicy()


@pytest.mark.parametrize("in_the_way", [MFA, LIST])
@pytest.mark.parametrize("attested", [True, False])
def test_anything_owed_beyond_the_signature_is_reviewed(in_the_way: Contingency, *, attested: bool) -> None:
    assert decided(SIGNATURE, in_the_way, attested=attested, paper=Evidence.ACCEPTED) == ReferBind(
        BindConcern.STILL_OPEN
    )


def test_a_closed_contingency_is_in_nobodys_way() -> None:
    assert decided(SIGNATURE, closed(MFA), closed(LIST)) == IssueConditionalBinder(date(2026, 12, 15))


@pytest.mark.parametrize(
    ("paper", "code"),
    [
        (Evidence.NONE, "application_none"),
        (Evidence.OTHER_QUOTE, "application_other_quote"),
        (Evidence.ALTERED, "application_altered"),
        (Evidence.DAMAGED, "application_damaged"),
        (Evidence.NOT_SIGNED, "application_not_signed"),
        (Evidence.INCOMPLETE, "pages_missing"),
    ],
)
def test_an_attestation_that_the_papers_do_not_bear_out_is_refused(paper: Evidence, code: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        decided(SIGNATURE, attested=True, paper=paper)

    assert [(problem.path, problem.code) for problem in refused.value.problems] == [("app_attestation", code)]


@pytest.mark.parametrize("contingencies", [(), (SIGNATURE,), (SIGNATURE, MFA)], ids=["none", "one", "two"])
def test_a_company_that_is_covered_in_the_period_is_told_by_which_policy_whatever_is_owed(
    contingencies: tuple[Contingency, ...],
) -> None:
    with pytest.raises(AlreadyBound) as refused:
        decided(*contingencies, cover=a_policy(policy_number="CYB-26-0000001-8-00"))

    assert refused.value.message == (
        "The company is already covered in that period by CYB-26-0000001-8-00; terms must not overlap."
    )


def test_what_is_wrong_with_the_ask_itself_is_said_before_that_the_company_is_covered() -> None:
    cover = a_policy(policy_number="CYB-26-0000001-8-00")

    with pytest.raises(InvalidRequest) as too_late:
        decided(SIGNATURE, ask=ask_of({"effective": "2026-12-16"}), cover=cover)
    with pytest.raises(InvalidRequest) as not_uploaded:
        decided(SIGNATURE, attested=True, cover=cover)

    assert [problem.code for problem in too_late.value.problems] == ["too_late"]
    assert [problem.code for problem in not_uploaded.value.problems] == ["application_none"]


@each_row("status", [s for s in QuoteStatus if s not in {"published", "offer_email"}])
def test_a_quote_that_is_not_open_is_not_bound(status: QuoteStatus) -> None:
    with pytest.raises(WrongState) as refused:
        check_bindable(a_quote(status), TODAY, policy=None, chosen=None)

    assert refused.value.available_statuses == ("published", "offer_email")
    assert refused.value.message.endswith(".")


def test_a_quote_is_bound_on_its_last_day_and_not_after_it() -> None:
    last = replace(a_quote(), expires_on=TODAY)
    past = replace(a_quote(), expires_on=TODAY - timedelta(days=1))

    check_bindable(last, TODAY, policy=None, chosen=None)
    with pytest.raises(WrongState, match=r"The quote expired on 2026-11-14\. Ask for a new quote") as refused:
        check_bindable(past, TODAY, policy=None, chosen=None)

    assert refused.value.available_statuses == ("offer_email",)


@pytest.mark.parametrize(
    ("status", "policy", "says"),
    [
        (QuoteStatus.POLICY_ACTIVE, a_policy(), "already bound: the policy is CYB-26-0000001-8-00."),
        (
            QuoteStatus.POLICY_ACTIVE,
            a_policy(issued_on=None, fulfil_by=date(2026, 12, 15)),
            "as the binder CYB-26-0000001-8-00. Upload what is owed by 2026-12-15",
        ),
        (
            QuoteStatus.QUOTE_EXPIRED,
            a_policy(issued_on=None, fulfil_by=date(2026, 12, 15)),
            "CYB-26-0000001-8-00 lapsed: it had to be fulfilled by 2026-12-15.",
        ),
        (QuoteStatus.QUOTE_EXPIRED, None, "The quote expired on 2027-01-14. Ask for a new quote"),
        (
            QuoteStatus.POLICY_CANCELED,
            a_policy(ended_on=date(2027, 1, 2)),
            "CYB-26-0000001-8-00 was canceled as of 2027-01-02. Ask for a new quote",
        ),
        (QuoteStatus.POLICY_EXPIRED, a_policy(), "CYB-26-0000001-8-00 ended on 2027-12-01."),
        (
            QuoteStatus.QUOTE_BIND_REQUESTED,
            a_policy(policy_number=None, issued_on=None),
            "already been requested; an underwriter will decide",
        ),
        (QuoteStatus.QUOTE_REFERRED, None, "can be bound once it is published"),
        (QuoteStatus.QUOTE_DECLINED, None, "was declined; its decision says why"),
    ],
)
def test_a_refused_bind_says_what_became_of_the_quote(
    status: QuoteStatus, policy: Policy | None, says: str
) -> None:
    with pytest.raises(WrongState) as refused:
        check_bindable(a_quote(status), TODAY, policy=policy, chosen=None)

    assert says in refused.value.message


def test_a_refused_bind_of_an_ended_policy_names_the_one_that_renewed_it() -> None:
    renewal = a_policy(policy_number="CYB-26-0000001-8-01")

    with pytest.raises(WrongState) as refused:
        check_bindable(
            a_quote(QuoteStatus.POLICY_EXPIRED), TODAY, policy=a_policy(), chosen=None, renewal=renewal
        )

    assert refused.value.message == (
        "The policy CYB-26-0000001-8-00 ended on 2027-12-01 and was renewed as CYB-26-0000001-8-01."
    )


@pytest.mark.parametrize(
    ("chosen", "says"),
    [
        (a_policy(), "00000000-0000-0000-0000-000000000009, was bound instead as CYB-26-0000001-8-00. Ask"),
        (
            a_policy(policy_number=None),
            "The bind of another option, 00000000-0000-0000-0000-000000000009, was",
        ),
        (None, "Other cover of the company was bound instead. Ask for a new quote"),
    ],
)
def test_a_refused_bind_names_the_option_that_was_bound_instead(chosen: Policy | None, says: str) -> None:
    passed_over = replace(a_quote(QuoteStatus.QUOTE_NOT_BOUND), passed_over_for=uuid.UUID(int=9))

    with pytest.raises(WrongState) as refused:
        check_bindable(passed_over, TODAY, policy=None, chosen=chosen)

    assert says in refused.value.message


HALF_A_YEAR = Term(date(2026, 12, 1), date(2027, 6, 1))
ODD = Term(date(2026, 12, 1), date(2027, 6, 19))
LEAP = Term(date(2028, 2, 29), date(2029, 2, 28))
LONG = Term(date(2027, 1, 31), date(2028, 7, 30))


@each_row(
    ("quoted", "effective", "expiration"),
    [
        (QUOTED, "2026-12-01", "2027-12-01"),
        (QUOTED, "2026-12-05", "2027-12-05"),
        (HALF_A_YEAR, "2026-12-01", "2027-06-01"),
        (HALF_A_YEAR, "2026-12-15", "2027-06-15"),
        # Six months and 18 days.
        (ODD, "2026-12-01", "2027-06-19"),
        (ODD, "2026-11-25", "2027-06-12"),
        (LEAP, "2028-02-29", "2029-02-28"),
        (LEAP, "2028-03-01", "2029-03-01"),
        # Seventeen months and 30 days are longer than eighteen months over a February.
        (LONG, "2026-09-01", "2028-03-01"),
    ],
)
@each_row("given", [{}, {"expiration": None}])
def test_a_bind_without_expiration_is_as_long_as_quoted(
    quoted: Term, effective: str, expiration: str, given: dict[str, None]
) -> None:
    ask = ask_of({"effective": effective, **given}, quoted=quoted)

    assert ask.term == Term(date.fromisoformat(effective), date.fromisoformat(expiration))


@pytest.mark.parametrize("product", [CYB, TEO, MPL])
def test_the_dates_that_a_quote_shows_are_no_change_of_it(product: InsuranceProduct) -> None:
    shown = {
        "effective": "2026-12-01",
        "expiration": "2027-12-01",
        "teo_retroactive_date": "2026-12-01" if product is TEO else None,
        "mpl_retroactive_date": "2026-12-01" if product is MPL else None,
    }

    ask = ask_of(shown, product=product)

    assert ask.term == QUOTED
    assert ask.fingerprint == ask_of({"effective": "2026-12-01"}, product=product).fingerprint
    assert ask.corrections == ()


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
    "equal": replace(QUOTED, retroactive=date(2026, 12, 1)),
    "2024": replace(QUOTED, retroactive=date(2024, 1, 1)),
}


@each_row(
    ("quoted", "effective", "given", "holds", "anew"),
    [
        # Nothing given: the cover starts with the policy, wherever that moves.
        ("none", "2026-12-01", None, None, False),
        ("none", "2026-12-10", None, None, False),
        # Given at the bind.
        ("none", "2026-12-01", "2026-12-01", None, False),
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

    assert ask.term.retroactive == (date.fromisoformat(holds) if holds else None)
    assert ask.reaches_back_further is anew
    decision = decided(SIGNATURE, ask=ask, quote=a_quote(product=TEO))
    assert decision == (
        ReferBind(BindConcern.RETROACTIVE_DATE, (EXPIRING_POLICY,))
        if anew
        else IssueConditionalBinder(date(2026, 12, 15))
    )


@each_row(
    ("quoted", "effective", "given", "holds", "anew"),
    [
        (None, "2026-12-01", None, None, False),
        (None, "2026-12-01", "2026-12-01", None, False),
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

    ask = ask_of(dates, quoted=replace(QUOTED, retroactive=quoted), product=MPL)

    assert ask.term.retroactive == holds
    assert ask.reaches_back_further is anew
    decision = decided(SIGNATURE, ask=ask, quote=a_quote(product=MPL))
    assert decision == (
        ReferBind(BindConcern.RETROACTIVE_DATE) if anew else IssueConditionalBinder(date(2026, 12, 15))
    )


def test_cyber_knows_no_retroactive_date() -> None:
    ask = ask_of(
        {
            "effective": "2026-12-01",
            "teo_retroactive_date": "2020-01-01",
            "mpl_retroactive_date": "full_prior_acts",
        }
    )

    assert ask.term == QUOTED
    assert not ask.reaches_back_further
    assert [(c.code, c.field, c.asked) for c in ask.corrections] == [
        ("no_effect", "dates.mpl_retroactive_date", "full_prior_acts"),
        ("no_effect", "dates.teo_retroactive_date", "2020-01-01"),
    ]


@pytest.mark.parametrize(
    ("dates", "withdrawn"),
    [
        ({"effective": "2026-12-01"}, False),
        ({"effective": "2026-12-01", "teo_retroactive_date": "2026-11-30"}, False),
        ({"effective": "2026-12-01", "teo_retroactive_date": "2026-12-01"}, True),
    ],
)
def test_a_withdrawn_retroactive_date_takes_its_contingency_with_it(
    dates: dict[str, str], *, withdrawn: bool
) -> None:
    ask = ask_of(dates, quoted=TEO_QUOTED["2024"], product=TEO)
    copy = numbered(EXPIRING_POLICY, "4")

    assert withdrawn_contingencies(ask, [SIGNATURE, copy, MFA]) == ((copy,) if withdrawn else ())
    assert withdrawn_contingencies(ask, [SIGNATURE, closed(copy)]) == ()


def test_a_policy_moved_before_the_quoted_retroactive_date_withdraws_it() -> None:
    quoted = replace(QUOTED, retroactive=date(2026, 11, 30))
    copy = numbered(EXPIRING_POLICY, "4")

    moved = ask_of({"effective": "2026-11-25"}, quoted=quoted, product=TEO)

    assert moved.term.retroactive == date(2026, 11, 25)
    assert withdrawn_contingencies(moved, [copy]) == (copy,)


@pytest.mark.parametrize("attested", [True, False])
def test_an_approval_closes_what_was_due_before_the_bind_and_an_attested_signature(*, attested: bool) -> None:
    approval = decide_approval(
        [SIGNATURE, LIST, closed(MFA)], attested=attested, effective=TODAY, today=TODAY
    )

    assert approval == (
        Approval(closes=((LIST, FULFILLED), (SIGNATURE, ATTESTED)), fulfil_by=None)
        if attested
        else Approval(closes=((LIST, FULFILLED),), fulfil_by=date(2026, 12, 15))
    )


WAIVED = Closing(ClosedAs.WAIVED, "A single entity")


def test_an_approval_waives_what_was_due_before_the_bind_with_a_reason() -> None:
    closings = {LIST.contingency_id: WAIVED}

    approval = decide_approval(
        [SIGNATURE, LIST], attested=False, effective=TODAY, today=TODAY, closings=closings
    )

    assert approval == Approval(closes=((LIST, WAIVED),), fulfil_by=date(2026, 12, 15))


@pytest.mark.parametrize(
    ("closings", "path", "code"),
    [
        ({}, "contingencies.3", "required"),
        ({"3": Closing(ClosedAs.WAIVED, "  ")}, "contingencies.3.reason", "required"),
        ({"3": FULFILLED, "9": FULFILLED}, "contingencies.9", "unknown_contingency"),
    ],
)
def test_an_approval_that_leaves_open_what_was_due_before_the_bind_is_refused(
    closings: dict[str, Closing], path: str, code: str
) -> None:
    with pytest.raises(InvalidRequest) as refused:
        decide_approval([SIGNATURE, LIST], attested=False, effective=TODAY, today=TODAY, closings=closings)

    assert [(problem.path, problem.code) for problem in refused.value.problems] == [(path, code)]


def test_the_contacts_of_a_bind_are_kept_as_they_were_sent() -> None:
    client = {
        "name": "Not a contact",
        "additional_contacts": [{"email": "a@b.example", "contact_roles": ["policy_notices"], "desk": "4"}],
        "insured_main_contact": {"email": "ann@b.example"},
    }
    reversed_client = dict(reversed(client.items()))

    ask = ask_of({"effective": "2026-12-01"}, client=client)
    again = ask_of({"effective": "2026-12-01"}, client=reversed_client)
    main_only = ask_of({"effective": "2026-12-01"}, client={**client, "additional_contacts": None})

    assert msgspec.json.decode(ask.contacts or "") == {
        name: client[name] for name in ("additional_contacts", "insured_main_contact")
    }
    assert ask.fingerprint == again.fingerprint
    assert main_only.contacts == '{"insured_main_contact":{"email":"ann@b.example"}}'


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
