from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from types import MappingProxyType

import pytest

from bindery.contract.vocabulary import ContingencyStatus, ContingencyType, InsuranceProduct
from bindery.domain.applicant.risk import Answers, Risk, Term
from bindery.domain.policy.contingencies import (
    EXPIRING_POLICY,
    INSURED_ENTITIES,
    REMOTE_ACCESS_MFA,
    SIGNATURE,
    Contingency,
    ContingencyKind,
    DraftContingency,
    contingencies_for,
    in_the_way,
)
from bindery.domain.products import record_of
from support.contingencies import numbered

CYB, TEO, MPL, *_ = InsuranceProduct
EFFECTIVE = date(2026, 3, 1)
NO_MFA: Mapping[str, bool] = MappingProxyType({"2301": False})


def risk_of(
    product: InsuranceProduct,
    *,
    revenue: int = 1_000_000,
    retroactive: date | None = None,
    answers: Mapping[str, bool] = MappingProxyType({"2301": True}),
) -> Risk:
    return Risk(
        product=product,
        revenue=revenue,
        state="OH",
        industry=None,
        answers=Answers(answers),
        term=Term(EFFECTIVE, date(2027, 3, 1), retroactive=retroactive),
    )


def owed_for(risk: Risk, *, renewal: bool = False, pre_bind: bool = False) -> tuple[DraftContingency, ...]:
    rules = record_of(risk.product).contingencies
    return contingencies_for(risk, rules, renewal=renewal, pre_bind=pre_bind)


def opened(kind: ContingencyKind, when: ContingencyType = ContingencyType.POST_BIND) -> Contingency:
    return Contingency("4711", kind, when, "Something")


@pytest.mark.parametrize("product", InsuranceProduct)
def test_every_new_quote_asks_for_the_signed_application_and_nothing_else(product: InsuranceProduct) -> None:
    assert owed_for(risk_of(product)) == (SIGNATURE,)


def test_the_texts_say_what_the_specification_says() -> None:
    assert SIGNATURE.text == (
        "A signed and dated application, signed by a control-group member no more than 45 days "
        "before the bind is requested"
    )
    assert EXPIRING_POLICY.text == "A copy of the expiring policy within 30 days of the new effective date"
    assert REMOTE_ACCESS_MFA.text == (
        "Evidence within 30 days of the bind that multi-factor authentication is enforced on all "
        "remote access, including VPN"
    )


@pytest.mark.parametrize("draft", [SIGNATURE, EXPIRING_POLICY, REMOTE_ACCESS_MFA])
def test_what_the_rules_ask_for_stands_after_the_bind(draft: DraftContingency) -> None:
    assert draft.type is ContingencyType.POST_BIND


@pytest.mark.parametrize(
    ("retroactive", "is_asked"),
    [(date(2026, 2, 28), True), (EFFECTIVE, False), (date(2026, 3, 2), False), (None, False)],
)
def test_the_expiring_policy_is_asked_for_when_technology_cover_reaches_back(
    retroactive: date | None, is_asked: bool
) -> None:
    expected = (SIGNATURE, EXPIRING_POLICY) if is_asked else (SIGNATURE,)

    assert owed_for(risk_of(TEO, retroactive=retroactive)) == expected


@pytest.mark.parametrize("product", [CYB, MPL])
def test_a_technology_retroactive_date_means_nothing_to_other_products(product: InsuranceProduct) -> None:
    assert owed_for(risk_of(product, retroactive=date(2020, 1, 1))) == (SIGNATURE,)


@pytest.mark.parametrize("product", [CYB, TEO])
@pytest.mark.parametrize(("revenue", "is_asked"), [(4_999_999, True), (5_000_000, False)])
def test_mfa_is_asked_of_smaller_firms_without_it(
    product: InsuranceProduct, revenue: int, is_asked: bool
) -> None:
    expected = (SIGNATURE, REMOTE_ACCESS_MFA) if is_asked else (SIGNATURE,)

    assert owed_for(risk_of(product, revenue=revenue, answers=NO_MFA)) == expected


