"""As much of an applicant as a draft has, for what is looked up before all of it is there."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from bindery.contract.quotes import Address
from bindery.domain.applicant.domains import NotADomain, normalize_domain, registrable_domain
from bindery.domain.submission import checks
from bindery.domain.submission.parts import address_key


@dataclass(frozen=True, slots=True)
class ApplicantSoFar:
    """Domains and address as a submission would have them; the key is empty without a whole address."""

    name: str
    domains: tuple[str, ...]
    registrable_domains: tuple[str, ...]
    address_key: str


def applicant_so_far(body: Mapping[str, Any]) -> ApplicantSoFar:
    client = body["client"]
    domains: list[str] = []
    for name in client.get("domains", ()):
        with contextlib.suppress(NotADomain):
            domains.append(normalize_domain(name))
    return ApplicantSoFar(
        client.get("name", ""),
        tuple(domains),
        tuple(dict.fromkeys(map(registrable_domain, domains))),
        _address_key(client["address"]),
    )


def _address_key(typed: object) -> str:
    try:
        address = msgspec.convert(typed, Address)
    except msgspec.ValidationError:
        return ""
    if any(checks.bad_address(address)):
        return ""
    return address_key(address, checks.state_of(address))
