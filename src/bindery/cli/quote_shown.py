"""How `bindery quote` shows receipts, options and refusals."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final

from rich.console import Console
from rich.text import Text

from bindery.base.numbers import in_dollars
from bindery.cli import common
from bindery.contract.errors import NotReadyBody
from bindery.contract.quote import QuoteBody
from bindery.contract.quotes import CreateQuotesResponse, QuoteReceipt
from bindery.contract.vocabulary import ContingencyType, QuoteStatus

STYLES: Final = {
    QuoteStatus.PUBLISHED: "green",
    QuoteStatus.OFFER_EMAIL: "green",
    QuoteStatus.POLICY_ACTIVE: "bold green",
    QuoteStatus.QUOTE_REFERRED: "yellow",
    QuoteStatus.QUOTE_BIND_REQUESTED: "yellow",
    QuoteStatus.QUOTE_DECLINED: "red",
    QuoteStatus.QUOTE_REVOKED: "red",
    QuoteStatus.POLICY_CANCELED: "red",
}
WHEN: Final = {ContingencyType.PRE_BIND: "before the bind", ContingencyType.POST_BIND: "after the bind"}
NONE: Final = "-"
COLUMNS: Final = (
    "", "LIMIT", "RETENTION", "PREMIUM", "TAXES, FEES", "TOTAL", "STATUS", "VALID UNTIL",
)  # fmt: skip
NARROW: Final = {"TAXES, FEES": 100, "VALID UNTIL": 100}
"""Below this width taxes and the last day go under the table, so that a status is never cut."""


def status_text(status: QuoteStatus) -> Text:
    return Text(status, STYLES.get(status, ""))


def retention_text(aggregate: int | None, per_claim: int | None) -> str:
    if aggregate is None and per_claim is not None:
        return f"{in_dollars(per_claim)} a claim"
    return in_dollars(aggregate) if aggregate is not None else NONE


def limit_text(aggregate: int, per_claim: int) -> str:
    if per_claim == aggregate:
        return in_dollars(aggregate)
    return f"{in_dollars(per_claim)} a claim, {in_dollars(aggregate)}"


def options_text(receipt: QuoteReceipt) -> str:
    retention = receipt.requested_aggregate_retention or receipt.requested_per_claim_retention
    asked = f" over {in_dollars(retention)}" if retention else ""
    return f"{in_dollars(receipt.requested_aggregate_limit)}{asked}"


def folder_name(quote: QuoteBody) -> str:
    retention = quote.aggregate_retention or quote.per_claim_retention or 0
    return f"{quote.insurance_product}-{quote.aggregate_limit}-over-{retention}-{quote.quote_identifier}"


def show_taken_in(receipt: CreateQuotesResponse, out: Console = common.complaints) -> None:
    out.print(f"Received for company {receipt.company_id}.", highlight=False)
    rows = [
        (str(number), options_text(option), option.quote_identifier)
        for number, option in enumerate(receipt.quotes, start=1)
    ]
    out.print(common.indented(common.filled(common.plain_table("", "ASKED FOR", "IDENTIFIER"), rows)))


def show_interruption(receipt: CreateQuotesResponse, address: str) -> None:
    common.complaints.print(
        "No longer waiting. The service keeps working on the quotes; get them with", highlight=False
    )
    common.show_line(f"GET {address}/quotes/{receipt.quotes[0].quote_identifier}", common.complaints)


def show_receipts(receipt: CreateQuotesResponse, address: str) -> None:
    show_taken_in(receipt, common.console)
    common.show_line(f"The terms come from GET {address}/quotes/IDENTIFIER")


def show_options(receipt: CreateQuotesResponse, seen: Sequence[QuoteBody | NotReadyBody]) -> None:
    rows = [
        [str(number), *_row(quote, receipt.quotes[number - 1])] for number, quote in enumerate(seen, start=1)
    ]
    table = common.fitting_table(COLUMNS, rows, width=common.console.width, narrow=NARROW, right=COLUMNS[1:6])
    for column in table.columns:
        # The other columns give way before a status does.
        column.no_wrap = column.header == "STATUS"
    common.console.print(table)
    ready = {number: quote for number, quote in enumerate(seen, start=1) if isinstance(quote, QuoteBody)}
    if len(table.columns) < len(COLUMNS):
        _show_last_days(ready)
    _show_reasons(ready)
    _show_terms(ready)
    # On a terminal they are already above the table.
    if not common.complaints.is_terminal:
        common.console.print()
        common.console.print(f"Company {receipt.company_id}", highlight=False)
        for number, option in enumerate(receipt.quotes, start=1):
            common.console.print(f"  {number}  {option.quote_identifier}", highlight=False, style="dim")


def _show_last_days(ready: Mapping[int, QuoteBody]) -> None:
    days: dict[date, list[int]] = {}
    for number, quote in ready.items():
        if quote.quote_expiration_date is not None:
            days.setdefault(quote.quote_expiration_date, []).append(number)
    for day, numbers in days.items():
        common.console.print(
            f"Valid until {day} ({_numbers(numbers, len(ready))}); totals include taxes and fees."
        )


def _row(quote: QuoteBody | NotReadyBody, receipt: QuoteReceipt) -> list[str | Text]:
    if isinstance(quote, NotReadyBody):
        return [in_dollars(receipt.requested_aggregate_limit), *[NONE] * 4, quote.quote_status, NONE]
    money = [NONE] * 3
    if quote.premium is not None:
        # The JSON edge gave doubles; their shortest text is the amount that the service wrote.
        charges = sum((Decimal(str(charge.price)) for charge in quote.surcharges), start=Decimal(0))
        money = [in_dollars(quote.premium), in_dollars(charges), in_dollars(quote.premium + charges)]
    return [
        limit_text(quote.aggregate_limit, quote.per_claim_limit),
        retention_text(quote.aggregate_retention, quote.per_claim_retention),
        *money,
        status_text(quote.quote_status),
        str(quote.quote_expiration_date or NONE),
    ]


def _show_reasons(ready: Mapping[int, QuoteBody]) -> None:
    about: dict[tuple[str, str, str], list[int]] = {}
    for number, quote in ready.items():
        for reason in quote.referral_reasons:
            about.setdefault((reason.recommendation, reason.code, reason.text), []).append(number)
    rows = [
        (Text(advice, "red" if advice == "decline" else "yellow"), code, text, _numbers(numbers, len(ready)))
        for (advice, code, text), numbers in about.items()
    ]
    common.show_list("Why it was referred to an underwriter", ["ADVICE", "CODE", "REASON", "OPTIONS"], rows)


def _show_terms(ready: Mapping[int, QuoteBody]) -> None:
    lines: dict[tuple[str, str], list[int]] = {}
    for number, quote in ready.items():
        for correction in quote.corrections:
            lines.setdefault(("now", correction.text), []).append(number)
        for contingency in quote.contingencies:
            lines.setdefault((WHEN[contingency.type], contingency.text), []).append(number)
    rows = [(*line, _numbers(numbers, len(ready))) for line, numbers in lines.items()]
    common.show_list("Good to know", ["WHEN", "WHAT", "OPTIONS"], rows)


def _numbers(numbers: list[int], count: int) -> str:
    return "all" if len(numbers) == count else ", ".join(map(str, numbers))
