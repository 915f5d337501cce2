"""The rules that a create-quote request must keep beyond its schema, one small function each."""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from typing import Final, get_args

import msgspec
from dateutil.relativedelta import relativedelta
from email_validator import EmailNotValidError, validate_email

from bindery.base.errors import Problem
from bindery.contract.quotes import Address, PolicyDates
from bindery.contract.vocabulary import InsuranceProduct, PerClaimLimit
from bindery.domain.applicant.domains import NotADomain, normalize_domain
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS, Term
from bindery.domain.applicant.us_states import find_state, is_zip, state_of_zip
from bindery.domain.products import all_products, record_of
from bindery.domain.rating.tariff import TARIFFS
from bindery.domain.submission.parts import Parts
from bindery.domain.submission.value import NO_EFFECT, Correction

MAX_METADATA_BYTES = 4_096
DEFAULT_TERM = relativedelta(months=12)
SHORTEST_TERM = relativedelta(months=6)
LONGEST_TERM = relativedelta(months=18)
PER_CLAIM_LIMITS: Final[tuple[int, ...]] = get_args(PerClaimLimit)
_LOOKS_LIKE_EMAIL = re.compile(r"[^\s@]+@[^\s@]+")
_PLAIN_EMAIL = re.compile(r"[A-Za-z0-9._%+-]+@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}")


def blank_texts(parts: Parts) -> Iterator[Problem]:
    texts = [("client.name", parts.name)]
    if parts.address is not None:
        texts += [
            ("client.address.street", parts.address.street),
            ("client.address.city", parts.address.city),
        ]
    for path, text in texts:
        if text is not None and not text.strip():
            yield Problem(path, "blank", "must not be blank")


def bad_address(address: Address) -> Iterator[Problem]:
    """Report a ZIP code or state that does not exist, and a missing state that the ZIP does not give."""
    if not is_zip(address.zip.strip()):
        yield Problem(
            "client.address.zip", "not_a_zip", "must be a US postal code such as 19107 or 19107-3615"
        )
    elif not isinstance(address.state, str) and find_state(state_of_zip(address.zip.strip()) or "") is None:
        yield Problem(
            "client.address.zip",
            "zip_outside_states",
            "does not belong to any of the 50 states or DC; send `state` if it does",
        )
    if isinstance(address.state, str) and find_state(address.state) is None:
        yield Problem(
            "client.address.state", "not_a_state", "must be a US state, by full name or two letters, or DC"
        )


def state_of(address: Address) -> str:
    named = address.state if isinstance(address.state, str) else state_of_zip(address.zip.strip())
    state = find_state(named or "")
    assert state is not None
    return state


def bad_domains(parts: Parts) -> Iterator[Problem]:
    for number, name in parts.domains:
        try:
            normalize_domain(name)
        except NotADomain as flaw:
            yield Problem(f"client.domains[{number}]", "not_a_domain", str(flaw))


def bad_emails(parts: Parts) -> Iterator[Problem]:
    """Report every email address that is not valid.

    The specification bounds only the length of a contact's address, so it need only look like one; we write
    to the second broker ourselves.
    """
    contacts = [
        (f"client.additional_contacts[{n}].email", contact.email) for n, contact in parts.additional_contacts
    ]
    if parts.insured_main_contact is not None:
        contacts.append(("client.insured_main_contact.email", parts.insured_main_contact.email))
    for path, text in contacts:
        if not _LOOKS_LIKE_EMAIL.fullmatch(text):
            yield Problem(path, "not_an_email", "must be an email address")
    if parts.secondary_broker_email is not None and not is_email(parts.secondary_broker_email):
        yield Problem("client.secondary_broker_email", "not_an_email", "must be an email address")


@lru_cache(maxsize=4096)
def is_email(text: str) -> bool:
    """Whether this is an email address; the everyday form is recognized without the full parser."""
    if _PLAIN_EMAIL.fullmatch(text) and ".." not in text and len(text) <= 254:  # noqa: PLR2004 - RFC 5321
        return not text.startswith(".") and ".@" not in text
    try:
        validate_email(text, check_deliverability=False, test_environment=True, globally_deliverable=False)
    except EmailNotValidError:
        return False
    return True


def repeated_roles(parts: Parts) -> Iterator[Problem]:
    for number, contact in parts.additional_contacts:
        if len(set(contact.contact_roles)) < len(contact.contact_roles):
            yield Problem(
                f"client.additional_contacts[{number}].contact_roles",
                "duplicate_items",
                "must not repeat a role",
            )


