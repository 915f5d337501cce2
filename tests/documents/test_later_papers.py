"""The papers beyond the specification, read back: every amount to the cent and every date."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from bindery.base.numbers import in_dollars
from bindery.contract.documents import DocumentType
from bindery.contract.policy_ending import CanceledBy, CancellationReason
from bindery.contract.vocabulary import ContingencyStatus, InsuranceProduct
from bindery.documents import MissingFacts, render
from bindery.documents.wording import typographic
from bindery.domain.applicant.risk import Term
from bindery.domain.documents.comparison import ComparisonFacts
from bindery.domain.documents.notices import Canceled, PolicyEvent, notice_facts
from bindery.domain.policy.policy import earned_premium
from documents.cases import BOUND, ISSUED, facts_of
from documents.later_cases import ASKED, CANCELED, CHANGED, LAPSED, REINSTATED, UNPAID, compared, side_by_side
from documents.reading import numbered, pages_of, plain_document, plain_facts, text_of
from documents.review_cases import case, made

D = DocumentType
MIDDLE = 612 / 2
P = InsuranceProduct


def notice(event: PolicyEvent, kind: D = D.CANCELLATION_NOTICE, product: P = P.CYB) -> str:
    facts = facts_of(product, binding=numbered(ISSUED, product))
    return text_of(render(kind, notice_facts(facts, event))).replace("\N{MINUS SIGN}", "-")


def canceled(effective: date) -> str:
    """The text of the notice of a cancellation from that day on, with the premium that is returned then."""
    facts = facts_of(P.CYB, binding=ISSUED)
    assert facts.offer is not None
    premium, term = facts.offer.premium, Term(facts.period.effective, facts.period.expiration)
    earned = earned_premium(premium, term, effective, has_minimum=True)
    return notice(replace(CANCELED, effective=effective, returned_premium=premium - earned, earned=earned))


def test_a_cancellation_says_who_from_when_why_and_what_comes_back() -> None:
    text = canceled(date(2027, 6, 1))

    # 182 of 365 days of a premium of 1,670: 832.71, in whole dollars 833.
    assert "RETURNED PREMIUM $837.00 of the premium of $1,670.00" in text
    assert "Premium for the term $1,670.00 Earned premium (182 of 365 days in force) 49.86% -$833.00" in text
    assert "Returned premium $837.00" in text
    assert "At your request, your policy CYB-26-0001234-7-00, Cyber Insurance, is canceled." in text
    assert "Coverage ends on June 1, 2027 at 12:01 a.m." in text
    assert "Canceled by The named insured" in text
    assert "Reason Business sold: Sold to a competitor." in text
    assert "Notice mailed May 3, 2027, by email to" in text
    assert "December 1, 2026 to December 1, 2027" in text
    assert "We will refund any amount paid above the earned premium of $833.00 through your broker." in text
    assert "Of the taxes and fees of $70.10, $25.11 is refundable in Pennsylvania." in text
    # Canceled on May 3: thirty days from there, whatever the day the cover ends on.
    assert "You may ask us to reinstate the policy until June 2, 2027" in text
    assert "Reinstatement is at our discretion" in text


def test_a_cancellation_prints_the_extended_reporting_with_its_days_and_dollars() -> None:
    text = canceled(date(2027, 6, 1))

    assert "claims for acts before the end may be reported until July 31, 2027 at no charge" in text
    assert (
        "Until July 1, 2027 you may buy an extended reporting period of 12 months for $1,670.00, "
        "24 months for $2,505.00 or 36 months for $3,090.00."
    ) in text


def test_a_cancellation_for_nonpayment_says_what_is_due_and_until_when_payment_helps() -> None:
    text = notice(UNPAID)

    assert "EARNED PREMIUM DUE $833.00 of the premium of $1,670.00" in text
    assert "Example Specialty Insurance Company is canceling your policy" in text
    assert "Canceled by The insurer, Example Specialty Insurance Company" in text
    assert "Reason Nonpayment of premium" in text
    assert "Earned premium (182 of 365 days in force) 49.86% $833.00" in text
    assert "Taxes and fees on it $44.99 Amount due $877.99" in text
    assert "If we receive $1,740.10 by May 31, 2027, the policy stays in force" in text
    assert "there is no automatic period after a cancellation for this reason" in text
    assert "Until July 1, 2027 you may buy" in text
    assert "eturned premium" not in text
    assert "25%" not in text


def test_a_cancellation_by_the_insurer_is_pro_rata() -> None:
    fraud = replace(
        CANCELED,
        canceled_by=CanceledBy.INSURER,
        reason_code=CancellationReason.FRAUD,
        effective=date(2026, 12, 31),
        earned=137,
        returned_premium=1_533,
    )

    text = notice(fraud)

    assert "Earned premium (30 of 365 days in force) 8.22% -$137.00 Returned premium $1,533.00" in text
    assert "inimum earned" not in text
    assert "25%" not in text


def test_a_policy_that_is_rewritten_has_no_automatic_reporting_period() -> None:
    text = notice(replace(CANCELED, reason_code=CancellationReason.REWRITTEN))

    assert "there is no automatic period, as the policy is rewritten on another policy" in text


@pytest.mark.parametrize(
    ("effective", "earned", "returned"),
    [
        (date(2026, 12, 1), "Earned premium (coverage does not begin) 0.00% $0.00", "$1,670.00"),
        (date(2026, 12, 2), "Minimum earned premium (1 of 365 days in force) 25.00% -$418.00", "$1,252.00"),
        # A quarter of 365 days is 91.25: the 91st day still earns the least, the 92nd its own days.
        (date(2027, 3, 2), "Minimum earned premium (91 of 365 days in force) 25.00% -$418.00", "$1,252.00"),
        (date(2027, 3, 3), "Earned premium (92 of 365 days in force) 25.21% -$421.00", "$1,249.00"),
        (date(2027, 11, 30), "Earned premium (364 of 365 days in force) 99.73% -$1,665.00", "$5.00"),
    ],
)
def test_a_cancellation_earns_at_least_a_quarter_once_cover_began(
    effective: date, earned: str, returned: str
) -> None:
    text = canceled(effective)

    assert f"{earned} Returned premium {returned}" in text


def test_the_minimum_earned_premium_is_the_same_on_every_document() -> None:
    bill = text_of(plain_document(D.BILLING_STATEMENT, P.CYB))
    binder = text_of(plain_document(D.BINDER, P.CYB))

    assert "at least 25% of it ($418.00) once coverage begins" in canceled(date(2026, 12, 2))
    assert "At least 25% of the premium, $418.00," in bill
    assert "if the insured cancels, at least 25% of it, $418.00." in binder


def test_a_flat_cancellation_says_that_coverage_does_not_begin_and_offers_no_reporting() -> None:
    text = canceled(date(2026, 12, 1))

    assert "Coverage does not begin: it is canceled from its first day, December 1, 2026." in text
    assert "We will refund any premium paid through your broker." in text
    assert "no extended reporting period applies" in text
    assert "Coverage ends on" not in text
    assert "you may buy" not in text


def test_an_earlier_notice_is_printed_from_what_it_knew() -> None:
    event = Canceled(on=CANCELED.on, effective=date(2026, 12, 1), reason="Not paid.", returned_premium=1_252)

    text = notice(event)

    assert "Coverage ends on December 1, 2026 at 12:01 a.m." in text
    assert "Minimum earned premium (0 of 365 days in force) 25.00%" in text
    assert "Reason Not paid." in text
    assert "Taxes and fees of $70.10 are refundable only as Pennsylvania law allows." in text
    assert "A longer period can be bought within thirty days after the end." in text
    assert "Canceled by" not in text


def test_a_canceled_binder_is_called_a_binder() -> None:
    facts = notice_facts(facts_of(binding=BOUND), CANCELED)

    assert "your binder CYB-26-0001234-7-00, Cyber Insurance, is canceled" in text_of(
        render(D.CANCELLATION_NOTICE, facts)
    )


@pytest.mark.parametrize(
    ("product", "total"), [(P.CYB, "$1,740.10"), (P.TEO, "$5,548.01"), (P.MPL, "$2,485.82")]
)
def test_a_lapse_says_what_was_missing_and_that_nothing_is_owed(product: P, total: str) -> None:
    text = text_of(plain_document(D.LAPSE_NOTICE, product))

    assert "DUE FOR THIS BINDER $0.00" in text
    assert f"B-{product}-26-0001234-7-00, bound on November 20, 2026" in text
    assert f"Statement S-{product}-26-0001234-7-00 for {total} is void" in text
    assert "A signed and dated application" in text
    assert "(was due December 20, 2026)" in text
    assert "Lapsed on December 21, 2026" in text
    assert "treated as never having been in force, from December 1, 2026 on" in text
    assert "This binder cannot be reinstated." in text


def test_a_lapse_lists_only_what_was_still_open() -> None:
    facts = facts_of(P.TEO, binding=numbered(BOUND, P.TEO))
    signed, *others = facts.contingencies
    received = replace(signed, status=ContingencyStatus.CLOSED)

    text = text_of(
        render(D.LAPSE_NOTICE, notice_facts(replace(facts, contingencies=(received, *others)), LAPSED))
    )

    assert "A signed and dated application" not in text
    assert "A copy of the expiring policy" in text


def test_a_nonrenewal_says_when_cover_ends_why_and_how_claims_can_still_be_reported() -> None:
    text = text_of(plain_document(D.NONRENEWAL_NOTICE, P.CYB))

    assert "COVERAGE ENDS December 1, 2027 12:01 a.m., 75 days after this notice" in text
    assert "It stays in force, with all its terms, until it ends on December 1, 2027" in text
    assert "Reason Loss history: Three losses in two years, the last of them $86,000." in text
    assert "Notice required 60 days before the end of the policy, for an insured in Pennsylvania" in text
    assert "Coverage goes on through November 30, 2027" in text
    assert "may be reported until January 30, 2028 at no charge" in text
    assert (
        "Until December 31, 2027 you may buy an extended reporting period of 12 months for $1,670.00" in text
    )


def test_an_endorsement_has_the_text_of_each_form_that_is_new_to_the_policy() -> None:
    facts = facts_of(binding=ISSUED)
    call_back = next(form for form in facts.forms.policy if form.form_number.startswith("END 1010"))
    attaching = notice_facts(facts, replace(CHANGED, new_forms=(call_back.form_number,)))

    with_text = render(D.ENDORSEMENT, attaching)
    without = render(D.ENDORSEMENT, notice_facts(facts, CHANGED))

    lead = "This endorsement changes the policy. All other terms remain unchanged."
    assert pages_of(with_text) == pages_of(without) + 1
    assert f"{call_back.title} Policy CYB-26-0001234-7-00 Effective May 1, 2027 Form END 1010" in text_of(
        with_text
    )
    assert lead in text_of(with_text)
    assert lead not in text_of(without)


def test_a_reinstatement_after_the_end_says_what_is_due_and_has_a_statement_to_sign() -> None:
    pdf = plain_document(D.REINSTATEMENT_NOTICE, P.CYB)
    text = text_of(pdf)

    assert "PREMIUM DUE $862.11 by July 12, 2027" in text
    assert "Your policy has been reinstated without a lapse in coverage." in text
    assert "Premium returned by the cancellation $837.00" in text
    assert "Taxes and fees returned by the cancellation $25.11 Due by July 12, 2027 $862.11" in text
    assert "$1,740.10 with taxes and fees" in text
    assert "Account and reference 0000000000 (sample), S-CYB-26-0001234-7-00" in text
    assert "In force from December 1, 2026 to December 1, 2027" in text
    assert "Was canceled from June 1, 2027 Reinstated on June 12, 2027" in text
    assert "What has happened since June 1, 2027 is insured" in text
    assert "Statement of no known losses" in text
    assert "still conditional" not in text
    for field in (b"signature", b"date", b"name", b"title", b"exceptions"):
        assert b"/T(%s)" % field in pdf


def test_a_reinstatement_before_the_cancellation_took_effect_says_nothing_of_the_time_since() -> None:
    text = notice(replace(REINSTATED, on=date(2027, 5, 31)), D.REINSTATEMENT_NOTICE)

    assert "Your policy has been reinstated without a lapse in coverage." in text
    assert "Was to be canceled from June 1, 2027" in text
    assert "What has happened since" not in text
    assert "known losses" not in text


def test_a_reinstatement_on_the_day_of_the_cancellation_is_after_its_end() -> None:
    text = notice(replace(REINSTATED, on=date(2027, 6, 1)), D.REINSTATEMENT_NOTICE)

    assert "Statement of no known losses" in text


def test_a_reinstatement_after_nonpayment_asks_for_the_whole_bill() -> None:
    event = replace(REINSTATED, returned_premium=0, is_unpaid=True, charges_returned=Decimal(0))

    text = notice(event, D.REINSTATEMENT_NOTICE)

    assert "PREMIUM DUE $1,740.10" in text
    assert "Premium for the term $1,670.00 Taxes and fees $70.10 Due by July 12, 2027 $1,740.10" in text
    assert "Less any payment that we have received." in text


def test_a_binder_that_is_reinstated_keeps_its_last_day() -> None:
    facts = notice_facts(facts_of(binding=BOUND), REINSTATED)

    text = text_of(render(D.REINSTATEMENT_NOTICE, facts))

    assert "still conditional: what it depends on is due by December 20, 2026" in text


@pytest.mark.parametrize("product", list(P))
def test_a_certificate_shows_every_limit_and_no_price(product: P) -> None:
    facts = plain_facts(D.CERTIFICATE, product)
    text = text_of(plain_document(D.CERTIFICATE, product))

    assert facts.offer is not None
    assert f"C-{product}-26-0001234-7-00" in text
    assert (
        "As of November 21, 2026, the policy below has been issued by Example Specialty Insurance Company"
        in text
    )
    assert "December 1, 2026 to December 1, 2027" in text
    assert f"Aggregate limit {in_dollars(facts.terms.aggregate_limit)}" in text
    for coverage in facts.offer.coverages:
        assert typographic(coverage.coverage_name) in text
        retention = in_dollars(coverage.retention) if coverage.retention else "None"
        assert f"{typographic(coverage.coverage_name)} {in_dollars(coverage.limit)} {retention}" in text
    assert in_dollars(Decimal(facts.offer.premium)) not in text
    assert in_dollars(facts.offer.total) not in text
    assert "Certificate holder" in text
    assert "confers no rights on the holder and does not amend, extend or alter the policy" in text


def test_a_comparison_says_whether_something_is_to_be_signed() -> None:
    facts = plain_facts(D.COMPARISON, P.CYB)
    assert isinstance(facts, ComparisonFacts)
    (first, *_) = facts.options
    signed = replace(first, facts=replace(first.facts, contingencies=()))

    to_sign = text_of(render(D.COMPARISON, facts))
    alone = text_of(render(D.COMPARISON, replace(facts, options=(signed,))))

    assert "Bind one option; the others are then closed." in to_sign
    assert "and its own application to sign." in to_sign
    assert "The option has a quote letter with all its terms. No signed application is needed" in alone
    assert "application to sign" not in alone


def test_a_conditional_binder_has_no_certificate() -> None:
    with pytest.raises(MissingFacts):
        render(D.CERTIFICATE, facts_of(binding=BOUND))


@pytest.mark.parametrize(
    "kind", [D.CANCELLATION_NOTICE, D.LAPSE_NOTICE, D.REINSTATEMENT_NOTICE, D.NONRENEWAL_NOTICE]
)
def test_a_notice_needs_the_event_that_it_tells_of(kind: D) -> None:
    facts = facts_of(binding=BOUND)
    other = LAPSED if kind is D.CANCELLATION_NOTICE else CANCELED

    for given in (facts, notice_facts(facts, other)):
        with pytest.raises(MissingFacts):
            render(kind, given)


def test_a_comparison_shows_the_options_side_by_side_to_the_cent() -> None:
    text = text_of(plain_document(D.COMPARISON, P.CYB))

    assert "Option 1 Option 2 Option 3" in text
    assert "Aggregate limit ◆ $1,000,000 $2,000,000 $500,000" in text
    assert "Retention ◆ $2,500 $5,000 $10,000" in text
    assert "Premium ◆ $1,670.00 $2,284.00 $1,070.00" in text
    assert "Of it, certified acts of terrorism ◆ $16.70 $22.84 $10.70" in text
    assert "Surplus lines tax ◆ $50.10 $68.52 $32.10" in text
    assert "Total with taxes and fees ◆ $1,740.10 $2,372.52 $1,122.10" in text
    assert "3 OPTIONS FROM $1,122.10" in text
    assert "Options with a price 3 of 3" in text
    assert "A signed and dated application" in text
    assert "(within 30 days of the bind, every option)" in text


def test_what_is_alike_is_said_once_and_not_marked() -> None:
    text = text_of(plain_document(D.COMPARISON, P.CYB))

    assert "Stamping fee $20.00 Total" in text
    assert "Valid until January 14, 2027 ◆ marks" in text
    assert "Contingent Bodily Injury subject to END 1030 $250,000 Breach" in text
    assert "Interruption and Extra Expense ◆ 8 h waiting period, subject to END 1030 $1,000,000" in text
    assert "Engineering Fraud ◆ $10,000 retention, Call-back required, subject to END 1010 $250,000" in text


@pytest.mark.parametrize("product", list(P))
def test_a_comparison_has_every_limit_of_every_option(product: P) -> None:
    text = text_of(plain_document(D.COMPARISON, product))

    options = compared(product).options
    assert len(options) == len(ASKED)
    for option in options:
        assert option.facts.offer is not None
        assert in_dollars(option.facts.offer.total) in text
        for coverage in option.facts.offer.coverages:
            assert typographic(coverage.coverage_name) in text
            assert in_dollars(coverage.limit) in text


def test_an_option_without_a_price_is_counted_and_not_shown() -> None:
    text = text_of(render(D.COMPARISON, compared(asked=ASKED[:1], asked_for=2)))

    assert "Options with a price 1 of 2" in text
    assert "One further option was asked for and had no price" in text
    assert "Option 2" not in text
    assert "◆" not in text


def test_what_one_option_needs_is_said_to_be_its_alone() -> None:
    first, other, third = (option.facts for option in compared().options)
    own = replace(first.contingencies[0], text="A letter from the auditor")

    text = text_of(
        render(D.COMPARISON, side_by_side([first, replace(other, contingencies=(own,)), third], asked_for=3))
    )

    assert "A letter from the auditor (within 30 days of the bind, option 2 only)" in text
    assert "(within 30 days of the bind, options 1, 3 only)" in text


def test_fifteen_options_stand_in_two_tables_across_the_sheet() -> None:
    limits = (1_000_000, 2_000_000, 500_000, 3_000_000, 250_000)
    asked = [
        {"aggregate_limit": limits[place % 5], "aggregate_retention": (2_500, 5_000, 10_000)[place // 5]}
        for place in range(15)
    ]

    pdf = render(D.COMPARISON, compared(P.TEO, asked))

    text = text_of(pdf)
    assert "Option 7 Option 8 Aggregate limit" in text
    assert "Option 14 Option 15 Aggregate limit" in text
    assert pages_of(pdf) <= 5


def test_a_comparison_names_the_endorsements_that_limit_the_coverage() -> None:
    weak, sound = case("E quoted"), case("CYB")

    text = text_of(render(D.COMPARISON, side_by_side([weak, sound], asked_for=2)))

    assert "Social Engineering Call-Back Condition (END 1010 01 26, every option)" in text
    assert "Ransomware Sublimit and Coinsurance (END 1020 01 26, option 1 only)" in text
    assert "The quote letter explains each with its amounts." in text


def test_a_comparison_of_a_renewal_says_what_it_renews_and_that_it_renews_automatically() -> None:
    text = text_of(render(D.COMPARISON, side_by_side([case("R CYB")], asked_for=1)))

    assert "Your renewal of Cyber Insurance" in text
    assert "Renews policy CYB-26-0001234-7-00, which expires on December 1, 2027" in text
    assert "The policy renews automatically on December 1, 2027 unless" in text
    assert "renews" not in text_of(plain_document(D.COMPARISON, P.CYB))


def test_a_comparison_says_once_what_is_needed_before_the_bind() -> None:
    needed = case("H")
    own = replace(needed.contingencies[0], contingency_id="90", text="The audit report")
    facts = replace(needed, contingencies=(*needed.contingencies, own))

    text = text_of(render(D.COMPARISON, side_by_side([facts], asked_for=1)))

    assert "to be insured, before the bind (this option)" in text
    assert "The audit report (before the bind, this option)" in text


def test_a_certificate_names_what_limits_the_coverage_and_the_services() -> None:
    weak, services = text_of(made("E", D.CERTIFICATE)), text_of(made("C issued", D.CERTIFICATE))

    assert "Ransomware Sublimit and Coinsurance (END 1020 01 26)" in weak
    assert "8 h waiting period subject to END 1020, END 1030" in weak
    assert "50% coinsurance subject to END 1020, END 1030" in weak
    assert "Professional services Advertising or public relations" in services
    assert "Forensic beekeeping" in services
