"""The binders page: a bar for each limit, what is left, and what is written on no binder."""

from datetime import date

import pytest

from support.binding import set_day
from support.book import binder_file, import_file, issued
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
