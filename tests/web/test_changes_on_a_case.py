"""An underwriter decides on the change of a policy on its case, without JavaScript."""

from typing import Any

from support.binding import issue, one_quoted, shown
from support.people import Person, fields_of, text_of
from support.service import Service
from web.test_desk_pages import case_of, open_items


async def waiting(service: Service, *, limit: int = 10_000_000) -> tuple[dict[str, Any], str]:
    """Return a policy with an accepted change beyond authority, and the path of that change."""
    policy = await issue(service, await one_quoted(service))
    path = f"/v2/policies/{policy['quote_identifier']}/changes"
    asked = {
        "effective": policy["dates"]["effective"],
        "changes": {"aggregate_limit": limit},
        "reason": "A customer asks for it.",
    }
    change = (await service.post(path, asked)).json()
    referred = await service.post(f"{path}/{change['change_id']}/accept", None)
    assert referred.json()["status"] == "referred"
    return policy, f"{path}/{change['change_id']}"


async def test_a_change_beyond_authority_is_issued_on_its_case_once(
    service: Service, underwriter: Person
) -> None:
    policy, change = await waiting(service)
    case = await case_of(service, policy)

    queue, page = text_of(await underwriter.open("/desk")), await underwriter.open(case)
    form = fields_of(page, f"{case}/change")
    pressed = [
        await underwriter.post(f"{case}/change", **form | {"decision": "approve_change"}) for _ in range(2)
    ]

    assert "a change of the policy" in queue
    words = text_of(page)
    assert "A change to decide" in words
    assert "Aggregate limit from $1,000,000 to $10,000,000" in words
    assert "A change of the policy needs a decision: The aggregate limit of $10,000,000 is above" in words
    assert "No rule referred it" not in words
    assert [answer.status_code for answer in pressed] == [303, 422]
    assert (await service.get(change)).json()["status"] == "issued"
    assert (await shown(service, policy["quote_identifier"]))["aggregate_limit"] == 10_000_000
    assert ("change", False) in await open_items(service)
    assert "changed from" in text_of(await underwriter.open(case))


async def test_declining_a_change_needs_a_reason(service: Service, underwriter: Person) -> None:
    policy, change = await waiting(service)
    case = await case_of(service, policy)
    form = fields_of(await underwriter.open(case), f"{case}/change")

    bare = await underwriter.post(f"{case}/change", **form | {"decision": "decline_change"})
    said = {"decision": "decline_change", "reason": "Too much for a bakery."}
    done = await underwriter.post(f"{case}/change", **form | said)

    assert (bare.status_code, done.status_code) == (422, 303)
    assert (await service.get(change)).json()["answer"] == "Too much for a bakery."


async def test_a_press_that_decides_nothing_or_is_of_another_case_changes_nothing(
    service: Service, underwriter: Person
) -> None:
    policy, change = await waiting(service)
    case = await case_of(service, policy)
    form = fields_of(await underwriter.open(case), f"{case}/change")
    elsewhere = await case_of(service, await one_quoted(service))

    undecided = await underwriter.post(f"{case}/change", **form)
    astray = await underwriter.post(f"{elsewhere}/change", **form | {"decision": "approve_change"})
    nowhere = await underwriter.post(
        f"{case}/change", **form | {"decision": "approve_change", "quote_id": "x"}
    )
    outdated = form | {"decision": "approve_change", "change_id": policy["quote_identifier"]}
    other = await underwriter.post(f"{case}/change", **outdated)

    assert [answer.status_code for answer in (undecided, astray, nowhere, other)] == [422] * 4
    assert "Issue the change, or decline it." in text_of(undecided.text)
    assert "Another change waits by now; nothing was done." in text_of(other.text)
    assert (await service.get(change)).json()["status"] == "referred"
