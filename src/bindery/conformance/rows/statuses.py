"""Which status a quote has, and what it then shows."""

from collections.abc import Iterator
from typing import Any, Final

from bindery.conformance.expect import WHOLE, AtPath, Status, at_day, equals, one_of
from bindery.conformance.requests import CYB, LARGE_FIRM, TEO, get_quote, submission, submit
from bindery.conformance.row import Day, Expectation, SpecRow

WORKFLOW: Final = "What the service does"
STATES: Final = "States and transitions"
LIMITS: Final = "Limits"
STATUSES: Final = (
    "created", "aq_created", "calculating", "calc_completed", "broker_conflict_referral", "collection_issue",
    "red_flags_found", "calc_failed", "authority_failed", "eligible", "quick_scan_error",
    "missing_quick_scan", "aq_not_approved", "offer_email", "stale", "quote_referred", "published",
    "quote_declined", "quote_expired", "quote_revoked", "quote_bind_requested", "quote_not_bound",
    "policy_active", "policy_canceled", "policy_expired",
)  # fmt: skip
RECEIPT: Final = {"quote": "quotes[0].quote_identifier"}
GOOD: Final = Status(200)
AUTOMATIC: Final = (
    ("CYB.at-limit", CYB, 3_000_000, None, "published"),
    ("CYB.above-limit", CYB, 4_000_000, None, "quote_referred"),
    ("CYB.largest", CYB, 10_000_000, None, "quote_referred"),
    ("TEO.at-limit", TEO, 3_000_000, None, "published"),
    ("TEO.above-limit", TEO, 4_000_000, None, "quote_referred"),
    ("TEO.at-revenue", TEO, 1_000_000, 25_000_000, "published"),
    ("TEO.above-revenue", TEO, 1_000_000, 25_000_001, "quote_referred"),
)


def is_(status: str) -> Expectation:
    return AtPath("quote_status", equals(status))


def _kept(
    id_: str,
    sentence: str,
    scene: str,
    looks_at: str,
    *expect: Expectation,
    section: str = STATES,
    decision: bool = False,
) -> SpecRow:
    return SpecRow(id_, section, sentence, expect, scene=scene, looks_at=looks_at, decision=decision)


def _authority() -> Iterator[SpecRow]:
    for name, product, limit, revenue, status in AUTOMATIC:
        put: dict[str, Any] = {"policy.quotes": [{"aggregate_limit": limit}]}
        answers: dict[str, Any] = {}
        if revenue is not None:
            put["client.revenue"] = revenue
            answers = {**LARGE_FIRM, "Q2307": "No"}
        words = (
            "CYB: aggregate limits above 3000000 can be submitted but are not quoted automatically."
            if product == CYB
            else "TEO: aggregate limits up to 3000000 and revenue up to 25 million are quoted automatically."
        )
        yield SpecRow(
            f"authority.{name}",
            WORKFLOW,
            words,
            (GOOD, is_(status)),
            steps=(submit(submission(product, put=put, answers=answers), keep=RECEIPT), get_quote()),
        )
    yield SpecRow(
        "authority.referred.premium",
        WORKFLOW,
        "A referred quote shows no premium before the review.",
        (AtPath("premium", equals(None), optional=True),),
        scene="a referred quote",
        looks_at="quote",
    )


def _reviewed() -> Iterator[SpecRow]:
    yield _kept(
        "statuses.quote_referred",
        "quote_referred: pending in the underwriting queue.",
        "a referred quote",
        "quote",
        is_("quote_referred"),
    )
    after = "After the review a GET of the quote option returns a premium or a decline."
    yield _kept(
        "statuses.approved",
        after,
        "a referral that is approved",
        "reviewed",
        GOOD,
        is_("published"),
        AtPath("premium", WHOLE),
    )
    yield _kept(
        "statuses.quote_declined",
        after,
        "a referral that is declined",
        "reviewed",
        GOOD,
        is_("quote_declined"),
    )
    yield _kept(
        "statuses.quote_revoked",
        "quote_revoked: was open but was revoked.",
        "a quote that is revoked",
        "reviewed",
        GOOD,
        is_("quote_revoked"),
    )
    yield _kept(
        "statuses.quote_not_bound",
        "quote_not_bound: the insured had a bind request for a different quote option.",
        "one of two options bound",
        "other",
        GOOD,
        is_("quote_not_bound"),
    )
    yield _kept(
        "statuses.policy_canceled",
        "policy_canceled: policy was cancelled.",
        "a canceled policy",
        "reviewed",
        GOOD,
        is_("policy_canceled"),
    )
    yield _kept(
        "statuses.red_flags",
        "red_flags_exist: the scan found red flags, which cause referral to underwriting.",
        "a quote with red flags",
        "quote",
        GOOD,
        is_("quote_referred"),
        AtPath("red_flags_exist", equals(expected=True)),
    )
    yield _kept(
        "statuses.error_occurred",
        "error_occurred: whether an error occurred.",
        "a quote whose pricing fails",
        "quote",
        GOOD,
        AtPath("error_occurred", equals(expected=True)),
    )
    yield _kept(
        "statuses.published",
        "quote_open: valid and bindable; `published` in the enumeration.",
        "a published CYB quote",
        "quote",
        GOOD,
        is_("published"),
    )
    yield _kept(
        "statuses.open-60-days",
        "A quote is open for 60 days.",
        "a published CYB quote",
        "quote",
        GOOD,
        AtPath("quote_expiration_date", at_day(Day(60), "60 days after today")),
        decision=True,
    )


def _scanned() -> Iterator[SpecRow]:
    for word, label, change in (
        ("scan-error", "scan-error", {}),
        ("no-data", "no-data", {}),
        ("no-domain", "", {"drop": ("client.domains",)}),
    ):
        put = {"put": {"client.domains": [f"{label}.example.com"]}} if label else change
        yield SpecRow(
            f"statuses.{word}",
            WORKFLOW,
            "A quote request outside the automatic parameters is referred to a human underwriter.",
            (GOOD, is_("quote_referred")),
            steps=(submit(submission(**put), keep=RECEIPT), get_quote()),
            decision=True,
        )


def _over_time() -> Iterator[SpecRow]:
    yield _kept(
        "statuses.quote_expired",
        "quote_expired: quote expiration date is in the past.",
        "a quote long published",
        "later",
        GOOD,
        is_("quote_expired"),
    )
    yield _kept(
        "statuses.binder-not-fulfilled",
        "Quote expires after 30 days if the conditional binder is unfulfilled.",
        "a conditional binder not fulfilled",
        "later",
        GOOD,
        is_("quote_expired"),
        section=LIMITS,
    )
    yield _kept(
        "statuses.policy_expired",
        "policy_expired: policy expiration date is in the past.",
        "a policy whose term is over",
        "later",
        GOOD,
        is_("policy_expired"),
    )


def _codes() -> Iterator[SpecRow]:
    yield SpecRow(
        "statuses.known",
        STATES,
        "quote_status takes one of these values.",
        (GOOD, AtPath("quote_status", one_of(*STATUSES))),
        scene="a referred quote",
        looks_at="quote",
    )


ROWS: Final = (*_authority(), *_reviewed(), *_scanned(), *_over_time(), *_codes())