def oversized_metadata(parts: Parts) -> Iterator[Problem]:
    if parts.metadata is not None and len(msgspec.json.encode(parts.metadata)) > MAX_METADATA_BYTES:
        yield Problem("client.metadata", "too_large", f"must not exceed {MAX_METADATA_BYTES:,} bytes of JSON")


def unknown_program(parts: Parts, programs: Sequence[str]) -> Iterator[Problem]:
    if parts.program_code and parts.program_code not in programs:
        yield Problem("policy.program_code", "unknown_program", "is not the code of a configured program")


def bad_per_claim_limits(parts: Parts) -> Iterator[Problem]:
    for number, option in parts.options:
        limit, path = option.per_claim_limit, f"policy.quotes[{number}].per_claim_limit"
        if not isinstance(limit, int):
            continue
        if limit > option.aggregate_limit:
            yield Problem(path, "above_aggregate", "must not exceed aggregate_limit")
        elif limit != option.aggregate_limit and limit not in PER_CLAIM_LIMITS:
            listed = ", ".join(map(str, PER_CLAIM_LIMITS))
            yield Problem(path, "not_allowed", f"must equal aggregate_limit or be one of {listed}")


def last_days(effective: date) -> tuple[date, date]:
    """Return the first and the last day on which a term that begins on a day may end."""
    return effective + SHORTEST_TERM, effective + LONGEST_TERM


def bad_dates(dates: PolicyDates, path: str) -> Iterator[Problem]:
    effective = dates.effective
    try:
        earliest, latest = last_days(effective)
    except (OverflowError, ValueError):
        yield Problem(f"{path}.effective", "out_of_range", "is too far in the future")
        return
    if isinstance(dates.expiration, date):
        window = f"must be from {earliest} to {latest}, 6 to 18 months after effective"
        if dates.expiration < earliest:
            yield Problem(f"{path}.expiration", "term_too_short", window)
        elif dates.expiration > latest:
            yield Problem(f"{path}.expiration", "term_too_long", window)
    for record in all_products():
        if (rule := record.retroactive) is not None:
            yield from _bad_retroactive(getattr(dates, rule.field), effective, f"{path}.{rule.field}")


def _bad_retroactive(asked: object, effective: date, path: str) -> Iterator[Problem]:
    try:
        retroactive = _retroactive(asked)
    except ValueError:
        yield Problem(path, "not_a_date", "must be a date, yyyy-mm-dd, or full_prior_acts")
        return
    if isinstance(retroactive, date) and retroactive > effective:
        yield Problem(path, "after_effective", "must not be after effective")


def before_first_tariff(dates: PolicyDates) -> Iterator[Problem]:
    first = TARIFFS.all[0].effective_from
    if dates.effective < first:
        flaw = f"must not be before {first}, the first day of the first tariff"
        yield Problem("policy.dates.effective", "before_first_tariff", flaw)


def dates_without_effect(dates: PolicyDates, product: InsuranceProduct, path: str) -> Iterator[Correction]:
    """Name retroactive dates of another product: they are accepted and change nothing."""
    # In the order in which the contract lists them.
    for record in reversed(all_products()):
        rule = record.retroactive
        asked = getattr(dates, rule.field) if rule is not None else None
        if rule is not None and isinstance(asked, date | str) and product is not record.product:
            text = f"{rule.field} has no effect: it applies to {record.product} only"
            yield Correction(f"{path}.{rule.field}", str(asked), None, text, NO_EFFECT)


def term_of(dates: PolicyDates | None, *, product: InsuranceProduct, tomorrow: date) -> Term:
    """Settle the policy period of dates that passed their checks; effective tomorrow if none are given."""
    if dates is None:
        return Term(effective=tomorrow, expiration=_usual_end(tomorrow))
    rule = record_of(product).retroactive
    return Term(
        effective=dates.effective,
        expiration=(dates.expiration if isinstance(dates.expiration, date) else _usual_end(dates.effective)),
        retroactive=None if rule is None else _retroactive(getattr(dates, rule.field)),
    )


@lru_cache(maxsize=1024)
def _usual_end(effective: date) -> date:
    """Return the end of a usual term; the same few days are asked for again and again."""
    return effective + DEFAULT_TERM


def _retroactive(asked: object) -> date | str | None:
    """Read a date, `full_prior_acts` in any case, or nothing.

    Raises:
        ValueError: it is some other text.
    """
    if isinstance(asked, str):
        return FULL_PRIOR_ACTS if asked.lower() == FULL_PRIOR_ACTS else msgspec.convert(asked, date)
    return asked if isinstance(asked, date) else None
