"""GET `/quotes/{identifier}` where there is nothing to show: 202, 400 and 404."""

import uuid

import pytest

from support.intake import changed, nothing_written
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_quote_that_is_being_worked_on_is_answered_202(shared: Service) -> None:
    receipt = await shared.submit(changed())
    identifier = receipt["quotes"][0]["quote_identifier"]

    answer = await shared.get(f"/v2/quotes/{identifier}")

    assert answer.status_code == 202
    assert answer.headers["retry-after"] == "2"
    assert answer.json() == {
        "error": "The quote is not ready yet.",
        "quote_identifier": identifier,
        "quote_status": "created",
    }


async def test_waiting_for_a_quote_ends_when_the_wait_is_over(shared: Service) -> None:
    receipt = await shared.submit(changed())
    identifier = receipt["quotes"][0]["quote_identifier"]

    for preference in (
        "wait=0",
        "wait=nonsense",
        "respond-async",
        "wait=-1",
        "wait=+5",
        "wait=" + "0" * 5_000,
        "wait=0, wait=60",
        "wait=nonsense, wait=60",
    ):
        answer = await shared.get(f"/v2/quotes/{identifier}", Prefer=preference)

        assert answer.status_code == 202


@pytest.mark.parametrize(
    "identifier",
    ["a" * 65, "a.b", "a%20b", "a%00b", "%C3%A9", "a%2Cb", "quote:1", "{id}", "~", "a'or'1'='1", "%ED%A0%80"],
)
async def test_an_identifier_of_a_shape_that_nothing_has_is_answered_400(
    shared: Service, identifier: str
) -> None:
    answer = await shared.get(f"/v2/quotes/{identifier}")

    assert answer.status_code == 400
    assert answer.json()["code"] == "malformed_identifier"
    assert answer.json()["message"]


@pytest.mark.parametrize(
    "identifier",
    [
        "1",
        "a" * 64,
        "-",
        "_",
        "quote-1_X",
        "01890a5d-ac96-774b-bcce-b302099a8057",
        "01890a5dac96774bbcceb302099a8057",
    ],
)
async def test_a_well_formed_identifier_that_nobody_knows_is_answered_404(
    shared: Service, identifier: str
) -> None:
    async with nothing_written(shared):
        answer = await shared.get(f"/v2/quotes/{identifier}")

    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"


async def test_other_spellings_of_a_uuid_name_no_quote(shared: Service) -> None:
    receipt = await shared.submit(changed())
    identifier = receipt["quotes"][0]["quote_identifier"]

    assert (await shared.get(f"/v2/quotes/{identifier.upper()}")).status_code == 202
    assert (await shared.get(f"/v2/quotes/{uuid.UUID(identifier).hex}")).status_code == 404


async def test_an_empty_identifier_is_no_path(shared: Service) -> None:
    answer = await shared.get("/v2/quotes/")

    assert answer.status_code == 404
    assert answer.json()["code"] == "unknown_path"
