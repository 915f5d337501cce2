"""What an option would take of its binder's premium limit."""

from dataclasses import dataclass

from bindery.base.numbers import in_dollars
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.binders import BinderUse
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.quote.quote import Quote
from bindery.web.shown.option import shown_number
from bindery.web.shown.words import StatusDot

OPEN = frozenset({QuoteStatus.QUOTE_REFERRED, QuoteStatus.QUOTE_BIND_REQUESTED, *BINDABLE})
"""An option that is bound has taken its premium, and one that is over takes none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRoom:
    """`used` and `adds` are in percent, as widths of a bar; `warning` is empty below every mark."""

    agreement: str
    booked: str
    limit: str
    left: str
    used: str
    adds: str
    sentence: str
    dot: StatusDot
    warning: str


def shown_room(binder: BinderUse | None, quote: Quote | None) -> ShownRoom | None:
    if binder is None or quote is None or quote.status not in OPEN:
        return None
    premium, limit = quote.premium or 0, binder.premium_limit
    dot, warning = _warning(binder, premium)
    name = f"Option {shown_number(quote.option_number)}"
    return ShownRoom(
        agreement=binder.agreement,
        booked=in_dollars(binder.premium_booked),
        limit=in_dollars(limit),
        left=in_dollars(binder.left),
        used=_percent(binder.premium_booked, limit),
        adds=_percent(min(premium, binder.left), limit),
        sentence=f"{name} would add {in_dollars(premium)}, {_percent(premium, limit)} % of the limit."
        if premium
        else f"{name} has no premium yet.",
        dot=dot,
        warning=warning,
    )


def _percent(amount: int, limit: int) -> str:
    return f"{amount * 100 / limit:.1f}"


def _warning(binder: BinderUse, premium: int) -> tuple[StatusDot, str]:
    if premium > binder.left:
        over = in_dollars(premium - binder.left)
        return StatusDot.BAD, f"That is {over} more than is left: its bind waits until there is room"
    before, after = binder.passed(), binder.passed(more=premium)
    if after is None:
        return StatusDot.BOUND, ""
    dot = StatusDot.BAD if after == max(binder.notify_at) else StatusDot.WARN
    return dot, f"{after} % of the limit {'is used already' if after == before else 'would be used with it'}"
