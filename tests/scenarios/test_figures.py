"""The figures of days: kept once, after an outage too, and equal to what was counted live."""

import re
import uuid
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from bindery.actions.desk.offer_option import offer_option
from bindery.actions.timetable.sweep import figure_days
from bindery.domain.access.users import Role
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.figures import bounds_of
from bindery.domain.quote.decisions import OfferOption
from bindery.memory.unkept_days import UnkeptDays
from bindery.storage.operations import figures
from bindery.storage.quote import quotes
from bindery.worker.entrypoints import EVERY_HOUR, TIMETABLE
from support.binding import bind, decide, issue, move_days, one_quoted, quoted, set_day
from support.people import sign_in_as, text_of
from support.press import plain_press
from support.service import Service, request_body

DAY = date(2027, 3, 1)


def without_times(page: str) -> str:
    """Return the words of a page without what was measured just now, and what sums up kept days only."""
    words = re.sub(r"\d+ ms answe", "", text_of(page))
    return re.sub(r"By partner finished days.*?(?=Check )", "", words)


def referred(body: dict[str, Any]) -> None:
    body["client"].update(name="Red Flag Works", domains=["red-flags.example.com"])


async def kept(service: Service) -> list[tuple[date, str, int, int, int, int, int]]:
    rows = await service.runtime.database.pool.fetch(
        """
        select day, product, submitted, published, referred, bound, (select sum(n) from unnest(readiness) n)
        from daily_figures where partner_id = 0 order by day
        """
    )
    return [tuple(row) for row in rows]


async def test_finished_days_are_counted_once_and_after_an_outage(service: Service) -> None:
    with plain_press():
        await set_day(service, DAY)
        quote = await one_quoted(service)
        await one_quoted(service, referred)
        await set_day(service, DAY + timedelta(days=3))
        bound = await bind(service, quote)
    assert await figure_days(service.runtime.database, service.runtime.rules) == 3

    await set_day(service, DAY + timedelta(days=4))
    assert await figure_days(service.runtime.database, service.runtime.rules) == 1
    assert await figure_days(service.runtime.database, service.runtime.rules) == 0

    assert await kept(service) == [
        (DAY, "CYB", 2, 1, 1, 0, 2),
        (DAY + timedelta(days=3), "CYB", 0, 0, 0, 1, 0),
    ]
    premium = await service.runtime.database.pool.fetchval(
        "select sum(premium) from daily_figures where bound = 1 and partner_id > 0"
    )
    assert premium == bound["premium"]
    reasons = await service.runtime.database.pool.fetchval(
        "select reasons::text from daily_figures where submitted = 2 and partner_id = 0"
    )
    assert "red_flags" in reasons
    assert TIMETABLE["figure_days"].cron == EVERY_HOUR


async def test_reasons_are_counted_for_every_option_that_was_referred(service: Service) -> None:
    def two_options(body: dict[str, Any]) -> None:
        referred(body)
        assert len(body["policy"]["quotes"]) == 2

    with plain_press():
        await set_day(service, DAY)
        declined, _ = await quoted(service, request_body(two_options))
        await one_quoted(service, referred)
        await decide(service, declined, "decline", reason="Not for us.")
    async with service.runtime.database.reading() as tx:
        counted = await figures.count_between(tx, *bounds_of(DAY, service.runtime.settings.zone))

    found = counted["CYB", figures.ALL_PARTNERS]
    assert found.referred == 3
    assert found.reasons["red_flags"] == 3


async def test_a_referral_that_never_stood_on_the_desk_is_counted_with_its_reasons(
    service: Service,
) -> None:
    with plain_press():
        await set_day(service, DAY)
        quote = await one_quoted(service, referred)
    # As if its case had never stood on the desk.
    await service.runtime.database.pool.execute("delete from desk_items")
    async with service.runtime.database.reading() as tx:
        counted = await figures.count_between(tx, *bounds_of(DAY, service.runtime.settings.zone))

    found = counted["CYB", figures.ALL_PARTNERS]
    assert (found.referred, found.reasons) == (1, {reason["code"]: 1 for reason in quote["referral_reasons"]})


async def test_the_dashboard_counts_today_live_and_reads_the_days_before(service: Service) -> None:
    with plain_press():
        await set_day(service, DAY)
        await one_quoted(service)
        await set_day(service, DAY + timedelta(days=1))
        await one_quoted(service, referred)
    async with await sign_in_as(service, Role.OPERATOR) as operator:
        before = without_times(await operator.open("/ops?days=7"))
        await figure_days(service.runtime.database, service.runtime.rules)
        after = without_times(await operator.open("/ops?days=7"))
        sheet = await operator.http.get("/ops/figures/funnel.csv?days=7")

        # Yesterday was counted live until it was kept; the page says the same before and after.
        assert before == after
        assert "2 options came in, 1 went to an underwriter first; 1 was published and 0 bound." in after
        assert sheet.content.decode("utf-8-sig").splitlines() == [
            "Step,Options,Of those submitted",
            "Submitted,2,1.0",
            "With an underwriter,1,0.5",
            "Published,1,0.5",
            "Bound,0,0.0",
        ]
        assert (await operator.http.get("/ops/figures/nothing.csv")).status_code == 404


async def test_a_quote_that_is_published_again_is_counted_once(service: Service) -> None:
    with plain_press():
        await set_day(service, DAY)
        quote = await one_quoted(service)
    runtime = service.runtime
    await runtime.database.pool.execute(
        """
        insert into unplaced_events (event_id, partner_id, quote_id, entry, level, type, at)
        select gen_random_uuid(), partner_id, quote_id, 99, 'quote', 'quote.published',
               created_at + interval '3 hours'
        from quotes where quote_id = $1
        """,
        quote["quote_identifier"],
    )

    async with runtime.database.reading() as tx:
        counted = await figures.count_between(tx, *bounds_of(DAY, runtime.settings.zone))

    assert counted["CYB", figures.ALL_PARTNERS].published == 1
    assert sum(counted["CYB", figures.ALL_PARTNERS].readiness) == 1


