"""Authority as a table, and each row by every way to a decision: page, preview, action and demo."""

import itertools
import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from bindery.actions.desk.take_decisions import take_decision
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.access.users import Role, User
from bindery.domain.quote.authority import BeyondAuthority
from bindery.domain.quote.decisions import ApproveReferral
from bindery.domain.quote.repricing import ChangedTerms
from bindery.storage.access import users
from support.binding import quoted, status_of
from support.people import Person, fields_of, sign_in_as, text_of
from support.service import Service, request_body
from support.underwriters import give_letter

LIMIT, PREMIUM, DEVIATION = 1_000_000, 2_000, 10
WHY = "Known to us."


@dataclass(frozen=True)
class Row:
    """A product of the letter, and an option's limit, premium and deviation on one side of its bounds."""

    product: InsuranceProduct
    limit: int
    is_dear: bool
    is_far: bool

    @property
    def said(self) -> list[str]:
        """What the refusal says; nothing within the letter."""
        if self.product is not InsuranceProduct.CYB:
            return ["does not cover CYB"]
        return [
            *(["a limit of $2,000,000 is above $1,000,000"] if self.limit > LIMIT else []),
            *(["a premium of $"] if self.is_dear else []),
            *(["a deviation of"] if self.is_far else []),
        ]


ROWS = [
    Row(product, limit, dear, far)
    for product, limit, dear, far in itertools.product(
        (InsuranceProduct.CYB, InsuranceProduct.TEO), (LIMIT, 2 * LIMIT), (False, True), (False, True)
    )
    if product is InsuranceProduct.CYB or not (dear or far)
]


async def a_person(service: Service) -> tuple[Person, User]:
    person = await sign_in_as(service, Role.UNDERWRITER)
    async with service.runtime.database.reading() as tx:
        found = await users.find_by_email(tx, person.email)
    assert found is not None
    return person, found[0]


@pytest.mark.parametrize("row", ROWS, ids=str)
async def test_each_row_is_decided_alike_by_page_preview_action_and_demo(service: Service, row: Row) -> None:
    body = request_body(lambda body: body["client"].update(domains=["red-flags.example.com"]))
    body["policy"]["quotes"] = [{"aggregate_limit": row.limit}]
    (quote,) = await quoted(service, body)
    identifier = quote["quote_identifier"]
    found = await service.runtime.database.pool.fetchrow(
        "select submission_id, premium from quotes where quote_id = $1", uuid.UUID(identifier)
    )
    assert found is not None
    path, rated = f"/desk/case/{found['submission_id']}", found["premium"]
    premium = rated + rated * (DEVIATION + 1 if row.is_far else DEVIATION - 1) // 100
    letter = {
        "aggregate_limit": LIMIT,
        "premium": premium - 1 if row.is_dear else premium,
        "deviation": DEVIATION,
    }
    uma, user = await a_person(service)
    await give_letter(service, user, row.product, **letter)
    form = fields_of(await uma.open(path), f"{path}/decide")
    typed: dict[str, Any] = {**form, "premium": str(premium), "reason": WHY}

    live = await uma.http.post(
        f"{path}/preview", data=typed, headers={"Origin": uma.origin, "X-Part": "worksheet"}
    )
    whole = await uma.send(f"{path}/preview", **typed)
    for said in row.said:
        assert said in text_of(live.text)
        assert said in text_of(whole)
    assert ("beyond your authority" in text_of(live.text)) is bool(row.said)
    assert ('value="approve"' in whole) is not bool(row.said)

    if row.said:
        decision = ApproveReferral(ChangedTerms(premium=premium), reason=WHY, is_sure=True)
        with pytest.raises(BeyondAuthority) as fault:
            await take_decision(
                service.runtime.database,
                service.runtime.rules,
                uuid.UUID(identifier),
                decision,
                actor=user.email,
            )
        assert len(fault.value.exceeded) == len(row.said)
    asked = {"decision": "approve", "reason": WHY, "terms": {"premium": premium}, "underwriter": user.email}
    if row.said:
        refused = await service.post(f"/v2/demo/quotes/{identifier}/review", asked)
        assert (refused.status_code, refused.json()["code"]) == (403, "beyond_authority")
    seen = {**fields_of(whole, f"{path}/decide"), "decision": "approve"}
    page = await uma.send(f"{path}/decide", status=422 if row.said else 200, **seen)
    assert all(said in text_of(page) for said in row.said)
    assert await status_of(service, identifier) == ("quote_referred" if row.said else "published")
    await uma.http.aclose()


@pytest.mark.parametrize("role", [Role.BROKER, Role.OPERATOR])
async def test_no_other_role_decides_whatever_its_letter(service: Service, role: Role) -> None:
    body = request_body(lambda body: body["client"].update(domains=["red-flags.example.com"]))
    quote, *_ = await quoted(service, body)
    submission_id = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(quote["quote_identifier"])
    )
    async with await sign_in_as(service, role) as person:
        answer = await person.post(
            f"/desk/case/{submission_id}/decide", decision="approve", options=quote["quote_identifier"]
        )
        asked = {"decision": "approve", "underwriter": person.email}
        review = await service.post(f"/v2/demo/quotes/{quote['quote_identifier']}/review", asked)

    assert answer.status_code == 404
    assert (review.status_code, review.json()["errors"][0]["path"]) == (400, "underwriter")
    assert await status_of(service, quote["quote_identifier"]) == "quote_referred"
