"""What is asked to be otherwise during the term, and what the policy's insured is after it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import msgspec
from msgspec import UNSET

from bindery.contract.changes import AdditionalInsured, PolicyChanges
from bindery.domain.applicant.domains import NotADomain, normalize_domain, registrable_domain
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
    held, given = _held(terms, now), given_fields(changes)
    if "contacts" in given:
        given["contacts"] = _plain_contacts(changed_contacts(now, changes))
    return tuple(name for name, value in given.items() if value != held.get(name))


def only_different(terms: Terms, now: InsuredNow, changes: PolicyChanges) -> PolicyChanges:
    """Return the changes without what the policy has already; what it becomes by them is the same."""
    fields = {*changed_fields(terms, now, changes)} - {"per_claim_limit"}
    less: dict[str, Any] = {name: getattr(changes, name) for name in fields}
    if "contacts" in fields:
        less["contacts"] = _only_different_contacts(now, changes)
    kept = PolicyChanges(**less)
    if changed_terms(terms, kept) != changed_terms(terms, changes):
        # A claim's limit is named unless it follows the aggregate limit anyway, also where it is to stay.
        kept = msgspec.structs.replace(kept, per_claim_limit=changes.per_claim_limit)
    return kept


def _only_different_contacts(now: InsuredNow, changes: PolicyChanges) -> Any:  # noqa: ANN401 - as the field is
    """Leave out other contacts that stay: they may have been sent with more than a form shows."""
    held = _plain_contacts(now.client)["additional_contacts"]
    after = _plain_contacts(changed_contacts(now, changes))["additional_contacts"]
    if held == after and changes.contacts:
        return msgspec.structs.replace(changes.contacts, additional_contacts=UNSET)
    return changes.contacts


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
        given["domains"] = list(dict.fromkeys(map(_normal, given["domains"])))
    for name in ("name", "dba"):
        if name in given:
            given[name] = given[name].strip()
    if "address" in given:
        given["address"] = _plain_address(given["address"])
    if "additional_insured" in given:
        given["additional_insured"] = _plain_others(given["additional_insured"])
    return given


def _normal(domain: str) -> str:
    try:
        return normalize_domain(domain)
    except NotADomain:
        return domain


def _plain_address(address: dict[str, Any]) -> dict[str, str]:
    shown = {name: (value or "").strip() for name, value in address.items() if name != "state"}
    return {name: value for name, value in shown.items() if value}


def _plain_contacts(client: Mapping[str, Any]) -> dict[str, Any]:
    """Return the contacts of a client without what is empty, whichever way it was sent."""
    others = client.get("additional_contacts") or ()
    return {
        "insured_main_contact": _filled(client.get("insured_main_contact") or {}),
        "additional_contacts": [
            {**_filled(other), "contact_roles": sorted(other["contact_roles"])} for other in others
        ],
    }


def _plain_others(others: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    return [_filled(other) for other in others]


def _filled(texts: Mapping[str, Any]) -> dict[str, str]:
    return {name: value.strip() for name, value in texts.items() if isinstance(value, str) and value.strip()}


def _held(terms: Terms, now: InsuredNow) -> dict[str, Any]:
    return {
        **{name: getattr(terms, name) for name in TERM_FIELDS},
        "name": now.submission.name,
        "dba": now.submission.trade_name or "",
        "address": _plain_address(now.client["address"]),
        "domains": list(now.submission.domains),
        "contacts": _plain_contacts(now.client),
        "additional_insured": _plain_others(msgspec.to_builtins(now.additional)),
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
