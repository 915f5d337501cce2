"""What stands in the way of a decision: guidelines that it breaks, and authority that it takes."""

from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date
from typing import Final

from msgspec import Struct

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.access.users import User
from bindery.domain.applicant.risk import Risk
from bindery.domain.business_rules import BusinessRules
from bindery.domain.quote.authority import Act, Authorities, AuthorityAsk, beyond_in_words
from bindery.domain.quote.by_hand import is_set_by_hand
from bindery.domain.quote.guidelines import ASK_TWICE, Breach, Guideline, breaches_of, deviation_of
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.quote.quote import Quote
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening.rules import applicant_of
from bindery.storage.database import Reader
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.case.case_forms import DecisionForm
from bindery.web.case.decision_outcome import MOST_NAMED
from bindery.web.case.prices import ShownPrices
from bindery.web.shown.option import assessment_of, shown_number

ACTS = {
    QuoteStatus.QUOTE_REFERRED: Act.APPROVE,
    QuoteStatus.PUBLISHED: Act.AMEND,
    QuoteStatus.OFFER_EMAIL: Act.AMEND,
    QuoteStatus.QUOTE_BIND_REQUESTED: Act.BIND,
    QuoteStatus.POLICY_ACTIVE: Act.CANCEL,
    QuoteStatus.POLICY_CANCELED: Act.REINSTATE,
}
"""What the page of an option in each status decides."""


class ShownLimits(Struct, frozen=True, kw_only=True):
    """The guidelines broken, the second yes that they take, and whom to ask beyond one's authority.

    `sure` is the second yes to exactly these premiums; `beyond` is empty within the authority.
    """

    breaches: tuple[str, ...] = ()
    sure: str = ""
    is_sure: bool = False
    beyond: str = ""
    to_ask: tuple[tuple[int, str], ...] = ()
    asked: int = 0
    withdrawal_beyond: bool = field(default=False)


class Beyond(Struct, frozen=True):
    """Why something is beyond the authority of whoever looks, and whom to ask; `said` is empty within it."""

    said: str = ""
    to_ask: tuple[tuple[int, str], ...] = ()


def beyond_of(asks: Sequence[AuthorityAsk], user: User, authorities: Authorities) -> Beyond:
    me = authorities.of(user.email)
    exceeded = authorities.exceeded(me, asks) if me is not None else ()
    if not exceeded:
        return Beyond()
    others = authorities.who_may(asks, but=[user.user_id])
    return Beyond(beyond_in_words(exceeded, others), tuple((who.user_id, who.name) for who in others))


def sure_of(number: int, premium: int) -> str:
    return f"{number}:{premium}"


def shown_limits(
    picked: Sequence[Quote],
    changed: frozenset[str],
    risk: Risk,
    authorities: Authorities,
    *,
    user: User,
    sure: str,
    asks_again: bool,
    send_to: str,
    today: date,
) -> ShownLimits:
    """Return what stands in the way of deciding about these options; `changed` are those on other terms."""
    found = [
        (quote, _breaches(quote, risk, today))
        for quote in picked
        if quote.status is QuoteStatus.QUOTE_REFERRED or str(quote.quote_id) in changed
    ]
    grave = [quote for quote, breaches in found if any(breach.guideline in ASK_TWICE for breach in breaches)]
    twice = ",".join(sure_of(shown_number(quote.option_number), quote.premium or 0) for quote in grave)
    asks = [ask for quote in picked if (ask := ask_of(quote)) is not None]
    beyond = beyond_of(asks, user, authorities)
    withdrawals = [_withdrawal(quote) for quote in picked if quote.status in BINDABLE]
    return ShownLimits(
        breaches=breaches_named(found, picked=len(picked)),
        sure=twice,
        is_sure=bool(twice) and (asks_again or sure == twice),
        beyond=beyond.said,
        to_ask=beyond.to_ask,
        asked=int(send_to) if send_to.isascii() and send_to.isdecimal() else 0,
        withdrawal_beyond=bool(beyond_of(withdrawals, user, authorities).said),
    )


