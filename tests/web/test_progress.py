"""The first seconds of a submission on the company's page, and the ways that lead to a new quote."""

import re

from support.drafts import start
from support.intake import changed
from support.people import Person, links_of, text_of
from support.service import Service, request_body


async def test_the_page_says_how_far_options_are(service: Service, broker: Person) -> None:
    receipt = await service.submit()
    address = f"/company/{receipt['company_id']}"
    pool = service.runtime.database.pool

    first = await broker.open(address)
    await pool.execute("update quotes set status = 'aq_created' where option_number = 0")
    scanning = text_of(await broker.open(address))
    await pool.execute("update quotes set status = 'quote_referred' where option_number = 1")
    with_underwriter = text_of(await broker.open(address))

    assert "data-busy" in first
    assert '<meta http-equiv="refresh" content="5">' in first
    assert "How far it is Received" in text_of(first)
    assert "1 domain to scan from outside Pricing, 0 of 2 done" in text_of(first)
    assert "1 domain being scanned" in scanning
    assert "1 domain scanned from outside Pricing, 1 of 2 done" in with_underwriter
    assert "Option 2: an underwriter decides" in with_underwriter


async def test_the_page_says_how_many_options_are_ready_while_others_are_not(
    working_service: Service, broker: Person
) -> None:
    body = request_body()
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in (250_000, 500_000, 1_000_000)]
    receipt = await working_service.submit(body)
    for quote in receipt["quotes"]:
        await working_service.ready(quote["quote_identifier"])
    pool = working_service.runtime.database.pool

    said = {}
    for running in (0, 1, 2, 3):
        await pool.execute("update quotes set status = 'aq_created' where option_number < $1", running)
        page = await broker.open(f"/company/{receipt['company_id']}")
        found = re.search(r'<p class="lede"><strong data-says>(.*?)</strong>(.*?)</p>', page, re.DOTALL)
        assert found is not None
        said[running] = found[1], text_of(found[2])

    # What is read aloud while the page fills in is the fact alone.
    assert said[0][0].startswith("3 options are open until")
    assert said[1][0] == "2 of 3 options are ready."
    assert re.search(r"2 options are open until .+ 1 more option is being quoted \(submitted", said[1][1])
    assert said[2][0] == "1 of 3 options is ready."
    assert said[3][0].startswith("3 options are being quoted (submitted ")


async def test_one_option_whose_pricing_fails_leaves_the_others_to_be_bound(
    working_service: Service, broker: Person
) -> None:
    limits = [{"aggregate_limit": limit} for limit in (250_000, 500_000, 1_000_000)]
    quote = await working_service.quote(changed(("policy.quotes", limits)))
    address, pool = f"/company/{quote['company_id']}", working_service.runtime.database.pool
    third = await pool.fetchval("select quote_id from quotes where option_number = 2")
    await pool.execute("update quotes set status = 'calc_failed', premium = null where option_number = 1")

    failing = await broker.open(address)
    other = await broker.open(f"{address}?option=3")
    await pool.execute("update quotes set status = 'quote_referred' where option_number = 1")
    referred = await broker.open(address)

    assert "data-busy" in failing
    assert "Pricing, 2 of 3 done what is ready can be bound" in text_of(failing)
    # What is ready is selected, and a click away; what failed has a place for its price, and no price.
    assert f"/quote/{quote['quote_identifier']}/bind" in links_of(failing)
    assert f"/quote/{third}/bind" in links_of(other)
    assert 'class="wait-line"' in failing
    assert "data-busy" not in referred
    assert "With an underwriter" in text_of(referred)
    assert f"/quote/{quote['quote_identifier']}/bind" in links_of(referred)
    assert 'class="wait-line"' not in referred


async def test_what_is_over_leads_to_a_draft_with_its_request(service: Service, broker: Person) -> None:
    receipt = await service.submit()
    company_id = receipt["company_id"]
    await service.runtime.database.pool.execute("update quotes set status = 'quote_expired'")

    page = await broker.open(f"/company/{company_id}")

    again = f"/new?company_id={company_id}"
    assert "How far it is" not in text_of(page)
    # The button of the next step, that of the head, the sentence under the name and the other option's.
    assert links_of(page).count(again) == 4
    assert again in links_of(await broker.open("/companies?mine=0"))


async def test_today_and_the_bar_lead_to_a_new_quote_and_to_the_drafts(broker: Person) -> None:
    place = await start(broker)

    today = await broker.open("/")

    assert {"/new", "/drafts", place} <= set(links_of(today))
    assert "Marble Lighthouse Dental Group PC Cyber · saved" in text_of(today)
    assert "/new" in links_of(await broker.open("/companies"))
