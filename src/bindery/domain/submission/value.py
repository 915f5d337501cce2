"""A submission in the domain's own words, and the snapshot of it that is stored."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, Final

import msgspec

from bindery.base.errors import Problem
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import Answers, AnswerValue, OptionAsk, Risk, Term, read_retroactive
from bindery.domain.products import IndustryUse, record_of

RETENTION_RAISED: Final = "retention_raised"
NO_EFFECT: Final = "no_effect"
CHANGED_BY_UNDERWRITER: Final = "changed_by_underwriter"
UNKNOWN_FIELD: Final = "unknown_field"
ZIP_OUTSIDE_STATE: Final = "zip_outside_state"
INDUSTRY_MISSING: Final = "industry_missing"
UNKNOWN_INDUSTRY: Final = "unknown_industry"
NO_LONGER_BINDABLE: Final = "no_longer_bindable"
NOT_BINDABLE_YET: Final = "not_bindable_yet"

CORRECTION_MEANINGS: Final[Mapping[str, str]] = {
    RETENTION_RAISED: "The retention is below the lowest allowed, which the quote carries.",
    NO_EFFECT: "It was accepted and has no effect on this product.",
    CHANGED_BY_UNDERWRITER: "An underwriter approved the option on another term, for the reason given.",
    UNKNOWN_FIELD: "The request has no such field; it was ignored.",
    ZIP_OUTSIDE_STATE: "The ZIP belongs to a different state than the address.",
    INDUSTRY_MISSING: "No industry was given; the quote is rated without one.",
    UNKNOWN_INDUSTRY: "The industry is not a NAICS 2022 code; it is rated by the longest known prefix.",
    NO_LONGER_BINDABLE: "The effective date is too far back to be bound.",
    NOT_BINDABLE_YET: "The effective date is more than a year ahead; it can only be bound later.",
}

ABOUT_THE_APPLICANT: Final = frozenset({ZIP_OUTSIDE_STATE, INDUSTRY_MISSING, UNKNOWN_INDUSTRY})
"""Corrections that a renewal repeats; the others are about one request."""


@dataclass(frozen=True, slots=True)
class Correction:
    """A difference between request and quote; `given` is None where nothing takes its place.

    `reason` is the underwriter's, where one changed it.
    """

    field: str
    asked: int | str | None
    given: int | str | None
    text: str
    code: str = RETENTION_RAISED
    reason: str | None = None

    @property
    def path(self) -> str:
        return self.field


def ignored_fields(unknown: Iterable[Problem]) -> tuple[Correction, ...]:
    return tuple(Correction(field.path, None, None, field.message, UNKNOWN_FIELD) for field in unknown)


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    product: InsuranceProduct
    name: str
    trade_name: str | None
    revenue: int
    state: str
    industry: str | None
    domains: tuple[str, ...]
    term: Term
    options: tuple[OptionAsk, ...]
    answers: Answers
    given: Mapping[str, AnswerValue]
    question_edition: str
    broker_email: str
    program_code: str
    registrable_domains: tuple[str, ...]
    address_key: str
    corrections: tuple[Correction, ...] = ()

    def risk(self, *, scan_score: int | None = None) -> Risk:
        return Risk(
            product=self.product,
            revenue=self.revenue,
            state=self.state,
            industry=self.industry,
            answers=self.answers,
            term=self.term,
            scan_score=scan_score,
        )

    def rated_fingerprint(self) -> bytes:
        """Return a fingerprint of the rated facts; name, contacts, street and dates do not count.

        Nor does the industry where none is asked for: the client that such a quote shows, with an industry of
        `00`, is the one that was sent.
        """
        facts = (
            self.revenue,
            self.state,
            None if record_of(self.product).industry is IndustryUse.NOT_ASKED else self.industry,
            # With or without `www.` it is the same site.
            sorted({name.removeprefix("www.") for name in self.domains}),
            sorted(_plain_answers(self.answers.values).items()),
        )
        return hashlib.sha256(msgspec.json.encode(facts)).digest()


def to_snapshot(submission: Submission) -> str:
    plain = {name: getattr(submission, name) for name in Submission.__slots__}
    plain["answers"] = _plain_answers(submission.answers.values)
    plain["given"] = _plain_answers(submission.given)
    return msgspec.json.encode(plain).decode()


def from_snapshot(text: str) -> Submission:
    plain = msgspec.json.decode(text)
    # What was stored before there were corrections has notes instead, which nobody read.
    plain.pop("notes", None)
    return Submission(
        **{
            **plain,
            "product": InsuranceProduct(plain["product"]),
            "domains": tuple(plain["domains"]),
            "registrable_domains": tuple(plain["registrable_domains"]),
            "corrections": msgspec.convert(plain.get("corrections", ()), tuple[Correction, ...]),
            "term": read_term(plain["term"]),
            "options": msgspec.convert(plain["options"], tuple[OptionAsk, ...]),
            "answers": Answers(_typed_answers(plain["answers"])),
            "given": _typed_answers(plain["given"]),
        }
    )


def read_term(plain: Mapping[str, str | None]) -> Term:
    # What was stored before a term had one retroactive date has one for each product, all but its own empty.
    names = ("retroactive", "teo_retroactive", "mpl_retroactive")
    return Term(
        effective=date.fromisoformat(plain["effective"] or ""),
        expiration=date.fromisoformat(plain["expiration"] or ""),
        retroactive=read_retroactive(next(filter(None, map(plain.get, names)), None)),
    )


def _plain_answers(values: Mapping[str, AnswerValue]) -> dict[str, Any]:
    """Write answers as JSON values; the two types that JSON lacks are tagged."""
    return {question_id: _plain(value) for question_id, value in values.items()}


def _plain(value: AnswerValue) -> Any:  # noqa: ANN401 - any JSON value
    match value:
        case Decimal():
            return {"decimal": str(value)}
        case date():
            return {"date": value.isoformat()}
        case _:
            return value


def _typed_answers(plain: Mapping[str, Any]) -> dict[str, AnswerValue]:
    return {question_id: _typed(value) for question_id, value in plain.items()}


def _typed(value: Any) -> AnswerValue:  # noqa: ANN401 - any JSON value
    match value:
        case {"decimal": text}:
            return Decimal(text)
        case {"date": text}:
            return date.fromisoformat(text)
        case list():
            return tuple(value)
        case _:
            answer: AnswerValue = value
            return answer


class _SentBody(msgspec.Struct):
    client: dict[str, Any]


_read_body = msgspec.json.Decoder(_SentBody).decode


def client_of(body: str, contacts: str | None = None) -> dict[str, Any]:
    """Return the client of a request as it was sent, with the contacts that a bind came with."""
    client = _read_body(body).client
    return client if contacts is None else {**client, **msgspec.json.decode(contacts)}
