"""Partners with their brokers, tokens, and identifiers of version 0.1."""

import csv
from pathlib import Path
from typing import Annotated

import typer

from bindery.actions.access.add_partner import add_broker as record_broker
from bindery.actions.access.add_partner import add_partner as record_partner
from bindery.actions.access.add_partner import import_legacy_ids
from bindery.actions.access.add_partner import remove_broker as record_removal
from bindery.actions.access.issue_token import issue_token, revoke_token
from bindery.base.clock import Clock
from bindery.base.errors import InvalidRequest, NotFound, Problem
from bindery.cli.common import DataOption, JsonOption, counted, doer, optional, refuse, say, show_result
from bindery.cli.stored import read, show_records, with_runtime
from bindery.domain.access.users import WHAT_A_FIRM_IS, is_firm
from bindery.domain.quote.legacy import LegacyRow, read_legacy_rows
from bindery.domain.submission.checks import is_email
from bindery.runtime import Runtime
from bindery.storage.access import partners
from bindery.storage.access.partners import BrokerRecord, Partner
from bindery.storage.database import Reader

partner_app = typer.Typer(no_args_is_help=True)
broker_app = typer.Typer(no_args_is_help=True)
token_app = typer.Typer(no_args_is_help=True)

PartnerOption = Annotated[str, typer.Option("--partner", metavar="NAME", help="The partner's name.")]
LONGEST_LIFE_DAYS = 3650
legacy_app = typer.Typer(no_args_is_help=True)
MOST_PROBLEMS = 10


