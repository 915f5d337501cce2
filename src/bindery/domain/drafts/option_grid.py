"""The options of a draft as a grid: limits by retentions, with what each costs and where it leads."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

import msgspec

from bindery.contract.quotes import QuoteOption
from bindery.contract.vocabulary import DEFAULT_AGGREGATE_LIMIT
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.drafts.draft_applicant import DraftApplicant
from bindery.domain.products import RetentionBasis, record_of
from bindery.domain.rating.indication import Indication
from bindery.domain.rating.option import settle_terms
from bindery.domain.rating.tariff import PartRates
from bindery.domain.screening.case import Reason, SanctionsList
from bindery.domain.submission.parts import or_none

USUAL_LIMITS: Final = (DEFAULT_AGGREGATE_LIMIT, 2_000_000, 3_000_000, 5_000_000)
"""The rows of a grid before all limits are asked for."""
COLUMNS: Final = 5


class Cells(Enum):
    """The cells that a grid has: those of the usual limits, of all limits, or only those that are ticked."""

    USUAL = auto()
    ALL = auto()
    TICKED = auto()


@dataclass(frozen=True, slots=True)
class TickedOption:
    """One option of a draft: the text that is kept, and what it asks for; None if nobody can ask for it."""

    text: str
    ask: OptionAsk | None

    @property
    def amounts(self) -> Mapping[str, int]:
        """Return the amounts that an option names which nobody can ask for."""
        try:
            return msgspec.json.decode(self.text, type=dict[str, int])
        except (msgspec.DecodeError, RecursionError):
            return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class GridOption:
    """One option that can be asked for; `text` is what a form sends, `range` None while a fact is missing."""

    text: str
    ask: OptionAsk
    terms: Terms
    retention: int
    range: Indication | None
    reasons: tuple[Reason, ...]
    corrections: tuple[str, ...]
    is_ticked: bool


@dataclass(frozen=True, slots=True)
class OptionGrid:
    """`unknown` are options that were ticked and are not offered, or not any more."""

    limits: tuple[int, ...]
    retentions: tuple[int, ...]
    lowest: int
    usual: int
    rows: tuple[tuple[int, tuple[GridOption, ...]], ...]
    others: tuple[GridOption, ...]
    unknown: tuple[TickedOption, ...]

    @property
    def ticked(self) -> tuple[GridOption, ...]:
        cells = (cell for _, cells in self.rows for cell in cells)
        return (*(cell for cell in cells if cell.is_ticked), *self.others)

    @property
    def count(self) -> int:
        return len(self.ticked) + len(self.unknown)


def read_options(texts: Iterable[str]) -> tuple[TickedOption, ...]:
    """Read the kept options, each of which is an option of the request as JSON."""
    return tuple(TickedOption(text, _ask(text)) for text in texts)


def _ask(text: str) -> OptionAsk | None:
    try:
        option = msgspec.json.decode(text, type=QuoteOption)
    except (msgspec.DecodeError, RecursionError):
        return None
    return OptionAsk(
        aggregate_limit=option.aggregate_limit,
        aggregate_retention=or_none(option.aggregate_retention),
        per_claim_limit=or_none(option.per_claim_limit),
        per_claim_retention=or_none(option.per_claim_retention),
    )


def written_option(ask: OptionAsk) -> str:
    terms = {name: value for name in OptionAsk.__slots__ if (value := getattr(ask, name)) is not None}
    return msgspec.json.encode(terms).decode()


BEGUN_WITH: Final = (written_option(OptionAsk(DEFAULT_AGGREGATE_LIMIT)),)
"""The options of a new draft: what the API quotes of a request that names none."""


def lay_out_options(
    applicant: DraftApplicant, ticked: Sequence[TickedOption], sanctions: SanctionsList, *, cells: Cells
) -> OptionGrid:
    record = record_of(applicant.questions.product)
    part = record.formulas[0].part_of(applicant.tariff)
    is_per_claim = record.retention is RetentionBasis.PER_CLAIM
    tariff, revenue = applicant.tariff, applicant.circumstances.revenue
    rules = tariff.per_claim_retention if is_per_claim else tariff.aggregate_retention
    lowest, usual = rules.minimum.at(revenue), rules.default.at(revenue)
    offered = [option for option in ticked if option.ask and _is_offered(option.ask, part)]
    plain = {place: option for option in offered if (place := _place(option, applicant)) is not None}

    limits = set(part.limits) if cells is Cells.ALL else {*USUAL_LIMITS, *(limit for limit, _ in plain)}
    columns = _columns(sorted(part.retentions), lowest, usual) | {retention for _, retention in plain}
    field = "per_claim_retention" if is_per_claim else "aggregate_retention"
    places = {
        (limit, retention): plain.get((limit, retention))
        or TickedOption("", OptionAsk(**{"aggregate_limit": limit, field: retention}))
        for limit in sorted(limits & part.limits.keys())
        for retention in sorted(columns)
        if cells is not Cells.TICKED or (limit, retention) in plain
    }
    others = [option for option in offered if option not in plain.values()]
    priced = list(_priced(applicant, [*places.values(), *others], sanctions))
    rows: dict[int, list[GridOption]] = {}
    for (limit, _), option in zip(places, priced, strict=False):
        rows.setdefault(limit, []).append(option)
    return OptionGrid(
        limits=tuple(sorted(part.limits)),
        retentions=tuple(sorted(columns)),
        lowest=lowest,
        usual=usual,
        rows=tuple((limit, tuple(options)) for limit, options in rows.items()),
        others=tuple(priced[len(places) :]),
        unknown=tuple(option for option in ticked if option not in offered),
    )


def _is_offered(ask: OptionAsk, part: PartRates) -> bool:
    per_claim = ask.aggregate_limit if ask.per_claim_limit is None else ask.per_claim_limit
    return {ask.aggregate_limit, per_claim} <= part.limits.keys() and per_claim <= ask.aggregate_limit


def _columns(retentions: Sequence[int], lowest: int, usual: int) -> set[int]:
    """Return the retentions around the usual one, none below the lowest."""
    allowed = [retention for retention in retentions if retention >= lowest]
    place = next((number for number, retention in enumerate(allowed) if retention >= usual), 0)
    first = max(min(place - 1, len(allowed) - COLUMNS), 0)
    return set(allowed[first : first + COLUMNS])


def _place(option: TickedOption, applicant: DraftApplicant) -> tuple[int, int] | None:
    """Return limit and retention of an option that asks for nothing beyond them."""
    ask = option.ask
    assert ask is not None
    settled = settle_terms(
        applicant.tariff, applicant.circumstances.revenue, applicant.questions.product, ask
    )
    terms, is_per_claim = settled.terms, _is_per_claim(applicant)
    has_more = (
        settled.corrections
        or terms.per_claim_limit != terms.aggregate_limit
        or (is_per_claim and terms.aggregate_retention is not None)
    )
    return None if has_more else (terms.aggregate_limit, _retention(terms))


def _is_per_claim(applicant: DraftApplicant) -> bool:
    return record_of(applicant.questions.product).retention is RetentionBasis.PER_CLAIM


def _retention(terms: Terms) -> int:
    retention = terms.per_claim_retention or terms.aggregate_retention
    assert retention is not None, "settled terms have the retention that the product is priced by"
    return retention


def _priced(
    applicant: DraftApplicant, options: Sequence[TickedOption], sanctions: SanctionsList
) -> Iterator[GridOption]:
    asks = [option.ask for option in options if option.ask is not None]
    ranges: Sequence[Indication | None] = applicant.indications(asks) or [None] * len(asks)
    reasons = applicant.option_reasons(asks, sanctions)
    product, revenue = applicant.questions.product, applicant.circumstances.revenue
    for number, (option, ask) in enumerate(zip(options, asks, strict=True)):
        settled = settle_terms(applicant.tariff, revenue, product, ask)
        yield GridOption(
            text=option.text or written_option(ask),
            ask=ask,
            terms=settled.terms,
            retention=_retention(settled.terms),
            range=ranges[number],
            reasons=reasons[number],
            corrections=tuple(correction.text for correction in settled.corrections),
            is_ticked=bool(option.text),
        )
