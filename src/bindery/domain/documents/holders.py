"""Certificates for holders: to whom, in which words, and when a policy may have one."""

import hashlib
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Final

import msgspec

from bindery.base.errors import NotIssued, Problem, WrongState
from bindery.contract.event_details import EventDetails
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.us_states import find_state, is_zip, state_of_zip
from bindery.domain.business_rules import long_date
from bindery.domain.documents.access import DocumentState
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.forms import FORMS, form_text
from bindery.domain.text import composed, unseen_character

LONGEST: Final[Mapping[str, int]] = {
    "name": 200,
    "street": 255,
    "street2": 255,
    "city": 50,
    "state": 50,
    "zip": 50,
    "description": 300,
}
REQUIRED: Final = ("name", "street", "city", "zip")
PROMISES: Final = (
    "additional insured",
    "subrogation",
    "noncontributory",
    "non-contributory",
    "loss payee",
    "notice of cancellation",
    "hold harmless",
)
"""A description that speaks of these would promise what only an endorsement of the policy can give."""
_ZIP_DIGITS: Final = 5


@dataclass(frozen=True, slots=True)
class HolderWording:
    """Why somebody holds a certificate: its name in lists, and the text that the certificate prints."""

    code: str
    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who holds a certificate; `wording` is a code, `description` the project or contract it is about."""

    name: str
    street: str
    street2: str
    city: str
    state: str
    zip: str
    wording: str
    description: str

    @property
    def lines(self) -> tuple[str, ...]:
        place = f"{self.city}, {self.state} {self.zip}"
        return tuple(line for line in (self.name, self.street, self.street2, place) if line)


@dataclass(frozen=True, kw_only=True)
class HolderFacts(DocumentFacts):
    """The facts of a certificate for one holder; `number` counts those of the policy."""

    holder: Holder
    number: int


class CertificatesIssued(EventDetails, frozen=True, kw_only=True):
    """What the journal keeps; partners hear nothing of it. `to` are the first holders by name."""

    to: tuple[str, ...]
    count: int


NAMED_IN_JOURNAL: Final = 3


def certificates_issued(holders: Sequence[Holder]) -> CertificatesIssued:
    return CertificatesIssued(
        to=tuple(holder.name for holder in holders[:NAMED_IN_JOURNAL]), count=len(holders)
    )


def holder_wordings(on: date) -> Mapping[str, HolderWording]:
    """Return the wordings of certificates that are issued on a day by their codes, the usual one first."""
    return _wordings(FORMS.in_force(on).edition)


@lru_cache(maxsize=8)
def _wordings(edition: str) -> Mapping[str, HolderWording]:
    read = tomllib.loads(form_text("wording/{}/holders.toml", edition))
    return {code: HolderWording(code, **texts) for code, texts in read.items()}


def certificate_number(policy_number: str, number: int) -> str:
    return f"C-{policy_number}-{number:04d}"


def check_certifiable(state: DocumentState, policy_number: str | None) -> None:
    """Refuse certificates for what gives no cover.

    Raises:
        NotIssued: there is a binder and no policy yet.
        WrongState: there is no policy, or it has ended.
    """
    policy = f"Policy {policy_number}"
    match state.status:
        case QuoteStatus.POLICY_ACTIVE if state.issued:
            return
        case QuoteStatus.POLICY_ACTIVE:
            until = f" by {long_date(state.fulfil_by)}" if state.fulfil_by else ""
            raise NotIssued(
                "Certificates are issued for policies. This is a binder: its policy is issued "
                f"when everything that is owed has come in{until}."
            )
        case QuoteStatus.POLICY_CANCELED:
            why = f"{policy} is canceled, so no certificate can be issued for it."
        case QuoteStatus.POLICY_EXPIRED:
            why = f"{policy} has expired, so no certificate can be issued for it."
        case QuoteStatus.QUOTE_EXPIRED if policy_number is not None:
            why = "The binder has lapsed, so no certificate can be issued."
        case _:
            why = "Certificates are issued for policies, and this quote is not bound."
    raise WrongState(why, status=state.status, available_statuses=[QuoteStatus.POLICY_ACTIVE])


def read_holder(
    fields: Mapping[str, str],
    wordings: Mapping[str, HolderWording],
    *,
    path: Callable[[str], str] = str,
) -> tuple[Holder, list[Problem]]:
    """Read a holder from a form or a row, with everything that is wrong; `path` names a field in problems."""
    given = {name: composed(fields.get(name, "")).strip() for name in (*LONGEST, "wording")}
    problems = [replace(problem, path=path(problem.path)) for problem in _flaws(given, wordings)]
    state = find_state(given["state"] or state_of_zip(given["zip"]) or "")
    holder = Holder(**given | {"state": state or "", "wording": _wording_of(given["wording"], wordings)})
    return holder, problems


def _flaws(given: Mapping[str, str], wordings: Mapping[str, HolderWording]) -> Iterator[Problem]:
    for name, longest in LONGEST.items():
        text = given[name]
        if name in REQUIRED and not text:
            yield Problem(name, "required", "is required")
        elif len(text) > longest:
            yield Problem(name, "too_long", f"must have at most {longest} characters")
        elif (character := unseen_character(text)) is not None:
            yield Problem(name, "bad_character", f"must not contain the character {character}")
        elif name == "description" and (promised := _promised(text)):
            yield Problem(
                name, "not_allowed", f"must name the project or contract: “{promised}” takes an endorsement"
            )
        elif name == "zip" and not is_zip(text):
            yield Problem(name, "not_a_zip", _not_a_zip(text))
        elif name == "state" and text and find_state(text) is None:
            yield Problem(
                name, "not_a_state", "must be one of the 50 states or DC, by full name or two letters"
            )
    is_state_known = given["state"] or find_state(state_of_zip(given["zip"]) or "") is not None
    if is_zip(given["zip"]) and not is_state_known:
        yield Problem("state", "required", "is required: the ZIP code belongs to none of the 50 states or DC")
    if not _wording_of(given["wording"], wordings):
        yield Problem("wording", "not_allowed", f"must be one of {', '.join(wordings)}")


def _promised(text: str) -> str:
    words = " ".join(text.casefold().split())
    return next((promise for promise in PROMISES if promise in words), "")


def _not_a_zip(text: str) -> str:
    must = "must be a US postal code such as 19107 or 19107-3615"
    # A spreadsheet takes the ZIP code of New England for a number.
    is_short = text.isascii() and text.isdecimal() and len(text) == _ZIP_DIGITS - 1
    return f"{must}; its first zero may be missing: 0{text}" if is_short else must


def _wording_of(given: str, wordings: Mapping[str, HolderWording]) -> str:
    """Return the code of a wording that is named by its code or name; empty for none."""
    wanted = given.casefold()
    return next((code for code, wording in wordings.items() if wanted in {code, wording.name.casefold()}), "")


def without_unshown(facts: DocumentFacts) -> DocumentFacts:
    """Leave out what no certificate shows, and what is by far the most: the scan and what follows from it."""
    return replace(facts, scan=None, recommendations=())


def holder_facts(facts: DocumentFacts, holder: Holder, number: int) -> HolderFacts:
    return HolderFacts(**vars(facts), holder=holder, number=number)


def content_hash(facts: str, holders: Sequence[Holder]) -> bytes:
    """Return what is the same when the same certificates are asked for again on the same day."""
    return hashlib.sha256(facts.encode() + msgspec.json.encode(holders)).digest()
