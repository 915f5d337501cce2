"""Changes during the term: what may be asked for, what it costs, and what an underwriter decides on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Final

import msgspec

from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.base.numbers import in_dollars, to_whole_dollars
from bindery.contract.changes import PolicyChangeAsk, PolicyChanges
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.risk import Term, Terms
from bindery.domain.coverages.edition import COVERAGES
from bindery.domain.policy.binders import FoundSection, NoAuthority, exhausted, outside
from bindery.domain.policy.change_ask import InsuredNow, changed_fields, changed_terms, given_fields
from bindery.domain.policy.change_checks import (
    BACK_AT_MOST,
    as_ask,
    bad_day,
    bad_insured,
    bad_terms,
    unproved,
)
from bindery.domain.policy.policy import Policy, days_of
from bindery.domain.products import record_of
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.repricing import scaled_premium
from bindery.domain.quote.underwriting import (
    AssessmentRecord,
    BookedChange,
    Price,
    from_record,
    price_option,
    reprice_record,
)
from bindery.domain.rating.option import settle_terms
from bindery.domain.rating.surcharges import Surcharge, charges_added, charges_returned
from bindery.domain.rating.tariff import TARIFFS, Tariff
from bindery.domain.scan.scan import ScanResult
from bindery.domain.screening.authority import authority_reasons
from bindery.domain.screening.case import SanctionsList, comparable_name
from bindery.domain.screening.rules import applicant_of
from bindery.domain.submission.value import Submission

VALID_FOR: Final = timedelta(days=30)


class ReferredBecause(StrEnum):
    """Why an underwriter decides on a change that would otherwise be issued at once."""

    LIMIT_ABOVE_AUTHORITY = "limit_above_authority"
    RETENTION_ABOVE_SHARE = "retention_above_share"
    NAME_CHANGED = "name_changed"
    SANCTIONED_PARTY = "sanctioned_party"
    NEW_DOMAINS = "new_domains"
    OUTSIDE_BINDER = "outside_binder"
    CAPACITY_EXHAUSTED = "capacity_exhausted"


@dataclass(frozen=True, slots=True)
class ChangeReferral:
    code: ReferredBecause
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedChange:
    """A change with everything that it makes of the policy; less than zero is returned.

    `assessment` is None where the terms stay and nothing is priced.
    """

    effective: date
    terms: Terms
    assessment: str
    premium_difference: int
    charges: tuple[Surcharge, ...]
    premium_before: int
    premium_after: int
    days_left: int
    days: int
    valid_until: date
    referrals: tuple[ChangeReferral, ...]

    @property
    def total(self) -> Decimal:
        return sum((charge.price for charge in self.charges), start=Decimal(self.premium_difference))


def is_changeable(status: QuoteStatus, term: Term, today: date, *, is_issued: bool) -> bool:
    """Whether there is an issued policy that has not ended."""
    return status is QuoteStatus.POLICY_ACTIVE and is_issued and today < term.expiration


def check_changeable(quote: Quote, policy: Policy | None, today: date) -> Policy:
    """Check that there is an issued policy that can be changed.

    Raises:
        WrongState: it was not issued, or it is over.
    """
    if quote.status is not QuoteStatus.POLICY_ACTIVE or policy is None:
        why = f"A quote that is {quote.status} has no policy that could be changed."
    elif not policy.is_issued:
        why = "The policy is not issued yet: what its binder depends on has to come in first."
    elif policy.term.expiration <= today:
        why = f"The policy has ended on {policy.term.expiration}."
    else:
        return policy
    raise WrongState(why, status=quote.status, available_statuses=[QuoteStatus.POLICY_ACTIVE])


def price_change(
    quote: Quote,
    policy: Policy,
    now: InsuredNow,
    ask: PolicyChangeAsk,
    *,
    scan: ScanResult | None,
    sanctions: SanctionsList,
    section: FoundSection | None,
    today: date,
) -> PricedChange:
    """Work out a change by the policy's own tariff edition; nothing is changed by it.

    Raises:
        InvalidRequest: it cannot be; every problem is listed.
    """
    assert quote.terms is not None and quote.assessment is not None, "a policy has terms and a price"  # noqa: PT018
    record = from_record(quote.assessment)
    terms = changed_terms(quote.terms, ask.changes)
    tariff = tariff_of(record)
    bad_days = list(bad_day(ask, policy, record, today))
    problems = [
        *bad_days,
        *bad_insured(ask.changes, now),
        *bad_terms(quote, terms, ask.changes, tariff, now.submission.revenue),
        *(() if bad_days else unproved(ask, quote.terms, terms, now, today)),
    ]
    if not problems and not changed_fields(quote.terms, now, ask.changes):
        problems = [Problem("changes", "nothing_changed", "the policy is like that already")]
    if problems:
        raise InvalidRequest.because(problems)
    price = None
    if terms != quote.terms:
        assert tariff is not None, "terms are changed only where a tariff prices them"
        price = _price(record, tariff, now.submission, policy, terms, scan)
    return _priced(
        quote, policy, now, ask, record, terms, price, section=section, sanctions=sanctions, today=today
    )


def _priced(
    quote: Quote,
    policy: Policy,
    now: InsuredNow,
    ask: PolicyChangeAsk,
    record: AssessmentRecord,
    terms: Terms,
    price: Price | None,
    *,
    section: FoundSection | None,
    sanctions: SanctionsList,
    today: date,
) -> PricedChange:
    before = term_premium(quote, record)
    after = before if price is None else price.premium
    days, left = days_of(policy.term), (policy.term.expiration - ask.effective).days
    difference = to_whole_dollars(Decimal(after - before) * left / days)
    charges = charges_on(now.submission.state, record.surcharges, difference)
    booked = BookedChange(effective=ask.effective, premium=difference, term_premium=after)
    if price is None:
        assessment = msgspec.json.encode(
            msgspec.structs.replace(record, changes=[*record.changes, booked])
        ).decode()
    else:
        assessment = reprice_record(record, price, override=record.override, booked=booked)
    return PricedChange(
        effective=ask.effective,
        terms=terms,
        assessment=_with_charges(assessment, record.surcharges, charges),
        premium_difference=difference,
        charges=charges,
        premium_before=before,
        premium_after=after,
        days_left=left,
        days=days,
        valid_until=min(
            today + VALID_FOR, ask.effective + BACK_AT_MOST, policy.term.expiration - timedelta(days=1)
        ),
        referrals=tuple(_referrals(quote, now, ask.changes, terms, difference, section, sanctions)),
    )


def term_premium(quote: Quote, record: AssessmentRecord) -> int:
    """Return the premium of the whole term on the terms that hold now."""
    return record.changes[-1].term_premium if record.changes else quote.premium or 0


def charges_on(state: str, charges: Sequence[Surcharge], premium: int) -> tuple[Surcharge, ...]:
    """Return what a state charges on more premium, or gives back with less, at the policy's own rates."""
    if premium >= 0:
        return charges_added(state, charges, premium)
    return tuple(
        replace(charge, price=0 - charge.price)
        for charge in charges_returned(state, charges, -premium, is_flat=False)
    )


