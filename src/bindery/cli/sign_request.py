"""`bindery sign-request`: have the client sign the application on a page."""

import asyncio
import time
from datetime import datetime
from typing import Annotated, Final

import typer

from bindery.cli.common import complaints, console, optional, print_table, refuse, say, show_fields
from bindery.cli.connection import NEEDS_A_PERSON, NOT_READY, QuoteArgument, Service, service_command
from bindery.client import AsyncBindery
from bindery.contract.signature_requests import SignatureRequestBody, SignatureRequestStatus

S = SignatureRequestStatus
LOOKS_EVERY_S: Final = 1.0
SAID: Final = {
    S.SENT: ("The link is on its way to {email}.", "bold"),
    S.OPENED: ("{email} has opened the link.", "bold"),
    S.SIGNED: ("The application is signed.", "bold green"),
    S.DECLINED: ("The client found something wrong.", "bold yellow"),
    S.EXPIRED: ("The link has ended.", "bold yellow"),
    S.REVOKED: ("The link is taken back.", "bold"),
}
WAITING: Final = frozenset({S.SENT, S.OPENED})


@service_command
async def sign_request(
    service: Service,
    quote: QuoteArgument,
    email: Annotated[
        str | None,
        typer.Argument(metavar="EMAIL", help="Who shall sign; without it, list what was sent."),
    ] = None,
    *,
    name: Annotated[str | None, optional("Whom the mail addresses.", metavar="NAME")] = None,
    message: Annotated[
        str, typer.Option("--message", metavar="TEXT", help="A few words in the mail.", show_default=False)
    ] = "",
    wait_s: Annotated[
        int,
        typer.Option(
            "--wait", min=0, max=86_400, metavar="SECONDS", help="How long to wait until it is signed."
        ),
    ] = 0,
    revoke: Annotated[str | None, optional("Take this signature request back.", metavar="ID")] = None,
) -> int:
    """Mail a client the link to sign the application of a quote, list such links, or take one back.

    Example: bindery sign-request 0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55 ann@harborlight.example.com

    Exit codes:
    0  sent, listed or taken back; with --wait, signed
    1  refused by the service
    2  wrong use, or nobody answers
    3  the client found something wrong
    4  not signed in time
    """
    if email is not None and revoke is not None:
        refuse("Give an EMAIL to send a link, or --revoke ID to take one back, not both.")
    async with service.client() as bindery:
        if revoke is not None:
            service.show(await bindery.revoke_signature_request(quote, revoke), _show)
            return 0
        if email is None:
            found = await bindery.list_signature_requests(quote)
            service.show(found, lambda found: _list(found.signature_requests))
            return 0
        sent = await bindery.request_signature(quote, email=email, name=name, message=message)
        if wait_s:
            complaints.print(f"{SAID[S.SENT][0].format(email=sent.email)} {sent.url}", highlight=False)
            sent = await _settled(bindery, sent, until=time.monotonic() + wait_s)
    service.show(sent, _show)
    if sent.status is S.DECLINED:
        return NEEDS_A_PERSON
    return NOT_READY if wait_s and sent.status is not S.SIGNED else 0


async def _settled(
    bindery: AsyncBindery, sent: SignatureRequestBody, *, until: float
) -> SignatureRequestBody:
    while sent.status in WAITING and time.monotonic() < until:
        await asyncio.sleep(LOOKS_EVERY_S)
        sent = await bindery.get_signature_request(sent.quote_identifier, sent.signature_request_id)
    return sent


def _list(requests: list[SignatureRequestBody]) -> None:
    if not requests:
        say("No link was sent for this quote.")
        return
    columns = ["SIGNATURE REQUEST", "STATUS", "EMAIL", "OPENED", "ENDS"]
    rows = [
        (each.signature_request_id, each.status, each.email, str(each.openings), _clock(each.expires_at))
        for each in requests
    ]
    print_table(columns, rows)


def _show(shown: SignatureRequestBody) -> None:
    sentence, style = SAID[shown.status]
    console.print(sentence.format(email=shown.email), style=style, highlight=False)
    fields = [
        ("Signature request", shown.signature_request_id),
        ("Quote", shown.quote_identifier),
        ("Link", shown.url if shown.status in WAITING else ""),
        ("Ends", _clock(shown.expires_at) if shown.status in WAITING else ""),
        ("They write", shown.text or ""),
        ("Signed file", shown.document_id or ""),
    ]
    show_fields((name, value) for name, value in fields if value)
    if shown.status in WAITING:
        say(f"`bindery sign-request {shown.quote_identifier}` shows what became of it.")
    if shown.status is S.SIGNED:
        say(f"`bindery bind {shown.quote_identifier}` issues the policy at once.")


def _clock(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
