"""Which documents are available in which status: the table of the design, cell by cell."""

import itertools
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

import pytest

from bindery.base.errors import NotFound, WrongState
from bindery.contract.documents import ABOUT
from bindery.contract.documents import DocumentType as D
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.documents.access import (
    DocumentState,
    as_of,
    available_documents,
    check_available,
    statuses_with,
)
from bindery.domain.documents.notices import NOTICES
from bindery.domain.quote.lifecycle import NOT_READY
from support.tables import each_row

S = QuoteStatus
DAY = timedelta(days=1)

APPLICANT = {D.APPLICATION, D.RECOMMENDATIONS}
QUOTE = {D.QUOTE_LETTER, D.POLICY_SPECIMEN, D.SECURITY_REPORT, D.COMPARISON}
BINDER = {D.BINDER, D.BINDER_TRIA, D.BILLING_STATEMENT, D.SECURITY_LETTER}
POLICY = APPLICANT | QUOTE | BINDER | {D.POLICY}

TABLE = {
    (S.QUOTE_REFERRED, False): APPLICANT,
    (S.QUOTE_DECLINED, False): APPLICANT,
    (S.QUOTE_REVOKED, False): APPLICANT,
    (S.STALE, False): APPLICANT,
    (S.PUBLISHED, False): APPLICANT | QUOTE,
    (S.OFFER_EMAIL, False): APPLICANT | QUOTE,
    (S.QUOTE_EXPIRED, False): APPLICANT | QUOTE,
    (S.QUOTE_BIND_REQUESTED, False): APPLICANT | QUOTE,
    (S.QUOTE_NOT_BOUND, False): APPLICANT | QUOTE,
    (S.POLICY_ACTIVE, False): APPLICANT | QUOTE | BINDER,
    (S.POLICY_ACTIVE, True): POLICY | {D.CERTIFICATE},
    (S.POLICY_CANCELED, True): POLICY,
    (S.POLICY_EXPIRED, True): POLICY,
}
"""Without the notices: those depend on what has happened, not on the status alone."""

CAME_BACK = {D.CANCELLATION_NOTICE, D.REINSTATEMENT_NOTICE}
NOTICES_IN = {
    S.QUOTE_EXPIRED: CAME_BACK | {D.LAPSE_NOTICE},
    S.POLICY_ACTIVE: CAME_BACK | {D.NONRENEWAL_NOTICE, D.ENDORSEMENT},
    S.POLICY_CANCELED: CAME_BACK | {D.NONRENEWAL_NOTICE, D.ENDORSEMENT},
    S.POLICY_EXPIRED: CAME_BACK | {D.NONRENEWAL_NOTICE, D.ENDORSEMENT},
}


def document_state(
    status: QuoteStatus,
    *,
    issued: bool = False,
    scanned: bool = True,
    published: bool = True,
    product: InsuranceProduct = InsuranceProduct.CYB,
    notices: Iterable[D] = (),
) -> DocumentState:
    return DocumentState(
        product=product,
        status=status,
        published=published,
        issued=issued,
        scanned=scanned,
        notices=frozenset(notices),
    )


@each_row(("status", "issued"), TABLE)
def test_each_status_has_the_documents_of_its_row(status: QuoteStatus, issued: bool) -> None:
    assert set(available_documents(document_state(status, issued=issued))) == TABLE[status, issued]


def test_every_status_outside_the_pipeline_has_a_row() -> None:
    assert {status for status, _ in TABLE} == set(S) - NOT_READY


@each_row("status", sorted(NOT_READY))
def test_a_status_of_the_pipeline_has_no_documents(status: QuoteStatus) -> None:
    assert available_documents(document_state(status)) == ()


@each_row(("status", "issued", "kind"), [(*cell, kind) for cell in TABLE for kind in D])
def test_what_is_not_listed_is_refused_and_what_is_listed_is_not(
    status: QuoteStatus, issued: bool, kind: D
) -> None:
    if kind in TABLE[status, issued]:
        check_available(kind, document_state(status, issued=issued))
        return

    with pytest.raises(WrongState) as refusal:
        check_available(kind, document_state(status, issued=issued))

    others = tuple(other for other in statuses_with(kind) if other is not status)
    is_not_issued = kind in {D.POLICY, D.CERTIFICATE} and status in statuses_with(kind)
    assert refusal.value.available_statuses == (() if is_not_issued else others)


