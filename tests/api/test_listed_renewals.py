"""A renewal next to the policy that it renews."""

from support.binding import issue, move_days
from support.service import Service


async def test_a_renewal_is_shown_with_what_it_costs_more_than_the_policy_it_renews(
    working_service: Service,
) -> None:
    receipt = await working_service.submit()
    quote = await working_service.ready(receipt["quotes"][0]["quote_identifier"])
    policy = await issue(working_service, quote)
    await move_days(working_service, 310)
    renewal = (await working_service.ready(policy["quote_identifier"]))["renewal"]["renewed_by"]
    offered = await working_service.ready(renewal)

    newest, oldest = (await working_service.get(f"/v2/companies/{policy['company_id']}")).json()[
        "submissions"
    ]

    assert newest["renews"] == policy["quote_identifier"]
    assert newest["options"][0]["change_from_superseded"] == round(offered["total"] - policy["total"], 2)
    assert oldest["options"][0]["superseded_by"] == {"quote_identifier": renewal, "because": "renewed"}
    rows = (await working_service.get("/v2/policies")).json()["policies"]
    assert [row["renewed_by"] for row in rows] == [renewal]
