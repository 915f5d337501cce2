"""What the options of a case cost on the terms of a form."""

import uuid
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from msgspec import Struct, structs

from bindery.base.errors import BinderyError
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.risk import Term
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.changing import term_premium
from bindery.domain.quote.by_hand import is_set_by_hand
from bindery.domain.quote.guidelines import deviation_in_words, deviation_of
from bindery.domain.quote.lifecycle import BINDABLE
from bindery.domain.quote.quote import Quote, are_decided_together, first_to_look_at
from bindery.domain.quote.repricing import check_covers_a_claim, reprice_today
from bindery.domain.quote.underwriting import AssessmentRecord, BookedChange, total_of
from bindery.domain.rating.worksheet import worksheet_from_plain
from bindery.domain.screening.rules import applicant_of
from bindery.storage.database import Reader
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.case.case_forms import ALL, DecisionForm
from bindery.web.frame.visit import Visit
from bindery.web.shown.option import assessment_of, shown_number
from bindery.web.shown.words import NONE, STATUS_WORDS, StatusWord, cents, counted, day, money
from bindery.web.shown.worksheet import ShownWorksheet, shown_worksheet


def current_number(visit: Visit, quotes: Sequence[Quote], with_papers: Collection[uuid.UUID] = ()) -> int:
    return visit.number("option") or shown_number(first_to_look_at(quotes, with_papers).option_number)


def price_options(
    at: Reader, rules: BusinessRules, stored: StoredSubmission, quotes: Sequence[Quote], form: DecisionForm
) -> tuple[list[Quote], BinderyError | None]:
    """Price the referred options on the terms of the form, and open ones for which terms were typed.

    A missing price is reported only if somebody typed terms: until then it is the reason for the referral.
    """
    applicant = applicant_of(stored.submission, scan=stored.scan, sanctions=rules.sanctions)
    found, flaw = [], None
    for quote in quotes:
        priced = quote
        number = str(quote.quote_id)
        is_typed = form.is_typed(number)
        is_changed = quote.status in BINDABLE and is_typed and is_picked(quote, form.options)
        if (quote.status is QuoteStatus.QUOTE_REFERRED or is_changed) and quote.assessment:
            try:
                changed = form.changed(number)
                priced = reprice_today(quote, applicant, today=at.today, changed=changed)
                check_covers_a_claim(priced.terms or quote.ask.as_terms(), changed)
            except BinderyError as fault:
                flaw = flaw or (fault if is_typed else None)
        found.append(priced)
    return found, flaw


def is_picked(quote: Quote, options: Collection[str]) -> bool:
    """Whether an option is ticked; where none is, the one that is looked at is."""
    return not options or ALL in options or str(quote.quote_id) in options


class ShownCharges(Struct, frozen=True):
    premium: str
    lines: tuple[tuple[str, str], ...]
    total: str


def shown_charges(quote: Quote) -> ShownCharges | None:
    record = assessment_of(quote)
    if quote.premium is None or record is None or record.surcharges_effective_from is None:
        return None
    lines = tuple(
        (
            f"{surcharge.title}, {surcharge.percentage.normalize():f} %"
            if surcharge.percentage
            else surcharge.title,
            cents(surcharge.price),
        )
        for surcharge in record.surcharges
    )
    return ShownCharges(cents(quote.premium), lines, cents(total_of(quote, record)))


@dataclass(frozen=True, slots=True)
class ShownByHand:
    """A premium set by an underwriter; `who` and `why` are empty while it is only in the form."""

    premium: str
    who: str
    why: str


def shown_by_hand(quote: Quote) -> ShownByHand | None:
    record = assessment_of(quote)
    if record is None or record.override is None or not is_set_by_hand(record):
        return None
    return ShownByHand(money(quote.premium), record.override["by"], record.override["reason"])


class PricedOption(Struct, frozen=True, kw_only=True):
    """An option and its price on the terms of the form.

    It may be picked if the decisions that the current option is open to suit it.
    """

    quote_id: str
    number: int
    status: StatusWord
    limit: str
    retention: str
    premium: str
    shown_premium: str
    taxes: str
    total: str
    rate: str
    is_offer: bool
    is_current: bool
    may_be_picked: bool
    is_picked: bool
    rated: str
    deviation: str


class ShownPrices(Struct, frozen=True, kw_only=True):
    number: int
    sentence: str
    total: str
    worksheet: ShownWorksheet | None
    by_hand: ShownByHand | None
    charges: ShownCharges | None
    options: tuple[PricedOption, ...]
    problems: tuple[str, ...]

    @property
    def to_pick(self) -> tuple[PricedOption, ...]:
        return tuple(option for option in self.options if option.may_be_picked)

    @property
    def picked(self) -> tuple[PricedOption, ...]:
        return tuple(option for option in self.to_pick if option.is_picked)

    @property
    def counted(self) -> str:
        return counted(len(self.picked), "option")


