"""A change of a policy is refused, priced or referred by its own tariff, and by what the policy says."""

import uuid
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from bindery.base.errors import InvalidRequest, WrongState
from bindery.contract.changes import AdditionalInsured, PolicyChangeAsk, PolicyChanges
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import OptionAsk, Term
from bindery.domain.policy.binders import FoundSection
from bindery.domain.policy.change_ask import InsuredNow, changed_client, changed_fields, changed_submission
from bindery.domain.policy.changing import PricedChange, check_changeable, price_change
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import BookedChange, from_record
from bindery.domain.screening.case import SanctionsList
from support.applicants import SUBMISSION, assessed

TODAY = date(2027, 3, 1)
TERM = Term(date(2026, 12, 1), date(2027, 12, 1))
MPL = replace(SUBMISSION, product=InsuranceProduct.MPL)
BIG = replace(SUBMISSION, revenue=30_000_000)
NOW = InsuredNow(
    submission=SUBMISSION,
    client={"address": {"street": "1 Specimen Way", "city": "Oakland", "zip": "94607"}},
    additional=(AdditionalInsured(name="Example Property Trust", interest="Landlord"),),
)
SECTION = FoundSection(
    section_id=1,
    agreement="UMR-EXAMPLE",
    name="Cyber",
    max_limit=3_000_000,
    max_revenue=None,
    sectors_excluded=frozenset(),
    term_months=12,
    days_ahead=30,
    commission=Decimal(20),
    deviation=25,
    premium_limit=1_000_000,
    premium_booked=0,
)


def quote_of(submission: Any = SUBMISSION, ask: OptionAsk | None = None) -> Quote:
    return replace(assessed(submission, ask), status=QuoteStatus.POLICY_ACTIVE)


def policy_of(quote: Quote, **changes: Any) -> Policy:
    policy = Policy(
        quote_id=quote.quote_id,
        company_id=quote.company_id,
        partner_id=quote.partner_id,
        product=quote.product,
        ask_fingerprint=b"",
        attested=True,
        term=TERM,
        policy_number="BND-1",
        bound_on=TERM.effective,
        issued_on=TERM.effective,
        in_force=True,
    )
    return replace(policy, **changes)


def change(
    changes: dict[str, Any],
    quote: Quote | None = None,
    submission: Any = SUBMISSION,
    *,
    day: date = TODAY,
    listed: str = "",
    section: FoundSection | None = None,
) -> PricedChange:
    changed = quote or quote_of(submission)
    asked = {"effective": day.isoformat(), "changes": changes, "reason": "Asked for by a customer."}
    return price_change(
        changed,
        policy_of(changed),
        replace(NOW, submission=submission),
        msgspec.convert(asked, PolicyChangeAsk),
        scan=None,
        sanctions=SanctionsList.of([listed]),
        section=section,
        today=TODAY,
    )


def problems(*args: Any, **more: Any) -> list[tuple[str, str]]:
    with pytest.raises(InvalidRequest) as refused:
        change(*args, **more)
    return [(problem.path.removeprefix("changes."), problem.code) for problem in refused.value.problems]


def with_record(quote: Quote, **changes: Any) -> Quote:
    record = msgspec.structs.replace(from_record(quote.assessment or ""), **changes)
    return replace(quote, assessment=msgspec.json.encode(record).decode())


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({"per_claim_retention": 5_000}, [("per_claim_retention", "not_allowed")]),
        ({"per_claim_limit": 900_000}, [("per_claim_limit", "not_allowed")]),
        (
            {"per_claim_limit": 2_000_000, "aggregate_retention": 2_500},
            [("per_claim_limit", "above_aggregate")],
        ),
        (
            {"aggregate_limit": 100_000, "aggregate_retention": 100_000},
            [("aggregate_retention", "no_cover_per_claim")],
        ),
        (
            {"additional_insured": [{"name": "Example Bank"}, {"name": "  "}]},
            [("additional_insured[1].name", "blank")],
        ),
        (
            {
                "additional_insured": [
                    {"name": "Example Property Trust", "interest": "Landlord, as the lease"}
                ]
            },
            [],
        ),
    ],
)
def test_terms_and_insureds_that_cannot_be_are_refused(
    changes: dict[str, Any], found: list[tuple[str, str]]
) -> None:
    if found:
        assert problems(changes) == found
    else:
        assert change(changes).premium_difference == 0


@pytest.mark.parametrize(
    ("submission", "ask", "changes", "found"),
    [
        (BIG, None, {"aggregate_retention": 5_000}, [("aggregate_retention", "too_small")]),
        (
            MPL,
            OptionAsk(aggregate_limit=1_000_000, per_claim_retention=10_000),
            {"per_claim_retention": 500},
            [("per_claim_retention", "too_small")],
        ),
        (
            MPL,
            OptionAsk(aggregate_limit=1_000_000, per_claim_retention=10_000),
            {"aggregate_retention": 5_000},
            [("aggregate_retention", "too_small")],
        ),
        (
            MPL,
            OptionAsk(aggregate_limit=1_000_000, per_claim_retention=5_000, aggregate_retention=10_000),
            {"per_claim_retention": 25_000},
            [("per_claim_retention", "too_small")],
        ),
    ],
)
def test_a_retention_below_the_lowest_is_refused(
    submission: Any, ask: OptionAsk | None, changes: dict[str, Any], found: list[tuple[str, str]]
) -> None:
    assert problems(changes, quote_of(submission, ask), submission) == found