def test_mfa_is_not_asked_for_professional_liability_or_where_the_question_was_not_answered() -> None:
    assert owed_for(risk_of(MPL, answers=NO_MFA)) == (SIGNATURE,)
    assert owed_for(risk_of(CYB, answers={})) == (SIGNATURE,)


def test_a_technology_quote_may_owe_all_three() -> None:
    risk = risk_of(TEO, retroactive=date(2024, 3, 1), answers=NO_MFA)

    assert owed_for(risk) == (SIGNATURE, EXPIRING_POLICY, REMOTE_ACCESS_MFA)


@pytest.mark.parametrize("product", InsuranceProduct)
def test_a_renewal_on_unchanged_answers_owes_no_signature(product: InsuranceProduct) -> None:
    assert owed_for(risk_of(product), renewal=True) == ()


def test_a_technology_renewal_needs_no_copy_of_our_own_policy() -> None:
    assert owed_for(risk_of(TEO, retroactive=date(2024, 3, 1)), renewal=True) == ()


@pytest.mark.parametrize("product", [CYB, TEO])
def test_a_renewal_without_mfa_still_owes_it(product: InsuranceProduct) -> None:
    assert owed_for(risk_of(product, answers=NO_MFA), renewal=True) == (REMOTE_ACCESS_MFA,)


@pytest.mark.parametrize("product", InsuranceProduct)
def test_a_pre_bind_contingency_comes_first_when_it_is_wanted(product: InsuranceProduct) -> None:
    drafts = owed_for(risk_of(product), pre_bind=True)

    assert drafts == (INSURED_ENTITIES, SIGNATURE)
    assert INSURED_ENTITIES.type is ContingencyType.PRE_BIND


def test_a_contingency_starts_open() -> None:
    contingency = numbered(SIGNATURE, "90210")

    assert contingency == Contingency(
        contingency_id="90210",
        kind=ContingencyKind.SIGNATURE,
        type=ContingencyType.POST_BIND,
        text=SIGNATURE.text,
        status=ContingencyStatus.OPEN,
    )
    assert contingency.is_open
    assert contingency.is_signature


def test_a_closed_contingency_is_not_open() -> None:
    assert not replace(opened(ContingencyKind.UNDERWRITER), status=ContingencyStatus.CLOSED).is_open


def test_only_the_signature_is_the_signature() -> None:
    assert [kind for kind in ContingencyKind if opened(kind).is_signature] == [ContingencyKind.SIGNATURE]


def test_the_signature_alone_is_not_in_the_way_of_a_bind() -> None:
    assert in_the_way([opened(ContingencyKind.SIGNATURE)]) == ()
    assert in_the_way([]) == ()


def test_open_ones_of_either_type_are_in_the_way_and_closed_ones_are_not() -> None:
    before = opened(ContingencyKind.UNDERWRITER, ContingencyType.PRE_BIND)
    after = opened(ContingencyKind.EXPIRING_POLICY)
    closed = replace(opened(ContingencyKind.REMOTE_ACCESS_MFA), status=ContingencyStatus.CLOSED)

    assert in_the_way([opened(ContingencyKind.SIGNATURE), before, closed, after]) == (before, after)


@pytest.mark.parametrize(
    ("state", "is_asked"), [("OH", True), ("NY", True), ("IL", False), ("LA", False), ("MA", False)]
)
def test_a_diligent_search_is_asked_for_where_it_is_switched_on_and_the_state_wants_one(
    state: str, is_asked: bool
) -> None:
    risk = replace(risk_of(CYB), state=state)

    owed = contingencies_for(risk, record_of(CYB).contingencies, searches=True)

    assert [draft.kind for draft in owed] == [
        ContingencyKind.SIGNATURE,
        *([ContingencyKind.DILIGENT_SEARCH] if is_asked else []),
    ]
    assert owed_for(risk) == (SIGNATURE,)


def test_a_diligent_search_says_what_its_record_has() -> None:
    *_, search = contingencies_for(risk_of(CYB), record_of(CYB).contingencies, renewal=True, searches=True)

    assert search == DraftContingency(
        ContingencyKind.DILIGENT_SEARCH,
        ContingencyType.PRE_BIND,
        "The record of the diligent search in Ohio, before the bind: 3 insurers that declined, each with its "
        "name, the date, the reason, and who declined",
    )
