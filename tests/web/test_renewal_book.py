"""The renewal book of the desk: policies that end soon, and what an underwriter decides on each."""

import uuid
from datetime import date, timedelta
from typing import Any

import pytest

from bindery.domain.access.users import Role
from support.binding import move_to, set_day, shown
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service

pytestmark = pytest.mark.usefixtures("plain_printing", "clock_at_day")
END = date(2028, 3, 2)


def page_of(policy: dict[str, Any]) -> str:
    return f"/desk/renewals/{policy['quote_identifier']}"


def its_form(page: str, path: str, **typed: str) -> dict[str, Any]:
    return fields_of(page, path) | typed


async def test_the_book_shows_what_ends_with_offer_change_scan_losses_and_state(
    service: Service, policy: dict[str, Any], renewal_offer: dict[str, Any], underwriter: Person
) -> None:
    offer = uuid.UUID(renewal_offer["quote_identifier"])
    await service.runtime.database.pool.execute("update quotes set premium = 1578 where quote_id = $1", offer)

    book = await underwriter.open("/desk/renewals")

    said = text_of(book)
    assert "1 policy ends by Apr 1, 2028." in said
    assert "Cyber Mar 2, 2028 $1,536 $1,578 +$42 +2.7%" in said
    assert "none known to us Offered Decide" in said
    assert f'href="{page_of(policy)}"' in book
    sheet = (await underwriter.http.get("/desk/renewals.csv")).text
    assert f",{policy['policy_number']},Cyber,2028-03-02,1536,1578,42,2.7," in sheet
    assert ",none known to us,Offered," in sheet
    assert "No policy like this ends" in text_of(await underwriter.open("/desk/renewals?state=held"))
    assert "No policy like this ends" in text_of(await underwriter.open("/desk/renewals?days=30"))
    assert "Offered Decide" in text_of(await underwriter.open("/desk/renewals?state=offered&sort=change"))
    assert "Decide" in text_of(await underwriter.open("/desk/renewals?sort=premium&product=CYB&days=60"))


async def test_the_book_is_for_underwriters_and_their_navigation_leads_there(
    service: Service, policy: dict[str, Any], underwriter: Person, broker: Person
) -> None:
    assert 'href="/desk/renewals"' in await underwriter.open("/desk")
    for path in ("/desk/renewals", "/desk/renewals.csv", page_of(policy)):
        assert (await broker.http.get(path)).status_code == 404
    await underwriter.open(f"/desk/renewals/{uuid.UUID(int=9)}", status=404)


async def test_not_renewing_asks_first_is_told_everywhere_and_can_be_undone(
    service: Service, policy: dict[str, Any], underwriter: Person, broker: Person
) -> None:
    await set_day(service, END - timedelta(days=80))
    path = page_of(policy)
    page = await underwriter.open(path)
    assert "It has to be mailed by Jan 2, 2028, 60 days before the end." in text_of(page)
    typed = its_form(page, path, because="appetite", text="No more bakeries.")
    asked = await underwriter.send(f"/sure?step=not_renew&to={path}&back={path}", **typed)
    assert "Let the policy of Harborlight Bakery LLC end with its term?" in asked
    assert (await shown(service, policy["quote_identifier"]))["nonrenewal"] is None

    done = text_of(await underwriter.send(path, **typed, ruling="not_renew"))

    # Pressed twice, it is done once.
    again = text_of(await underwriter.send(path, **typed, ruling="not_renew"))
    assert "the policy is not renewed." in again
    written = [
        each for each in await service.journal(policy["quote_identifier"]) if each.trigger == "not_renew"
    ]
    assert len(written) == 1
    assert "the policy is not renewed. The notice is on its way to the broker and the insured." in done
    assert "We no longer insure this kind of business: No more bakeries." in done
    assert "Not renewed by us" in text_of(await underwriter.open("/desk/renewals"))
    for where in ("/renewals?mine=0", f"/company/{policy['company_id']}"):
        assert "Ends Mar 2, 2028: not renewed by the insurer." in await broker.open(where)
    assert "Pause" not in text_of(await broker.open("/renewals?mine=0"))

    page = await underwriter.open(path)
    back = its_form(page, path, reason="They moved to another trade.", ruling="renew_after_all")
    assert "renewed after all" in text_of(await underwriter.send(path, **back))
    assert "Renews by itself" in text_of(await broker.open("/renewals?mine=0"))


