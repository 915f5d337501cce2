"""`client.company_id`: more options and products for an applicant on file."""

from typing import Any

import pytest

from bindery.domain.quote.legacy import LegacyRow
from bindery.storage.access import legacy_ids
from support.intake import changed, nothing_written, problems, professional
from support.service import Service

UNKNOWN = {("client.company_id", "unknown_company")}

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def alias(service: Service, old_id: str, company_id: str) -> None:
    async with service.runtime.database.transaction() as tx:
        await legacy_ids.import_ids(
            tx, service.partner.partner_id, [LegacyRow("company", old_id, company_id)]
        )


async def test_a_company_is_named_by_text_or_by_integer(shared: Service) -> None:
    first = await shared.submit()
    before = await shared.count("companies"), await shared.count("submissions")

    for sent in (first["company_id"], int(first["company_id"])):
        again = await shared.submit(changed(("client.company_id", sent)))

        assert again["company_id"] == first["company_id"]
        assert isinstance(again["company_id"], str)
    assert (await shared.count("companies"), await shared.count("submissions")) == (before[0], before[1] + 2)


async def test_another_product_is_asked_for_under_the_same_company(shared: Service) -> None:
    first = await shared.submit()

    second = await shared.submit(professional(("client.company_id", first["company_id"])))

    assert second["company_id"] == first["company_id"]


@pytest.mark.parametrize("old_id", ["client_partner-7", "42", "7" * 64, "000000001"])
async def test_an_identifier_of_version_one_names_the_company(shared: Service, old_id: str) -> None:
    first = await shared.submit()
    await alias(shared, old_id, first["company_id"])

    second = await shared.submit(changed(("client.company_id", old_id)))

    assert second["company_id"] == first["company_id"]


async def test_a_number_of_version_one_names_the_company_as_an_integer_too(shared: Service) -> None:
    first = await shared.submit()
    await alias(shared, "42", first["company_id"])

    second = await shared.submit(changed(("client.company_id", 42)))

    assert second["company_id"] == first["company_id"]


async def test_an_old_identifier_of_anothers_company_is_unknown(shared: Service) -> None:
    stranger = await shared.new_partner("stranger")
    theirs = await stranger.submit()
    await alias(stranger, "client-7", theirs["company_id"])

    assert await problems(shared, changed(("client.company_id", "client-7"))) == UNKNOWN


async def test_an_old_identifier_of_another_partner_does_not_hide_the_own_company(shared: Service) -> None:
    own = await shared.submit()
    stranger = await shared.new_partner("stranger")
    theirs = await stranger.submit()
    await alias(stranger, own["company_id"], theirs["company_id"])

    again = await shared.submit(changed(("client.company_id", own["company_id"])))

    assert again["company_id"] == own["company_id"]


async def test_partners_may_have_the_same_old_identifier(shared: Service) -> None:
    own = await shared.submit()
    stranger = await shared.new_partner("stranger")
    theirs = await stranger.submit()
    await alias(shared, "client-8", own["company_id"])
    await alias(stranger, "client-8", theirs["company_id"])

    again = [
        await partner.submit(changed(("client.company_id", "client-8"))) for partner in (shared, stranger)
    ]

    assert [receipt["company_id"] for receipt in again] == [own["company_id"], theirs["company_id"]]


@pytest.mark.parametrize(
    "sent",
    [
        "999999999",
        999999999,
        "",
        "0",
        0,
        -1,
        "12345678",
        "1234567890",
        10**18,
        10**40,
        "a" * 64,
        "a" * 65,
        "1 OR 1=1",
        "١٢٣٤٥٦٧٨٩",
        "é",
    ],
)
async def test_an_unknown_company_is_refused_with_its_path(shared: Service, sent: Any) -> None:
    assert await problems(shared, changed(("client.company_id", sent))) == UNKNOWN


async def test_an_unknown_company_is_named_beside_other_faults(shared: Service) -> None:
    body = changed(("client.company_id", "999999999"), ("client.name", ""), ("client.address.zip", "1"))

    async with nothing_written(shared):
        assert await problems(shared, body) == {
            *UNKNOWN,
            ("client.name", "too_short"),
            ("client.address.zip", "not_a_zip"),
        }
