"""What would change the price of a case: what the insured can mend, other retentions, the nearest case."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Final

from msgspec import Struct

from bindery.domain.applicant.risk import Terms
from bindery.domain.quote.price_levers import ClosedFindings, PriceLevers, price_levers
from bindery.domain.quote.quote import Quote
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.screening.rules import applicant_of
from bindery.storage.submission.earlier import SimilarCase
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.shown.words import STATUS_WORDS, money

MINUS: Final = "\N{MINUS SIGN}"


class ShownLever(Struct, frozen=True):
    what: str
    by: str
    is_less: bool
    premium: str
    address: str = ""


class LeverGroup(Struct, frozen=True):
    title: str
    levers: tuple[ShownLever, ...]


def shown_levers(
    stored: StoredSubmission, option: Quote, rated: int | None, similar: Sequence[SimilarCase], *, today: date
) -> tuple[LeverGroup, ...]:
    """Compare a referred option with its price under other circumstances; `rated` is what the tariff says."""
    if rated is None or option.terms is None:
        return ()
    applicant = applicant_of(stored.submission, scan=stored.scan)
    found = price_levers(applicant, option.terms, tariff_in_force(today), stored.scan)
    return tuple(_groups(found, option.terms, rated, similar)) if found is not None else ()


def _groups(
    found: PriceLevers, terms: Terms, rated: int, similar: Sequence[SimilarCase]
) -> Iterator[LeverGroup]:
    if found.closed:
        yield LeverGroup(
            "If the insured fixes it",
            tuple(_lever(_closed(closed), closed.premium, rated) for closed in found.closed),
        )
    if found.retentions:
        yield LeverGroup(
            "If you change the retention",
            tuple(_lever(money(other.retention), other.premium, rated) for other in found.retentions),
        )
    nearest = next((case for case in similar if _is_on_same_terms(case, terms)), None)
    if nearest is not None and nearest.premium is not None:
        what = f"{nearest.name}, {STATUS_WORDS[nearest.status].text.lower()}"
        lever = _lever(what, nearest.premium, rated, f"/desk/case/{nearest.submission_id}")
        yield LeverGroup("Against the nearest case on the same terms", (lever,))


def _closed(closed: ClosedFindings) -> str:
    if len(closed.titles) > 1:
        return f"Both closed, score {closed.score}"
    return f"{closed.titles[0]}: closed, score {closed.score}"


def _is_on_same_terms(case: SimilarCase, terms: Terms) -> bool:
    retention = terms.per_claim_retention or terms.aggregate_retention
    return (case.aggregate_limit, case.retention) == (terms.aggregate_limit, retention)


def _lever(what: str, premium: int, rated: int, address: str = "") -> ShownLever:
    by = premium - rated
    sign = "+" if by > 0 else MINUS
    return ShownLever(what, f"{sign}{money(abs(by))}" if by else "the same", by < 0, money(premium), address)
