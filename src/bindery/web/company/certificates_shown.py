"""The certificates of a policy for their page and their files."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bindery.domain.documents.holders import HolderWording, certificate_number
from bindery.domain.text import in_ascii
from bindery.storage.documents.certificates import CertificateIssue, IssuedCertificate
from bindery.web.shown.words import Moment, Times, counted

LONGEST_NAME: Final = 40
_NOT_PLAIN: Final = re.compile(r"[^A-Za-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCertificate:
    """`together` is where all of one file are, in the first row of them; empty otherwise."""

    number: int
    full_number: str
    address: str
    name: str
    place: str
    wording: str
    description: str
    issued: Moment
    issued_by: str
    together: str
    count: int


def shown_certificates(
    found: Sequence[IssuedCertificate],
    wordings: Mapping[str, HolderWording],
    times: Times,
    *,
    policy_number: str,
) -> tuple[ShownCertificate, ...]:
    shown = []
    issues = set()
    for certificate in found:
        base = f"/policy/{certificate.quote_id}/certificates"
        is_first = certificate.count > 1 and certificate.issue_id not in issues
        issues.add(certificate.issue_id)
        wording = wordings.get(certificate.wording)
        shown.append(
            ShownCertificate(
                number=certificate.number,
                full_number=certificate_number(policy_number, certificate.number),
                address=f"{base}/{certificate.number}",
                name=certificate.name,
                place=", ".join(certificate.lines[1:]),
                wording=wording.name if wording else certificate.wording,
                description=certificate.description,
                issued=times.at(certificate.issued_at),
                issued_by=certificate.issued_by,
                together=f"{base}/{certificate.issue_id}.zip" if is_first else "",
                count=certificate.count,
            )
        )
    return tuple(shown)


def said_of(issue: CertificateIssue, to: str, times: Times, *, policy_number: str, is_new: bool) -> str:
    """Return what became of a form or a file, for the page that follows; `to` is the holder, or the first."""
    last = issue.first_number + issue.count - 1
    numbers = certificate_number(policy_number, issue.first_number)
    if issue.count > 1:
        numbers = f"{numbers} to {certificate_number(policy_number, last)}"
    if is_new and issue.count == 1:
        return f"Certificate {numbers} is issued to {to}."
    if is_new:
        return f"{issue.count} certificates are issued: {numbers}."
    these = (
        "This certificate was" if issue.count == 1 else f"These {counted(issue.count, 'certificate')} were"
    )
    return (
        f"{these} issued before, {times.at(issue.issued_at).text} by {issue.issued_by}: {numbers}. "
        "Nothing more was issued."
    )


def file_name(certificate: IssuedCertificate, policy_number: str) -> str:
    """Name a file by its number and holder, in characters that every system has."""
    holder = _NOT_PLAIN.sub("-", in_ascii(certificate.name))[:LONGEST_NAME].strip("-")
    return f"{certificate_number(policy_number, certificate.number)}{f'_{holder}' if holder else ''}.pdf"
