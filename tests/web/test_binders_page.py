"""The binders page: a bar for each limit, what is left, and what is written on no binder."""

from datetime import date

import pytest

from bindery.memory.backlog import Backlog
from support.binding import decide, issue, move_days, one_quoted, set_day
from support.book import binder_file, import_file, issued, of_state
from support.people import Person, text_of
from support.service import Service


@pytest.fixture
async def service(service: Service) -> Service:
    await set_day(service, date(2027, 3, 1))
    return service


async def test_without_a_binder_the_page_says_that_nobody_is_asked(operator: Person) -> None:
    assert "There is no binder, so nobody's authority is asked" in text_of(
        await operator.open("/ops/binders")
    )


async def test_each_limit_has_its_bar_and_what_is_left(
    service: Service, operator: Person, subtests: pytest.Subtests
) -> None:
    policy = await issued(service)
    before = text_of(await operator.open("/ops/ledger?binder=none"))
    await import_file(service, binder_file())
    exception = text_of(await operator.open("/ops/binders"))
    other = await issued(service, "PA")
    premium = other["premium"]
    shown = text_of(await operator.open("/ops/binders"))

    assert "1 policy is written on no binder: they were bound before there was one." in exception
    assert policy["policy_number"] in before
    assert f"${premium:,} of $1,000,000 ${1_000_000 - premium:,} left" in shown
    assert "In force" in shown
    assert "Placeholder Reinsurance Ltd. (NAIC 00002) 37.5 %" in shown
    assert "49 of 51 states" in shown
    theirs = text_of(await operator.open("/ops/ledger?binder=SAMPLE-2027"))
    assert other["policy_number"] in theirs
    assert policy["policy_number"] not in theirs
    for limit, word in (
        (premium * 2, "In force"),
        (premium * 4 // 3, "75 % is used"),
        (premium, "90 % is used"),
    ):
        with subtests.test(word):
            await import_file(service, binder_file(premium_limit=limit))
            assert word in text_of(await operator.open("/ops/binders"))
    await set_day(service, date(2028, 3, 1))
    assert "Expired" in text_of(await operator.open("/ops/binders"))


async def test_only_operators_see_binders(underwriter: Person, broker: Person) -> None:
    for person in (underwriter, broker):
        assert (await person.http.get("/ops/binders")).status_code in {403, 404}


async def test_a_mark_is_raised_once_and_cleared_when_premium_is_given_back(
    service: Service, operator: Person
) -> None:
    await import_file(service, binder_file())
    first, second = await one_quoted(service, of_state("CA")), await one_quoted(service, of_state("PA"))
    limit = (first["premium"] + second["premium"]) * 10 // 9
    await import_file(service, binder_file(premium_limit=limit + 1))
    none = await marks_of(service)
    await issue(service, first)
    await import_file(service, binder_file(premium_limit=first["premium"] * 100 // 75))
    raised = await marks_of(service)
    await move_days(service, 2)
    later = await marks_of(service)
    (moment,) = await service.runtime.database.pool.fetch("select passed_at from binder_marks")
    page = text_of(await operator.open("/ops/binders"))
    overview = text_of(await operator.open("/ops"))
    await import_file(service, binder_file(premium_limit=limit))
    cleared = await marks_of(service)
    policy = await issue(service, second)
    both = await marks_of(service)
    told = await marks_told(service)
    await decide(service, policy, "cancel", reason="not_taken_up", effective=policy["dates"]["effective"])
    given_back = await marks_of(service)

    assert none == cleared == given_back == []
    assert raised == later == [75]
    assert both == [75, 90]
    assert "Reached 75 % on Mar 1" in page
    assert "1 binder has reached 75 % of its premium limit" in overview
    assert {labels: 0 <= value < 3_600 for labels, value in told.items()} == {
        ("SAMPLE-2027", "75"): True,
        ("SAMPLE-2027", "90"): True,
    }
    assert moment["passed_at"].date() == date(2027, 3, 1)


async def test_a_binder_that_has_ended_or_tells_at_no_mark_is_no_alarm(
    service: Service, operator: Person
) -> None:
    await import_file(service, binder_file())
    premium = (await issued(service))["premium"]
    marked = f"{premium}\nnotify_at = "
    await import_file(service, binder_file(premium_limit=f"{marked}[100]"))
    full = await marks_told(service)
    await import_file(service, binder_file(premium_limit=f"{marked}[]"))
    unmarked = await marks_told(service)
    await import_file(service, binder_file(premium_limit=f"{marked}[80]"))
    await set_day(service, date(2028, 2, 29))
    last_day = await marks_told(service)
    await set_day(service, date(2028, 3, 1))
    ended = await marks_told(service)

    assert [*full] == [("SAMPLE-2027", "100")]
    assert [*last_day] == [("SAMPLE-2027", "80")]
    assert unmarked == ended == {}
    assert "premium limit" not in text_of(await operator.open("/ops"))


async def marks_of(service: Service) -> list[int]:
    rows = await service.runtime.database.pool.fetch("select mark from binder_marks order by mark")
    return [row["mark"] for row in rows]


async def marks_told(service: Service) -> dict[tuple[str, ...], float]:
    """Return the seconds of each mark as the metrics have them, by binder and mark."""
    samples = await Backlog(service.runtime.database, service.runtime.rules.zone).read()
    assert samples is not None
    return {row.labels: row.value for row in samples if row.name == "bindery_binder_mark_seconds"}
