"""An example of the `data` of each event, for the documentation and the tests."""

from typing import Any, Final

from bindery.contract.examples import EXAMPLE_WEBHOOK


def _example(status: str, level: str, sequence: int, **added: object) -> dict[str, Any]:
    return {
        "quote_identifier": "0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55",
        "company_id": "482913750",
        "quote_status": status,
        "level": level,
        "sequence": sequence,
        **added,
    }


_TERM: Final = {"effective": "2026-09-01", "expiration": "2027-09-01", "premium": 1536}
_REQUEST: Final = {
    "signature_request_id": "0197b2c4-7e21-7d04-b6c8-3a9f5d11e402",
    "email": "ann@harborlight.example.com",
}
_QUESTION: Final = "0197b2c4-7e21-7d04-b6c8-3a9f5d11e418"
_NUMBER: Final = "CYB-26-0001234-7-00"

EVENT_EXAMPLES: Final[dict[str, dict[str, Any]]] = {
    "quote.published": _example(
        "published", "quote", 1, premium=1536, quote_expiration_date="2026-10-14", metadata={"crm": "A-17"}
    ),
    "quote.amended": _example(
        "published",
        "quote",
        3,
        premium=2100,
        quote_expiration_date="2026-10-14",
        decision={
            "kind": "amended",
            "reason": "The loss runs came in.",
            "at": "2026-08-20T14:02:11Z",
        },
        changes=[{"path": "premium", "before": 1536, "after": 2100}],
        corrections=[],
    ),
    "quote.referred": _example(
        "quote_referred",
        "quote",
        1,
        reasons=[{"code": "remote_access_without_mfa", "text": "Remote access is not protected by MFA"}],
    ),
    "quote.declined": _example("quote_declined", "quote", 2, reason="Outside our appetite."),
    "quote.expired": _example("quote_expired", "quote", 2),
    "quote.revoked": _example("quote_revoked", "quote", 2, reason="submission_changed", text=""),
    "quote.stale": _example("stale", "quote", 2),
    "quote.bind_requested": _example("quote_bind_requested", "quote", 2, **_TERM),
    "quote.not_bound": _example(
        "quote_not_bound", "quote", 2, **{"for": "0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e56"}
    ),
    "quote.contingency_changed": _example(
        "published",
        "quote",
        2,
        added={"contingency_id": "100007", "type": "pre_bind", "text": "Proof of MFA on remote access"},
    ),
    "quote.question_asked": _example(
        "quote_referred",
        "quote",
        2,
        question_id=_QUESTION,
        text="Is the remote access of the branch office protected by MFA too?",
        about=["remote_access_without_mfa"],
    ),
    "quote.question_closed": _example(
        "quote_referred",
        "quote",
        3,
        question_id=_QUESTION,
        closed_as="answered",
        answer="Yes, since March.",
        document_id="0197b2c4-7e21-7d04-b6c8-3a9f5d11e402",
    ),
    "quote.document_ready": _example("published", "quote", 2, documents=["quote_letter"], version=2),
    "signature_request.opened": _example("published", "quote", 2, **_REQUEST),
    "signature_request.signed": _example(
        "published",
        "quote",
        3,
        **_REQUEST,
        name="Ann Example",
        title="President",
        document_id="0197b2c4-7e21-7d04-b6c8-3a9f5d11e402",
        sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    ),
    "signature_request.declined": _example(
        "published", "quote", 3, **_REQUEST, text="We have 14 employees, not 40."
    ),
    "policy.bound": _example(
        "policy_active", "policy", 1, policy_number=_NUMBER, **_TERM, conditional=True, fulfil_by="2026-10-01"
    ),
    "policy.issued": _example(
        "policy_active", "policy", 2, policy_number=_NUMBER, **_TERM, conditional=False
    ),
    "policy.canceled": _example(
        "policy_canceled",
        "policy",
        3,
        reason="The insured ceased to trade.",
        effective="2027-01-15",
        returned_premium=964,
        cancellation={
            "canceled_by": "insured",
            "reason": "insured_request",
            "text": "The insured ceased to trade.",
            "effective": "2027-01-15",
            "earned": 572,
            "returned": 964,
            "due": 0,
        },
    ),
    "policy.expired": _example("policy_expired", "policy", 3, policy_number=_NUMBER),
    "policy.lapsed": _example(
        "quote_expired",
        "policy",
        2,
        policy_number=_NUMBER,
        reason="The conditional binder was not fulfilled by 2026-10-01.",
    ),
    "policy.renewal_offered": _example(
        "offer_email",
        "policy",
        1,
        renews="0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e12",
        premium=1602,
        quote_expiration_date="2027-09-01",
    ),
    "policy.renewal_paused": _example("policy_active", "policy", 3, policy_number=_NUMBER),
    "policy.renewal_resumed": _example("policy_active", "policy", 4, policy_number=_NUMBER),
    "policy.not_renewed": _example(
        "policy_active",
        "policy",
        3,
        policy_number=_NUMBER,
        expiration="2027-09-01",
        reason="loss_history",
        text="Three losses in two years.",
        notified_on="2027-06-15",
    ),
    "policy.renewal_restored": _example(
        "policy_active",
        "policy",
        4,
        policy_number=_NUMBER,
        expiration="2027-09-01",
        reason="The controls that we asked for are in place.",
    ),
    "policy.cancellation_requested": _example(
        "policy_active",
        "policy",
        3,
        effective="2027-01-01",
        reason="business_sold",
        text="Sold to a competitor.",
    ),
    "policy.changed": _example(
        "policy_active",
        "policy",
        3,
        policy_number=_NUMBER,
        change_id="0197c1d0-3a10-7c3e-8a41-6f2f9c0d7e90",
        effective="2027-01-01",
        changed=["aggregate_limit"],
        premium_difference=412,
        total=424.36,
        premium=1948,
        endorsement=1,
        reason="A customer asks for a higher limit.",
    ),
    "policy.change_declined": _example(
        "policy_active",
        "policy",
        3,
        change_id="0197c1d0-3a10-7c3e-8a41-6f2f9c0d7e90",
        effective="2027-01-01",
        reason="The limit is more than we write for a firm of this size.",
    ),
    "policy.security_alert": _example(
        "policy_active",
        "policy",
        3,
        policy_number=_NUMBER,
        findings=[
            {
                "code": "RDP_OPEN",
                "title": "Remote Desktop reachable from the internet",
                "severity": "critical",
                "domain": "harborlight.example.com",
                "host": "remote.harborlight.example.com",
                "what_to_do": "Close the port, and reach desktops through a VPN or gateway with MFA.",
            }
        ],
    ),
    "policy.document_ready": _example(
        "policy_active", "policy", 2, documents=["binder", "billing_statement"], version=1
    ),
}
"""One example of the `data` of each type."""

PING_EXAMPLE: Final = {"webhook_id": EXAMPLE_WEBHOOK}
