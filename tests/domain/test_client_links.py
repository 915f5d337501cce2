"""Links to clients and what has to hold to sign, by values alone."""

import uuid
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bindery.contract.documents import SignatureFinding, UploadFinding
from bindery.contract.signature_requests import SignatureRequestStatus
from bindery.contract.vocabulary import ContingencyStatus, QuoteStatus
from bindery.domain.policy.contingencies import SIGNATURE, Contingency
from bindery.domain.policy.evidence import Evidence, PageSignature, best_evidence
from bindery.domain.signing.client_link import (
    LASTS,
    MOVES,
    WAITING,
    LinkPurpose,
    LinkStatus,
    ends_at,
    hash_of_token,
    problems_of_recipient,
)
from bindery.domain.signing.signing import (
    NoLonger,
    OptionStanding,
    ShownTerms,
    Signer,
    hash_of_code,
    judge_signed_here,
    problems_of_signer,
    read_shown,
    why_not_signable,
)
from support.mail_samples import a_link
from support.policies import a_policy, a_quote
from support.tables import each_row

S = QuoteStatus
NEW_YORK = ZoneInfo("America/New_York")
NOON = datetime(2026, 11, 18, 17, tzinfo=UTC)
TODAY = date(2026, 11, 18)
OWED = Contingency("1", SIGNATURE.kind, SIGNATURE.type, SIGNATURE.text)
BINDER = a_policy(issued_on=None, fulfil_by=TODAY)
OFFER = OptionStanding(
    quote=a_quote(S.PUBLISHED, expires_on=TODAY),
    policy=None,
    signature=OWED,
    terms=ShownTerms(2, is_bound=False),
    is_signed=False,
    today=TODAY,
)
BOUND = replace(OFFER, quote=a_quote(S.POLICY_ACTIVE), policy=BINDER, terms=ShownTerms(2, is_bound=True))
ANN = Signer(name="Ann Example", title="President", is_authorized=True, has_consented=True, code="123 456")


@each_row(
    ("last_day", "end"),
    {
        "without a last day after 30 days": (None, NOON + LASTS),
        "with a later one after 30 days": (date(2026, 12, 18), NOON + LASTS),
        "with an earlier one at its midnight": (date(2026, 12, 17), datetime(2026, 12, 18, 5, tzinfo=UTC)),
        "today at midnight": (TODAY, datetime(2026, 11, 19, 5, tzinfo=UTC)),
    }.values(),
)
def test_a_link_ends_after_30_days_or_with_the_last_day(last_day: date | None, end: datetime) -> None:
    assert ends_at(NOON, last_day, NEW_YORK) == end


def test_a_link_works_until_its_end_and_its_status_follows_the_clock() -> None:
    link = a_link(expires_at=NOON)
    before, at = NOON - timedelta(microseconds=1), NOON

    assert (link.works_at(before), link.works_at(at)) == (True, False)
    assert (link.status_at(before), link.status_at(at)) == (LinkStatus.SENT, LinkStatus.EXPIRED)
    signed = replace(link, status=LinkStatus.SIGNED)
    assert (signed.works_at(before), signed.status_at(at)) == (True, LinkStatus.SIGNED)
    assert not replace(link, status=LinkStatus.REVOKED).works_at(before)


def test_only_a_link_that_waits_moves_and_the_api_has_every_status_of_one_to_sign() -> None:
    assert set(MOVES) == set(LinkStatus) - {LinkStatus.SENT}
    assert all({*sources} <= {*WAITING} for sources in MOVES.values())
    assert {*SignatureRequestStatus} == {*LinkStatus} - {LinkStatus.ANSWERED}
    assert LinkPurpose.ANSWERS not in {"proposal", "signature"}


@pytest.mark.parametrize("token", ["", "x" * 42, "x" * 44, "x" * 42 + "=", "é" * 43, "../" * 14 + "x"])
def test_what_cannot_be_a_token_is_not_looked_for(token: str) -> None:
    assert hash_of_token(token) is None
    assert hash_of_token("x" * 43) is not None


@each_row(
    ("standing", "because"),
    {
        "an open offer on its last day": (OFFER, None),
        "a binder on its last day": (BOUND, None),
        "a bind that is requested": (replace(OFFER, quote=a_quote(S.QUOTE_BIND_REQUESTED)), None),
        "withdrawn": (replace(OFFER, quote=a_quote(S.QUOTE_REVOKED)), NoLonger.WITHDRAWN),
        "declined": (replace(OFFER, quote=a_quote(S.QUOTE_DECLINED)), NoLonger.WITHDRAWN),
        "past its last day": (replace(OFFER, today=TODAY + timedelta(days=1)), NoLonger.EXPIRED),
        "expired": (replace(OFFER, quote=a_quote(S.QUOTE_EXPIRED)), NoLonger.EXPIRED),
        "a binder past its last day": (replace(BOUND, today=TODAY + timedelta(days=1)), NoLonger.LAPSED),
        "a binder that lapsed": (
            replace(BOUND, quote=a_quote(S.QUOTE_EXPIRED), policy=replace(BINDER, in_force=False)),
            NoLonger.LAPSED,
        ),
        "issued": (replace(BOUND, policy=a_policy()), NoLonger.ISSUED),
        "another option bound": (replace(OFFER, quote=a_quote(S.QUOTE_NOT_BOUND)), NoLonger.OTHER_OPTION),
        "referred again": (replace(OFFER, quote=a_quote(S.QUOTE_REFERRED)), NoLonger.NOT_OFFERED),
        "canceled": (replace(BOUND, quote=a_quote(S.POLICY_CANCELED)), NoLonger.ENDED),
        "signed already": (replace(OFFER, is_signed=True), NoLonger.SIGNED),
        "nothing to sign": (replace(OFFER, signature=None), NoLonger.NOT_NEEDED),
        "closed by an underwriter": (
            replace(OFFER, signature=replace(OWED, status=ContingencyStatus.CLOSED)),
            NoLonger.NOT_NEEDED,
        ),
    }.values(),
)
def test_nothing_is_signed_for_what_does_not_hold(standing: OptionStanding, because: NoLonger | None) -> None:
    found = why_not_signable(standing)

    assert (found and found.because) == because
    assert found is None or found.message.endswith(".")


