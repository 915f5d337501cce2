"""Today: from what happened in the service to the words of a broker's first page."""

import re
import uuid
from collections.abc import AsyncIterator, Callable
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest

from bindery.domain.access.users import Role
from bindery.storage.lists import today as reads
from support.binding import DAY, PHOTO, bind, decide, issue, one_quoted, set_clock, set_day, upload_signed
from support.people import Person, links_of, sign_in_as, text_of
from support.service import BROKER, Service

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")

FRIDAY = DAY + timedelta(days=46)
"""Fourteen days before the quotes of the first day end."""


@pytest.fixture
async def mine(service: Service) -> AsyncIterator[Person]:
    """The broker of record of what the service's partner sends."""
    async with await sign_in_as(service, Role.BROKER, email=BROKER) as signed_in:
        yield signed_in


def named(
    name: str, *, domain: str = "clean", secondary: str | None = None
) -> Callable[[dict[str, Any]], None]:
    def change(body: dict[str, Any]) -> None:
        body["client"]["name"] = name
        body["client"]["domains"] = [f"{domain}.example.com"]
        if secondary is not None:
            body["client"]["secondary_broker_email"] = secondary

    return change


async def refer(service: Service, name: str, **more: Any) -> dict[str, Any]:
    quote = await one_quoted(service, named(name, domain="red-flags", **more))
    assert quote["quote_status"] == "quote_referred"
    return quote


async def bind_on_condition(service: Service, quote: dict[str, Any], day: date) -> dict[str, Any]:
    return await bind(service, quote, dates={"effective": day.isoformat()})


def lists_of(page: str) -> dict[str, str]:
    """Return the words of every list by its title."""
    found = re.findall(r"<section[^>]*><header><h2[^>]*>(.*?)</h2>(.*?)</section>", page, re.DOTALL)
    return {title: text_of(f"<{body}") for title, body in found}


def names_of(page: str) -> list[str]:
    return re.findall(r'<a class="whole" href="[^"]*">(.*?)</a>', page)


async def test_each_list_says_what_is_the_matter_and_leads_to_the_step(
    service: Service, mine: Person
) -> None:
    binder, asked, approved, _, ending = [
        await one_quoted(service, named("Binder Bakery")),
        await one_quoted(service, named("Asked Bakery (prebind)")),
        await refer(service, "Approved Bakery"),
        await refer(service, "Waiting Bakery"),
        await one_quoted(service, named("Ending Bakery")),
    ]
    await set_day(service, FRIDAY)
    binder = await bind_on_condition(service, binder, FRIDAY)
    await decide(service, approved, "approve", terms={"premium": 2_000}, reason="Explained.")

    page = await mine.open("/")

    assert (
        "Friday, April 16 times in EDT 5 things need you. The first deadline is Apr 30: a paper and 2 quotes."
        in text_of(page)
    )
    lists = lists_of(page)
    assert list(lists) == [
        "Binders that lapse",
        "Answered since yesterday",
        "Papers you owe",
        "Quotes about to expire",
        "With an underwriter",
    ]
    assert lists["Binders that lapse"] == (
        "1 Without the missing papers a binder counts as never in force Binder Bakery Binder "
        f"{binder['policy_number']}, missing: signed application $1,536 30 days left May 16 "
        "Upload : Binder Bakery"
    )
    assert lists["Answered since yesterday"].endswith(
        "Approved Bakery Cyber · 1 option approved $2,000 Open to Jun 15 60 days Bind : Approved Bakery"
    )
    assert lists["Papers you owe"].endswith(
        "Asked Bakery (prebind) Cyber · asked for before the bind: A list of every subsidiary and trade name "
        "to be insured, before the bind $1,536 14 days left Apr 30 Upload : Asked Bakery (prebind)"
    )
    assert lists["Quotes about to expire"].startswith(
        "2 Open options that end within 14 days Asked Bakery (prebind) Cyber · 1 option open $1,536"
    )
    assert lists["With an underwriter"].startswith("1 All with an underwriter Waiting Bakery late by")
    steps = links_of(page)
    assert f"/quote/{approved['quote_identifier']}/bind" in steps
    assert f"/quote/{binder['quote_identifier']}" in steps
    assert f"/quote/{asked['quote_identifier']}" in steps
    assert f"/company/{ending['company_id']}" in steps


