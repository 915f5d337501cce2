"""What a renewal offer says of the policy that expires, and what has changed since."""

from collections.abc import Iterator

from bindery.base.money import in_dollars
from bindery.documents import layout
from bindery.documents.plain_text import Whole
from bindery.documents.wording import typographic
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts, Renewal

NO_ANSWER = "not asked"


def renewal(facts: DocumentFacts, before: Renewal) -> layout.Content:
    """Gather what only the letter of a renewal shows."""
    return {
        "policy_number": Whole(before.policy_number),
        "expiration": long_date(before.expiration),
        "continuity": long_date(before.continuity),
        "rows": list(_rows(facts, before)),
        "answers": [
            [typographic(answer.text), _answer(answer.before), _answer(answer.now)]
            for answer in before.answers
        ],
        "found": list(before.found),
        "settled": list(before.settled),
    }


def _rows(facts: DocumentFacts, before: Renewal) -> Iterator[list[str]]:
    """Compare the terms of both years, line by line."""
    offer = layout.offer_of(facts)
    yield ["Premium", in_dollars(before.premium), in_dollars(offer.premium), _change(before, offer.premium)]
    expired = dict(layout.terms_of(before.terms))
    for label, now in layout.terms_of(facts.terms):
        last = expired.get(label, layout.NOTHING)
        yield [label, last, now, "as before" if last == now else "changed"]
    score = facts.scan.score if facts.scan else None
    if score is not None or before.score is not None:
        yield ["Security score", _score(before.score), _score(score), _moved(before.score, score)]


def _change(before: Renewal, premium: int) -> str:
    if premium == before.premium:
        return "as before"
    percent = round(100 * (premium - before.premium) / before.premium, 1)
    return f"{percent:+.1f}%".replace("-", "\N{MINUS SIGN}")


def _score(score: int | None) -> str:
    return layout.NOTHING if score is None else f"{score} of 100"


def _moved(before: int | None, now: int | None) -> str:
    if before is None or now is None:
        return layout.NOTHING
    return "as before" if before == now else f"{now - before:+d} points".replace("-", "\N{MINUS SIGN}")


def _answer(answer: str | None) -> str:
    return NO_ANSWER if answer is None else answer.replace("\n", ", ")