async def test_what_is_missing_or_too_late_is_said_and_what_was_typed_stays(
    service: Service, policy: dict[str, Any], underwriter: Person
) -> None:
    await set_day(service, END - timedelta(days=80))
    path = page_of(policy)
    version = its_form(await underwriter.open(path), path)["version"]

    without = await underwriter.send(
        path, status=422, ruling="not_renew", version=version, because="other", text=""
    )
    assert "is required with the reason other" in text_of(without)
    unknown = await underwriter.send(path, status=422, ruling="not_renew", version=version, text="Kept words")
    assert "Kept words" in unknown
    assert "must be one of the list" in text_of(unknown)
    assert "is required: it goes on record" in text_of(
        await underwriter.send(path, status=422, ruling="hold", version=version, reason=" ")
    )
    await underwriter.send(path, status=422, ruling="nonsense", version=version)

    await set_day(service, END - timedelta(days=59))
    late = text_of(await underwriter.open(path))
    assert "the notice had to be mailed by Jan 2, 2028" in late
    refused = await underwriter.send(
        path, status=422, ruling="not_renew", version=version, because="security"
    )
    assert "from Mar 3, 2028 on" in text_of(refused)
    assert (await shown(service, policy["quote_identifier"]))["nonrenewal"] is None


async def test_who_decides_second_is_told_what_came_first(
    service: Service, policy: dict[str, Any], underwriter: Person
) -> None:
    await set_day(service, END - timedelta(days=80))
    path = page_of(policy)
    async with await sign_in_as(service, Role.UNDERWRITER, email="victor@bindery.example") as victor:
        mine, theirs = await underwriter.open(path), await victor.open(path)
        await underwriter.send(path, **its_form(mine, path, reason="Losses", ruling="hold"))

        late = await victor.send(
            path,
            status=422,
            **its_form(theirs, path, because="security", text="Old servers", ruling="not_renew"),
        )

    said = text_of(late)
    assert "Decided in the meantime" in said
    assert "held: an underwriter looks at its renewal first: Losses" in said
    assert "Old servers" in late
    assert (await shown(service, policy["quote_identifier"]))["nonrenewal"] is None


async def test_other_terms_lead_into_the_case_of_the_renewal(
    service: Service, policy: dict[str, Any], underwriter: Person
) -> None:
    path = page_of(policy)
    await set_day(service, END - timedelta(days=91))
    form = its_form(await underwriter.open(path), path)
    early = await underwriter.send(path, status=422, **form, ruling="other_terms")
    assert "can be asked for from Dec 3, 2027" in text_of(early)
    assert (await shown(service, policy["quote_identifier"]))["renewal"]["stopped_by"] is None
    unseen = await underwriter.send(path, status=422, ruling="hold", reason="Losses")
    assert "Decided in the meantime" in text_of(unseen)

    await set_day(service, END - timedelta(days=90))
    form = its_form(await underwriter.open(path), path)
    answer = await underwriter.post(path, **form, ruling="other_terms")

    body = (await shown(service, policy["quote_identifier"]))["renewal"]
    assert (body["state"], body["stopped_by"]) == ("not_due", "held")
    assert answer.headers["location"].startswith("/desk/case/")
    await move_to(service, END - timedelta(days=89))
    body = (await shown(service, policy["quote_identifier"]))["renewal"]
    assert (body["state"], body["stopped_by"]) == ("referred", "held")
    case = text_of(await underwriter.open(answer.headers["location"]))
    assert "An underwriter looks at the renewal before it is offered" in case
    assert "Renewal book: alerts since, losses, and what was decided" in case


async def test_a_hold_is_lifted_on_the_page(
    service: Service, policy: dict[str, Any], underwriter: Person
) -> None:
    await set_day(service, END - timedelta(days=80))
    path = page_of(policy)
    form = its_form(await underwriter.open(path), path, reason="Losses", ruling="hold")
    assert "Lift the hold" in text_of(await underwriter.send(path, **form))

    form = its_form(await underwriter.open(path), path, ruling="release")
    assert "is offered and bound by itself again" in text_of(await underwriter.send(path, **form))

    assert (await shown(service, policy["quote_identifier"]))["renewal"]["stopped_by"] is None
