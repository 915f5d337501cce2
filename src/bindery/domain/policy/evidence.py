"""What the files that came in say for an attestation of the signed application."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from bindery.base.errors import Problem
from bindery.contract.documents import SignatureFinding, UploadFinding
from bindery.contract.vocabulary import ClosedAs
from bindery.domain.business_rules import long_date
from bindery.domain.documents.application_matching import JudgedUpload
from bindery.domain.policy.contingencies import Closing


class Evidence(StrEnum):
    NONE = "none"
    ACCEPTED = "accepted"
    OTHER_QUOTE = "other_quote"
    ALTERED = "altered"
    DAMAGED = "damaged"
    NOT_SIGNED = "not_signed"
    INCOMPLETE = "incomplete"
    NOT_SIGNED_AND_INCOMPLETE = "not_signed_and_incomplete"


EVIDENCE_OF: Final[Mapping[UploadFinding, Evidence]] = {
    # What cannot be compared is the partner's word: the attestation decides.
    UploadFinding.UNREADABLE: Evidence.ACCEPTED,
    UploadFinding.NOT_RECOGNIZED: Evidence.ACCEPTED,
    UploadFinding.ALTERED: Evidence.ALTERED,
    UploadFinding.OTHER_QUOTE: Evidence.OTHER_QUOTE,
    # A file that nobody can open is no scan.
    UploadFinding.DAMAGED: Evidence.DAMAGED,
    UploadFinding.NOT_COMPARED: Evidence.NONE,
}
BEST_FIRST: Final = (
    Evidence.ACCEPTED,
    Evidence.INCOMPLETE,
    Evidence.NOT_SIGNED,
    Evidence.NOT_SIGNED_AND_INCOMPLETE,
    Evidence.ALTERED,
    Evidence.OTHER_QUOTE,
    Evidence.DAMAGED,
)


SIGNATURE_GOOD_FOR: Final = timedelta(days=45)
"""An application must be signed no longer than this before the bind is requested."""


@dataclass(frozen=True, slots=True)
class PageSignature:
    """A signature made on the client's page."""

    name: str
    signed_at: datetime

    def closing(self, zone: ZoneInfo) -> Closing:
        on = long_date(self.signed_at.astimezone(zone))
        return Closing(ClosedAs.FULFILLED, f"Signed electronically by {self.name} on {on}.")

    def is_fresh(self, zone: ZoneInfo, *, today: date) -> bool:
        return self.signed_at.astimezone(zone).date() >= today - SIGNATURE_GOOD_FOR


def best_evidence(uploads: Iterable[JudgedUpload]) -> Evidence:
    """Return the evidence for an attestation: of several files for the signature, the best one counts.

    Files that are each a part of the application count together too.
    """
    judged = list(uploads)
    matched = [upload for upload in judged if upload.verdict is UploadFinding.MATCHED]
    found = {EVIDENCE_OF[upload.verdict] for upload in judged if upload not in matched}
    found |= {_evidence([upload]) for upload in matched}
    if matched:
        found.add(_evidence(matched))
    if any(upload.signature is SignatureFinding.NOT_FOUND for upload in matched):
        # A part in which the signature cannot be seen is no better than the page on which it is missing.
        found -= {Evidence.INCOMPLETE}
    return next((paper for paper in BEST_FIRST if paper in found), Evidence.NONE)


def _evidence(parts: Sequence[JudgedUpload]) -> Evidence:
    signatures = {part.signature for part in parts}
    is_unsigned = SignatureFinding.NOT_FOUND in signatures and SignatureFinding.FOUND not in signatures
    if _are_complete(parts):
        return Evidence.NOT_SIGNED if is_unsigned else Evidence.ACCEPTED
    return Evidence.NOT_SIGNED_AND_INCOMPLETE if is_unsigned else Evidence.INCOMPLETE


def _are_complete(parts: Sequence[JudgedUpload]) -> bool:
    known = [part.pages for part in parts if part.pages is not None]
    if len(known) < len(parts):
        return True
    seen = {number for pages in known for number in pages.seen}
    return len(seen) + sum(pages.unclear for pages in known) >= max(pages.of for pages in known)


ATTESTATION_PROBLEMS: Final[Mapping[Evidence, Problem]] = {
    Evidence.NONE: Problem(
        "app_attestation",
        "application_none",
        "needs a signed application uploaded for the signature contingency",
    ),
    Evidence.OTHER_QUOTE: Problem(
        "app_attestation",
        "application_other_quote",
        "cannot be true: the uploaded application belongs to another quote",
    ),
    Evidence.ALTERED: Problem(
        "app_attestation",
        "application_altered",
        "cannot be true: the uploaded application differs from the one issued with this quote",
    ),
    Evidence.DAMAGED: Problem(
        "app_attestation",
        "application_damaged",
        "needs the signed application: the uploaded file is damaged, upload it again",
    ),
    Evidence.NOT_SIGNED: Problem(
        "app_attestation",
        "application_not_signed",
        "cannot be true: nobody has signed the uploaded application",
    ),
    Evidence.INCOMPLETE: Problem(
        "app_attestation",
        "pages_missing",
        "needs the whole application: pages of it are missing, upload them too",
    ),
}


def bad_paper(paper: Evidence) -> Iterator[Problem]:
    """Report why the files that came in do not support an attestation."""
    both = (Evidence.NOT_SIGNED, Evidence.INCOMPLETE)
    for lack in both if paper is Evidence.NOT_SIGNED_AND_INCOMPLETE else (paper,):
        if lack in ATTESTATION_PROBLEMS:
            yield ATTESTATION_PROBLEMS[lack]