@each_row(("status", "issued"), TABLE)
def test_a_notice_exists_once_it_was_written_and_stays(status: QuoteStatus, issued: bool) -> None:
    every = document_state(status, issued=issued, notices=NOTICES)

    assert set(available_documents(every)) == TABLE[status, issued] | NOTICES_IN.get(status, set())


@pytest.mark.parametrize("kind", sorted(NOTICES))
def test_a_notice_that_was_not_written_is_refused_with_the_reason(kind: D) -> None:
    others = NOTICES - {kind}
    for status in statuses_with(kind):
        with pytest.raises(WrongState) as refusal:
            check_available(kind, document_state(status, issued=True, notices=others))

        assert refusal.value.message == f"No {kind.replace('_', ' ')} was written for this quote."
        check_available(kind, document_state(status, issued=True, notices={kind}))


def test_a_certificate_exists_while_the_issued_policy_is_in_force() -> None:
    check_available(D.CERTIFICATE, document_state(S.POLICY_ACTIVE, issued=True))

    with pytest.raises(WrongState) as refusal:
        check_available(D.CERTIFICATE, document_state(S.POLICY_ACTIVE, issued=False))
    assert refusal.value.code == "not_issued"
    for status in (S.POLICY_CANCELED, S.POLICY_EXPIRED):
        with pytest.raises(WrongState) as refusal:
            check_available(D.CERTIFICATE, document_state(status, issued=True))
        assert refusal.value.available_statuses == (S.POLICY_ACTIVE,)


@pytest.mark.parametrize("kind", sorted(BINDER))
def test_the_papers_of_a_lapsed_binder_are_refused_with_where_to_read_why(kind: D) -> None:
    with pytest.raises(WrongState) as refusal:
        check_available(kind, document_state(S.QUOTE_EXPIRED, notices={D.LAPSE_NOTICE}))

    assert refusal.value.message == (
        f"The binder has lapsed and counts as never in force, so its {kind.replace('_', ' ')} "
        "can no longer be downloaded. The lapse_notice says what was missing."
    )
    with pytest.raises(WrongState, match=f"has no {kind.replace('_', ' ')}"):
        check_available(kind, document_state(S.QUOTE_EXPIRED))


@pytest.mark.parametrize("kind", sorted(BINDER))
def test_the_papers_of_a_binder_end_with_its_last_day_whatever_its_status_is(kind: D) -> None:
    last_day = date(2027, 3, 31)
    binder = replace(document_state(S.POLICY_ACTIVE), fulfil_by=last_day, expiration=date(2028, 3, 1))
    swept = document_state(S.QUOTE_EXPIRED, notices={D.LAPSE_NOTICE})

    check_available(kind, as_of(binder, last_day))
    with pytest.raises(WrongState) as refusal:
        check_available(kind, as_of(binder, last_day + DAY))
    with pytest.raises(WrongState) as later:
        check_available(kind, swept)

    assert refusal.value.message == later.value.message
    assert refusal.value.available_statuses == later.value.available_statuses


def test_the_notice_of_a_binder_that_lapsed_a_moment_ago_is_still_being_written() -> None:
    binder = replace(document_state(S.POLICY_ACTIVE), fulfil_by=date(2027, 3, 31))

    with pytest.raises(WrongState, match=r"being written\. Please try again in a minute"):
        check_available(D.LAPSE_NOTICE, as_of(binder, date(2027, 4, 1)))


def test_a_certificate_ends_with_the_term_whatever_the_status_is() -> None:
    end = date(2028, 3, 1)
    policy = replace(document_state(S.POLICY_ACTIVE, issued=True), expiration=end)

    check_available(D.CERTIFICATE, as_of(policy, end - DAY))
    with pytest.raises(WrongState) as refusal:
        check_available(D.CERTIFICATE, as_of(policy, end))

    assert refusal.value.message == "A quote that is policy_expired has no certificate."
    assert refusal.value.available_statuses == (S.POLICY_ACTIVE,)
    assert set(available_documents(as_of(policy, end))) == TABLE[S.POLICY_EXPIRED, True]


