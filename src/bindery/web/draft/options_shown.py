"""The options of a draft as its page shows them: a grid to tick, and what was ticked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, get_args

from bindery.contract.quotes import MAX_OPTIONS
from bindery.contract.vocabulary import DEFAULT_AGGREGATE_LIMIT, AggregateRetention
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.drafts.draft_applicant import DraftApplicant
from bindery.domain.drafts.fields import OPTIONS, Fields
from bindery.domain.drafts.option_grid import GridOption, OptionGrid, TickedOption, read_options
from bindery.domain.products import RetentionBasis, record_of
from bindery.domain.screening.case import Reason, SanctionsList
from bindery.domain.submission.checks import PER_CLAIM_LIMITS
from bindery.web.draft.price_shown import range_in_words
from bindery.web.shown.words import StatusDot, listed, money

UNDERWRITER: Final = "underwriter decides"
ADDED: Final = ("add.aggregate_limit", "add.retention", "add.per_claim_limit", "add.cap")
"""The fields of an option that the grid has no place for."""


@dataclass(frozen=True, slots=True)
class ShownCell:
    value: str
    is_ticked: bool
    low: str
    high: str
    is_referred: bool


@dataclass(frozen=True, slots=True)
class ShownRow:
    limit: str
    is_referred: bool
    cells: tuple[ShownCell, ...]


@dataclass(frozen=True, slots=True)
class ShownOther:
    """A ticked option that stands outside the grid, in words; `wrong` says why it cannot be asked for."""

    value: str
    text: str
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class ShownTicked:
    limit: str
    per_claim: str
    retention: str
    price: str
    is_referred: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DraftOutcome:
    dot: StatusDot
    word: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOptions:
    count: int
    too_many: str
    columns: tuple[str, ...]
    rows: tuple[ShownRow, ...]
    all_limits: int
    shows_all: bool
    retention_name: str
    facts: tuple[tuple[str, str], ...]
    others: tuple[ShownOther, ...]
    ticked: tuple[ShownTicked, ...]
    referred: str
    limits: tuple[tuple[str, str], ...]
    retentions: tuple[tuple[str, str], ...]
    per_claim_limits: tuple[tuple[str, str], ...]
    caps: tuple[tuple[str, str], ...]

    @property
    def says_why(self) -> bool:
        """Whether the page says itself what is wrong with the options."""
        return bool(self.too_many) or any(option.wrong for option in self.others)


def shown_options(applicant: DraftApplicant, grid: OptionGrid, of_all: tuple[Reason, ...]) -> ShownOptions:
    record = record_of(applicant.questions.product)
    part = record.formulas[0].part_of(applicant.tariff)
    is_per_claim = record.retention is RetentionBasis.PER_CLAIM
    ticked = grid.ticked
    return ShownOptions(
        count=grid.count,
        too_many=_too_many(grid.count),
        columns=tuple(f"{money(each)}{' · usual' if each == grid.usual else ''}" for each in grid.retentions),
        rows=tuple(_row(limit, cells) for limit, cells in grid.rows),
        all_limits=len(grid.limits),
        shows_all=len(grid.rows) == len(grid.limits),
        retention_name="retentions per claim" if is_per_claim else "retentions",
        facts=_facts(applicant, grid, record.authority.limit),
        others=(
            *(ShownOther(option.text, _in_words(option)) for option in grid.others),
            *map(_unknown, grid.unknown),
        ),
        ticked=tuple(_ticked(option, of_all) for option in ticked),
        referred=referred_in_words([option.reasons for option in ticked], of_all),
        limits=_amounts(grid.limits),
        retentions=_amounts(sorted(part.retentions)),
        per_claim_limits=_amounts(PER_CLAIM_LIMITS),
        caps=_amounts(get_args(AggregateRetention)) if is_per_claim else (),
    )


def added_option(applicant: DraftApplicant, limit: int, retention: int, more: OptionAsk) -> OptionAsk:
    """Return the option of a limit and a retention, with the per-claim limit and cap of `more`."""
    is_per_claim = record_of(applicant.questions.product).retention is RetentionBasis.PER_CLAIM
    return OptionAsk(
        aggregate_limit=limit,
        aggregate_retention=more.aggregate_retention if is_per_claim else retention,
        per_claim_limit=more.per_claim_limit,
        per_claim_retention=retention if is_per_claim else None,
    )


def _row(limit: int, cells: tuple[GridOption, ...]) -> ShownRow:
    is_referred = all(cell.reasons for cell in cells)
    return ShownRow(money(limit), is_referred, tuple(_cell(cell, is_row=is_referred) for cell in cells))


def _cell(cell: GridOption, *, is_row: bool) -> ShownCell:
    found = cell.range if cell.range is not None and cell.range.is_telling else None
    return ShownCell(
        value=cell.text,
        is_ticked=cell.is_ticked,
        low="" if found is None else money(found.low),
        high="" if found is None or found.low == found.high else money(found.high),
        is_referred=bool(cell.reasons) and not is_row,
    )


def _ticked(option: GridOption, of_all: tuple[Reason, ...]) -> ShownTicked:
    found = option.range
    return ShownTicked(
        limit=money(option.terms.aggregate_limit),
        per_claim=money(option.terms.per_claim_limit),
        retention=money(option.retention),
        price=range_in_words(found.low, found.high) if found is not None and found.is_telling else "",
        is_referred=bool(option.reasons or of_all),
        notes=option.corrections,
    )


def _in_words(option: GridOption) -> str:
    ask, words = option.ask, [f"{money(option.ask.aggregate_limit)} aggregate"]
    if ask.per_claim_limit is not None:
        words.append(f"{money(ask.per_claim_limit)} per claim")
    retention = ask.per_claim_retention or ask.aggregate_retention
    words.append("the usual retention" if retention is None else f"{money(retention)} retention")
    if ask.per_claim_retention is not None and ask.aggregate_retention is not None:
        words.append(f"at most {money(ask.aggregate_retention)} a year")
    return ", ".join(words)


def _unknown(option: TickedOption) -> ShownOther:
    ask = option.ask
    if ask is not None and ask.per_claim_limit is not None and ask.per_claim_limit > ask.aggregate_limit:
        text = f"{money(ask.aggregate_limit)} aggregate, {money(ask.per_claim_limit)} per claim"
        return ShownOther(option.text, text, "The per-claim limit is above the aggregate limit: untick it.")
    limit = option.amounts.get("aggregate_limit")
    text = option.text if limit is None else f"{money(limit)} aggregate"
    return ShownOther(option.text, text, "It is not offered, or not any more: untick it.")


def _too_many(count: int) -> str:
    if count <= MAX_OPTIONS:
        return ""
    return (
        f"{count} options are ticked, and one request takes at most {MAX_OPTIONS}. "
        f"Untick {count - MAX_OPTIONS}; all of them are kept until then."
    )


def _facts(applicant: DraftApplicant, grid: OptionGrid, authority: int) -> tuple[tuple[str, str], ...]:
    lowest = (
        (("Lowest retention", f"for a revenue of {money(applicant.revenue)}: {money(grid.lowest)}"),)
        if applicant.revenue is not None
        else ()
    )
    return (
        *lowest,
        (f"Up to {money(authority)}", "is quoted automatically"),
        ("Per-claim limit", "equals the aggregate, unless you choose another below"),
    )


def referred_in_words(of_each: Sequence[tuple[Reason, ...]], of_all: tuple[Reason, ...]) -> str:
    """Return what goes to an underwriter, and why, from the reasons of each option and those of all."""
    if of_all:
        return f"An underwriter decides every option. {_sentences(of_all)}"
    numbers = [str(number) for number, reasons in enumerate(of_each, start=1) if reasons]
    if not numbers:
        return ""
    found = _sentences(dict.fromkeys(reason for reasons in of_each for reason in reasons))
    which = f"Option {numbers[0]} goes" if len(numbers) == 1 else f"Options {listed(numbers)} go"
    others = "; the others do not wait" if len(numbers) < len(of_each) else ""
    return f"{which} to an underwriter{others}. {found}"


def shown_outcome(applicant: DraftApplicant, fields: Fields, sanctions: SanctionsList) -> DraftOutcome | None:
    """Return what sending the draft would lead to, from what is known; None while a fact is missing."""
    if applicant.missing_facts:
        return None
    ticked = [option.ask for option in read_options(fields.get(OPTIONS, ())) if option.ask is not None]
    of_each = applicant.option_reasons(ticked or [OptionAsk(DEFAULT_AGGREGATE_LIMIT)], sanctions)
    of_all = applicant.reasons(sanctions)
    referred = referred_in_words(of_each, of_all)
    if of_all or all(of_each):
        return DraftOutcome(StatusDot.WAIT, "Underwriter decides", referred)
    is_done = applicant.required <= applicant.answers.values.keys()
    by = "By your answers." if is_done else "By the answers so far."
    scan = " The scan may find a reason." if record_of(applicant.questions.product).is_scanned else ""
    return DraftOutcome(StatusDot.OPEN, "Quoted at once", referred or f"{by}{scan}")


def _sentences(reasons: Iterable[Reason]) -> str:
    return " ".join(f"{reason.text}." for reason in reasons)


def _amounts(values: Iterable[int]) -> tuple[tuple[str, str], ...]:
    return tuple((str(value), money(value)) for value in values)
