"""`bindery get`: one quote with its terms, price and status."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated

import typer
from rich.text import Text

from bindery.base.numbers import in_dollars
from bindery.cli.common import console, say, show_fields, show_list
from bindery.cli.connection import NOT_READY, QuoteArgument, Service, service_command
from bindery.cli.quote_shown import WHEN, limit_text, retention_text, status_text
from bindery.contract.errors import NotReadyBody
from bindery.contract.quote import ContingencyBody, QuoteBody
from bindery.contract.vocabulary import ContingencyStatus


def show_quote(quote: QuoteBody) -> None:
    console.print(
        Text(str(quote.client.get("name", "")), style="bold"),
        Text(f"  {quote.insurance_product}  "),
        status_text(quote.quote_status),
        sep="",
    )
    show_fields(_fields(quote))
    reasons = [(reason.recommendation, reason.code, reason.text) for reason in quote.referral_reasons]
    show_list("Why it was referred to an underwriter", ["ADVICE", "CODE", "REASON"], reasons)
    show_list("What is owed", ["ID", "WHEN", "STATUS", "WHAT"], map(_owed, quote.contingencies))
    corrections = [(correction.field, correction.text) for correction in quote.corrections]
    show_list("Not used as sent", ["FIELD", "WHY"], corrections)
    uploads = [(upload.name, upload.finding, upload.contingency or "-") for upload in quote.uploads]
    show_list("Uploads", ["NAME", "FINDING", "CONTINGENCY"], uploads)
    if quote.available_documents:
        console.print()
        say(f"Documents: {', '.join(quote.available_documents)}")
    if quote.available_actions:
        say(f"You can:   {', '.join(quote.available_actions)}")


def _fields(quote: QuoteBody) -> Iterator[tuple[str, str | Text]]:
    yield "Quote", quote.quote_identifier
    yield "Company", quote.company_id
    yield "Policy", quote.policy_number or ""
    yield "Limit", limit_text(quote.aggregate_limit, quote.per_claim_limit)
    yield "Retention", retention_text(quote.aggregate_retention, quote.per_claim_retention)
    yield "Price", _price(quote)
    yield "Term", f"{quote.dates.effective} to {quote.dates.expiration}"
    if quote.binder is not None and quote.binder.conditional:
        yield "Binder", f"due {quote.binder.fulfil_by}"
    elif quote.quote_expiration_date is not None and quote.policy_number is None:
        yield "Open until", str(quote.quote_expiration_date)
    if quote.renewal is not None:
        yield "Renewal", quote.renewal.type
        yield "Renews", quote.renewal.renews or ""
        yield "Renewed by", quote.renewal.renewed_by or ""
    if quote.decision is not None:
        reason = f": {quote.decision.reason}" if quote.decision.reason else ""
        yield "Decision", f"{quote.decision.kind} on {quote.decision.at.date()}{reason}"
    if quote.cancellation_request is not None:
        asked = quote.cancellation_request
        said = f", {asked.text}" if asked.text else ""
        yield "Asked to cancel", f"from {asked.effective}, {asked.status}: {asked.reason}{said}"


def _price(quote: QuoteBody) -> str:
    if quote.premium is None or quote.total is None:
        return "none yet: an underwriter decides" if not quote.decision else ""
    # The JSON edge gave a double; its shortest text is the amount that the service wrote.
    total = Decimal(str(quote.total))
    charges = in_dollars(total - quote.premium)
    return f"{in_dollars(total)}, including {charges} of taxes and fees"


def _owed(contingency: ContingencyBody) -> tuple[str | Text, ...]:
    style = "yellow" if contingency.status is ContingencyStatus.OPEN else "green"
    status = Text(contingency.status, style)
    return contingency.contingency_id, WHEN[contingency.type], status, contingency.text


@service_command
async def get(
    service: Service,
    quote: QuoteArgument,
    *,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it is ready.")] = False,
    timeout_s: Annotated[
        int, typer.Option("--timeout", min=1, max=86_400, metavar="SECONDS", help="How long to wait.")
    ] = 120,
) -> int:
    """Show a quote.

    Example: bindery get 0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55 --wait

    Exit codes:
    0  it is ready, whatever its status is
    1  refused by the service: there is no such quote
    2  wrong use, or nobody answers
    4  it is still being worked on
    """
    async with service.client() as bindery:
        seen: QuoteBody | NotReadyBody
        if wait:
            seen = await bindery.wait_for_quote(quote, timeout_s=timeout_s)
        else:
            seen = await bindery.get_quote(quote)
    if isinstance(seen, QuoteBody):
        service.show(seen, show_quote)
        return 0
    service.show(seen, _show_not_ready)
    return NOT_READY


def _show_not_ready(seen: NotReadyBody) -> None:
    say(f"Quote {seen.quote_identifier} is still {seen.quote_status}; use --wait to wait for it.")