def shown_prices(
    priced: Sequence[Quote],
    *,
    term: Term,
    number: int,
    picked: Collection[str],
    problems: Sequence[str],
) -> ShownPrices:
    """Show what options cost; `picked` are the ids of the ticked ones, `ALL`, or none: the current one is."""
    current = _option(priced, number)
    record = assessment_of(current)
    worksheet = worksheet_of(record, current.premium)
    options = tuple(_priced_option(quote, current, picked) for quote in priced)
    charges = shown_charges(current)
    return ShownPrices(
        number=shown_number(current.option_number),
        sentence=_sentence(priced, term),
        # Of a changed policy the bars are the price of a term, and the total is not.
        total=charges.total if charges and not (record and _charged(record, 0)) else "",
        worksheet=worksheet,
        by_hand=shown_by_hand(current) if worksheet is None else None,
        charges=charges,
        options=options,
        problems=tuple(problems),
    )


def _sentence(priced: Sequence[Quote], term: Term) -> str:
    period = f"{day(term.effective)} to {day(term.expiration)}"
    is_new = all(quote.status is QuoteStatus.QUOTE_REFERRED for quote in priced)
    return f"{period} · not quoted to the broker yet" if is_new else period


def _priced_option(quote: Quote, current: Quote, picked: Collection[str]) -> PricedOption:
    record, terms = assessment_of(quote), quote.terms or quote.ask.as_terms()
    premium = quote.premium
    has_total = premium is not None and record is not None and record.surcharges_effective_from is not None
    total = total_of(quote, record) if has_total else None
    ticked = is_picked(quote, picked) if picked else quote is current
    return PricedOption(
        quote_id=str(quote.quote_id),
        number=shown_number(quote.option_number),
        status=STATUS_WORDS[quote.status],
        limit=money(terms.aggregate_limit),
        retention=money(terms.per_claim_retention or terms.aggregate_retention),
        premium=money(premium),
        shown_premium=str(premium or ""),
        taxes=cents(total - premium) if total is not None and premium is not None else NONE,
        total=cents(total),
        rate=money(premium * 1_000_000 // terms.aggregate_limit) if premium is not None else NONE,
        is_offer=record is not None and record.offered is not None,
        is_current=quote is current,
        may_be_picked=are_decided_together(current.status, quote.status)
        or (current.status in BINDABLE and quote.status is current.status),
        is_picked=ticked,
        rated=money(record.rated_premium if record else None),
        deviation=_deviation(term_premium(quote, record) if record and record.changes else premium, record),
    )


def _deviation(premium: int | None, record: AssessmentRecord | None) -> str:
    deviation = deviation_of(premium, record.rated_premium if record else None)
    return deviation_in_words(deviation) if deviation else ""


def worksheet_of(record: AssessmentRecord | None, premium: int | None) -> ShownWorksheet | None:
    if record is None or record.worksheet is None:
        return None
    worksheet = worksheet_from_plain(record.worksheet)
    charged = _charged(record, premium or 0)
    if not charged:
        return shown_worksheet(worksheet, premium=premium or worksheet.premium)
    last = record.changes[-1]
    shown = shown_worksheet(worksheet, premium=last.term_premium)
    told = f"The price of the whole term, as the policy is since {day(last.effective)}. {charged}"
    return structs.replace(
        shown, note=f"{told} {shown.note}".strip(), sentence=f"{told} {shown.sentence}".strip()
    )


def _charged(record: AssessmentRecord, premium: int) -> str:
    """Name the parts of a changed policy's premium; empty where no change moved it."""
    parts = [change for change in record.changes if change.premium]
    if not parts:
        return ""
    original = premium - sum(part.premium for part in parts)
    changes = ", ".join(map(_part, parts))
    return f"Charged is {money(premium)}: {money(original)} when it was issued, {changes}."


def _part(change: BookedChange) -> str:
    sign = "\N{MINUS SIGN}" if change.premium < 0 else "+"
    return f"{sign}{money(abs(change.premium))} for the days from {day(change.effective)}"


Line = tuple[str, str]


def changed_lines(stored: Sequence[Quote], priced: Sequence[Quote], *, number: int) -> frozenset[Line]:
    """Return the lines of an option whose factor differs from the stored one; none if it had no price."""
    before, after = _option(stored, number), _option(priced, number)
    if before.assessment == after.assessment:
        return frozenset()
    factors = dict(_factors(before))
    return frozenset(line for line, factor in _factors(after) if factors and factors.get(line) != factor)


def _option(quotes: Sequence[Quote], number: int) -> Quote:
    return next((quote for quote in quotes if shown_number(quote.option_number) == number), quotes[0])


def _factors(quote: Quote) -> Iterator[tuple[Line, str]]:
    record = assessment_of(quote)
    if record is None or record.worksheet is None:
        return
    for part in record.worksheet["parts"]:
        for step in part["steps"]:
            yield (part["title"], step["label"]), step["factor"]
