"""Accounts of the platform: what is refused, and what an operator does to those of others."""

import uuid

import pytest

from bindery.actions.access.change_user import UserChange, add_user, change_user
from bindery.actions.desk.take_case import LONGEST_NOTE, write_note
from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.access.deeds import Doer
from bindery.domain.access.users import Role, User
from support.people import PASSWORD, sign_in_as
from support.service import Service


async def add(service: Service, email: str, *, role: str = "operator", partner: str | None = None) -> User:
    return await add_user(
        service.runtime, email=email, name="Pat", role=role, partner=partner, password=PASSWORD
    )


async def test_an_account_of_an_unknown_partner_is_not_added(service: Service) -> None:
    with pytest.raises(InvalidRequest) as refused:
        await add(service, "pat@example.com", role="broker", partner="Nobody")

    assert [(problem.path, problem.code) for problem in refused.value.problems] == [
        ("partner", "unknown_partner")
    ]
    assert await service.count("users") == 0


async def test_an_address_has_one_account(service: Service) -> None:
    await add(service, "pat@example.com")

    with pytest.raises(InvalidRequest) as refused:
        await add(service, " Pat@Example.com ")

    assert [(problem.path, problem.code) for problem in refused.value.problems] == [("email", "taken")]
    assert await service.count("users") == 1


async def test_an_operator_disables_enables_and_signs_out_others_but_not_oneself(service: Service) -> None:
    operator = await add(service, "operator@example.com")
    boss = Doer(operator.email, operator.user_id)
    async with await sign_in_as(service, Role.UNDERWRITER, email="pat@example.com") as person:
        user_id = await service.runtime.database.pool.fetchval(
            "select user_id from users where email = $1", person.email
        )

        async def is_signed_in() -> bool:
            return (await person.http.get("/desk")).status_code == 200

        async def change(change: UserChange) -> None:
            await change_user(service.runtime, user_id, change, by=boss)

        async def sign_in() -> int:
            return (await person.post("/sign-in", email=person.email, password=PASSWORD)).status_code

        before = await is_signed_in()
        await change(UserChange.SIGN_OUT)
        signed_out = await is_signed_in()
        await change(UserChange.DISABLE)
        disabled = await sign_in()
        await change(UserChange.ENABLE)
        enabled = await sign_in()

    assert (before, signed_out) == (True, False)
    assert (disabled != 303, enabled) == (True, 303)
    with pytest.raises(InvalidRequest, match="your own account"):
        await change_user(service.runtime, operator.user_id, UserChange.DISABLE, by=boss)
    with pytest.raises(NotFound):
        await change_user(service.runtime, 0, UserChange.DISABLE, by=boss)


@pytest.mark.parametrize(("text", "code"), [("", "required"), ("n" * (LONGEST_NOTE + 1), "too_long")])
async def test_a_note_that_is_empty_or_too_long_is_not_kept(service: Service, text: str, code: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        await write_note(service.runtime.database, uuid.uuid4(), text, user_id=1)

    assert [(problem.path, problem.code) for problem in refused.value.problems] == [("note", code)]
    assert await service.count("desk_notes") == 0
