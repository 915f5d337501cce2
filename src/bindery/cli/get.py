"""`bindery get`: one quote with its terms, price and status."""

from typing import Annotated

import typer

from bindery.cli.common import say
from bindery.cli.connection import NOT_READY, QuoteArgument, Service, service_command
from bindery.cli.quote_card import show_quote
from bindery.contract.errors import NotReadyBody
from bindery.contract.quote import QuoteBody


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
