"""The broker's side of a link: sending, following, taking back; and what clients answered, on Today."""

import uuid
from pathlib import Path
from typing import Any

import pytest

from bindery.actions.access.add_partner import add_partner
from bindery.actions.signing.send_link import SentLink
from bindery.domain.access.users import Role
from support.binding import DAY, bind, one_quoted, quoted, set_day, shown
from support.links import EMAIL, Client, link_to
from support.people import Person, fields_of, links_of, sign_in_as, text_of
from support.service import Service, request_body, serving
from support.statements import statements_of

pytestmark = pytest.mark.usefixtures("plain_printing")


async def links_in(service: Service) -> list[dict[str, Any]]:
    rows = await service.runtime.database.pool.fetch(
        "select * from client_links order by created_at, link_id"
    )
    return [dict(row) for row in rows]


async def opened_by_demo(service: Service, broker: Person, company: str) -> Client:
    """Open the client's page the way that the demo offers."""
    page = await broker.open(company)
    address = page.partition('href="/s/')[2].partition('"')[0]
    (link,) = await service.runtime.database.pool.fetch(
        "select * from client_links where token_sha256 = sha256($1)", address.encode()
    )
    return Client(
        service,
        SentLink(
            link_id=link["link_id"],
            url=f"/s/{address}",
            expires_at=link["expires_at"],
            is_replayed=False,
        ),
    )


async def test_a_broker_sends_follows_takes_back_and_sends_again(
    service: Service, broker: Person, subtests: pytest.Subtests
) -> None:
    await set_day(service, DAY)
    first, second = await quoted(service)
    company = f"/company/{first['company_id']}"
    path = f"{company}/send"
    page = await broker.open(company)

    with subtests.test("the company page leads there, with the insured's contact filled in"):
        assert f'href="{path}?of=' in page
        (leads_to,) = [address for address in links_of(page) if address.startswith(path)][:1]
        form_page = await broker.open(leads_to)
        form = fields_of(form_page, path)
        assert form["email"] == EMAIL
        assert form["name"] == "Ann Example"
        assert form["recommended"] == first["quote_identifier"]

    both = [first["quote_identifier"], second["quote_identifier"]]
    form |= {"message": "Take the second.", "recommended": both[1], "option": both}
    after = text_of(await broker.send(path, **form))
    again = text_of(await broker.send(path, **form))

    with subtests.test("it is sent once, however often the button is pressed"):
        assert f"Options 1 and 2: a link is on its way to {EMAIL}." in after
        assert f"Ann Example, {EMAIL} Not opened yet options 1 and 2 to choose from" in after
        (link,) = await links_in(service)
        assert (link["purpose"], str(link["quote_id"])) == ("proposal", both[1])
        assert {str(option) for option in link["option_ids"]} == {*both}
        assert "Sent to the client 1" in again

    client = await opened_by_demo(service, broker, company)
    await client.open(client.path)
    await client.open(client.path)
    await client.fill(await client.open(client.path), "choose", option=both[0])

    with subtests.test("openings and the choice are seen"):
        seen = text_of(await broker.open(company))
        assert "Opened options 1 and 2 to choose from, chose option 1" in seen
        assert "opened 3 times, first Mar 1, 12:0" in seen

    with subtests.test("sent again, the one before ends"):
        said = text_of(await broker.send(f"/link/{link['link_id']}/again", key="3"))
        assert f"A new link is on its way to {EMAIL}; the one before has ended." in said
        twice = text_of(await broker.send(f"/link/{link['link_id']}/again", key="3"))
        assert f"A new link was sent to {EMAIL} already." in twice
        assert [row["status"] for row in await links_in(service)] == ["revoked", "sent"]
        assert [str(row["quote_id"]) for row in await links_in(service)] == both, "recommended as before"
        await client.open(client.path, status=404)

    with subtests.test("taken back, twice"):
        newest = (await links_in(service))[-1]
        for _ in range(2):
            said = text_of(await broker.send(f"/link/{newest['link_id']}/take-back"))
            assert f"The link to {EMAIL} is taken back: it does not work any more." in said
        assert [row["status"] for row in await links_in(service)] == ["revoked", "revoked"]


async def test_what_is_wrong_with_the_form_is_said_and_nothing_is_sent(
    service: Service, broker: Person, subtests: pytest.Subtests
) -> None:
    await set_day(service, DAY)
    first, second = await quoted(service)
    path = f"/company/{first['company_id']}/send"
    form = fields_of(await broker.open(path), path)

    for name, change, said in (
        ("no address", {"email": "nobody"}, "Email must be an email address."),
        ("a name too long", {"name": "x" * 256}, "Name must have at most 255 characters."),
        ("too much text", {"message": "x" * 1001}, "Message must have at most 1,000 characters."),
        ("no option", {"option": []}, "The options must be chosen: at least one."),
        (
            "another recommended",
            {"option": [first["quote_identifier"], second["quote_identifier"]], "recommended": "x"},
            "The recommended option must be one of those that are sent.",
        ),
    ):
        with subtests.test(name):
            fields = {**form, "option": first["quote_identifier"], "message": "Kept words", **change}
            page = await broker.send(path, status=422, **fields)
            assert said in text_of(page)
            if "message" not in change:
                assert "Kept words" in page
    assert await links_in(service) == []