@each_row(
    ("standing", "shown", "because"),
    {
        "the same": (OFFER, ShownTerms(2, is_bound=False), None),
        "an older letter": (OFFER, ShownTerms(1, is_bound=False), NoLonger.CHANGED),
        "bound since": (BOUND, ShownTerms(2, is_bound=False), NoLonger.BOUND),
        "the same binder": (BOUND, ShownTerms(2, is_bound=True), None),
        "another option": (OFFER, ShownTerms(2, is_bound=False, option=1), NoLonger.CHANGED),
    }.values(),
)
def test_what_was_shown_is_compared(
    standing: OptionStanding, shown: ShownTerms, because: NoLonger | None
) -> None:
    found = why_not_signable(standing, shown)

    assert (found and found.because) == because


@pytest.mark.parametrize("shown", [ShownTerms(1, is_bound=False), ShownTerms(27, is_bound=True, option=14)])
def test_what_was_shown_goes_along_as_text(shown: ShownTerms) -> None:
    assert read_shown(str(shown)) == shown


@pytest.mark.parametrize("text", ["", "0.0", "-1.0", "2c.0", "b", "2", "2.", "2.01", "2.100", "9" * 30])
def test_other_texts_show_nothing(text: str) -> None:
    assert read_shown(text) is None


@each_row(
    ("changes", "problems"),
    {
        "all there": ({}, []),
        "a name of 255 characters": ({"name": "x" * 255}, []),
        "right-to-left names": ({"name": "דנה כהן"}, []),
        "a name of 256": ({"name": "x" * 256}, [("name", "too_long")]),
        "no name": ({"name": " "}, [("name", "required")]),
        "a turned name": ({"name": "Ann\u202egnp.exe"}, [("name", "bad_character")]),
        "no title": ({"title": ""}, [("title", "required")]),
        "everything missing": (
            {"name": "", "title": "", "is_authorized": False, "has_consented": False, "code": ""},
            [
                ("name", "required"),
                ("title", "required"),
                ("is_authorized", "required"),
                ("has_consented", "required"),
                ("code", "bad_code"),
            ],
        ),
        "five digits": ({"code": "12345"}, [("code", "bad_code")]),
        "seven digits": ({"code": "1234567"}, [("code", "bad_code")]),
        "other digits": (
            {"code": "".join(chr(0xFF11 + place) for place in range(6))},
            [("code", "bad_code")],
        ),
    }.values(),
)
def test_everything_missing_in_a_signature_is_listed(
    changes: dict[str, Any], problems: list[tuple[str, str]]
) -> None:
    found = problems_of_signer(replace(ANN, **changes))

    assert [(problem.path, problem.code) for problem in found] == problems


def test_everything_wrong_with_a_recipient_is_listed() -> None:
    found = problems_of_recipient("nobody", "\u0000", "x" * 1_001)

    assert [(problem.path, problem.code) for problem in found] == [
        ("email", "not_an_email"),
        ("name", "bad_character"),
        ("message", "too_long"),
    ]
    assert [*problems_of_recipient("ann@harborlight.example", None, "x" * 1_000)] == []


def test_a_code_is_hashed_with_its_token_and_however_it_was_typed() -> None:
    assert hash_of_code("token", "123456") == hash_of_code("token", " 123-456 ")
    assert hash_of_code("token", "123456") != hash_of_code("other", "123456")


def test_what_was_signed_here_supports_an_attestation_with_all_its_pages() -> None:
    judged = judge_signed_here(3)

    assert (judged.verdict, judged.signature) == (UploadFinding.MATCHED, SignatureFinding.FOUND)
    assert judged.signed_electronically
    assert judged.pages is not None
    assert (judged.pages.found, judged.pages.of) == (3, 3)
    assert best_evidence([judged]) is Evidence.ACCEPTED


def test_a_signature_counts_for_45_days() -> None:
    signed = PageSignature("Ann Example", NOON)

    assert signed.is_fresh(NEW_YORK, today=TODAY + timedelta(days=45))
    assert not signed.is_fresh(NEW_YORK, today=TODAY + timedelta(days=46))
    assert signed.closing(NEW_YORK).reason == "Signed electronically by Ann Example on November 18, 2026."


def test_a_link_to_sign_knows_its_option() -> None:
    with pytest.raises(AssertionError):
        _ = a_link(quote_id=None, draft_id=uuid.UUID(int=1), purpose=LinkPurpose.ANSWERS).subject
