"""The comparison: all options of a submission with a price, side by side on one sheet."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from bindery.base.numbers import in_dollars
from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyType
from bindery.documents import layout
from bindery.documents.declarations import cuts, marks
from bindery.documents.plain_text import Whole
from bindery.documents.wording import typographic
from bindery.domain.business_rules import long_date
from bindery.domain.coverages.edition import Coverage
from bindery.domain.documents.comparison import ComparedOption, ComparisonFacts
from bindery.domain.documents.facts import DocumentFacts, Offer
from bindery.domain.products import record_of

UPRIGHT: Final = 4
SIDE_BY_SIDE: Final = 8
"""Options that an upright sheet has room for, and one table on a sheet on its side."""
NOT_INSURED: Final = "not insured"
BEFORE_THE_BIND: Final = "before the bind"

Row = tuple[str, list[str], list[str]]
"""A label, the notes for every option, and a cell for each option."""


def comparison_input(facts: DocumentFacts) -> layout.DocumentInput:
    if not isinstance(facts, ComparisonFacts):
        raise layout.MissingFacts(f"Quote {facts.quote_identifier} comes without its siblings")
    options = facts.options
    dated = max(option.facts.issued_on for option in options)
    content = {
        **layout.basics(
            facts,
            DocumentType.COMPARISON,
            title=f"Comparison of options for {record_of(facts.product).title}",
            footnote="A comparison, not a binder. The quote letter of each option holds its full terms.",
            reference=f"Options of {long_date(dated)}",
        ),
        "reference": [
            ["Company", Whole(facts.company_id)],
            ["Options with a price", f"{len(options)} of {facts.asked_for}"],
            ["Dated", long_date(dated)],
        ],
        "date": long_date(dated),
        "count": len(options),
        "unpriced": facts.asked_for - len(options),
        "lowest": layout.cents(min(layout.offer_of(option.facts).total for option in options)),
        "tables": _tables(options, [*_terms(options), *_prices(options), *_dates(options)]),
        "upright": len(options) <= UPRIGHT,
        "columns": _columns(len(options)),
        "coverage_tables": _tables(options, _coverages(options)),
        "cuts": _cuts(options),
        "needs": _needs(options),
        "renewal": _renewal(facts),
        "needs_signature": any(
            contingency.is_signature and contingency.is_open
            for option in options
            for contingency in option.facts.contingencies
        ),
        "quotes": [[f"Option {option.number}", Whole(option.facts.quote_identifier)] for option in options],
        "notice": layout.notice_content(facts),
    }
    return layout.DocumentInput(dated, content)


def _tables(options: Sequence[ComparedOption], rows: Sequence[Row]) -> list[layout.Content]:
    columns = _columns(len(options))
    return [
        {
            "options": [option.number for option in options[start : start + columns]],
            "rows": [
                {
                    "label": label,
                    "notes": notes,
                    "differs": len(set(cells)) > 1,
                    "cells": cells[start : start + columns],
                }
                for label, notes, cells in rows
            ],
        }
        for start in range(0, len(options), columns)
        if rows
    ]


def _columns(options: int) -> int:
    """Return how many options stand next to each other: as many in each table as there is room for."""
    tables = -(-options // SIDE_BY_SIDE)
    return -(-options // tables)


def _row(label: str, cells: Sequence[str | None]) -> list[Row]:
    if all(text is None for text in cells):
        return []
    return [(label, [], [text or layout.NOTHING for text in cells])]


def _terms(options: Sequence[ComparedOption]) -> list[Row]:
    terms = [dict(layout.terms_of(option.facts.terms)) for option in options]
    labels = dict.fromkeys(label for found in terms for label in found)
    return [row for label in labels for row in _row(label, [found.get(label) for found in terms])]


def _prices(options: Sequence[ComparedOption]) -> list[Row]:
    offers = [layout.offer_of(option.facts) for option in options]
    titles = dict.fromkeys(charge.title for offer in offers for charge in offer.surcharges)
    return [
        *_row("Premium", [layout.cents(offer.premium) for offer in offers]),
        *_row(
            "Of it, certified acts of terrorism",
            [layout.cents(offer.terrorism) if offer.terrorism else None for offer in offers],
        ),
        *(row for title in titles for row in _row(title, [_charge(offer, title) for offer in offers])),
        *_row("Total with taxes and fees", [layout.cents(offer.total) for offer in offers]),
    ]


def _charge(offer: Offer, title: str) -> str | None:
    prices = [charge.price for charge in offer.surcharges if charge.title == title]
    return layout.cents(sum(prices, start=Decimal())) if prices else None


def _dates(options: Sequence[ComparedOption]) -> list[Row]:
    last_days = [option.facts.valid_until for option in options]
    return [
        *_row("Retroactive date", [layout.retroactive(option.facts) for option in options]),
        *_row("Valid until", [long_date(day) if day else None for day in last_days]),
    ]


def _coverages(options: Sequence[ComparedOption]) -> list[Row]:
    schedules = [
        {coverage.coverage_name: coverage for coverage in layout.offer_of(option.facts).coverages}
        for option in options
    ]
    names = dict.fromkeys(name for schedule in schedules for name in schedule)
    return [_coverage(name, options, [schedule.get(name) for schedule in schedules]) for name in names]


def _coverage(name: str, options: Sequence[ComparedOption], found: Sequence[Coverage | None]) -> Row:
    """Write once next to the name what every option has alike, and otherwise under each limit."""
    insured = [
        (option, coverage) for option, coverage in zip(options, found, strict=True) if coverage is not None
    ]
    retention = _retention(insured)
    terms = {layout.further_term(coverage) for _, coverage in insured}
    subject_to = {_subject_to(option, coverage) for option, coverage in insured}
    alike = (*(terms if len(terms) == 1 else ()), *(subject_to if len(subject_to) == 1 else ()))
    notes = [text for text in (retention, *alike) if text]
    cells = []
    for option, coverage in zip(options, found, strict=True):
        lines = [in_dollars(coverage.limit) if coverage else NOT_INSURED]
        if coverage and retention is None:
            lines.append(f"{in_dollars(coverage.retention)} retention")
        if coverage and len(terms) > 1:
            lines.append(layout.further_term(coverage))
        if coverage and len(subject_to) > 1:
            lines.append(_subject_to(option, coverage))
        cells.append("\n".join(filter(None, lines)))
    return typographic(name), notes, cells


def _retention(insured: Sequence[tuple[ComparedOption, Coverage]]) -> str | None:
    """Return in words how a coverage's retentions stand to those of the options; None where no rule shows."""
    terms = [option.facts.terms for option, _ in insured]
    own = [of_option.per_claim_retention or of_option.aggregate_retention or 0 for of_option in terms]
    given = [coverage.retention for _, coverage in insured]
    least = min(given)
    if given == own:
        return ""
    if len(set(given)) == 1:
        return f"{in_dollars(least)} retention" if least else "no retention"
    if given == [max(amount, least) for amount in own]:
        return f"retention of {in_dollars(least)} at least"
    return None