def tariff_of(record: AssessmentRecord) -> Tariff | None:
    return None if record.worksheet is None else TARIFFS.named(record.worksheet["tariff_edition"])


def _price(
    record: AssessmentRecord,
    tariff: Tariff,
    submission: Submission,
    policy: Policy,
    terms: Terms,
    scan: ScanResult | None,
) -> Price:
    applicant = applicant_of(replace(submission, term=policy.term), scan=scan)
    was_restricted = any(coverage.code == "EXTORT" and coverage.parameter for coverage in record.coverages)
    try:
        price = price_option(
            tariff,
            COVERAGES.named(record.coverages[0].edition),
            applicant,
            terms,
            restricted_ransomware=was_restricted,
        )
    except LookupError as gap:
        raise InvalidRequest.at(
            "changes", "not_priced", f"has no price in the policy's tariff: {gap}"
        ) from gap
    return msgspec.structs.replace(price, premium=scaled_premium(record.override, price.worksheet.premium))


def _with_charges(assessment: str, charges: Sequence[Surcharge], added: Sequence[Surcharge]) -> str:
    """Write the charges on all of the premium into an assessment: those until now, and the change's."""
    summed = [
        replace(charge, price=charge.price + more.price) for charge, more in zip(charges, added, strict=True)
    ]
    record = msgspec.structs.replace(from_record(assessment), surcharges=summed)
    return msgspec.json.encode(record).decode()


# What an underwriter decides on


def _referrals(
    quote: Quote,
    now: InsuredNow,
    changes: PolicyChanges,
    terms: Terms,
    difference: int,
    section: FoundSection | None,
    sanctions: SanctionsList,
) -> Iterator[ChangeReferral]:
    because = ReferredBecause
    submission = now.submission
    assert quote.terms is not None, "a policy has terms"
    if terms.aggregate_limit > quote.terms.aggregate_limit:
        for reason in authority_reasons(record_of(quote.product).authority, terms.aggregate_limit, 0):
            yield ChangeReferral(because.LIMIT_ABOVE_AUTHORITY, reason.text)
    tariff = tariff_of(from_record(quote.assessment or ""))
    if terms != quote.terms and tariff is not None:
        settled = settle_terms(tariff, submission.revenue, quote.product, as_ask(terms))
        if settled.share_exceeded or settled.too_small:
            yield ChangeReferral(
                because.RETENTION_ABOVE_SHARE, "The retention is above 25% of the aggregate limit"
            )
    given = given_fields(changes)
    name = given.get("name", submission.name)
    if comparable_name(name) != comparable_name(submission.name):
        yield ChangeReferral(because.NAME_CHANGED, f"The named insured would be {name}")
    names = (name, given.get("dba", ""), *(other["name"] for other in given.get("additional_insured", ())))
    if listed := [each for each in names if each and sanctions.holds(each)]:
        yield ChangeReferral(because.SANCTIONED_PARTY, f"The sanctions list holds {'; '.join(listed)}")
    if new := [domain for domain in given.get("domains", ()) if domain not in submission.domains]:
        yield ChangeReferral(because.NEW_DOMAINS, f"Nobody has scanned {', '.join(new)}")
    if section is not None:
        lacking = authority_for(section, quote, terms, difference)
        if lacking is not None:
            yield referral_for(lacking)


def referral_for(lacking: NoAuthority) -> ChangeReferral:
    return ChangeReferral(ReferredBecause(lacking.code), lacking.text)


def authority_for(section: FoundSection, quote: Quote, terms: Terms, difference: int) -> NoAuthority | None:
    """Return why the binder of a policy does not let its terms become these; None where it does."""
    assert quote.terms is not None, "a policy has terms"
    if terms.aggregate_limit > max(section.max_limit, quote.terms.aggregate_limit):
        clause = f"its limit of {in_dollars(terms.aggregate_limit)} is above {in_dollars(section.max_limit)}"
        return outside(section, (clause,))
    if difference > section.premium_limit - section.premium_booked:
        return exhausted(section, difference, by="change")
    return None