def _breaches(quote: Quote, risk: Risk, today: date) -> tuple[Breach, ...]:
    record = assessment_of(quote)
    if record is None or quote.terms is None or quote.premium is None:
        return ()
    rated = record.rated_premium
    return breaches_of(tariff_in_force(today), risk, quote.terms, quote.premium, rated=rated)


def breaches_named(found: Sequence[tuple[Quote, Sequence[Breach]]], *, picked: int) -> tuple[str, ...]:
    """Name the options that break guidelines; of many, count those that break each one."""
    broken = [(shown_number(quote.option_number), breach) for quote, breaches in found for breach in breaches]
    if picked == 1:
        return tuple(breach.text for _, breach in broken)
    if picked <= MOST_NAMED:
        return tuple(f"Option {number}: {breach.text}" for number, breach in broken)
    by_guideline: dict[Guideline, list[tuple[int, str]]] = {}
    for number, breach in broken:
        by_guideline.setdefault(breach.guideline, []).append((number, breach.text))
    return tuple(_counted(alike) for alike in by_guideline.values())


def _counted(alike: Sequence[tuple[int, str]]) -> str:
    number, text = alike[0]
    if len(alike) == 1:
        return f"Option {number}: {text}"
    # What is the same for all needs no example.
    is_same = all(other == text for _, other in alike)
    return f"{len(alike)} options{'' if is_same else f', such as option {number}'}: {text}"


def ask_of(quote: Quote) -> AuthorityAsk | None:
    act = ACTS.get(quote.status)
    if act is None:
        return None
    record, terms = assessment_of(quote), quote.terms or quote.ask.as_terms()
    is_priced_here = act in {Act.APPROVE, Act.AMEND} and record is not None
    return AuthorityAsk(
        act=act,
        product=quote.product,
        aggregate_limit=terms.aggregate_limit,
        premium=quote.premium,
        deviation=deviation_of(quote.premium, record.rated_premium) if record and is_priced_here else None,
        is_by_hand=record is not None and is_priced_here and is_set_by_hand(record),
    )


def _withdrawal(quote: Quote) -> AuthorityAsk:
    terms = quote.terms or quote.ask.as_terms()
    return AuthorityAsk(
        act=Act.WITHDRAW,
        product=quote.product,
        aggregate_limit=terms.aggregate_limit,
        premium=quote.premium,
    )


def limits_of(
    user: User,
    rules: BusinessRules,
    at: Reader,
    stored: StoredSubmission,
    authorities: Authorities,
    priced: Sequence[Quote],
    prices: ShownPrices,
    form: DecisionForm,
    *,
    asks_again: bool = False,
) -> ShownLimits:
    picked = {option.quote_id for option in prices.picked}
    applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions)
    return shown_limits(
        [quote for quote in priced if str(quote.quote_id) in picked],
        frozenset(number for number in picked if form.is_typed(number)),
        applicant.risk,
        authorities,
        user=user,
        sure=form.sure,
        asks_again=asks_again,
        send_to=form.send_to,
        today=at.today,
    )


_DOES: Final[Mapping[QuoteStatus, str]] = {
    QuoteStatus.QUOTE_REFERRED: "approve",
    QuoteStatus.PUBLISHED: "amend",
    QuoteStatus.OFFER_EMAIL: "amend",
    QuoteStatus.QUOTE_BIND_REQUESTED: "bind",
    QuoteStatus.POLICY_ACTIVE: "cancel",
    QuoteStatus.POLICY_CANCELED: "reinstate",
}


def does_to(quotes: Sequence[Quote], number: int) -> str:
    """Return what the form's main button does to the option that is looked at; empty for nothing."""
    current = next((quote for quote in quotes if shown_number(quote.option_number) == number), quotes[0])
    return _DOES.get(current.status, "")
