"""Letters of authority on the operators' page of a user."""

from typing import Any

from bindery.domain.access.users import Role
from support.people import Person, sign_in_as, text_of
from support.service import Service
from support.underwriters import an_underwriter

LETTER: Any = {"product": "CYB", "limit": "3,000,000", "premium": "$20,000", "deviation": "15"}


async def test_an_operator_sets_and_removes_a_letter(service: Service, operator: Person) -> None:
    uma = await an_underwriter(service, "Uma")
    path = f"/ops/users/{uma.user_id}"
    bare = text_of(await operator.open(path))

    page = await operator.send(f"{path}/authority", **LETTER, may_cancel="on")
    gone = text_of(await operator.send(f"{path}/authority", product="CYB", change="remove"))

    assert "Uma has no letter and is not bounded." in bare
    assert "The letter for Cyber is set." in text_of(page)
    assert "Cyber $3,000,000 $20,000 15 % cancel" in text_of(page)
    assert "The letter is taken away." in gone
    assert await service.count("authority_letters") == 0


async def test_what_is_wrong_with_a_letter_is_said_at_once_and_stays_typed(
    service: Service, operator: Person
) -> None:
    uma = await an_underwriter(service, "Uma")
    path = f"/ops/users/{uma.user_id}"

    page = await operator.send(
        f"{path}/authority", status=422, **{**LETTER, "limit": "lots", "deviation": "1e3"}
    )
    beyond = await operator.send(f"{path}/authority", status=422, **{**LETTER, "deviation": "1001"})

    assert "The limit must be a whole number." in text_of(page)
    assert "The deviation must be a whole number." in text_of(page)
    assert 'value="lots"' in page
    assert "The deviation must be from 0 to 1,000 percent." in text_of(beyond)
    assert await service.count("authority_letters") == 0


async def test_only_operators_set_letters_and_only_for_underwriters(
    service: Service, operator: Person
) -> None:
    uma = await an_underwriter(service, "Uma")
    path = f"/ops/users/{uma.user_id}/authority"
    async with await sign_in_as(service, Role.UNDERWRITER) as underwriter:
        answer = await underwriter.post(path, **LETTER)
    broker_id = await service.runtime.database.pool.fetchval(
        "insert into users (email, name, role, partner_id, created_at) "
        "select 'bea@example.com', 'Bea', 'broker', min(partner_id), now() from partners returning user_id"
    )

    refused = await operator.send(f"/ops/users/{broker_id}/authority", status=422, **LETTER)

    assert answer.status_code == 404
    assert "must be an underwriter's: nobody else decides" in text_of(refused)
    assert "Letter of authority" not in text_of(await operator.open(f"/ops/users/{broker_id}"))
    assert await service.count("authority_letters") == 0
