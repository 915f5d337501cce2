"""What a broker asks for on a company's pages: a withdrawal, a cancellation, another option."""

import asyncio
import re
import uuid
from typing import Any

import msgspec
import pytest

from support.binding import DAY, bind, decide, one_quoted, quoted, set_day, shown, told
from support.people import Person, fields_of, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing")


async def submission_of(service: Service, quote: dict[str, Any]) -> uuid.UUID:
    found: uuid.UUID = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    return found


async def test_an_option_is_withdrawn_with_a_reason_once(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    first, second, *_ = await quoted(service)
    company, path = f"/company/{first['company_id']}", f"/quote/{first['quote_identifier']}/withdraw"
    assert path in await broker.open(company)

    asks = text_of(await broker.open(path))
    done = text_of(await broker.send(path, reason="The client chose another carrier"))

    assert "Withdraw option 1? Nobody can bind it any more, and it cannot be undone." in asks
    assert "Option 1 is withdrawn." in done
    assert "Option 1 was withdrawn: The client chose another carrier." in done
    assert "Option 1 Withdrawn" in done
    assert (await shown(service, first["quote_identifier"]))["decision"]["kind"] == "withdrawn"
    assert (await shown(service, second["quote_identifier"]))["quote_status"] == "published"
    # Pressed again, or by a colleague, it is the same.
    assert "Option 1 is withdrawn." in text_of(await broker.send(path, reason="again"))
    assert (await told(service, first["quote_identifier"])).count("quote.revoked") == 1


async def test_an_option_that_was_bound_meanwhile_is_not_withdrawn(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service)
    path = f"/quote/{quote['quote_identifier']}/withdraw"
    await bind(service, quote)

    late = await broker.send(path, status=409, reason="too late")
    opened = await broker.open(path, status=409)

    for page in (late, opened):
        assert 'role="alert"' in page
        assert "<button" not in page.split('<div class="center')[1].split("</main>")[0]
    assert (await shown(service, quote["quote_identifier"]))["quote_status"] == "policy_active"


async def test_a_reason_that_is_too_long_is_said_and_kept(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service)
    path = f"/quote/{quote['quote_identifier']}/withdraw"

    page = await broker.send(path, status=422, reason="x" * 1001)

    assert "Reason must have at most 1,000 characters." in text_of(page)
    assert "x" * 1001 in page
    assert (await shown(service, quote["quote_identifier"]))["quote_status"] == "published"


async def test_the_amounts_of_a_cancellation_are_seen_before_it_is_asked_for(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = f"/policy/{policy['quote_identifier']}/cancel"
    assert path in await broker.open(f"/company/{policy['company_id']}")
    opened = await broker.open(path)
    form = {**fields_of(opened, path), "effective": "2027-09-01", "reason": "business_sold", "text": "Sold"}

    # The amounts on the page are still those of the first possible day.
    unseen = await broker.send(path, status=422, **{**form, "step": "ask"})
    seen = await broker.send(path, **{**form, "step": "preview"})

    assert "If canceled as of Mar 2, 2027" in text_of(opened)
    assert "The amounts are now those of Sep 1, 2027: look at them and ask again." in text_of(unseen)
    for page in (unseen, seen):
        assert "If canceled as of Sep 1, 2027" in text_of(page)
        assert re.search(r"\$\d+ of \$1,536 is returned\.", text_of(page))
        assert "Earned premium $768 (183 of 366 days)" in text_of(page)
        assert "Extended reporting automatic until Oct 31, 2027" in text_of(page)
        assert fields_of(page, path)["text"] == "Sold"
    assert (await shown(service, policy["quote_identifier"]))["cancellation_request"] is None

    done = text_of(await broker.send(path, **{**fields_of(seen, path), "step": "ask"}))

    assert "Cancellation as of Sep 1, 2027 is asked for. An underwriter will decide" in done
    assert "Cancellation from Sep 1, 2027 asked for on Mar 1, 2027, not decided yet." in done
    asked = (await shown(service, policy["quote_identifier"]))["cancellation_request"]
    assert (asked["effective"], asked["reason"], asked["text"]) == ("2027-09-01", "business_sold", "Sold")
    # Sent twice it is one request; another one takes its place, and the page says so.
    await broker.send(path, **{**fields_of(seen, path), "step": "ask"})
    told_of = await told(service, policy["quote_identifier"])
    assert told_of.count("policy.cancellation_requested") == 1
    assert "not decided yet. Asking again replaces it." in text_of(await broker.open(path))


async def test_everything_wrong_with_a_cancellation_is_said_at_once(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = f"/policy/{policy['quote_identifier']}/cancel"

    page = await broker.send(path, status=422, effective="soon", reason="fraud", text="Sold", step="ask")
    outside = await broker.send(path, status=422, effective="2030-01-01", reason="rewritten", step="ask")
    await decide(service, policy, "cancel", text="Sold the firm")
    late = await broker.send(path, status=409, effective="2027-09-01", reason="rewritten", step="ask")

    assert "Canceled as of must be a date." in text_of(page)
    assert "Reason must be one of the list." in text_of(page)
    assert fields_of(page, path)["text"] == "Sold"
    assert "must be from Mar 2, 2027 and before Mar 2, 2028" in text_of(outside)
    assert "Show the amounts" not in late
    assert 'role="alert"' in late


async def test_another_option_is_asked_for_with_the_same_answers(service: Service, broker: Person) -> None:
    await set_day(service, DAY)
    first, second, *_ = await quoted(service)
    path = f"/company/{first['company_id']}/another?of={await submission_of(service, first)}"
    assert path in await broker.open(f"/company/{first['company_id']}")
    form = fields_of(await broker.open(path), path)
    asked = {**form, "aggregate_limit": "3000000", "retention": "10000"}

    answers = await asyncio.gather(*(broker.post(path, **asked) for _ in range(2)))
    late = await broker.post(path, **asked)

    # Pressed twice it is one request; whoever came second is led to the same.
    assert {answer.status_code for answer in (*answers, late)} == {303}
    assert await service.count("submissions") == 2
    page = text_of(await broker.open(late.headers["location"]))
    assert "Another option, $3,000,000 with a retention of $10,000, is asked for." in page
    body = await service.runtime.database.pool.fetchval(
        "select body from submissions order by created_at desc, submission_id desc limit 1"
    )
    assert msgspec.json.decode(body)["policy"]["quotes"] == [
        {"aggregate_limit": 3_000_000, "aggregate_retention": 10_000}
    ]
    for quote in (first, second):
        assert (await shown(service, quote["quote_identifier"]))["quote_status"] == "published"


async def test_terms_that_there_are_already_or_that_nobody_sells_are_not_asked_for(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    first, *_ = await quoted(service)
    path = f"/company/{first['company_id']}/another?of={await submission_of(service, first)}"
    same = {"aggregate_limit": first["aggregate_limit"], "retention": first["aggregate_retention"]}

    twin = text_of(await broker.send(path, status=422, **same))
    wrong = text_of(await broker.send(path, status=422, aggregate_limit="7", retention=""))
    await broker.open(f"/company/{first['company_id']}/another?of={uuid.uuid4()}", status=404)

    assert "Limit is that of option 1 with the same retention." in twin
    assert "Limit must be one of the list." in wrong
    assert "Retention must be one of the list." in wrong
    assert await service.count("submissions") == 1


async def test_no_other_option_is_asked_for_with_a_renewal(
    service: Service, renewal_offer: dict[str, Any], broker: Person
) -> None:
    path = f"/company/{renewal_offer['company_id']}/another?of={await submission_of(service, renewal_offer)}"

    page = await broker.send(path, status=409, aggregate_limit="2000000", retention="10000")

    assert "A renewal is one offer" in text_of(page)
    assert "/another" not in await broker.open(f"/company/{renewal_offer['company_id']}")
    assert await service.count("submissions") == 2


async def test_a_quote_that_expired_is_asked_for_again_from_tomorrow_on(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service)
    path = f"/company/{quote['company_id']}/another?of={await submission_of(service, quote)}"
    await service.runtime.database.pool.execute("update quotes set status = 'quote_expired'")
    await set_day(service, DAY.replace(month=6))

    page = await broker.open(f"/company/{quote['company_id']}")
    form = await broker.open(path)
    asked = {name: value for name, value in fields_of(form, path).items() if name != "key"}
    await broker.send(path, **asked)

    assert "Ask for a new quote" in text_of(page)
    assert "Effective Jun 2, 2027, tomorrow" in text_of(form)
    begins = await service.runtime.database.pool.fetchval("select max(effective) from submissions")
    assert begins.isoformat() == "2027-06-02"