@each_row("status", sorted(set(S) - {S.POLICY_ACTIVE}))
def test_days_change_only_what_is_in_force(status: QuoteStatus) -> None:
    state = replace(document_state(status), fulfil_by=date(2027, 3, 31), expiration=date(2028, 3, 1))

    assert as_of(state, date(2030, 1, 1)) == state


def test_a_refusal_names_the_statuses_that_have_the_document() -> None:
    assert statuses_with(D.POLICY) == (S.POLICY_ACTIVE, S.POLICY_CANCELED, S.POLICY_EXPIRED)
    assert set(statuses_with(D.APPLICATION)) == set(S) - NOT_READY


def test_the_policy_of_a_conditional_binder_is_refused_with_the_reason() -> None:
    binder = replace(
        document_state(S.POLICY_ACTIVE, issued=False), owed=("Sign", "Show MFA"), fulfil_by=date(2027, 3, 31)
    )

    with pytest.raises(WrongState) as refusal:
        check_available(D.POLICY, binder)

    assert refusal.value.code == "not_issued"
    assert refusal.value.message == (
        "The policy is issued once the binder is fulfilled, by 2027-03-31. Still owed: Sign; Show MFA."
    )
    assert refusal.value.available_statuses == ()


@pytest.mark.parametrize("status", [S.POLICY_CANCELED, S.POLICY_EXPIRED])
def test_the_policy_of_a_binder_that_ended_unfulfilled_waits_for_nothing(status: QuoteStatus) -> None:
    with pytest.raises(WrongState, match="never issued"):
        check_available(D.POLICY, document_state(status, issued=False))


@pytest.mark.parametrize(
    ("product", "why"),
    [
        (InsuranceProduct.CYB, "no domain of the applicant could be scanned"),
        (InsuranceProduct.TEO, "no domain of the applicant could be scanned"),
        (InsuranceProduct.MPL, "nothing is scanned for professional liability"),
    ],
)
def test_a_security_report_without_a_scan_is_not_found_with_the_reason(
    product: InsuranceProduct, why: str
) -> None:
    unscanned = document_state(S.PUBLISHED, scanned=False, product=product)

    with pytest.raises(NotFound, match=why):
        check_available(D.SECURITY_REPORT, unscanned)
    assert D.SECURITY_REPORT not in available_documents(unscanned)


def test_a_security_report_in_a_status_without_one_is_a_wrong_state_scanned_or_not() -> None:
    with pytest.raises(WrongState):
        check_available(D.SECURITY_REPORT, document_state(S.QUOTE_REFERRED, scanned=False))


def test_a_security_letter_exists_with_a_binder_though_nothing_was_scanned() -> None:
    check_available(D.SECURITY_LETTER, document_state(S.POLICY_ACTIVE, scanned=False))


def test_a_referral_that_was_passed_over_has_no_letter() -> None:
    passed_over = document_state(S.QUOTE_NOT_BOUND, published=False)

    assert set(available_documents(passed_over)) == APPLICANT
    for kind in QUOTE:
        with pytest.raises(WrongState, match="never published") as refusal:
            check_available(kind, passed_over)
        assert S.QUOTE_NOT_BOUND not in refusal.value.available_statuses


@each_row(("scanned", "issued", "published"), list(itertools.product([True, False], repeat=3)))
@each_row("notices", [(), (D.CANCELLATION_NOTICE,), tuple(NOTICES)])
@each_row("status", list(S))
def test_the_list_and_the_check_agree(
    status: QuoteStatus, scanned: bool, issued: bool, published: bool, notices: tuple[D, ...]
) -> None:
    case = document_state(status, scanned=scanned, issued=issued, published=published, notices=notices)

    allowed = set()
    for kind in D:
        try:
            check_available(kind, case)
        except (WrongState, NotFound):
            continue
        allowed.add(kind)

    assert allowed == set(available_documents(case))


def test_every_document_has_a_name_and_a_meaning_for_people() -> None:
    assert set(ABOUT) == set(D), "contract/documents.py"
    assert len({about.name for about in ABOUT.values()}) == len(D)
