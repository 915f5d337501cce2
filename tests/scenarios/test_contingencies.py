"""What is owed for a quote: who opens and closes it, and what comes of that."""

import json
from datetime import date
from typing import Any

import pytest

from bindery.actions.desk.take_decisions import take_decision
from bindery.base.errors import InvalidRequest, WrongState
from bindery.domain.quote.decisions import ReopenContingency
from support.binding import (
    bind,
    decide,
    issue,
    move_days,
    one_quoted,
    quoted,
    review,
    set_day,
    shown,
    status_of,
    told,
    upload_signed,
)
from support.service import Service, request_body

pytestmark = pytest.mark.usefixtures("clock_at_day")
PROOF = {"type": "post_bind", "text": "Proof that backups are kept offline"}


def statuses(quote: dict[str, Any]) -> list[str]:
    return [row["status"] for row in quote["contingencies"]]


def id_of(quote: dict[str, Any], number: int) -> str:
    return str(quote["contingencies"][number]["contingency_id"])


async def quote_id(service: Service, quote: dict[str, Any]) -> Any:
    return await service.runtime.database.pool.fetchval(
        "select quote_id from quotes where quote_id = $1::text::uuid", quote["quote_identifier"]
    )


async def test_every_quote_asks_for_the_signed_application(service: Service) -> None:
    quote = await one_quoted(service)

    (signature,) = quote["contingencies"]
    assert signature.keys() == {
        "contingency_id", "status", "text", "type", "closed_as", "closed_reason", "received",
        "asked_again_because",
    }  # fmt: skip
    assert signature["contingency_id"].isdecimal()
    assert (signature["status"], signature["type"]) == ("open", "post_bind")
    assert "no more than 45 days before the bind" in signature["text"]


async def test_an_upload_alone_closes_nothing(service: Service) -> None:
    quote = await one_quoted(service)
    await upload_signed(service, quote)
    await bind(service, quote)
    await upload_signed(service, quote)

    binder = await shown(service, quote["quote_identifier"])

    assert statuses(binder) == ["open"]
    assert "policy" not in binder["available_documents"]


