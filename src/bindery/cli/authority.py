"""How far underwriters may decide alone."""

from typing import Annotated

import typer

from bindery.actions.desk.set_authority import remove_authority, set_authority
from bindery.base.numbers import in_dollars
from bindery.cli import common
from bindery.cli.stored import read, with_runtime
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.quote.authority import AuthorityLetter, Colleague, letter_in_words
from bindery.runtime import Runtime
from bindery.storage.access import users
from bindery.storage.database import Reader
from bindery.storage.desk.authority import list_underwriters

app = typer.Typer(no_args_is_help=True)

ProductOption = Annotated[InsuranceProduct, typer.Option("--product", help="The product it is for.")]


@app.command(
    "set", help="Give an underwriter a letter of authority for a product, instead of an earlier one."
)
def set_letter(
    email: str,
    *,
    product: ProductOption,
    limit: Annotated[int, typer.Option(help="The highest aggregate limit, in dollars.")],
    premium: Annotated[int, typer.Option(help="The highest premium, in dollars.")],
    deviation: Annotated[int, typer.Option(help="How far off the tariff a premium may be, in percent.")],
    may_cancel: Annotated[bool, typer.Option("--may-cancel", help="May cancel and reinstate.")] = False,
    may_set_by_hand: Annotated[
        bool, typer.Option("--may-set-by-hand", help="May set a premium where the tariff has none.")
    ] = False,
    data: common.DataOption = None,
) -> None:
    letter = AuthorityLetter(
        product=product,
        aggregate_limit=limit,
        premium=premium,
        deviation=deviation,
        may_cancel=may_cancel,
        may_set_by_hand=may_set_by_hand,
    )

    async def work(runtime: Runtime) -> str:
        user_id = await _user_id(runtime, email)
        return await set_authority(runtime.database, user_id, letter, by=common.doer())

    common.say(f"{with_runtime(data, work)} may decide {letter_in_words(letter)}.")


@app.command("remove", help="Take a letter of authority away.")
def remove(email: str, *, product: ProductOption, data: common.DataOption = None) -> None:
    async def work(runtime: Runtime) -> tuple[bool, bool, bool]:
        was_there = await remove_authority(
            runtime.database, await _user_id(runtime, email), product, by=common.doer()
        )
        async with runtime.database.reading() as tx:
            found = await list_underwriters(tx, email=email)
        is_bare = not any(who.letters for who in found)
        return was_there, is_bare, runtime.rules.authority_required

    was_there, is_bare, is_required = with_runtime(data, work)
    if not was_there:
        common.refuse(f"{email.lower()} has no letter of authority for {product}.")
    left = "may decide nothing any more" if is_required else "has no letter left and is not bounded any more"
    common.say(f"The letter is taken away.{f' {email.lower()} {left}.' if is_bare else ''}")


@app.command("show", help="Show the letters of authority, of one underwriter or of all.")
def show(
    email: Annotated[str | None, typer.Argument()] = None,
    *,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    async def look(tx: Reader) -> list[Colleague]:
        return await list_underwriters(tx, email=email)

    found = read(data, look)
    if email is not None and not found:
        common.refuse(f"{email.lower()} is no underwriter.")
    if as_json:
        common.print_json(
            [{"email": who.email, "name": who.name, "letters": list(who.letters)} for who in found]
        )
    elif found:
        common.print_table(_HEADS, [row for who in found for row in _rows(who)])
    else:
        common.say("No underwriters yet: bindery user add EMAIL --role underwriter")


_HEADS = ["EMAIL", "PRODUCT", "LIMIT", "PREMIUM", "DEVIATION", "CANCEL", "BY HAND"]


def _rows(who: Colleague) -> list[list[str]]:
    if not who.letters:
        return [[who.email, "no letter", "", "", "", "", ""]]
    return [
        [
            who.email,
            letter.product,
            in_dollars(letter.aggregate_limit),
            in_dollars(letter.premium),
            f"{letter.deviation} %",
            "yes" if letter.may_cancel else "",
            "yes" if letter.may_set_by_hand else "",
        ]
        for letter in who.letters
    ]


async def _user_id(runtime: Runtime, email: str) -> int:
    async with runtime.database.reading() as tx:
        found = await users.find_record_by_email(tx, email)
    if found is None:
        common.refuse(f"{email.lower()} is unknown; add it with `bindery user add`.")
    return found.user_id