def _subject_to(option: ComparedOption, coverage: Coverage) -> str:
    named = marks(option.facts).get(coverage.code)
    return f"subject to {', '.join(named)}" if named else ""


def _needs(options: Sequence[ComparedOption]) -> list[layout.Content]:
    wanted: dict[tuple[str, str | None], list[int]] = {}
    for option in options:
        for need in layout.still_owed(option.facts, ContingencyType.PRE_BIND):
            due = None if BEFORE_THE_BIND in need["text"] else BEFORE_THE_BIND
            wanted.setdefault((need["text"], due), []).append(option.number)
        for need in layout.still_owed(option.facts, ContingencyType.POST_BIND):
            wanted.setdefault((need["text"], need["note"]), []).append(option.number)
    return [
        {"text": text, "note": ", ".join(filter(None, (due, _for_options(numbers, len(options)))))}
        for (text, due), numbers in wanted.items()
    ]


def _cuts(options: Sequence[ComparedOption]) -> list[layout.Content]:
    named: dict[tuple[str, str], list[int]] = {}
    for option in options:
        for cut in cuts(option.facts):
            named.setdefault((cut["title"], cut["number"]), []).append(option.number)
    return [
        {"title": title, "number": Whole(number), "of": _for_options(numbers, len(options))}
        for (title, number), numbers in named.items()
    ]


def _renewal(facts: DocumentFacts) -> layout.Content | None:
    if facts.renewal is None:
        return None
    return {
        "policy_number": Whole(facts.renewal.policy_number),
        "expiration": long_date(facts.renewal.expiration),
        "is_automatic": not any(contingency.is_open for contingency in facts.contingencies),
    }


def _for_options(numbers: Sequence[int], count: int) -> str:
    if len(numbers) == count:
        return "every option" if count > 1 else "this option"
    named = ", ".join(map(str, numbers))
    return f"option {named} only" if len(numbers) == 1 else f"options {named} only"
