"""`bindery get`: one quote with its terms, its price and its standing."""

from typing import Annotated

import typer

from bindery.cli.common import DataOption, JsonOption, print_json, say
from bindery.cli.connection import (
    NOT_READY,
    QuoteArgument,
    TokenOption,
    UrlOption,
    connection_to,
    talk,
)
from bindery.cli.quote_card import show_quote
from bindery.client import AsyncBindery
from bindery.contract.quote import QuoteBody


def get(
    quote: QuoteArgument,
    *,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it is ready.")] = False,
    timeout: Annotated[
        int, typer.Option(min=1, max=86_400, metavar="SECONDS", help="How long to wait.")
    ] = 120,
    url: UrlOption = None,
    token: TokenOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> int:
    """Show a quote.

    Example: bindery get 0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55 --wait

    Exit codes:
    0  it is ready, whatever its status is
    1  refused by the service: there is no such quote
    2  wrong use, or nobody answers
    4  it is still being worked on
    """

    async def work(bindery: AsyncBindery) -> int:
        if wait:
            seen = await bindery.wait_for_quote(quote, timeout_s=timeout)
        else:
            looked = await bindery.get_quote(quote)
            if not isinstance(looked, QuoteBody):
                print_json(looked) if as_json else say(
                    f"Quote {looked.quote_identifier} is still {looked.quote_status}; --wait waits for it."
                )
                return NOT_READY
            seen = looked
        print_json(seen) if as_json else show_quote(seen)
        return 0

    return talk(connection_to(url, token, data), work, as_json=as_json)
