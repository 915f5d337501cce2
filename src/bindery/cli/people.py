"""Partners, brokers and tokens."""

from typing import Annotated

import typer

from bindery.actions.issue_token import issue_token
from bindery.cli.common import (
    DataOption,
    JsonOption,
    print_json,
    print_table,
    ready_runtime,
    refuse,
    run,
    say,
    settings_for,
)
from bindery.domain.access.brokerages import WHAT_A_FIRM_IS, is_firm
from bindery.domain.submission.checks import is_email
from bindery.runtime import Runtime
from bindery.storage import partners
from bindery.storage.partners import Partner

partner_app = typer.Typer(no_args_is_help=True)
broker_app = typer.Typer(no_args_is_help=True)
token_app = typer.Typer(no_args_is_help=True)

PartnerOption = Annotated[str, typer.Option("--partner", metavar="NAME", help="The partner's name.")]
LONGEST_LIFE_DAYS = 3650


@partner_app.command("add", help="Add a partner; adding it again changes only its contact.")
def add_partner(
    name: str,
    *,
    contact: Annotated[
        str | None,
        typer.Option(metavar="EMAIL", help="Whom to tell when a webhook is disabled.", show_default=False),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a partner."""
    if not name.strip():
        refuse("A partner needs a name.")
    if contact is not None and not is_email(contact.strip()):
        refuse(f"{contact!r} is not an e-mail address.")

    async def work() -> Partner:
        async with ready_runtime(settings_for(data)) as runtime, runtime.database.transaction() as tx:
            return await partners.add_partner(tx, name.strip(), contact=contact)

    partner = run(work())
    if as_json:
        print_json({"name": partner.name, "key": partner.key})
    else:
        say(f"Partner {partner.name} has the key {partner.key}.")


@partner_app.command("list", help="List partners by name.")
def list_partners(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the partners."""

    async def work() -> list[partners.PartnerRecord]:
        async with ready_runtime(settings_for(data)) as runtime, runtime.database.reading() as tx:
            return await partners.list_partners(tx, at=runtime.clock.real_now())

    records = run(work())
    if as_json:
        print_json(records)
        return
    if not records:
        say("No partners yet: bindery partner add NAME")
        return
    print_table(
        ["NAME", "KEY", "CONTACT", "ADDED", "BROKERS", "TOKENS"],
        [
            [
                record.name,
                record.key,
                record.contact or "",
                f"{record.created_at:%Y-%m-%d}",
                f"{record.brokers:,}",
                f"{record.tokens:,}",
            ]
            for record in records
        ],
    )


@broker_app.command("add", help="Add a broker of record to a partner; adding it again changes only its firm.")
def add_broker(
    email: str,
    *,
    partner: PartnerOption,
    firm: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The brokerage, as papers name it.", show_default=False),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a broker."""
    if not is_email(email.strip()):
        refuse(f"{email!r} is not an e-mail address.")
    if firm is not None and not is_firm(firm.strip()):
        refuse(WHAT_A_FIRM_IS)
    named = None if firm is None else firm.strip()

    async def work() -> str:
        async with ready_runtime(settings_for(data)) as runtime:
            found = await _require_partner(runtime, partner)
            async with runtime.database.transaction() as tx:
                return (await partners.add_broker(tx, found, email.strip(), firm=named)).email

    added = run(work())
    if as_json:
        print_json({"email": added, "partner": partner, "firm": named})
    else:
        say(f"Broker {added} belongs to {partner}.")


@broker_app.command("list", help="List the brokers of one partner, or of all.")
def list_brokers(
    *,
    partner: Annotated[
        str | None, typer.Option("--partner", metavar="NAME", help="The partner's name.", show_default=False)
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the brokers."""

    async def work() -> list[partners.BrokerRecord]:
        async with ready_runtime(settings_for(data)) as runtime:
            found = None if partner is None else await _require_partner(runtime, partner)
            async with runtime.database.reading() as tx:
                return await partners.list_brokers(tx, found.partner_id if found else None)

    records = run(work())
    if as_json:
        print_json(records)
        return
    if not records:
        say("No brokers yet: bindery broker add EMAIL --partner NAME")
        return
    print_table(
        ["EMAIL", "FIRM", "PARTNER", "ADDED"],
        [
            [record.email, record.firm or "", record.partner_name, f"{record.created_at:%Y-%m-%d}"]
            for record in records
        ],
    )


@token_app.command("issue", help="Issue a token and print it, and nothing else, on stdout.")
def issue(
    *,
    partner: PartnerOption,
    days: Annotated[int, typer.Option(min=1, max=LONGEST_LIFE_DAYS, help="Days until it expires.")] = 365,
    data: DataOption = None,
) -> None:
    """Issue a token."""

    async def work() -> str:
        async with ready_runtime(settings_for(data)) as runtime:
            return await issue_token(runtime, await _require_partner(runtime, partner), days=days)

    typer.echo(run(work()))


@token_app.command("list", help="List tokens, newest first.")
def list_tokens(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    """List the tokens."""

    async def work() -> list[partners.TokenRecord]:
        async with ready_runtime(settings_for(data)) as runtime, runtime.database.reading() as tx:
            return await partners.list_tokens(tx)

    records = run(work())
    if as_json:
        print_json(records)
        return
    if not records:
        say("No tokens yet: bindery token issue --partner NAME")
        return
    print_table(
        ["JTI", "PARTNER", "ENVIRONMENT", "ISSUED", "EXPIRES", "REVOKED"],
        [
            [
                record.token_id,
                record.partner_name,
                record.environment,
                f"{record.issued_at:%Y-%m-%d}",
                f"{record.expires_at:%Y-%m-%d}",
                f"{record.revoked_at:%Y-%m-%d %H:%M}" if record.revoked_at else "",
            ]
            for record in records
        ],
    )


@token_app.command("revoke", help="Revoke a token by its id (jti); it is refused from that moment on.")
def revoke(jti: str, *, data: DataOption = None) -> None:
    """Revoke a token."""

    async def work() -> bool:
        async with ready_runtime(settings_for(data)) as runtime, runtime.database.transaction() as tx:
            return await partners.revoke_token(tx, jti, at=runtime.clock.real_now())

    if not run(work()):
        refuse(f"There is no token {jti!r}; `bindery token list` shows them.")
    say(f"Token {jti} is revoked.")


async def _require_partner(runtime: Runtime, name: str) -> Partner:
    async with runtime.database.reading() as tx:
        found = await partners.find_partner(tx, name)
    if found is None:
        refuse(f"There is no partner {name!r}; `bindery partner list` shows them.")
    return found
