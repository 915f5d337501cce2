"""A broker changes a policy on a page: the price before anything is sent, all problems, twice, by two."""

import asyncio
import re
import uuid
from pathlib import Path
from typing import Any

import pytest

from bindery.domain.access.users import Role
from support.binding import DAY, bind, decide, issue, one_quoted, quoted, set_day, shown
from support.intake import professional
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service, serving
from support.statements import statements_of

pytestmark = pytest.mark.usefixtures("plain_printing")

MPL_TERMS = {"aggregate_limit": 1_000_000, "per_claim_retention": 10_000}


def at(policy: dict[str, Any], *more: str) -> str:
    return "/".join((f"/policy/{policy['quote_identifier']}", *more))


async def filled(person: Person, policy: dict[str, Any], **typed: str) -> dict[str, Any]:
    """Return the form as a page fills it, with what is typed over it."""
    path = at(policy, "change")
    return {**fields_of(await person.open(path), path), "reason": "A customer asks for it.", **typed}


async def seen(person: Person, policy: dict[str, Any], form: dict[str, Any], status: int = 200) -> str:
    return await person.send(at(policy, "change"), status=status, **{**form, "step": "price"})


async def press(person: Person, policy: dict[str, Any], page: str, **typed: str) -> str:
    form = {**fields_of(page, at(policy, "change")), **typed, "step": "change"}
    return text_of(await person.send(at(policy, "change"), **form))


async def changes_of(service: Service, policy: dict[str, Any]) -> list[dict[str, Any]]:
    answer = await service.get(f"/v2/policies/{policy['quote_identifier']}/changes")
    found: list[dict[str, Any]] = answer.json()["changes"]
    return found


