"""What becomes of an open renewal offer, said before anybody binds it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bindery.domain.policy.binding import opens_on
from bindery.domain.policy.contingencies import Contingency
from bindery.domain.policy.policy import Policy, RenewalType
from bindery.domain.policy.renewal import binds_automatically
from bindery.web.shown.words import day


@dataclass(frozen=True, slots=True)
class ShownRenewalOffer:
    sentence: str
    may_bind_from: str
    """The day from which it may be bound by hand; empty once that has come."""


def shown_renewal_offer(expiring: Policy, owed: Sequence[Contingency], *, today: date) -> ShownRenewalOffer:
    ends = expiring.term.expiration
    if binds_automatically(expiring, owed):
        sentence = f"It renews automatically on {day(ends)}: nobody has to bind it."
    elif expiring.renewal_type is RenewalType.AUTO:
        sentence = f"It renews automatically on {day(ends)} once everything open is closed, and not before."
    else:
        sentence = f"Its renewal is paused: it ends on {day(ends)} unless the renewal is bound by hand."
    opens = opens_on(ends)
    return ShownRenewalOffer(
        sentence=f"This renews policy {expiring.number}. {sentence}",
        may_bind_from=day(opens) if today < opens else "",
    )