async def test_another_firms_company_and_link_do_not_exist(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service)
    link = await link_to(service, quote)
    await add_partner(service.runtime.database, "Other Partner", contact=None, may_exist=False)
    async with await sign_in_as(service, Role.BROKER, partner="Other Partner") as other:
        await other.open(f"/company/{quote['company_id']}/send", status=404)
        await other.send(f"/company/{quote['company_id']}/send", status=404, email=EMAIL)
        await other.send(f"/link/{link.link_id}/take-back", status=404)
        await other.send(f"/link/{link.link_id}/again", status=404)
        await other.send(f"/link/{uuid.uuid4()}/again", status=404)
        underwriter = await sign_in_as(service, Role.UNDERWRITER)
        await underwriter.send(f"/link/{link.link_id}/take-back", status=404)

    (row,) = await links_in(service)
    assert row["status"] == "sent"


async def test_what_the_client_answered_is_on_today_until_it_is_looked_at(
    service: Service, subtests: pytest.Subtests
) -> None:
    await set_day(service, DAY)
    signed, sent_back = await one_quoted(service), await one_quoted(service, _another)
    async with await sign_in_as(service, Role.BROKER, email="broker@example.com") as broker:
        first = Client(service, await link_to(service, signed))
        await first.sign()
        second = Client(service, await link_to(service, sent_back))
        page = await second.open(second.path)
        back = await second.fill(page, "wrong", text="We have 40 people, not 35.")

        today = await broker.open("/")
        with subtests.test("rows, each with its step"):
            said = text_of(today)
            assert "Cyber · the client has signed" in said
            assert f'href="/quote/{signed["quote_identifier"]}/bind"' in today
            assert "Cyber · the client sent it back: something is wrong" in said
        with subtests.test("the client's words are on the company page, and on the client's own"):
            company = text_of(await broker.open(f"/company/{sent_back['company_id']}"))
            assert "Sent back option 1 to sign “We have 40 people, not 35.”" in company
            assert "Your broker has your message. Nothing was signed." in text_of(back)
            assert "We have 40 people, not 35." in text_of(back)
        with subtests.test("the signed application is done"):
            company = text_of(await broker.open(f"/company/{signed['company_id']}"))
            assert "Signed electronically Mar 1, 2027, closed with the bind" in company
            assert "The client has signed the application: the policy is issued at once." in company
            assert "What is needed 1 of 1" in company
        with subtests.test("once looked at, they are gone"):
            assert "the client" not in text_of(await broker.open("/"))


def _another(body: dict[str, Any]) -> None:
    body["client"]["name"] = "Second Bakery LLC"
    body["client"]["domains"] = ["second.example.com"]


async def test_a_binder_that_waits_for_the_signature_is_sent_and_issued(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service)
    await bind(service, quote)
    path = f"/company/{quote['company_id']}/send"
    form = fields_of(await broker.open(path), path)
    await broker.send(path, **{**form, "option": quote["quote_identifier"]})
    client = await opened_by_demo(service, broker, f"/company/{quote['company_id']}")

    page = text_of(await client.open(client.path))
    done = text_of(await client.sign())

    assert "Please sign the application by Mar 31, 2027. The insurance is bound on that condition." in page
    assert "is issued." in done
    after = await shown(service, quote["quote_identifier"])
    assert not after["binder"]["conditional"]
    # Nothing is left to be signed.
    assert "/send?of=" not in await broker.open(f"/company/{quote['company_id']}")
    assert "Nothing can be signed for at the moment" in text_of(await broker.open(path))


async def test_a_state_that_asks_for_it_has_its_notice_confirmed_apart(service: Service) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service, lambda body: body["client"]["address"].update(state="CA", zip="94105"))
    client = Client(service, await link_to(service, quote))
    page = await client.open(f"{client.path}/sign")

    refused = await client.fill(
        page,
        "sign",
        status=422,
        name="Ann Example",
        title="President",
        is_authorized="yes",
        has_consented="yes",
        do="code",
    )

    assert "Surplus lines notice for California" in text_of(page)
    assert "The notice of your state must be confirmed: your state asks for it." in text_of(refused)
    assert "Thank you" in text_of(await client.sign())


async def test_fifteen_options_are_a_proposal_that_takes_no_more_statements_than_two(
    dsn: str, tmp_path: Path
) -> None:
    async with serving(dsn, tmp_path, pool_size=1) as service:
        await set_day(service, DAY)
        body = request_body()
        limits = (250_000, 500_000, 750_000, 1_000_000, 2_000_000)
        body["policy"]["quotes"] = [
            {"aggregate_limit": limit, "aggregate_retention": retention}
            for limit in limits
            for retention in (10_000, 25_000, 50_000)
        ]
        options = await quoted(service, body)
        counts = []
        for proposed in (options[:2], options):
            client = Client(service, await link_to(service, *proposed))
            # The first opening is told to the partner.
            await client.open(client.path)
            async with statements_of(service) as sent:
                page = await client.open(client.path)
            counts.append(len(sent))

    assert "15 options for you: choose one" in text_of(page)
    assert len(page) < 150_000
    assert counts[0] == counts[1] < 30