async def test_the_price_is_seen_before_the_policy_is_changed_by_one_button(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    company = await broker.open(f"/company/{policy['company_id']}")
    form = await filled(broker, policy, aggregate_limit="2000000", dba="Lamplight Bread")

    page = await seen(broker, policy, form)

    assert f'href="{at(policy, "change")}"' in company
    words = text_of(page)
    (button,) = re.findall(r"Change the policy from Mar 2, 2027 for (\+\$[\d,.]+)", words)
    assert "Aggregate limit from $1,000,000 to $2,000,000" in words
    assert "Per-claim limit from $1,000,000 to $2,000,000" in words
    assert "Doing business as from none to Lamplight Bread" in words
    assert f"Total {button}" in words
    assert await changes_of(service, policy) == []
    done = await press(broker, policy, page)
    assert f"The policy is changed from Mar 2, 2027 on for {button}." in done
    (change,) = await changes_of(service, policy)
    assert (change["status"], f"+${change['total']:,.2f}") == ("issued", button)
    # Only what differs is asked for.
    assert change["changes"] == {"aggregate_limit": 2_000_000, "dba": "Lamplight Bread"}
    assert (await shown(service, policy["quote_identifier"]))["aggregate_limit"] == 2_000_000


async def test_everything_wrong_is_said_at_once_and_kept(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    await set_day(service, DAY)
    form = await filled(
        broker,
        policy,
        effective="soon",
        reason="",
        aggregate_limit="3",
        per_claim_limit="5000000",
        name=" ",
        street="",
        zip="97201",
        domains="lamplight.example.com no_domain",
        email="nobody",
        person_4_email="ann@lamplight.example",
        other_2_interest="Landlord",
    )

    page = await broker.send(at(policy, "change"), status=422, **{**form, "step": "change"})

    words = text_of(page)
    for said in (
        "Changed from must be a date",
        "Reason is required.",
        "Aggregate limit must be one of",
        "Named insured is required.",
        "Street is required.",
        "Domains no_domain ",
        "Email must be an email address.",
        "Contact 1: what it is told about must be at least one of the two.",
        "Additional insured 1: name is required.",
    ):
        assert said in words, (said, words)
    for field in ("effective", "reason", "aggregate_limit", "street", "domains", "email", "person_0_email"):
        assert f'<a href="#{field}">' in page or field == "person_0_email", field
    kept = fields_of(page, at(policy, "change"))
    assert (kept["zip"], kept["email"], kept["person_0_email"]) == (
        "97201",
        "nobody",
        "ann@lamplight.example",
    )
    assert (kept["other_0_interest"], kept["domains"]) == ("Landlord", "lamplight.example.com no_domain")
    assert await changes_of(service, policy) == []
    assert "other_state" not in page
    moved = text_of(await seen(broker, policy, await filled(broker, policy, zip="97201"), status=422))
    assert "ZIP code is in Oregon, and the policy is one of" in moved
    texts = {name: "9" * 2_000 for name in form if name not in {"step", "was", "shown", "effective"}}
    longer = await seen(
        broker, policy, {**texts, "domains": "x " * 80, "effective": "2027-03-02"}, status=422
    )
    assert "ZIP code must have at most 50 characters." in text_of(longer)
    assert "Contact 1: first name must have at most" in text_of(longer)


async def test_nothing_is_asked_for_that_was_not_shown_or_costs_something_else(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = at(policy, "change")
    unchanged = await seen(broker, policy, await filled(broker, policy), status=422)
    page = await seen(broker, policy, await filled(broker, policy, aggregate_limit="2000000"))
    unseen = {**fields_of(page, path), "aggregate_limit": "3000000", "step": "change"}
    dearer = {**fields_of(page, path), "step": "change"}

    other = await broker.send(path, status=409, **unseen)
    asked, _, _ = dearer["shown"].partition(" ")
    moved = await broker.send(path, status=409, **{**dearer, "shown": f"{asked} {'0' * 32}"})

    assert "Nothing differs from the policy as it is now: change something." in text_of(unchanged)
    assert "This price is for what the form says now" in text_of(other)
    assert "Aggregate limit from $1,000,000 to $3,000,000" in text_of(other)
    assert "What it costs has changed since it was shown." in text_of(moved)
    assert await changes_of(service, policy) == []
    assert "The policy is changed from" in await press(broker, policy, other)


async def test_more_cover_from_a_day_that_is_past_takes_a_signed_statement(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    await set_day(service, DAY.replace(year=2027, month=5, day=1))
    form = await filled(broker, policy, aggregate_limit="2000000", effective="2027-04-20")
    opened = await broker.open(at(policy, "change"))

    page = await seen(broker, policy, form, status=422)
    proved = await seen(broker, policy, {**form, "no_known_loss": "yes"})

    assert "no_known_loss" not in opened
    assert "Statement of no known losses is required, signed by the insured" in text_of(page)
    assert 'name="no_known_loss" value="yes" checked' in proved
    assert "The policy is changed from Apr 20, 2027 on" in await press(broker, policy, proved)


async def test_a_change_beyond_authority_waits_and_its_refusal_is_said_in_the_underwriters_words(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    page = await seen(broker, policy, await filled(broker, policy, aggregate_limit="10000000"))

    sent = await press(broker, policy, page)

    assert "Send to an underwriter" in text_of(page)
    assert "An underwriter decides The aggregate limit" in text_of(page)
    assert "The change from Mar 2, 2027 is sent to an underwriter:" in sent
    company = f"/company/{policy['company_id']}"
    assert "A change from Mar 2, 2027 is with an underwriter." in text_of(await broker.open(company))
    assert "With an underwriter" in text_of(await broker.open(at(policy, "changes")))
    # Another one waits for it; the same one was sent already.
    twice = await press(broker, policy, page)
    assert "It was sent before. A change from Mar 2, 2027 is with an underwriter." in twice
    assert f"{broker.email} asked for it on" in twice
    form = await filled(broker, policy, dba="Lamplight Bread")
    other = await seen(broker, policy, form)
    assert "Accept or withdraw it before you ask for another." in text_of(other)
    assert "Change the policy from" not in text_of(other)
    late = await broker.send(
        at(policy, "change"), status=409, **{**fields_of(other, at(policy, "change")), "step": "change"}
    )
    assert fields_of(late, at(policy, "change"))["dba"] == "Lamplight Bread"

    await decide(service, policy, "decline_change", reason="Too much for a bakery.")

    assert "An underwriter declined the change from Mar 2, 2027: Too much for a bakery." in text_of(
        await broker.open(company)
    )
    assert "Declined Too much for a bakery." in text_of(await broker.open(at(policy, "changes")))
    again = await press(broker, policy, page)
    assert "is sent to an underwriter" in again


async def test_pressed_by_two_and_again_it_is_changed_once(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    async with await sign_in_as(service, Role.BROKER, email="bea@example.com") as bea:
        people = (broker, bea)
        pages = [
            await seen(person, policy, await filled(person, policy, aggregate_limit="2000000"))
            for person in people
        ]

        both = await asyncio.gather(*map(press, people, (policy, policy), pages))

    late = await press(broker, policy, pages[0])
    assert sum("It was sent before." in text or "Nothing is left to change." in text for text in both) == 1
    assert "Nothing is left to change. The policy is changed from Mar 2, 2027 on, by endorsement 1." in late
    assert [change["status"] for change in await changes_of(service, policy)] == ["issued"]


async def test_what_a_colleague_changed_meanwhile_stays(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    mine = await seen(broker, policy, await filled(broker, policy, aggregate_limit="2000000"))
    async with await sign_in_as(service, Role.BROKER, email="bea@example.com") as bea:
        theirs = await filled(
            bea,
            policy,
            dba="Lamplight Bread",
            other_0_name="Example Property Trust",
            person_0_email="cy@lamplight.example",
            person_0_policy_notices="yes",
        )
        await press(bea, policy, await seen(bea, policy, theirs))

    looked = await seen(broker, policy, fields_of(mine, at(policy, "change")))
    done = await press(broker, policy, mine)

    assert "The policy was changed since this page came." in text_of(looked)
    assert "Doing business as from none" not in text_of(looked)
    assert fields_of(looked, at(policy, "change"))["dba"] == "Lamplight Bread"
    assert "The policy is changed from Mar 2, 2027 on for" in done
    now = await shown(service, policy["quote_identifier"])
    assert (now["client"]["dba"], now["aggregate_limit"]) == ("Lamplight Bread", 2_000_000)
    first, second = await changes_of(service, policy)
    assert (first["changes"], set(second["changes"])) == (
        {"aggregate_limit": 2_000_000},
        {"dba", "additional_insured", "contacts"},
    )
    assert "bea@example.com" in text_of(await broker.open(at(policy, "changes")))


async def test_a_policy_that_is_canceled_meanwhile_is_not_changed_and_what_was_typed_stays(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    page = await seen(broker, policy, await filled(broker, policy, dba="Lamplight Bread"))
    await decide(service, policy, "cancel", text="Sold the firm")
    path = at(policy, "change")

    late = await broker.send(path, status=409, **{**fields_of(page, path), "step": "change"})
    opened = await broker.open(path, status=409)

    assert "has no policy that could be changed" in text_of(late)
    assert fields_of(late, path)["dba"] == "Lamplight Bread"
    assert 'name="step"' not in late
    assert "<form" not in opened.split("<main")[1].split("</main>")[0]
    assert path not in await broker.open(f"/company/{policy['company_id']}")
    assert await changes_of(service, policy) == []


async def ask_by_api(service: Service, policy: dict[str, Any]) -> str:
    asked = {
        "effective": policy["dates"]["effective"],
        "changes": {"aggregate_limit": 2_000_000},
        "reason": "Asked by the system.",
    }
    answer = await service.post(f"/v2/policies/{policy['quote_identifier']}/changes", asked)
    change_id: str = answer.json()["change_id"]
    return at(policy, "changes", change_id)


async def test_an_open_change_is_accepted_by_hand_once(
    service: Service, policy: dict[str, Any], broker: Person, underwriter: Person
) -> None:
    path = await ask_by_api(service, policy)
    listed = await broker.open(at(policy, "changes"))
    sure = text_of(await broker.open(f"{path}/accept"))

    done = text_of(await broker.send(f"{path}/accept"))
    twice = text_of(await broker.send(f"{path}/accept"))
    late = text_of(await broker.open(f"{path}/accept"))
    taken = text_of(await broker.send(f"{path}/withdraw"))

    assert f"{path}/accept" in listed
    assert f"{path}/withdraw" in listed
    assert "The partner's system asked for it on" in sure
    assert "Aggregate limit from $1,000,000 to $2,000,000" in sure
    assert "Endorsement 1 is among its documents." in done
    for said in (twice, late):
        assert "The policy is changed from Mar 2, 2027 on, by endorsement 1." in said
    assert "Nothing was done. The policy is changed from" in taken
    # Underwriters see the list and can press nothing there.
    theirs = await underwriter.open(at(policy, "changes"))
    assert "document/endorsement?version=1" in theirs
    assert at(policy, "change") + '"' not in theirs
    assert at(policy, "change") + '"' in await broker.open(at(policy, "changes"))


async def test_an_open_change_is_withdrawn_after_a_question(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = await ask_by_api(service, policy)
    assert "The policy stays as it is." in text_of(await broker.open(f"{path}/withdraw"))

    done = [text_of(await broker.send(f"{path}/withdraw")) for _ in range(2)]
    late = text_of(await broker.send(f"{path}/accept"))

    assert all("The change from Mar 2, 2027 was withdrawn." in text for text in done)
    assert "Nothing was done. The change from Mar 2, 2027 was withdrawn." in late
    assert [change["status"] for change in await changes_of(service, policy)] == ["withdrawn"]
    other = at(policy, "changes", policy["quote_identifier"], "withdraw")
    assert (await broker.post(other)).status_code == 404


async def test_a_change_that_nobody_accepted_in_time_is_said_to_be_over(
    service: Service, policy: dict[str, Any], broker: Person
) -> None:
    path = await ask_by_api(service, policy)
    await set_day(service, DAY.replace(year=2027, month=6, day=1))

    late = text_of(await broker.send(f"{path}/accept"))

    assert "Nothing was done. The change from Mar 2, 2027 was not accepted by" in late
    assert "Expired" in late


async def test_a_product_with_a_retention_of_each_claim_has_that_to_choose(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    (quote,) = await quoted(service, professional(("policy.quotes", [MPL_TERMS])))
    policy = await issue(service, quote)
    form = await filled(
        broker,
        policy,
        aggregate_limit="2000000",
        per_claim_limit="1000000",
        per_claim_retention="25000",
        was="not what a page was filled with",
        zip="1910 ",
        street="5 Other Street",
    )

    wrong = text_of(await seen(broker, policy, form, status=422))
    page = await seen(broker, policy, {**form, "zip": "19103"})
    await press(broker, policy, page)

    assert "ZIP code must be a US postal code" in wrong
    assert "Retention, each claim from $10,000 to $25,000" in text_of(page)
    assert "Per-claim limit from" not in text_of(page)
    now = await shown(service, policy["quote_identifier"])
    assert (now["aggregate_limit"], now["per_claim_limit"], now["per_claim_retention"]) == (
        2_000_000,
        1_000_000,
        25_000,
    )
    (change,) = await changes_of(service, policy)
    # A claim's limit that stays is named: it would follow the aggregate one, which it equaled.
    assert change["changes"]["per_claim_limit"] == 1_000_000
    cheaper = await seen(broker, policy, await filled(broker, policy, aggregate_limit="1000000"))
    assert re.search(r"Change the policy from \w+ \d+, 2027 for \N{MINUS SIGN}\$\d+", text_of(cheaper))


async def test_other_terms_have_no_price_where_the_premium_was_set_by_hand(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["calc-error.example.com"]))
    # A limit that the tariff does not have.
    await service.runtime.database.pool.execute(
        "update quotes set aggregate_limit = 777000, aggregate_retention = 10000 where quote_id = $1",
        uuid.UUID(quote["quote_identifier"]),
    )
    await decide(service, quote, "approve", reason="As last year", terms={"premium": 4_321})
    conditional = await bind(service, await one_quoted(service))
    early = await broker.open(at(conditional, "change"), status=409)
    policy = await issue(service, quote)

    page = await seen(broker, policy, await filled(broker, policy, dba="Lamplight Bread"))

    assert "The policy is not issued yet" in text_of(early)
    assert at(conditional, "change") not in early.split("<main")[1]
    assert "An underwriter set the premium by hand" in text_of(page)
    assert "Change the policy from Mar" in text_of(page)
    assert "is changed from" in await press(broker, policy, page)


async def test_the_price_is_shown_without_reading_every_change_that_there_was(
    dsn: str, tmp_path: Path
) -> None:
    async with serving(dsn, tmp_path, pool_size=1) as service:
        await set_day(service, DAY)
        policy = await issue(service, await one_quoted(service))
        async with await sign_in_as(service, Role.BROKER) as broker:
            form = await filled(broker, policy, aggregate_limit="2000000")
            async with statements_of(service) as sent:
                await seen(broker, policy, form)

    of_changes = [statement for statement in sent if "policy_changes" in statement]
    assert of_changes
    assert [statement for statement in of_changes if "limit 1" not in statement] == []
