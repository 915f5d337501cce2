"""What a company's page is made of, without a service."""

from datetime import date

import pytest

from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import OptionAsk, Term
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.submission.again import asked_again, term_again
from bindery.web.company.contacts import ShownContact
from bindery.web.shown.comparison import Row, row_of, without_alike
from bindery.web.shown.coverages import ASKED_FOR, SHOWN_FIRST
from bindery.web.shown.words import status_word

S = QuoteStatus
TODAY = date(2026, 11, 18)


@pytest.mark.parametrize("product", InsuranceProduct)
def test_a_product_has_six_coverages_that_clients_ask_for(product: InsuranceProduct) -> None:
    names = {rule.name for rule in COVERAGES.in_force(TODAY).products[product]}

    assert len(names & set(ASKED_FOR)) >= SHOWN_FIRST


def test_statuses_are_in_the_words_of_the_trade() -> None:
    on = date(2026, 12, 17)

    assert status_word(S.POLICY_ACTIVE).text == "In force"
    assert status_word(S.POLICY_ACTIVE, binder_due=on).text == "Binder, due Dec 17"
    assert status_word(S.POLICY_ACTIVE, begins_ahead=on).text == "Starts Dec 17"
    assert status_word(S.QUOTE_EXPIRED, is_lapsed=True).text == "Lapsed"
    assert status_word(S.POLICY_CANCELED, canceled_ahead=on).text == "Canceled as of Dec 17"
    assert status_word(S.QUOTE_REVOKED, is_withdrawn=True).text == "Withdrawn"
    assert status_word(S.PUBLISHED, begins_ahead=on).text == "Open"


def rows(*texts: str, title: str = "Period") -> Row:
    return row_of(title, list(texts))


def test_what_is_the_same_for_all_leaves_the_table_and_the_price_never_does() -> None:
    limit, period = rows("$1", "$2", title="Aggregate limit"), rows("May", "May")
    premium, taxed = rows("$5", "$5", title="Premium"), rows("$1", "$1", title="Taxes and fees")

    shown, alike = without_alike((premium, taxed, period, limit))

    assert shown == (limit, premium, taxed)
    assert alike == (period,)


def test_one_option_has_in_its_table_what_options_are_told_apart_by() -> None:
    limit, period = rows("$1", title="Aggregate limit"), rows("May")

    assert without_alike((limit, period)) == ((limit,), (period,))


def test_equal_limits_with_other_waiting_periods_are_not_alike() -> None:
    row = row_of("Business interruption", ["$1", "$1"], more=["8 h waiting period", "12 h waiting period"])

    assert row.differs
    assert not row.is_alike


def test_a_term_that_can_be_bound_is_asked_for_again_and_another_begins_tomorrow() -> None:
    recent = Term(date(2026, 11, 11), date(2027, 5, 11), date(2020, 1, 1))
    old = Term(date(2026, 11, 10), date(2027, 5, 10), date(2020, 1, 1))

    assert term_again(recent, TODAY) is recent
    assert term_again(old, TODAY) == Term(date(2026, 11, 19), date(2027, 5, 19), date(2020, 1, 1))


def test_a_request_made_again_keeps_what_it_said_but_for_the_terms() -> None:
    body = (
        '{"client": {"name": "Ann", "shoe_size": 44}, "questions": [1],'
        ' "policy": {"program_code": "x", "dates": {"teo_retroactive_date": "2020-01-01"}, "quotes": [1, 2]}}'
    )

    again = asked_again(body, 7, OptionAsk(500_000, 2_500), Term(date(2026, 11, 19), date(2027, 11, 19)))

    assert again == {
        "client": {"name": "Ann", "shoe_size": 44, "company_id": "7"},
        "questions": [1],
        "policy": {
            "program_code": "x",
            "dates": {
                "teo_retroactive_date": "2020-01-01",
                "effective": "2026-11-19",
                "expiration": "2027-11-19",
            },
            "quotes": [{"aggregate_limit": 500_000, "aggregate_retention": 2_500}],
        },
    }


def test_a_telephone_number_is_dialed_without_its_signs() -> None:
    assert ShownContact("Insured", "Ann", "a@b.example", "+1 (215) 555-7777").dials == "+12155557777"