async def test_an_answer_is_news_until_this_user_has_opened_the_company(
    service: Service, mine: Person
) -> None:
    second = "second@example.com"
    approved = await refer(service, "Approved Bakery", secondary=second)
    declined = await refer(service, "Declined Bakery")
    await decide(service, approved, "approve")
    await decide(service, declined, "decline", reason="Out of appetite.")

    page = await mine.open("/")
    assert (
        "Declined Bakery Cyber · declined Answered Mar 1 today Open"
        in lists_of(page)["Answered since Friday"]
    )
    assert "Recently open" not in lists_of(page)

    for company in (approved["company_id"], declined["company_id"], declined["company_id"]):
        await mine.open(f"/company/{company}")

    page = await mine.open("/")
    assert "Answered since Friday" not in lists_of(page)
    assert lists_of(page)["Recently open"] == "Companies Declined Bakery Approved Bakery $1,970"
    assert await service.count("company_looks") == 2
    async with await sign_in_as(service, Role.BROKER, email=second) as colleague:
        assert "Approved Bakery" in lists_of(await colleague.open("/"))["Answered since Friday"]
        assert "Nothing is left here." not in await colleague.open("/today?list=answers")
    # What is answered after the look is news again.
    again = await one_quoted(service, _again(declined))
    await set_day(service, DAY, time(13))
    await decide(service, again, "approve")
    assert "1 An underwriter decided" in lists_of(await mine.open("/"))["Answered since Friday"]


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        ("approve_change", "change approved: the policy is changed"),
        ("decline_change", "change declined: the policy stays as it is"),
    ],
)
async def test_a_change_waits_at_the_side_and_its_decision_is_news(
    service: Service, mine: Person, decision: str, said: str
) -> None:
    policy = await issue(service, await one_quoted(service))
    path = f"/v2/policies/{policy['quote_identifier']}/changes"
    changes = {"aggregate_limit": 10_000_000}
    asked = {"effective": policy["dates"]["effective"], "changes": changes, "reason": "A customer asks."}
    change = (await service.post(path, asked)).json()
    await service.post(f"{path}/{change['change_id']}/accept", None)

    waiting = lists_of(await mine.open("/"))
    await decide(service, policy, decision, reason="Too much for a bakery.")

    assert "Harborlight Bakery LLC" in waiting["With an underwriter"]
    assert said in lists_of(await mine.open("/"))["Answered since Friday"]


def _again(quote: dict[str, Any]) -> Callable[[dict[str, Any]], None]:
    """Return the change to a request that makes it another referral of the same company."""

    def change(body: dict[str, Any]) -> None:
        named("Declined Bakery", domain="red-flags")(body)
        body["client"]["company_id"] = quote["company_id"]
        body["client"]["revenue"] += 1

    return change


async def test_answers_count_from_the_working_day_before_in_the_business_zone(
    service: Service, mine: Person
) -> None:
    zone = service.runtime.settings.zone
    thursday, friday = [await refer(service, f"{day} Bakery") for day in ("Thursday", "Friday")]
    midnight = datetime.combine(date(2027, 3, 5), time.min, zone)
    await set_clock(service, midnight - timedelta(seconds=30))
    await decide(service, thursday, "decline", reason="Out of appetite.")
    await set_clock(service, midnight + timedelta(seconds=30))
    await decide(service, friday, "decline", reason="Out of appetite.")

    await set_day(service, date(2027, 3, 5))
    assert "2 An underwriter decided" in lists_of(await mine.open("/"))["Answered since yesterday"]
    for day in (date(2027, 3, 7), date(2027, 3, 8)):
        await set_day(service, day)
        assert "1 An underwriter decided" in (told := lists_of(await mine.open("/"))["Answered since Friday"])
        assert "Friday Bakery" in told
    await set_day(service, date(2027, 3, 9), time(0, 1))
    assert "Nothing needs you." in text_of(await mine.open("/"))


async def test_papers_are_owed_once_somebody_asks_and_an_answer_once_somebody_looked(
    service: Service, mine: Person, underwriter: Person
) -> None:
    binder = await bind(service, await one_quoted(service, named("Binder Bakery")))
    own = await one_quoted(service, named("Own Bakery"))
    await upload_signed(service, own)
    await bind(service, own, app_attestation=True)
    assert list(lists_of(await mine.open("/"))) == ["Binders that lapse"], (
        "the broker's own bind is no answer"
    )
    await upload_signed(service, binder)
    assert list(lists_of(await mine.open("/"))) == ["With an underwriter"], "what came in time does not lapse"

    case = f"/desk/case/{await submission_of(service, binder)}/contingency"
    form = {"quote_id": binder["quote_identifier"]}
    signature = binder["contingencies"][0]["contingency_id"]
    await underwriter.send(case, decision="accept", contingency_id=signature, **form)

    told = lists_of(await mine.open("/"))
    assert list(told) == ["Answered since Friday"]
    accepted = "Binder Bakery Cyber · papers accepted: the policy is issued $1,536 Answered Mar 1 today Open"
    assert accepted in told["Answered since Friday"]
    await mine.open(f"/company/{binder['company_id']}")

    asked = {"type": "pre_bind", "text": "A list of all domains"}
    quote = await one_quoted(service, named("Asked Bakery"))
    quote = await decide(service, quote, "add_contingency", contingency=asked)
    owed = next(row for row in quote["contingencies"] if row["text"] == asked["text"])
    told = lists_of(await mine.open("/"))
    assert "Asked Bakery Cyber · asked for before the bind: A list of all domains" in told["Papers you owe"]
    await upload_for(service, quote, owed)
    assert "Papers you owe" not in lists_of(await mine.open("/"))
    case = f"/desk/case/{await submission_of(service, quote)}/contingency"
    form = {"quote_id": quote["quote_identifier"], "contingency_id": owed["contingency_id"]}
    await underwriter.send(case, decision="accept", **form)
    assert "Asked Bakery Cyber · papers accepted" in lists_of(await mine.open("/"))["Answered since Friday"]
    await underwriter.send(case, decision="reopen", **form)
    assert "asked for again: A list of all domains" in lists_of(await mine.open("/"))["Papers you owe"]


