"""Lines of the history that prove what was mailed."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from bindery.domain.messages.mails import name_of_kind, read_enclosure
from bindery.storage.documents.mails import ProofOfMail
from bindery.web.shown.history import HistoryLine
from bindery.web.shown.words import Times, listed

PROVEN: Final[Mapping[str, str]] = {
    "policy_issued": "Policy",
    "policy_bound": "Binder",
    "policy_ended": "Notice",
    "policy_reinstated": "Notice of reinstatement",
    "policy_changed": "Endorsement",
    "policy_not_renewed": "Notice of nonrenewal",
    "nonrenewal_withdrawn": "Word that the policy is renewed after all",
    "security_letter": "Security letter",
    "renewal_offer": "Renewal offer",
    "renewal_reminder": "Reminder of the renewal",
    "binder_lapsing": "Reminder that the binder lapses",
    "quote_ending": "Reminder that quotes end",
}
"""What each kind is called here; mails about steps that are lines themselves are left out."""
NOTICES: Final = frozenset({"policy_ended", "policy_reinstated"})


def with_mails(
    history: Iterable[HistoryLine],
    proofs: Iterable[ProofOfMail],
    times: Times,
    *,
    about: Mapping[Any, str],
) -> tuple[HistoryLine, ...]:
    """Put what was mailed between the steps of a history, the newest first."""
    lines = [
        HistoryLine(
            at=times.at(proof.taken_at),
            text=f"{_name(proof)} mailed to {listed(list(proof.taken))}.",
            about=about.get(proof.quote_id, ""),
            by="",
            raw=f"{proof.quote_id} mail {proof.kind}",
        )
        for proof in proofs
        if name_of_kind(proof.kind) in PROVEN
    ]
    return tuple(sorted((*history, *lines), key=lambda line: line.at.iso, reverse=True))


def _name(proof: ProofOfMail) -> str:
    kind = name_of_kind(proof.kind)
    if kind in NOTICES and proof.attachments:
        return read_enclosure(proof.attachments[0]).name
    return PROVEN[kind]
