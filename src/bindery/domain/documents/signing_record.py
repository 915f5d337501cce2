"""What is kept of an electronic signature, and printed on the certificate page of the signed application."""

import hashlib
from dataclasses import dataclass
from datetime import date, datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SigningRecord:
    """A signature made on the insured's page; `sent_by` is the broker or partner who sent the link.

    `consent` is the text that the signer agreed to, `stated` what else they confirmed, `shown_sha256` the
    hash of the application that was shown, `address` and `agent` those of the signer's connection and
    browser. `signed_on` is the business date of `signed_at`.
    """

    request_id: str
    name: str
    title: str
    email: str
    address: str
    agent: str
    consent: str
    stated: str
    shown_sha256: str
    sent_by: str
    sent_at: datetime
    opened_at: datetime
    confirmed_at: datetime
    signed_at: datetime
    signed_on: date

    @property
    def consent_sha256(self) -> str:
        return hashlib.sha256(self.consent.encode()).hexdigest()