async def test_a_colleagues_and_another_partners_companies_never_appear(
    service: Service, mine: Person, broker: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = await service.new_partner("another partner", BROKER)
    for partner in (service, other):
        name = partner.partner.name
        await one_quoted(partner, named(f"Ending {name}"))
        await bind(partner, await one_quoted(partner, named(f"Binder {name}")))
        await decide(partner, await refer(partner, f"Answered {name}"), "approve")
        await refer(partner, f"Waiting {name}")
    theirs = await service.runtime.database.pool.fetchval(
        "select min(company_id) from companies where partner_id = $1", other.partner.partner_id
    )
    await mine.open(f"/company/{theirs}", status=404)
    assert await service.count("company_looks") == 0

    for most in (reads.MOST_COMPANIES, 0):
        monkeypatch.setattr(reads, "MOST_COMPANIES", most)
        for path in ("/", "/today?list=binders", "/today?list=answers", "/today?list=waiting"):
            page = await mine.open(path)
            assert service.partner.name in page
            assert "another partner" not in page
            assert not names_of(await broker.open(path)), "a colleague's own are not those of this user"


async def test_a_list_shows_four_rows_and_leads_to_exactly_those_that_it_counts(
    service: Service, mine: Person
) -> None:
    for number in range(5):
        await one_quoted(service, named(f"Ending {number}"))
        await refer(service, f"Waiting {number}")
    await refer(service, "Waiting 5")
    await set_day(service, FRIDAY)

    page = await mine.open("/")

    assert lists_of(page)["Quotes about to expire"].startswith(
        "5 Open options that end within 14 days 1 more"
    )
    assert lists_of(page)["With an underwriter"].startswith("6 All")
    assert len(names_of(page)) == 4 + 5
    ending = await mine.open("/today?list=quotes")
    assert sorted(names_of(ending)) == [f"Ending {number}" for number in range(5)]
    assert "Quotes about to expire 5 in all." in text_of(ending)
    waiting = await mine.open("/today?list=waiting")
    assert sorted(names_of(waiting)) == [f"Waiting {number}" for number in range(6)]
    await mine.open("/today?list=tomorrow", status=404)


async def test_a_renewal_comes_with_the_change_and_needs_nobody_unless_it_is_paused(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any], mine: Person
) -> None:
    offer = renewal_offer["quote_identifier"]
    await service.runtime.database.pool.execute(
        "update quotes set premium = 1578 where quote_id = $1", uuid.UUID(offer)
    )

    page = await mine.open("/")
    assert "Nothing needs you. The next date is Mar 2: a renewal that needs nothing from you." in text_of(
        page
    )
    assert lists_of(page)["Renewals in 60 days"].endswith(
        "Cyber · renews by itself on Mar 2, 2028 $1,578 +2.7% Ends Mar 2 60 days Offer "
        ": Harborlight Bakery LLC"
    )
    assert f"/quote/{offer}" in links_of(page)

    await mine.send(f"/policy/{policy['quote_identifier']}/renewal", renewal="pause")
    paused = await mine.open("/")
    assert "1 thing needs you. The first deadline is Mar 2: a renewal." in text_of(paused)
    assert "ends Mar 2, 2028 unless the offer is bound" in lists_of(paused)["Renewals in 60 days"]


async def test_a_day_without_anything_says_so(broker: Person) -> None:
    page = await broker.open("/")

    assert "Nothing needs you. No date is near." in text_of(page)
    assert {"/companies", "/renewals"} <= set(links_of(page))
    assert "Nothing is left here." in await broker.open("/today?list=papers")


async def upload_for(service: Service, quote: dict[str, Any], owed: dict[str, Any]) -> None:
    answer = await service.http.post(
        "/v2/documents",
        data={"quote_identifier": quote["quote_identifier"], "contingency": owed["contingency_id"]},
        files={"file": ("domains.png", PHOTO, "image/png")},
        headers=service.headers,
    )
    assert answer.status_code == 200, answer.text


async def submission_of(service: Service, quote: dict[str, Any]) -> uuid.UUID:
    statement = "select submission_id from quotes where quote_id = $1"
    found: uuid.UUID = await service.runtime.database.pool.fetchval(
        statement, uuid.UUID(quote["quote_identifier"])
    )
    return found
