"""The papers beyond the specification, read back: every amount to the cent and every date."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from bindery.base.money import in_dollars
from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyStatus, InsuranceProduct
from bindery.documents import MissingFacts, render
from bindery.documents.wording import typographic
from bindery.domain.applicant.risk import Term
from bindery.domain.documents.comparison import ComparisonFacts
from bindery.domain.documents.notices import notice_facts
from bindery.domain.policy.policy import return_premium
from documents.cases import BOUND, ISSUED, facts_of
from documents.later_cases import ASKED, CANCELED, LAPSED, REINSTATED, compared, side_by_side
from documents.reading import numbered, pages_of, plain_document, plain_facts, text_of
from documents.review_cases import case, made

D = DocumentType
MIDDLE = 612 / 2
P = InsuranceProduct


def canceled(effective: date, product: P = P.CYB) -> str:
    """The text of the notice of a cancellation from that day on, with the premium that is returned then."""
    facts = facts_of(product, binding=numbered(ISSUED, product))
    assert facts.offer is not None
    returned = return_premium(
        facts.offer.premium, Term(facts.period.effective, facts.period.expiration), effective
    )
    event = replace(CANCELED, effective=effective, returned_premium=returned)
    text = text_of(render(D.CANCELLATION_NOTICE, notice_facts(facts, event)))
    return text.replace("\N{MINUS SIGN}", "-")


def test_a_cancellation_says_from_when_why_and_what_comes_back() -> None:
    text = canceled(date(2027, 6, 1))

    # 182 of 365 days of a premium of 1,670: 832.71, in whole dollars 833.
    assert "RETURNED PREMIUM $837.00 of the premium of $1,670.00" in text
    assert "Premium for the term $1,670.00 Earned: 182 of 365 days of cover 49.86% -$833.00" in text
    assert "Returned premium $837.00" in text
    assert "Its cover ends on June 1, 2027 at 12:01 a.m." in text
    assert "December 1, 2026 to December 1, 2027" in text
    assert "The business was sold." in text
    assert "The taxes and fees of $70.10" in text
    # Canceled on May 3: thirty days from there, whatever the day the cover ends on.
    assert "until June 2, 2027" in text
    assert "May 3, 2027" in text


@pytest.mark.parametrize(
    ("effective", "earned", "returned"),
    [
        (date(2026, 12, 1), "nothing, as cover does not begin 0.00% $0.00", "$1,670.00"),
        (
            date(2026, 12, 2),
            "the least that is earned, for 1 of 365 days of cover 25.00% -$418.00",
            "$1,252.00",
        ),
        # A quarter of 365 days is 91.25: the 91st day still earns the least, the 92nd its own days.
        (
            date(2027, 3, 2),
            "the least that is earned, for 91 of 365 days of cover 25.00% -$418.00",
            "$1,252.00",
        ),
        (date(2027, 3, 3), "92 of 365 days of cover 25.21% -$421.00", "$1,249.00"),
        (date(2027, 11, 30), "364 of 365 days of cover 99.73% -$1,665.00", "$5.00"),
    ],
)
def test_a_cancellation_earns_at_least_a_quarter_once_cover_began(
    effective: date, earned: str, returned: str
) -> None:
    text = canceled(effective)

    assert f"Earned: {earned} Returned premium {returned}" in text


def test_a_cancellation_before_cover_begins_says_that_it_does_not() -> None:
    text = canceled(date(2026, 12, 1))

    assert "Its cover does not begin: it is canceled from its first day, December 1, 2026." in text
    assert "All premium that was paid is returned" in text
    assert "cover ends on" not in text


def test_an_earlier_notice_that_kept_a_quarter_still_says_so() -> None:
    event = replace(CANCELED, effective=date(2026, 12, 1), returned_premium=1_252)
    facts = notice_facts(facts_of(binding=ISSUED), event)

    text = text_of(render(D.CANCELLATION_NOTICE, facts))

    assert "Its cover ends on December 1, 2026 at 12:01 a.m." in text
    assert "Earned: the least that is earned, for 0 of 365 days of cover 25.00%" in text


def test_a_canceled_binder_is_called_a_binder() -> None:
    facts = notice_facts(facts_of(binding=BOUND), CANCELED)

    assert "Your binder CYB-26-0001234-7-00, Cyber Insurance, is canceled" in text_of(
        render(D.CANCELLATION_NOTICE, facts)
    )


@pytest.mark.parametrize(
    ("product", "total"), [(P.CYB, "$1,740.10"), (P.TEO, "$5,548.01"), (P.MPL, "$2,485.82")]
)
def test_a_lapse_says_what_was_missing_and_that_nothing_is_owed(product: P, total: str) -> None:
    text = text_of(plain_document(D.LAPSE_NOTICE, product))

    assert "OWED FOR THIS BINDER $0.00" in text
    assert f"B-{product}-26-0001234-7-00, bound on November 20, 2026" in text
    assert f"The statement S-{product}-26-0001234-7-00 over {total} is void" in text
    assert "A signed and dated application" in text
    assert "(was due December 20, 2026)" in text
    assert "Lapsed on December 21, 2026" in text
    assert "treated as never having been in force, from December 1, 2026 on" in text


def test_a_lapse_lists_only_what_was_still_open() -> None:
    facts = facts_of(P.TEO, binding=numbered(BOUND, P.TEO))
    signed, *others = facts.contingencies
    received = replace(signed, status=ContingencyStatus.CLOSED)

    text = text_of(
        render(D.LAPSE_NOTICE, notice_facts(replace(facts, contingencies=(received, *others)), LAPSED))
    )

    assert "A signed and dated application" not in text
    assert "A copy of the expiring policy" in text


def test_a_reinstatement_says_what_is_owed_again_and_that_there_was_no_break() -> None:
    text = text_of(plain_document(D.REINSTATEMENT_NOTICE, P.CYB))

    assert "OWED AGAIN $837.00" in text
    assert "Earned when the policy was canceled $833.00" in text
    assert "Item Amount Earned when" in text
    assert "Returned by the cancellation, owed again $837.00 Premium for the term $1,670.00" in text
    assert "In force from December 1, 2026 to December 1, 2027" in text
    assert "Was canceled from June 1, 2027 Reinstated on June 12, 2027" in text
    assert "without a break" in text
    assert "still conditional" not in text


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


@pytest.mark.parametrize("kind", [D.CANCELLATION_NOTICE, D.LAPSE_NOTICE, D.REINSTATEMENT_NOTICE])
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
