"""Which documents say what no longer holds, and get another version."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from bindery.contract.documents import DocumentType as D
from bindery.contract.vocabulary import ClosedAs, ContingencyStatus, ContingencyType, InsuranceProduct
from bindery.domain.documents.editions import RENEWABLE, Edition, is_outdated, next_edition
from bindery.domain.documents.facts import OptionFacts, read_option_facts, write_facts
from bindery.domain.policy.contingencies import Contingency, ContingencyKind
from documents.cases import BOUND, facts_of

PROOF = Contingency("9", ContingencyKind.UNDERWRITER, ContingencyType.PRE_BIND, "Proof of offline backups")


def as_option(facts: OptionFacts) -> OptionFacts:
    return OptionFacts(**{name: getattr(facts, name) for name in OptionFacts.__dataclass_fields__})


OFFERED = as_option(facts_of(InsuranceProduct.CYB))
CONDITIONAL = as_option(facts_of(InsuranceProduct.CYB, binding=BOUND))
WITHOUT_CONDITIONS = replace(CONDITIONAL, binding=replace(BOUND, issued_on=BOUND.bound_on))


def closed(facts: OptionFacts) -> OptionFacts:
    there = (
        replace(owed, status=ContingencyStatus.CLOSED, closed_as=ClosedAs.FULFILLED)
        for owed in facts.contingencies
    )
    return replace(facts, contingencies=tuple(there))


def also_owing(facts: OptionFacts) -> OptionFacts:
    return replace(facts, contingencies=(*facts.contingencies, PROOF))


def renewed(frozen: OptionFacts, now: OptionFacts) -> set[D]:
    return {kind for kind in RENEWABLE if is_outdated(kind, frozen, now)}


def test_facts_that_were_stored_and_read_back_are_the_same() -> None:
    for facts in (OFFERED, CONDITIONAL):
        assert renewed(read_option_facts(write_facts(facts)), facts) == set()


def test_the_day_alone_makes_no_new_version() -> None:
    later = OFFERED.issued_on + timedelta(days=3)

    assert renewed(OFFERED, replace(OFFERED, issued_on=later, is_signature_on_file=False)) == set()


@pytest.mark.parametrize(
    "now",
    [
        also_owing(OFFERED),
        closed(OFFERED),
        replace(OFFERED, terms=replace(OFFERED.terms, aggregate_retention=25_000)),
        replace(OFFERED, offer=replace(OFFERED.offer, premium=1)),  # type: ignore[type-var]
        replace(OFFERED, period=replace(OFFERED.period, expiration=date(2028, 1, 1))),
        replace(OFFERED, valid_until=date(2027, 2, 1)),
    ],
    ids=["more is owed", "less is owed", "terms", "premium", "period", "last day"],
)
def test_a_letter_follows_what_is_offered(now: OptionFacts) -> None:
    assert is_outdated(D.QUOTE_LETTER, OFFERED, now)


def test_what_is_owed_for_a_conditional_binder_is_in_the_binder_and_the_security_letter() -> None:
    assert renewed(CONDITIONAL, also_owing(CONDITIONAL)) - {D.QUOTE_LETTER} == {D.BINDER, D.SECURITY_LETTER}


def test_an_issued_policy_renews_every_document_that_spoke_of_conditions() -> None:
    of_bind = {D.BINDER, D.BILLING_STATEMENT, D.SECURITY_LETTER}

    assert renewed(CONDITIONAL, closed(WITHOUT_CONDITIONS)) - {D.QUOTE_LETTER} == of_bind
    # The signature used to be frozen as open with a policy that was issued at once.
    assert renewed(WITHOUT_CONDITIONS, closed(WITHOUT_CONDITIONS)) - {D.QUOTE_LETTER} == set()


def test_a_cancellation_renews_the_bill_alone_and_so_does_a_reinstatement() -> None:
    binding = replace(BOUND, issued_on=BOUND.bound_on, canceled_from=date(2027, 3, 1), returned_premium=700)
    canceled = replace(WITHOUT_CONDITIONS, binding=binding)

    assert renewed(WITHOUT_CONDITIONS, canceled) == {D.BILLING_STATEMENT}
    assert renewed(canceled, WITHOUT_CONDITIONS) == {D.BILLING_STATEMENT}


def test_a_new_version_knows_its_number_and_the_day_of_the_one_before() -> None:
    second = next_edition(Edition(1, OFFERED), also_owing(OFFERED))
    third = next_edition(Edition(2, replace(second, issued_on=date(2026, 11, 20))), OFFERED)

    assert (second.version, second.replaces) == (2, OFFERED.issued_on)
    assert (third.version, third.replaces) == (3, date(2026, 11, 20))