async def test_closing_the_last_one_of_a_binder_issues_the_policy(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    binder = await decide(service, quote, "add_contingency", contingency=PROOF)
    assert statuses(binder) == ["open", "open"]

    half = await decide(service, quote, "close_contingency", contingency_id=id_of(binder, 1))
    policy = await decide(service, quote, "close_contingency", contingency_id=id_of(binder, 0))

    assert (statuses(half), "policy" in half["available_documents"]) == (["open", "closed"], False)
    assert (statuses(policy), "policy" in policy["available_documents"]) == (["closed", "closed"], True)
    assert await told(service, quote["quote_identifier"]) == [
        "quote.published",
        "policy.bound",
        *["quote.contingency_changed"] * 3,
        "policy.issued",
    ]


async def test_an_issued_policy_does_not_lapse(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    await decide(service, quote, "close_contingency", contingency_id=id_of(quote, 0))

    await move_days(service, 40)

    assert await status_of(service, quote["quote_identifier"]) == "policy_active"


async def test_the_day_after_the_last_a_binder_cannot_be_saved(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    # No sweep has come by: the decider looks at the date itself.
    await set_day(service, date(2027, 4, 1))

    answer = await review(service, quote, "close_contingency", contingency_id=id_of(quote, 0))

    assert (answer.status_code, answer.json()["code"]) == (400, "wrong_state")
    assert statuses(await shown(service, quote["quote_identifier"])) == ["open"]


async def test_closing_twice_tells_once(service: Service) -> None:
    quote = await one_quoted(service)
    for _ in range(2):
        after = await decide(service, quote, "close_contingency", contingency_id=id_of(quote, 0))

    assert statuses(after) == ["closed"]
    assert await told(service, quote["quote_identifier"]) == ["quote.published", "quote.contingency_changed"]


async def test_with_the_signature_closed_beforehand_the_bind_issues_the_policy(service: Service) -> None:
    quote = await one_quoted(service)
    await decide(service, quote, "close_contingency", contingency_id=id_of(quote, 0))

    policy = await bind(service, quote)

    assert "policy" in policy["available_documents"]


async def test_a_contingency_added_by_an_underwriter_makes_the_bind_a_request(service: Service) -> None:
    quote = await one_quoted(service)
    await decide(service, quote, "add_contingency", contingency=PROOF)

    requested = await bind(service, quote)

    assert requested["quote_status"] == "quote_bind_requested"


async def test_more_can_be_asked_for_while_a_request_waits(service: Service) -> None:
    (quote,) = await quoted(
        service,
        request_body(
            lambda body: (
                body["client"].update(name="Careful (prebind)"),
                body["policy"].update(quotes=[{"aggregate_limit": 1_000_000}]),
            )
        ),
    )
    await bind(service, quote)
    asked = await decide(service, quote, "add_contingency", contingency=PROOF)
    assert asked["quote_status"] == "quote_bind_requested"

    binder = await decide(service, quote, "approve")

    assert statuses(binder) == ["closed", "open", "open"]


async def test_two_of_an_underwriters_own_words_stand_side_by_side(service: Service) -> None:
    quote = await one_quoted(service)
    await decide(service, quote, "add_contingency", contingency=PROOF)

    twice = await decide(service, quote, "add_contingency", contingency=PROOF)

    assert len({row["contingency_id"] for row in twice["contingencies"]}) == 3


async def test_nothing_more_is_asked_for_once_the_policy_is_issued(
    service: Service, policy: dict[str, Any]
) -> None:
    added = await review(service, policy, "add_contingency", contingency=PROOF)
    with pytest.raises(WrongState):
        await take_decision(
            service.runtime.database,
            service.runtime.rules,
            await quote_id(service, policy),
            ReopenContingency(id_of(policy, 0)),
            actor="test",
        )

    assert (added.status_code, added.json()["code"]) == (400, "wrong_state")
    assert statuses(await shown(service, policy["quote_identifier"])) == ["closed"]


async def test_nothing_is_asked_for_before_a_bind_that_has_been(service: Service) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)

    answer = await review(service, quote, "add_contingency", contingency={**PROOF, "type": "pre_bind"})

    assert answer.status_code == 400
    assert [error["path"] for error in answer.json()["errors"]] == ["contingency.type"]


async def test_a_closed_one_can_be_opened_again(service: Service) -> None:
    quote = await one_quoted(service)
    await decide(service, quote, "close_contingency", contingency_id=id_of(quote, 0))

    for _ in range(2):
        await take_decision(
            service.runtime.database,
            service.runtime.rules,
            await quote_id(service, quote),
            ReopenContingency(id_of(quote, 0)),
            actor="test",
        )

    assert statuses(await shown(service, quote["quote_identifier"])) == ["open"]
    assert (await told(service, quote["quote_identifier"])).count("quote.contingency_changed") == 2


@pytest.mark.parametrize("contingency_id", ["999999", "x", "", "9" * 40])
async def test_an_unknown_contingency_is_refused(service: Service, contingency_id: str) -> None:
    quote = await one_quoted(service)

    answer = await review(service, quote, "close_contingency", contingency_id=contingency_id)
    with pytest.raises(InvalidRequest):
        await take_decision(
            service.runtime.database,
            service.runtime.rules,
            await quote_id(service, quote),
            ReopenContingency(contingency_id),
            actor="test",
        )

    assert answer.status_code == 400
    assert [error["code"] for error in answer.json()["errors"]] == ["unknown_contingency"]


async def test_anothers_contingency_is_unknown_here(service: Service) -> None:
    mine, other = await one_quoted(service), await one_quoted(service)

    answer = await review(service, mine, "close_contingency", contingency_id=id_of(other, 0))

    assert answer.status_code == 400
    assert statuses(await shown(service, other["quote_identifier"])) == ["open"]


async def test_nothing_is_asked_for_where_nothing_can_come_of_it(service: Service) -> None:
    (quote,) = await quoted(
        service,
        request_body(lambda body: body["policy"].update(quotes=[{"aggregate_limit": 5_000_000}])),
    )
    await decide(service, quote, "decline", reason="No.")

    answer = await review(service, quote, "add_contingency", contingency=PROOF)

    assert (answer.status_code, answer.json()["code"]) == (400, "wrong_state")
    assert "quote_declined" not in answer.json()["available_statuses"]


def ended(quote: dict[str, Any]) -> list[tuple[str | None, str | None]]:
    return [(row["closed_as"], row["closed_reason"]) for row in quote["contingencies"]]


async def changes(service: Service, quote: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        json.loads(entry.data)
        for entry in await service.journal(quote["quote_identifier"])
        if entry.type == "quote.contingency_changed"
    ]


async def test_a_contingency_is_fulfilled_or_waived_with_a_reason_and_both_are_told(service: Service) -> None:
    quote = await one_quoted(service)
    two = await decide(service, quote, "add_contingency", contingency=PROOF)
    assert ended(two) == [(None, None), (None, None)]
    why = "The broker showed it on the phone."

    await decide(service, quote, "close_contingency", contingency_id=id_of(two, 0))
    both = await decide(
        service, quote, "close_contingency", contingency_id=id_of(two, 1), closed_as="waived", reason=why
    )

    assert statuses(both) == ["closed", "closed"]
    assert ended(both) == [("fulfilled", None), ("waived", why)]
    assert (await changes(service, quote))[1:] == [
        {"closed": id_of(two, 0), "closed_as": "fulfilled", "closed_reason": None},
        {"closed": id_of(two, 1), "closed_as": "waived", "closed_reason": why},
    ]

    await take_decision(
        service.runtime.database,
        service.runtime.rules,
        await quote_id(service, quote),
        ReopenContingency(id_of(two, 1)),
        actor="una",
    )
    assert ended(await shown(service, quote["quote_identifier"]))[1] == (None, None)


async def test_waiving_without_a_reason_is_refused_and_nothing_moves(service: Service) -> None:
    quote = await one_quoted(service)
    before = await service.journal(quote["quote_identifier"])

    answer = await review(
        service, quote, "close_contingency", contingency_id=id_of(quote, 0), closed_as="waived", reason=" "
    )

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "reason")
    assert statuses(await shown(service, quote["quote_identifier"])) == ["open"]
    assert await service.journal(quote["quote_identifier"]) == before


async def requested_bind(service: Service) -> dict[str, Any]:
    def before_the_bind(body: dict[str, Any]) -> None:
        body["client"]["name"] = "Careful (prebind)"

    quote = await one_quoted(service, before_the_bind)
    return await bind(service, quote)


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ({"closed_as": "waived"}, "contingencies[0].reason"),
        ({"contingency_id": "1"}, "contingencies[0].contingency_id"),
        ({"closed_as": "attested", "reason": "x"}, "contingencies[0].closed_as"),
    ],
)
async def test_a_bind_is_not_approved_on_a_closing_that_cannot_be(
    service: Service, said: dict[str, str], path: str
) -> None:
    quote = await requested_bind(service)
    closing = {"contingency_id": id_of(quote, 0), **said}

    answer = await review(service, quote, "approve", contingencies=[closing])

    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, path)
    assert await status_of(service, quote["quote_identifier"]) == "quote_bind_requested"


async def test_an_approved_bind_says_how_what_was_needed_before_it_was_closed(service: Service) -> None:
    waived = await requested_bind(service)
    closing = {"contingency_id": id_of(waived, 0), "closed_as": "waived", "reason": "A single entity."}

    bound = await decide(service, waived, "approve", contingencies=[closing])

    assert ended(bound) == [("waived", "A single entity."), (None, None)]


async def test_an_attested_bind_closes_the_signature_as_attested(service: Service) -> None:
    policy = await issue(service, await one_quoted(service))

    assert ended(policy) == [("attested", None)]