async def test_only_the_last_hours_are_counted_again_until_the_clock_is_moved(service: Service) -> None:
    with plain_press():
        await set_day(service, DAY)
        await one_quoted(service)
    runtime, zone, days = service.runtime, service.runtime.settings.zone, UnkeptDays()

    async with runtime.database.reading() as tx:
        for passed in (timedelta(), timedelta(minutes=30), timedelta(minutes=90), timedelta(hours=2)):
            later = replace(tx, now=tx.now + passed)
            assert await days.count(later, DAY, zone) == await figures.count_between(
                tx, *bounds_of(DAY, zone)
            )
        # Nothing is written so late; that this is not seen shows what is remembered.
        await tx.connection.execute("update quotes set product = 'TEO'")
        remembered = await days.count(replace(tx, now=tx.now + timedelta(hours=3)), DAY, zone)
        anew = await days.count(replace(tx, ahead=tx.ahead + timedelta(hours=3)), DAY, zone)

    assert {product for product, _ in remembered} == {"CYB"}
    assert {product for product, _ in anew} == {"TEO"}


async def test_days_that_are_kept_by_now_are_forgotten(service: Service) -> None:
    days, zone = UnkeptDays(), service.runtime.settings.zone
    async with service.runtime.database.reading() as tx:
        past = [tx.today - timedelta(days=number) for number in range(1, 4)]
        for day in past:
            await days.count(tx, day, zone)
        assert days.remembered == set(past)

        days.forget_all_but(past[:1])

    assert days.remembered == {past[0]}


async def test_moving_the_clock_keeps_the_figures_of_the_days_that_are_over(service: Service) -> None:
    with plain_press():
        await set_day(service, DAY)
        bound = await bind(service, await one_quoted(service))
        await move_days(service, 40)
        async with await sign_in_as(service, Role.OPERATOR) as operator:
            page = text_of(await operator.open("/ops"))

    assert (DAY, "CYB", 1, 1, 0, 1, 1) in await kept(service)
    assert await service.count("figured_days") == 40
    assert f"${bound['premium']:,} has been bound since Nov 2026" in page


async def test_days_that_no_worker_has_counted_are_counted_for_the_dashboard(service: Service) -> None:
    with plain_press():
        await set_day(service, DAY)
        bound = await bind(service, await one_quoted(service))
    # The clock alone moves here: nobody keeps the figures of a day.
    await set_day(service, DAY + timedelta(days=60))
    async with await sign_in_as(service, Role.OPERATOR) as operator:
        before = without_times(await operator.open("/ops?days=90"))
        await figure_days(service.runtime.database, service.runtime.rules)
        after = without_times(await operator.open("/ops?days=90"))

    assert f"${bound['premium']:,} has been bound since Nov 2026, all of it Cyber." in before
    assert "1 option came in; 1 was published and 1 bound." in before
    assert before == after


async def test_a_picture_without_anything_in_it_is_a_sentence(service: Service) -> None:
    async with await sign_in_as(service, Role.OPERATOR) as operator:
        page = await operator.open("/ops")

    assert "No option was submitted in this period." in page
    assert "Nothing was delivered in this period." in page
    assert "As a table" not in page
    assert 'class="bars"' not in page
    assert 'class="legend"' not in page


async def test_what_underwriters_offer_add_and_return_is_counted_apart(service: Service) -> None:
    runtime = service.runtime
    await set_day(service, DAY)
    quote, other = await one_quoted(service), await one_quoted(service)
    at_the_desk = await one_quoted(service, referred)
    async with runtime.database.reading() as tx:
        before = await figures.count_between(tx, *bounds_of(DAY, runtime.settings.zone))
        submission_id = (await quotes.get(tx, uuid.UUID(at_the_desk["quote_identifier"]))).submission_id

    offer = OfferOption(OptionAsk(2_000_000, 50_000), "They grew.")
    await offer_option(runtime.database, runtime.rules, submission_id, offer, actor="uma@bindery.example")
    owed = {"type": "post_bind", "text": "Proof that backups are kept offline"}
    await decide(service, other, "add_contingency", contingency=owed)
    policy = await issue(service, quote)
    canceled = await decide(service, policy, "cancel", text="Sold.")

    async with runtime.database.reading() as tx:
        counted = await figures.count_between(tx, *bounds_of(DAY, runtime.settings.zone))
    first, now = (each["CYB", figures.ALL_PARTNERS] for each in (before, counted))
    # As before: nobody submitted it, and it is no answer to what was asked for.
    assert (now.submitted, now.published, now.readiness) == (3, 2, first.readiness)
    assert (now.offered, now.subjectivities, now.bound) == (1, 1, 1)
    assert now.returned == canceled["decision"]["returned_premium"] > 0
    async with runtime.database.transaction() as write:
        assert await figures.keep(write, DAY, counted)
        (kept,) = await figures.of_days(write, DAY, products=["CYB"])
    assert kept.figures == now
    async with await sign_in_as(service, Role.OPERATOR) as operator:
        page = text_of(await operator.open("/ops"))
    assert "1 offered by underwriters" in page
    assert f"${now.returned:,} was returned for cancellations." in page
    assert "Underwriters offered 1 option beside them and added 1 subjectivity." in page
