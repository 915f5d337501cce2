"""The links that were sent to a company's client, as its broker sees them."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bindery.contract.quote import SIGNED_APPLICATION, QuoteBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.signing.client_link import ClientLink, LinkPurpose, LinkStatus
from bindery.web.shown.option import options_named
from bindery.web.shown.words import Moment, StatusDot, Times, counted

_WORDS: Final[Mapping[LinkStatus, tuple[StatusDot, str]]] = {
    LinkStatus.SENT: (StatusDot.WAIT, "Not opened yet"),
    LinkStatus.OPENED: (StatusDot.WAIT, "Opened"),
    LinkStatus.SIGNED: (StatusDot.OPEN, "Signed"),
    LinkStatus.ANSWERED: (StatusDot.OPEN, "Answered"),
    LinkStatus.DECLINED: (StatusDot.WARN, "Sent back"),
    LinkStatus.EXPIRED: (StatusDot.OVER, "Ended"),
    LinkStatus.REVOKED: (StatusDot.OVER, "Taken back"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLink:
    """A link; `chose` is what the client chose, `said` what they sent back."""

    link_id: str
    to: str
    about: str
    dot: StatusDot
    word: str
    sent: Moment
    opened: str
    chose: str
    said: str
    may_take_back: bool
    may_send_again: bool
    key: str
    address: str


def is_to_sign(body: QuoteBody) -> bool:
    """Whether a client can sign for an option: it is offered, or a binder waits for the signature."""
    is_binder = body.binder is not None and body.binder.conditional
    is_open = body.quote_status in BINDABLE or (body.quote_status is QuoteStatus.POLICY_ACTIVE and is_binder)
    return is_open and any(
        owed.status == "open" and owed.text.startswith(SIGNED_APPLICATION) for owed in body.contingencies
    )


def shown_links(
    links: Sequence[ClientLink],
    numbers: Mapping[uuid.UUID, int],
    times: Times,
    *,
    to_sign: frozenset[uuid.UUID],
    opens: Mapping[uuid.UUID, str],
) -> tuple[ShownLink, ...]:
    """Show links; `numbers` are those of the options, `to_sign` the quotes that can still be signed for.

    `opens` are the addresses of the links, in the demo alone.
    """
    return tuple(_shown(link, numbers, times, to_sign=to_sign, opens=opens) for link in links)


def _shown(
    link: ClientLink,
    numbers: Mapping[uuid.UUID, int],
    times: Times,
    *,
    to_sign: frozenset[uuid.UUID],
    opens: Mapping[uuid.UUID, str],
) -> ShownLink:
    status = link.status_at(times.now)
    dot, word = _WORDS[status]
    is_waiting = status in {LinkStatus.SENT, LinkStatus.OPENED}
    return ShownLink(
        link_id=str(link.link_id),
        to=f"{link.name}, {link.email}" if link.name else link.email,
        about=_about(link, numbers),
        dot=dot,
        word=word,
        sent=times.at(link.created_at),
        opened=_opened(link, times),
        chose=f"chose option {numbers[link.quote_id]}" if link.chosen_at and link.quote_id else "",
        said=link.said or "",
        may_take_back=is_waiting,
        may_send_again=link.purpose is not LinkPurpose.ANSWERS
        and status is not LinkStatus.SIGNED
        and link.quote_id in to_sign,
        key=str(link.openings),
        address=opens.get(link.link_id, ""),
    )


def _about(link: ClientLink, numbers: Mapping[uuid.UUID, int]) -> str:
    if link.purpose is LinkPurpose.ANSWERS:
        return counted(len(link.asked), "question")
    sent = link.option_ids or (link.subject,)
    named = options_named([str(number) for number in sorted(numbers[quote_id] for quote_id in sent)])
    return f"{named} to choose from" if link.purpose is LinkPurpose.PROPOSAL else f"{named} to sign"


def _opened(link: ClientLink, times: Times) -> str:
    if link.opened_at is None:
        return ""
    how_often = "once" if link.openings == 1 else counted(link.openings, "time")
    return f"opened {how_often}, first {times.at(link.opened_at).text}"
