"""An option that is beyond somebody's authority to offer goes through a second person, without JavaScript."""

import re
import uuid
from typing import Any

import pytest

from bindery.domain.access.users import Role, User
from bindery.storage.access import users
from support.binding import one_quoted, shown
from support.journals import flaws_in_journal
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service
from support.underwriters import give_letter

WHY = "They grew since they asked."


async def user_of(service: Service, person: Person) -> User:
    async with service.runtime.database.reading() as tx:
        found = await users.find_by_email(tx, person.email)
    assert found is not None
    return found[0]


async def referred(service: Service) -> tuple[str, str]:
    """Return the option of a case at the desk, and the path of the case."""
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return quote["quote_identifier"], f"/desk/case/{submission_id}"


async def priced(person: Person, path: str, limit: str = "2000000") -> dict[str, Any]:
    """Work out the price of an offer as the button without a script does; return the form then shown."""
    form = fields_of(await person.open(path), f"{path}/offer")
    typed = {**form, "aggregate_limit": limit, "aggregate_retention": "50000", "reason": WHY}
    return fields_of(await person.send(f"{path}/preview", **typed), f"{path}/offer")


async def numbers(service: Service) -> list[tuple[int, str]]:
    rows = await service.runtime.database.pool.fetch(
        "select option_number, status from quotes order by option_number"
    )
    return [(row["option_number"], row["status"]) for row in rows]


async def test_an_offer_beyond_the_letter_is_sent_and_opened_by_the_second_person(
    service: Service, underwriter: Person
) -> None:
    identifier, path = await referred(service)
    await give_letter(service, await user_of(service, underwriter), aggregate_limit=1_000_000)
    async with await sign_in_as(service, Role.UNDERWRITER) as ann:
        form = await priced(underwriter, path)
        live = await underwriter.http.post(
            f"{path}/preview", data=form, headers={"Origin": underwriter.origin, "X-Part": "offer-price"}
        )
        to = str((await user_of(service, ann)).user_id)
        said = text_of(await underwriter.send(f"{path}/offer", **{**form, "step": "send", "send_to": to}))
        waiting = await numbers(service)
        hers = await ann.open(path)
        second = {**fields_of(hers, f"{path}/second"), "answer": "approved"}
        await ann.send(f"{path}/second", **second)
        late = text_of(await ann.send(f"{path}/second", status=422, **second))

    assert "a limit of $2,000,000 is above $1,000,000" in text_of(live.text)
    assert 'value="send"' in live.text
    assert "Send to Pat Underwriter for approval" in text_of(live.text)
    assert 'value="offer"' not in live.text
    assert form["send_to"] == to
    assert "who decides as the second person. Nothing is decided yet." in said
    assert waiting == [(0, "quote_referred")]
    price = f"${int(form['shown_premium']):,}"
    assert f"Option 1: offer $2,000,000, retention $50,000 at {price} beside it" in text_of(hers)
    assert await numbers(service) == [(0, "quote_referred"), (1, "published")]
    assert "Nothing was done." in late
    # Both are in the journals: who asked in that of the option beside it, who approved in that of the offer.
    by = {entry.trigger: entry.actor for entry in await service.journal(identifier)}
    assert (by["ask_colleague"], by["answer_colleague"]) == (underwriter.email, ann.email)
    offered = await service.runtime.database.pool.fetchval(
        "select quote_id from quotes where option_number = 1"
    )
    assert {entry.trigger: entry.actor for entry in await service.journal(str(offered))}[
        "offer_option"
    ] == ann.email
    assert (await shown(service, str(offered)))["premium"] == int(form["shown_premium"])
    assert await flaws_in_journal(service, identifier) == []
    assert await flaws_in_journal(service, str(offered)) == []


async def test_an_offer_is_sent_once_and_by_nobody_who_may_make_it_alone(
    service: Service, underwriter: Person
) -> None:
    identifier, path = await referred(service)
    await give_letter(service, await user_of(service, underwriter), aggregate_limit=1_000_000)
    async with await sign_in_as(service, Role.UNDERWRITER) as ann:
        to = str((await user_of(service, ann)).user_id)
        within = {**(await priced(underwriter, path, "500000")), "step": "send", "send_to": to}
        beyond = {**(await priced(underwriter, path)), "step": "send", "send_to": to}
        needless = text_of(await underwriter.send(f"{path}/offer", status=422, **within))
        alone = text_of(await underwriter.send(f"{path}/offer", status=422, **{**beyond, "step": "offer"}))
        nobody = text_of(await underwriter.send(f"{path}/offer", status=422, **{**beyond, "send_to": "x"}))
        unseen = text_of(
            await underwriter.send(f"{path}/offer", status=422, **{**beyond, "shown_premium": "17"})
        )
        before = await service.journal(identifier)
        await underwriter.send(f"{path}/offer", **beyond)
        twice = await underwriter.send(f"{path}/offer", status=422, **beyond)

    assert "is not needed: you may decide this yourself" in needless
    assert "This is beyond your authority" in alone
    assert "A colleague has to be chosen." in nobody
    assert "premium was not on the page; it is now" in unseen
    assert "waits for the approval of" in text_of(twice)
    assert WHY in twice
    assert len(await service.journal(identifier)) == len(before) + 1
    assert await numbers(service) == [(0, "quote_referred")]


@pytest.mark.parametrize("answer", ["sent_back", "declined"])
async def test_an_offer_that_is_not_approved_is_not_made(
    service: Service, underwriter: Person, answer: str
) -> None:
    identifier, path = await referred(service)
    await give_letter(service, await user_of(service, underwriter), aggregate_limit=1_000_000)
    async with await sign_in_as(service, Role.UNDERWRITER) as ann:
        to = str((await user_of(service, ann)).user_id)
        form = await priced(underwriter, path)
        await underwriter.send(f"{path}/offer", **{**form, "step": "send", "send_to": to})
        second = fields_of(await ann.open(path), f"{path}/second")
        await ann.send(f"{path}/second", **{**second, "answer": answer, "reason": "Offer them less."})
        history = text_of(await underwriter.open(path))

    assert await numbers(service) == [(0, "quote_referred")]
    assert "Offer them less." in history
    assert re.search("Option 1 was sent to .* for another option beside it at", history)
    assert await flaws_in_journal(service, identifier) == []
