"""Reading a bind request against the quote that it is about."""

import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

import msgspec
from dateutil.relativedelta import relativedelta
from msgspec import UNSET

from bindery.base.errors import InvalidRequest, Problem
from bindery.contract.binds import BindRequest
from bindery.contract.quotes import PolicyDates
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, Term, whole_months
from bindery.domain.products import record_of
from bindery.domain.submission import checks
from bindery.domain.submission.parts import Parts
from bindery.domain.submission.value import Correction, ignored_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class BindAsk:
    """A bind request in the domain's words.

    `reaches_back`: it requests cover for a time before the policy; `reaches_back_further`: for such a time
    that was not quoted. `corrections` were sent and have no effect.
    """

    term: Term
    attested: bool
    contacts: str | None
    reaches_back: bool
    reaches_back_further: bool
    fingerprint: bytes
    corrections: tuple[Correction, ...] = ()

    @classmethod
    def of_renewal(cls, quote_id: uuid.UUID, term: Term) -> "BindAsk":
        """Return the ask of a renewal that binds automatically: nobody sent it, and it is as offered."""
        return cls(
            term=term,
            attested=False,
            contacts=None,
            reaches_back=False,
            reaches_back_further=False,
            # No request has this fingerprint, so none is answered as if it had bound the renewal.
            fingerprint=hashlib.sha256(f"renewal:{quote_id}".encode()).digest(),
        )


def read_bind_ask(
    request: BindRequest,
    *,
    contacts: str | None,
    quoted: Term,
    product: InsuranceProduct,
    unknown_fields: Iterable[Problem] = (),
) -> BindAsk:
    """Read a bind request against the quoted term; `contacts` are those it was sent with, as JSON.

    Raises:
        InvalidRequest: its dates or contacts break a rule; all of them are listed.
    """
    problems = list(checks.bad_dates(request.dates, "dates"))
    if request.client is not None:
        parts = Parts(
            insured_main_contact=request.client.insured_main_contact,
            additional_contacts=tuple(enumerate(request.client.additional_contacts or ())),
        )
        problems += [*checks.bad_emails(parts), *checks.repeated_roles(parts)]
    if problems:
        raise InvalidRequest.because(problems)
    term = _asked_term(request.dates, quoted, product)
    attested = bool(request.app_attestation)
    content = (term.effective, term.expiration, _reach(term, product), attested, contacts)
    return BindAsk(
        term=term,
        attested=attested,
        contacts=contacts,
        reaches_back=_reach(term, product) < term.effective,
        reaches_back_further=reaches_back_further(term, quoted, product),
        fingerprint=hashlib.sha256(msgspec.json.encode(content)).digest(),
        corrections=(
            *ignored_fields(unknown_fields),
            *checks.dates_without_effect(request.dates, product, "dates"),
        ),
    )


class _SentClient(msgspec.Struct):
    client: dict[str, Any] | None = None


_read_sent_client = msgspec.json.Decoder(_SentClient).decode


def sent_contacts(body: bytes) -> str | None:
    """Return the contacts of a well-formed bind request as JSON, with every property they were sent with."""
    client = _read_sent_client(body).client
    if client is None:
        return None
    names = ("insured_main_contact", "additional_contacts")
    given = {name: client[name] for name in names if client.get(name) is not None}
    return msgspec.json.encode(given, order="sorted").decode()


def _asked_term(dates: PolicyDates, quoted: Term, product: InsuranceProduct) -> Term:
    asked = checks.term_of(dates, product=product, tomorrow=quoted.effective)
    if dates.expiration is UNSET or dates.expiration is None:
        asked = replace(asked, expiration=_moved_expiration(quoted, asked.effective))
    reach = asked.retroactive or _not_after(asked.effective, quoted.retroactive)
    term = replace(asked, retroactive=reach)
    # GET shows the day from which acts are covered also where none was asked for: sent back, it is no change.
    return quoted if _covers_the_same(term, quoted, product) else term


def _moved_expiration(quoted: Term, effective: date) -> date:
    """Return the end of a period as long as the quoted one that starts on another day."""
    if effective == quoted.effective:
        return quoted.expiration
    months = whole_months(quoted.effective, quoted.expiration)
    days = quoted.expiration - (quoted.effective + relativedelta(months=months))
    # The days of an odd term may reach beyond a month that is shorter than the one they were counted in.
    return min(effective + relativedelta(months=months) + days, effective + checks.LONGEST_TERM)


def _covers_the_same(term: Term, other: Term, product: InsuranceProduct) -> bool:
    return (term.effective, term.expiration, _reach(term, product)) == (
        other.effective,
        other.expiration,
        _reach(other, product),
    )


def _not_after(effective: date, retroactive: date | str | None) -> date | str | None:
    return min(retroactive, effective) if isinstance(retroactive, date) else retroactive


def reaches_back_further(term: Term, quoted: Term, product: InsuranceProduct) -> bool:
    """Whether an underwriter has to check how far back the cover goes.

    Any time before the policy that was not quoted, where the expiring policy has to prove it; otherwise more
    time than was quoted, since the answers were given for that.
    """
    rule = record_of(product).retroactive
    reach, quoted_reach = _reach(term, product), _reach(quoted, product)
    if rule is not None and rule.needs_expiring_policy and quoted_reach == quoted.effective:
        return reach < term.effective
    return reach < min(quoted_reach, term.effective)


def _reach(term: Term, product: InsuranceProduct) -> date:
    limit = record_of(product).retroactive_date(term)
    if limit == FULL_PRIOR_ACTS:
        return date.min
    return limit if isinstance(limit, date) else term.effective
