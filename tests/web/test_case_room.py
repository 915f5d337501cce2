"""A case says what its option would take of the binder, and warns at the binder's marks."""

import uuid
from datetime import date

import pytest

from support.binding import bind, one_quoted, set_day
from support.book import binder_file, import_file, issued, of_state
from support.intake import changed
from support.people import Person, fields_of, text_of
from support.service import Service
from support.uploads import processed
from web.test_case_compared import case_of


@pytest.fixture
async def service(service: Service) -> Service:
    await set_day(service, date(2027, 3, 1))
    return service


def room_in(page: str) -> str:
    """Return the words of the card; empty on a page without one."""
    _, found, rest = page.partition('<section class="card" id="room"')
    return text_of(found + rest.partition("</section>")[0]) if found else ""


def with_marks(limit: int, marks: str) -> bytes:
    return binder_file(premium_limit=f"{limit}\nnotify_at = {marks}")


async def test_a_case_shows_what_its_option_takes_and_warns_at_each_mark(
    service: Service, underwriter: Person, subtests: pytest.Subtests
) -> None:
    quote = await one_quoted(service, of_state("PA"))
    path, premium = await case_of(service, quote), quote["premium"]
    without = room_in(await underwriter.open(path))
    await import_file(service, binder_file())
    booked = (await issued(service))["premium"]
    both = booked + premium
    cases = (
        (1_000_000, ""),
        (both * 100 // 75 + 1, ""),
        (both * 100 // 75, "75 % of the limit would be used with it"),
        (both * 100 // 90, "90 % of the limit would be used with it"),
        (both, "90 % of the limit would be used with it"),
        (both - 1, "That is $1 more than is left: its bind waits until there is room"),
    )

    assert without == ""
    for limit, warning in cases:
        with subtests.test(f"{limit} {warning}"):
            await import_file(service, binder_file(premium_limit=limit))
            assert room_in(await underwriter.open(path)) == " ".join(
                (
                    f"Binder SAMPLE-2027 {warning}".strip(),
                    f"${booked:,} of ${limit:,} used ${limit - booked:,} left",
                    f"Option 1 would add ${premium:,}, {premium * 100 / limit:.1f} % of the limit.",
                )
            )
    await import_file(service, with_marks(100_000, "[1, 75]"))
    assert "1 % of the limit is used already" in room_in(await underwriter.open(path))
    await import_file(service, with_marks(both, "[]"))
    unwarned = room_in(await underwriter.open(path))
    assert unwarned.startswith("Binder SAMPLE-2027 $")
    await bind(service, quote)
    assert room_in(await underwriter.open(path)) == "", "what is bound has taken its premium"


async def test_what_is_typed_and_what_has_no_price_or_binder(service: Service, underwriter: Person) -> None:
    await import_file(service, binder_file())
    quote = await one_quoted(service)
    path = await case_of(service, quote)
    form = fields_of(await underwriter.open(path), f"{path}/decide")
    typed = await underwriter.http.post(
        f"{path}/preview",
        data={**form, "premium": str(quote["premium"] + 100)},
        headers={"Origin": underwriter.origin, "X-Part": "worksheet"},
    )
    unpriced = await processed(service, changed(("client.domains", ["calc-error.example.com"])))
    await service.runtime.database.pool.execute(
        "update quotes set aggregate_limit = 777000, premium = null where quote_id = $1",
        uuid.UUID(unpriced["quote_identifier"]),
    )
    unpriced_room = room_in(await underwriter.open(await case_of(service, unpriced)))
    await import_file(service, binder_file(states='["OR"]', states_excluded="[]"))

    assert f"Option 1 would add ${quote['premium'] + 100:,}," in room_in(typed.text)
    assert "Option 1 has no premium yet." in unpriced_room
    assert room_in(await underwriter.open(path)) == "", "no binder covers the state"
