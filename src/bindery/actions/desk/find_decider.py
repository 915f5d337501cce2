from collections.abc import Collection
from dataclasses import dataclass, field

from bindery.domain.business_rules import BusinessRules
from bindery.domain.quote.authority import (
    Act,
    Authorities,
    AuthorityAsk,
    BeyondAuthority,
    Colleague,
)
from bindery.domain.quote.guidelines import deviation_of
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.desk.authority import read_authorities


@dataclass(frozen=True, slots=True)
class Decider:
    """Who decides, and how far the letter of authority reaches.

    What a decision takes is noted on the way, so that all that is beyond it is said at once. `who` is None
    for the demo and the timetable, which no letter bounds.
    """

    actor: str
    authorities: Authorities
    who: Colleague | None
    asks: list[AuthorityAsk] = field(default_factory=list)

    def note(self, act: Act, quote: Quote, *, rated: int | None = None, is_by_hand: bool = False) -> None:
        terms = quote.terms or quote.ask.as_terms()
        self.asks.append(
            AuthorityAsk(
                act=act,
                product=quote.product,
                aggregate_limit=terms.aggregate_limit,
                premium=quote.premium,
                deviation=deviation_of(quote.premium, rated),
                is_by_hand=is_by_hand,
            )
        )

    @property
    def exceeded(self) -> tuple[str, ...]:
        return () if self.who is None else self.authorities.exceeded(self.who, self.asks)

    def to_ask(self, *, but: Collection[int] = ()) -> tuple[Colleague, ...]:
        mine = () if self.who is None else (self.who.user_id,)
        return self.authorities.who_may(self.asks, but=(*mine, *but))

    def check(self, *, but: Collection[int] = ()) -> None:
        """Refuse what is beyond the letter; `but` are users who could not be asked either."""
        if exceeded := self.exceeded:
            raise BeyondAuthority(exceeded, self.to_ask(but=but))


async def find_decider(tx: Tx, rules: BusinessRules, actor: str) -> Decider:
    authorities = await read_authorities(tx, is_required=rules.authority_required)
    return Decider(actor, authorities, authorities.of(actor))