def test_terms_whose_premium_a_person_set_are_changed_by_nobody_else() -> None:
    quote = with_record(quote_of(), worksheet=None)

    assert problems({"aggregate_limit": 2_000_000}, quote) == [("aggregate_limit", "set_by_hand")]
    assert change({"dba": "Lamplight Bread"}, quote).premium_difference == 0


def test_terms_that_the_tariff_gives_no_price_are_refused() -> None:
    nowhere = replace(SUBMISSION, state="ZZ")

    assert problems({"aggregate_limit": 2_000_000}, quote_of(), nowhere) == [("changes", "not_priced")]


def test_a_day_before_the_change_before_is_refused() -> None:
    booked = BookedChange(effective=TODAY, premium=0, term_premium=1_500)
    quote = with_record(quote_of(), changes=[booked])

    assert problems({"dba": "Bread"}, quote, day=date(2027, 2, 28)) == [("effective", "out_of_sequence")]


@pytest.mark.parametrize(
    ("changes", "is_more"),
    [
        ({"aggregate_limit": 2_000_000}, True),
        ({"aggregate_limit": 500_000}, False),
        ({"aggregate_retention": 5_000}, True),
        ({"aggregate_retention": 25_000}, False),
        ({"additional_insured": [{"name": "Example Bank"}]}, True),
        ({"additional_insured": []}, False),
        ({"dba": "Lamplight Bread"}, False),
    ],
)
def test_more_cover_from_a_day_that_is_past_needs_the_insureds_word(
    changes: dict[str, Any], *, is_more: bool
) -> None:
    quote = quote_of(ask=OptionAsk(aggregate_limit=1_000_000, aggregate_retention=10_000))
    day = date(2027, 2, 28)

    if is_more:
        assert problems(changes, quote, day=day) == [("no_known_loss", "required")]
    else:
        assert change(changes, quote, day=day).effective == day


@pytest.mark.parametrize(
    ("changes", "codes"),
    [
        ({"aggregate_limit": 5_000_000}, ["limit_above_authority", "outside_binder"]),
        ({"aggregate_limit": 100_000, "aggregate_retention": 50_000}, ["retention_above_share"]),
        ({"name": "QUILLSTONE BAKERY."}, []),
        ({"name": "Lamplight Bakery"}, ["name_changed"]),
        ({"dba": "Blocked Example Ltd."}, ["sanctioned_party"]),
        ({"additional_insured": [{"name": "blocked example ltd"}]}, ["sanctioned_party"]),
        ({"domains": ["WWW.B.example.com", "a.example.com"]}, ["new_domains"]),
    ],
)
def test_an_underwriter_decides_on_what_the_machine_may_not(
    changes: dict[str, Any], codes: list[str]
) -> None:
    priced = change(changes, listed="Blocked Example Ltd", section=SECTION)

    assert [referral.code for referral in priced.referrals] == codes


def test_what_the_submission_keeps_is_the_changed_insured() -> None:
    sent = {"name": " Lamplight Bakery ", "dba": " ", "domains": ["B.example.com", "b.example.com"]}
    asked = msgspec.convert(sent, PolicyChanges)

    after = changed_submission(replace(SUBMISSION, trade_name="Old Oven"), asked)

    assert (after.name, after.trade_name, after.domains) == ("Lamplight Bakery", None, ("b.example.com",))
    assert after.registrable_domains == ("example.com",)
    assert changed_client(asked)["dba"] is None
    assert changed_client(msgspec.convert({"dba": "Bread"}, PolicyChanges)) == {"dba": "Bread"}
    quote = quote_of()
    assert quote.terms is not None
    assert changed_fields(quote.terms, NOW, asked) == ("name", "domains")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"issued_on": None}, "not issued yet"),
        ({"term": Term(date(2026, 3, 1), TODAY)}, "has ended on 2027-03-01"),
    ],
)
def test_a_policy_that_is_not_issued_or_is_over_is_not_changed(changes: dict[str, Any], said: str) -> None:
    quote = replace(quote_of(), quote_id=uuid.UUID(int=7))

    with pytest.raises(WrongState, match=said):
        check_changeable(quote, policy_of(quote, **changes), TODAY)
    with pytest.raises(WrongState, match="has no policy"):
        check_changeable(replace(quote, status=QuoteStatus.PUBLISHED), None, TODAY)
    assert check_changeable(quote, policy_of(quote), TODAY).is_issued
