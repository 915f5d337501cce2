"""Several options ticked on the page of a case: what is decided is done to all of them or to none."""

import asyncio
import uuid
from typing import Any

import asyncpg
import pytest

from bindery.domain.access.users import Role
from support.binding import bind, decide, issue, quoted, shown, status_of
from support.intake import row_counts
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service, request_body
from support.waiting import eventually


async def case_of(
    service: Service, *, name: str = "Harborlight", domain: str = "clean", options: int = 3
) -> tuple[str, list[dict[str, Any]]]:
    """Quote a company some options, and return the page of their case and the options."""
    body = request_body(lambda body: body["client"].update(name=name, domains=[f"{domain}.example.com"]))
    limits = (1_000_000, 2_000_000, 3_000_000)[:options]
    body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in limits]
    quotes = await quoted(service, body)
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quotes[0]["quote_identifier"])
    )
    return f"/desk/case/{submission_id}", quotes


async def form_of(person: Person, path: str, quotes: list[dict[str, Any]], decision: str) -> dict[str, Any]:
    """Open the page and tick options for a decision."""
    return {
        **fields_of(await person.open(path), f"{path}/decide"),
        "options": [quote["quote_identifier"] for quote in quotes],
        "decision": decision,
        "reason": "Looked at.",
        **({"contingency_text": "Proof of backups"} if decision == "contingency" else {}),
        **{
            f"closed_as-{owed['contingency_id']}": "fulfilled"
            for each in quotes
            for owed in each["contingencies"]
        },
    }


async def everything(service: Service) -> tuple[object, ...]:
    """Return how much was written, told and sent."""
    return await row_counts(service), await service.count("journal"), await service.count("mails")


async def statuses(service: Service, quotes: list[dict[str, Any]]) -> list[str]:
    return [await status_of(service, quote["quote_identifier"]) for quote in quotes]


async def test_of_three_options_none_is_decided_when_somebody_is_faster_with_the_last(
    service: Service, underwriter: Person, dsn: str, subtests: pytest.Subtests
) -> None:
    for decision in ["approve", "decline", "contingency"]:
        with subtests.test(decision):
            path, quotes = await case_of(service, domain="red-flags")
            alone = await form_of(underwriter, path, quotes[2:], "decline")
            together = await form_of(underwriter, path, quotes, decision)
            other = await asyncpg.connect(dsn)

            async with (
                await sign_in_as(service, Role.UNDERWRITER) as colleague,
                asyncio.TaskGroup() as group,
                other.transaction(),
            ):
                # Both have read the case before either can decide; the colleague is the first in line.
                await other.execute("select from companies for update")
                group.create_task(colleague.send(f"{path}/decide", **alone))
                await eventually(service.waiting_for_locks, lambda count: count == 1)
                late = group.create_task(underwriter.send(f"{path}/decide", status=422, **together))
                await eventually(service.waiting_for_locks, lambda count: count == 2)
            await other.close()

            told = text_of(late.result())
            assert "Your decision was not applied: somebody else decided first." in told
            assert "Option 3 was declined" in told
            assert await statuses(service, quotes) == ["quote_referred", "quote_referred", "quote_declined"]
            for quote in quotes:
                journal = await service.journal(quote["quote_identifier"])
                assert underwriter.email not in [entry.actor for entry in journal]
            assert await service.count("contingencies where kind = 'underwriter'") == 0


async def test_what_is_decided_about_three_options_is_done_to_all_and_a_second_press_does_nothing(
    service: Service, underwriter: Person, subtests: pytest.Subtests
) -> None:
    for decision in ["approve", "decline", "contingency"]:
        with subtests.test(decision):
            path, quotes = await case_of(service, domain="red-flags")
            form = await form_of(underwriter, path, quotes, decision)

            done = await underwriter.post(f"{path}/decide", **form)
            before = await everything(service)
            again = await underwriter.post(f"{path}/decide", **form)

            after = {"approve": "published", "decline": "quote_declined", "contingency": "quote_referred"}[
                decision
            ]
            assert done.status_code == 303
            assert await statuses(service, quotes) == [after] * 3
            assert again.status_code == (422 if decision == "contingency" else 303)
            assert await everything(service) == before


async def requested(service: Service, chosen: int) -> tuple[str, list[dict[str, Any]]]:
    path, quotes = await case_of(service, name="Careful (prebind)", options=2)
    await bind(service, quotes[chosen])
    return path, quotes


async def bound(service: Service, chosen: int) -> tuple[str, list[dict[str, Any]]]:
    path, quotes = await case_of(service, options=2)
    await bind(service, quotes[chosen])
    return path, quotes


async def asked_to_cancel(service: Service, chosen: int) -> tuple[str, list[dict[str, Any]]]:
    path, quotes = await case_of(service, options=2)
    await issue(service, quotes[chosen])
    ask = {"effective": quotes[chosen]["dates"]["effective"], "reason": "business_sold"}
    identifier = quotes[chosen]["quote_identifier"]
    answer = await service.post(f"/v2/quotes/{identifier}/request_cancellation", ask)
    assert answer.status_code == 200, answer.text
    return path, quotes


async def canceled(service: Service, chosen: int) -> tuple[str, list[dict[str, Any]]]:
    path, quotes = await case_of(service, options=2)
    await issue(service, quotes[chosen])
    await decide(service, quotes[chosen], "cancel", text="Asked for")
    return path, quotes


@pytest.mark.parametrize("chosen", [0, pytest.param(1, marks=pytest.mark.long)], ids=["first", "second"])
@pytest.mark.parametrize(
    ("decision", "prepare", "refusal", "after"),
    [
        ("approve", requested, "cannot be made for this option", "policy_active"),
        ("decline", requested, "A quote that is “Not chosen” cannot be declined", "quote_declined"),
        ("contingency", bound, "A quote that is “Not chosen” cannot be subject to", "policy_active"),
        ("cancel", bound, "A quote that is “Not chosen” has no policy", "policy_canceled"),
        ("decline_cancellation", asked_to_cancel, "that is “Not chosen” has no policy", "policy_active"),
        ("reinstate", canceled, "A quote that is “Not chosen” has no policy", "policy_active"),
    ],
)
async def test_an_option_that_is_not_open_to_the_decision_keeps_the_other_from_it(
    service: Service,
    underwriter: Person,
    decision: str,
    prepare: Any,
    refusal: str,
    after: str,
    chosen: int,
) -> None:
    path, quotes = await prepare(service, chosen)
    form = await form_of(underwriter, path, quotes, decision)
    before, stood = await everything(service), await statuses(service, quotes)

    refused = await underwriter.send(f"{path}/decide", status=422, **form)
    assert refusal in text_of(refused)
    assert await everything(service) == before
    assert await statuses(service, quotes) == stood

    await underwriter.send(f"{path}/decide", **{**form, "options": form["options"][chosen]})
    assert await status_of(service, form["options"][chosen]) == after
    assert await everything(service) != before


async def test_a_decision_that_was_made_for_some_of_the_options_only_is_no_second_press(
    service: Service, underwriter: Person
) -> None:
    path, quotes = await case_of(service, domain="red-flags")
    together = await form_of(underwriter, path, quotes, "decline")
    await underwriter.send(f"{path}/decide", **{**together, "options": together["options"][:1]})

    page = text_of(await underwriter.send(f"{path}/decide", status=422, **together))

    assert "Decided in the meantime" in page
    assert "Your decision was not applied" in page
    assert await statuses(service, quotes) == ["quote_declined", "quote_referred", "quote_referred"]
    assert (await shown(service, quotes[1]["quote_identifier"]))["decision"] is None
