"""Letters of authority: how far an underwriter may decide alone, and who may beyond it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

from bindery.base.errors import BinderyError, Problem
from bindery.base.numbers import in_dollars
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.quote.guidelines import in_percent

HIGHEST: Final = 1_000_000_000
"""No limit and no premium is larger."""
MOST_PERCENT: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorityLetter:
    """What an underwriter may decide alone for one product; `deviation` is in percent of the tariff."""

    product: InsuranceProduct
    aggregate_limit: int
    premium: int
    deviation: int
    may_cancel: bool = False
    may_set_by_hand: bool = False


def letter_in_words(letter: AuthorityLetter) -> str:
    more = [
        text
        for text, may in (("cancel", letter.may_cancel), ("set premiums by hand", letter.may_set_by_hand))
        if may
    ]
    also = f", and {' and '.join(more)}" if more else ""
    return (
        f"{letter.product} up to a limit of {in_dollars(letter.aggregate_limit)} and a premium of "
        f"{in_dollars(letter.premium)}, {letter.deviation} % off the tariff{also}"
    )


class Act(StrEnum):
    """What is done to an option, as far as authority tells it apart."""

    APPROVE = "approve"
    AMEND = "amend"
    OFFER = "offer"
    BIND = "bind"
    WITHDRAW = "withdraw"
    CANCEL = "cancel"
    REINSTATE = "reinstate"
    REFUSE = "refuse"
    SETTLE = "settle"


NOT_MEASURED: Final = frozenset({Act.REFUSE, Act.SETTLE})
"""Refusing commits the insurer to nothing, and papers are what somebody with authority asked for."""
ENDS_OR_REVIVES: Final = frozenset({Act.CANCEL, Act.REINSTATE})


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorityAsk:
    """What a decision takes; `deviation` is None where nothing is compared with the tariff."""

    act: Act
    product: InsuranceProduct
    aggregate_limit: int
    premium: int | None = None
    deviation: Decimal | None = None
    is_by_hand: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Colleague:
    """An underwriter who is not disabled, with the letters of authority, one for each product."""

    user_id: int
    email: str
    name: str
    letters: tuple[AuthorityLetter, ...] = ()


def shortfalls(
    letters: Sequence[AuthorityLetter], ask: AuthorityAsk, *, is_required: bool
) -> tuple[str, ...]:
    """Return in what a decision exceeds somebody's letters, in words; nothing where it does not.

    Without any letter nobody is bounded, unless letters are required. Who has one for some products may not
    decide about others.
    """
    return tuple(_shortfalls(letters, ask, is_required))


def _shortfalls(letters: Sequence[AuthorityLetter], ask: AuthorityAsk, is_required: bool) -> Iterator[str]:
    if not letters:
        if is_required:
            yield "there is no letter of authority"
        return
    letter = next((letter for letter in letters if letter.product is ask.product), None)
    if letter is None:
        yield f"the letter of authority does not cover {ask.product}"
        return
    if ask.act in NOT_MEASURED:
        return
    if ask.act in ENDS_OR_REVIVES and not letter.may_cancel:
        yield "the letter of authority does not cover canceling and reinstating"
    if ask.aggregate_limit > letter.aggregate_limit:
        yield f"a limit of {in_dollars(ask.aggregate_limit)} is above {in_dollars(letter.aggregate_limit)}"
    if ask.premium is not None and ask.premium > letter.premium:
        yield f"a premium of {in_dollars(ask.premium)} is above {in_dollars(letter.premium)}"
    if ask.is_by_hand and not letter.may_set_by_hand:
        yield "the letter of authority does not cover a premium set by hand"
    if ask.deviation is not None and abs(ask.deviation) > letter.deviation:
        yield f"a deviation of {in_percent(abs(ask.deviation))} is above {letter.deviation} %"


@dataclass(frozen=True, slots=True)
class Authorities:
    """All underwriters with their letters, and whether one without any may decide."""

    underwriters: tuple[Colleague, ...] = ()
    is_required: bool = False

    def of(self, email: str) -> Colleague | None:
        return next((who for who in self.underwriters if who.email == email.lower()), None)

    def exceeded(self, who: Colleague, asks: Sequence[AuthorityAsk]) -> tuple[str, ...]:
        """Return in what decisions exceed somebody's authority, each thing once."""
        found = (said for ask in asks for said in shortfalls(who.letters, ask, is_required=self.is_required))
        return tuple(dict.fromkeys(found))

    def who_may(self, asks: Sequence[AuthorityAsk], *, but: Collection[int]) -> tuple[Colleague, ...]:
        """Return who may decide all of it alone, apart from these users."""
        return tuple(
            who for who in self.underwriters if who.user_id not in but and not self.exceeded(who, asks)
        )


class BeyondAuthority(BinderyError):
    """Nothing was done: it is beyond the letter of authority of who decided; `to_ask` may decide it."""

    code = "beyond_authority"

    def __init__(self, exceeded: Sequence[str], to_ask: Sequence[Colleague]) -> None:
        super().__init__(f"Nothing was done. {beyond_in_words(exceeded, to_ask)}")
        self.exceeded = tuple(exceeded)
        self.to_ask = tuple(to_ask)


MOST_NAMED: Final = 3


def beyond_in_words(exceeded: Sequence[str], to_ask: Sequence[Colleague]) -> str:
    """Return why a decision is beyond somebody's authority, and whom to ask."""
    names = [f"{who.name} ({who.email})" for who in to_ask[:MOST_NAMED]]
    others = len(to_ask) - len(names)
    if others:
        names.append("one other" if others == 1 else f"{others} others")
    ask = f"Ask {' or '.join(names)}." if names else "Nobody else's reaches that far: ask an operator."
    return f"This is beyond your authority: {'; '.join(exceeded)}. {ask}"


def problems_of_letter(aggregate_limit: int, premium: int, deviation: int) -> Iterator[Problem]:
    for path, amount in (("limit", aggregate_limit), ("premium", premium)):
        if not 0 <= amount <= HIGHEST:
            yield Problem(path, "out_of_range", f"must be from $0 to {in_dollars(HIGHEST)}")
    if not 0 <= deviation <= MOST_PERCENT:
        yield Problem("deviation", "out_of_range", f"must be from 0 to {MOST_PERCENT:,} percent")