@partner_app.command("add", help="Add a partner; adding it again changes only its contact.")
def add_partner(
    name: str,
    *,
    contact: Annotated[
        str | None, optional("Who to tell when a webhook is disabled.", metavar="EMAIL")
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    if not name.strip():
        refuse("A partner needs a name.")
    if contact is not None and not is_email(contact.strip()):
        refuse(f"{contact!r} is not an email address.")
    partner = with_runtime(
        data,
        lambda runtime: record_partner(
            runtime.database, name.strip(), contact=contact, may_exist=True, by=doer()
        ),
    )
    sentence = f"Partner {partner.name} has the key {partner.key}."
    show_result({"name": partner.name, "key": partner.key}, sentence, as_json=as_json)


@partner_app.command("list", help="List partners by name.")
def list_partners(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    show_records(
        read(data, lambda tx: partners.list_partners(tx, at=Clock.real_now())),
        {
            "NAME": lambda record: record.name,
            "KEY": lambda record: record.key,
            "CONTACT": lambda record: record.contact or "",
            "ADDED": lambda record: f"{record.created_at:%Y-%m-%d}",
            "BROKERS": lambda record: f"{record.brokers:,}",
            "TOKENS": lambda record: f"{record.tokens:,}",
        },
        nothing="No partners yet: bindery partner add NAME",
        as_json=as_json,
    )


@broker_app.command("add", help="Add a broker of record to a partner; adding it again changes only its firm.")
def add_broker(
    email: str,
    *,
    partner: PartnerOption,
    firm: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The brokerage, as shown on documents.", show_default=False),
    ] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    if not is_email(email.strip()):
        refuse(f"{email!r} is not an email address.")
    if firm is not None and not is_firm(firm.strip()):
        refuse(WHAT_A_FIRM_IS)
    named = None if firm is None else firm.strip()

    async def work(runtime: Runtime) -> str:
        async with runtime.database.reading() as tx:
            found = await _require_partner(tx, partner)
        return (await record_broker(runtime.database, found, email.strip(), firm=named, by=doer())).email

    added = with_runtime(data, work)
    sentence = f"Broker {added} belongs to {partner}."
    show_result({"email": added, "partner": partner, "firm": named}, sentence, as_json=as_json)


@broker_app.command("remove", help="Let nothing new come through a broker; what is on record stays.")
def remove_broker(email: str, *, partner: PartnerOption, data: DataOption = None) -> None:
    async def work(runtime: Runtime) -> bool:
        async with runtime.database.reading() as tx:
            found = await _require_partner(tx, partner)
        return await record_removal(runtime.database, found, email.strip(), by=doer())

    if not with_runtime(data, work):
        refuse(f"{email} is no broker of {partner}; `bindery broker list` shows them.")
    say(f"{email.lower()} is removed: nothing new comes through this broker.")


@broker_app.command("list", help="List the brokers of one partner, or of all.")
def list_brokers(
    *,
    partner: Annotated[str | None, optional("The partner's name.", "--partner", metavar="NAME")] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    async def work(tx: Reader) -> list[BrokerRecord]:
        found = None if partner is None else await _require_partner(tx, partner)
        return await partners.list_brokers(tx, found.partner_id if found else None)

    show_records(
        read(data, work),
        {
            "EMAIL": lambda record: record.email,
            "FIRM": lambda record: record.firm or "",
            "PARTNER": lambda record: record.partner_name,
            "ADDED": lambda record: f"{record.created_at:%Y-%m-%d}",
            "REMOVED": lambda record: f"{record.removed_at:%Y-%m-%d}" if record.removed_at else "",
        },
        nothing="No brokers yet: bindery broker add EMAIL --partner NAME",
        as_json=as_json,
    )


@token_app.command("issue", help="Issue a token and print it, and nothing else, on stdout.")
def issue(
    *,
    partner: PartnerOption,
    days: Annotated[
        int,
        typer.Option(
            min=0,
            max=LONGEST_LIFE_DAYS,
            help="Days until it expires; in the demo also 0, for one that has expired.",
        ),
    ] = 365,
    label: Annotated[str, typer.Option(metavar="TEXT", help="What the partner uses it for.")] = "",
    data: DataOption = None,
) -> None:
    async def work(runtime: Runtime) -> str:
        if days == 0 and not runtime.settings.is_demo:
            refuse("A token lives for a day at least; one that has expired is for trying the demo.")
        async with runtime.database.reading() as tx:
            found = await _require_partner(tx, partner)
        return await issue_token(
            runtime.database,
            runtime.clock,
            runtime.settings,
            runtime.secret,
            found,
            days=days,
            label=label,
            by=doer(),
        )

    typer.echo(with_runtime(data, work))


@token_app.command("list", help="List tokens, newest first.")
def list_tokens(*, data: DataOption = None, as_json: JsonOption = False) -> None:
    show_records(
        read(data, partners.list_tokens),
        {
            "JTI": lambda record: record.token_id,
            "PARTNER": lambda record: record.partner_name,
            "ENVIRONMENT": lambda record: record.environment,
            "ISSUED": lambda record: f"{record.issued_at:%Y-%m-%d}",
            "EXPIRES": lambda record: f"{record.expires_at:%Y-%m-%d}",
            "REVOKED": lambda record: f"{record.revoked_at:%Y-%m-%d %H:%M}" if record.revoked_at else "",
            "LABEL": lambda record: record.label,
        },
        nothing="No tokens yet: bindery token issue --partner NAME",
        as_json=as_json,
    )


@token_app.command("revoke", help="Revoke a token by its id (jti); it stops working at once.")
def revoke(jti: str, *, data: DataOption = None) -> None:
    try:
        with_runtime(data, lambda runtime: revoke_token(runtime.database, runtime.clock, jti, by=doer()))
    except NotFound:
        refuse(f"There is no token {jti!r}; `bindery token list` shows them.")
    say(f"Token {jti} is revoked.")


async def _require_partner(tx: Reader, name: str) -> Partner:
    found = await partners.find_partner(tx, name)
    if found is None:
        refuse(f"There is no partner {name!r}; `bindery partner list` shows them.")
    return found


@legacy_app.callback()
def _group() -> None:
    """Identifiers of version 0.1."""


@legacy_app.command(
    "import", help="Import a partner's old identifiers from a CSV file: kind, old_id, new_id."
)
def import_ids(
    file: Annotated[Path, typer.Argument(metavar="FILE.csv", exists=True, dir_okay=False, readable=True)],
    *,
    partner: PartnerOption,
    data: DataOption = None,
) -> None:
    rows = _read_ids(file)
    count = with_runtime(data, lambda runtime: import_legacy_ids(runtime.database, partner, rows, by=doer()))
    say(f"Took in {counted(count, 'identifier')}.")


def _read_ids(file: Path) -> list[LegacyRow]:
    try:
        with file.open(newline="", encoding="utf-8-sig") as lines:
            rows, problems = read_legacy_rows(csv.DictReader(lines))
    except (UnicodeDecodeError, csv.Error) as fault:
        refuse(f"{file.name} is not a CSV file in UTF-8: {fault}.")
    if problems:
        raise InvalidRequest(f"{file.name}: {_listed(problems)}")
    return rows


def _listed(problems: list[Problem]) -> str:
    more = f" (and {len(problems) - MOST_PROBLEMS} more)" if len(problems) > MOST_PROBLEMS else ""
    return "; ".join(f"{problem.path} {problem.message}" for problem in problems[:MOST_PROBLEMS]) + more
