"""What is asked to be otherwise during the term, and what the policy's insured is after it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec
from msgspec import UNSET

from bindery.contract.changes import AdditionalInsured, PolicyChanges
from bindery.domain.applicant.domains import normalize_domain, registrable_domain
from bindery.domain.applicant.risk import Terms
from bindery.domain.submission.parts import address_key
from bindery.domain.submission.value import Submission

TERM_FIELDS: Final = ("aggregate_limit", "aggregate_retention", "per_claim_limit", "per_claim_retention")


@dataclass(frozen=True, slots=True, kw_only=True)
class InsuredNow:
    """What a policy says of its insured, as it was sent."""

    submission: Submission
    client: dict[str, Any]
    additional: tuple[AdditionalInsured, ...]


def changed_terms(terms: Terms, changes: PolicyChanges) -> Terms:
    """Return the terms with what is asked for; a per-claim limit that equals the aggregate follows it."""
    asked = {name: value for name in TERM_FIELDS if (value := getattr(changes, name)) not in {UNSET, None}}
    follows = terms.per_claim_limit == terms.aggregate_limit and "per_claim_limit" not in asked
    if follows and "aggregate_limit" in asked:
        asked["per_claim_limit"] = asked["aggregate_limit"]
    return replace(terms, **asked)


def changed_fields(terms: Terms, now: InsuredNow, changes: PolicyChanges) -> tuple[str, ...]:
    """Return the fields whose value is another than the policy has."""
    held = _held(terms, now)
    return tuple(name for name, value in given_fields(changes).items() if value != held.get(name))


def submission_fields(fields: Sequence[str]) -> frozenset[str]:
    """Return those of the fields that the submission keeps."""
    return frozenset(fields) & {"name", "dba", "address", "domains"}


def is_about_the_risk(fields: Sequence[str]) -> bool:
    """Whether a change makes an offered renewal out of date: all but contacts do."""
    return bool(set(fields) - {"contacts"})


def given_fields(changes: PolicyChanges) -> dict[str, Any]:
    plain = msgspec.to_builtins(changes)
    given = {name: value for name, value in plain.items() if value is not None}
    if "domains" in given:
        given["domains"] = list(dict.fromkeys(normalize_domain(name) for name in given["domains"]))
    for name in ("name", "dba"):
        if name in given:
            given[name] = given[name].strip()
    if "address" in given:
        given["address"] = _plain_address(given["address"])
    return given


def _plain_address(address: dict[str, Any]) -> dict[str, str]:
    shown = {name: (value or "").strip() for name, value in address.items() if name != "state"}
    return {name: value for name, value in shown.items() if value}


def _held(terms: Terms, now: InsuredNow) -> dict[str, Any]:
    contacts = {
        name: value
        for name in ("insured_main_contact", "additional_contacts")
        if (value := now.client.get(name)) is not None
    }
    return {
        **{name: getattr(terms, name) for name in TERM_FIELDS},
        "name": now.submission.name,
        "dba": now.submission.trade_name or "",
        "address": _plain_address(now.client["address"]),
        "domains": list(now.submission.domains),
        "contacts": contacts,
        "additional_insured": msgspec.to_builtins(now.additional),
    }


def changed_submission(submission: Submission, changes: PolicyChanges) -> Submission:
    given = given_fields(changes)
    changed: dict[str, Any] = {}
    if "name" in given:
        changed["name"] = given["name"]
    if "dba" in given:
        changed["trade_name"] = given["dba"] or None
    if "domains" in given:
        domains = tuple(given["domains"])
        changed["domains"] = domains
        changed["registrable_domains"] = tuple(dict.fromkeys(map(registrable_domain, domains)))
    if changes.address:
        changed["address_key"] = address_key(changes.address, submission.state)
    return replace(submission, **changed)


def changed_contacts(now: InsuredNow, changes: PolicyChanges) -> dict[str, Any]:
    """Return all contacts of a policy after a change; who is not replaced stays."""
    given = msgspec.to_builtins(changes.contacts)
    names = ("insured_main_contact", "additional_contacts")
    kept = {name: now.client[name] for name in names if now.client.get(name) is not None}
    return kept | {name: value for name, value in given.items() if value is not None}


def changed_client(changes: PolicyChanges) -> dict[str, Any]:
    """Return the fields of the client that a change replaces, as they are sent."""
    given = msgspec.to_builtins(changes)
    client = {
        name: given[name] for name in ("name", "dba", "address", "domains") if given.get(name) is not None
    }
    if "dba" in client and not client["dba"].strip():
        client["dba"] = None
    return client
