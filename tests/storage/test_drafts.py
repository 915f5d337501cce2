"""Drafts in the database."""

import asyncio

from bindery.actions.access.change_user import add_user
from bindery.actions.submission.start_draft import start_draft
from bindery.domain.access.users import Role, User
from bindery.domain.drafts.merging import Merged
from bindery.storage.submission import drafts
from support.service import Service
from support.waiting import eventually


async def broker(service: Service, name: str) -> User:
    return await add_user(
        service.runtime,
        email=f"{name}@example.com",
        name=name,
        role=Role.BROKER,
        partner=service.partner.name,
        password=None,
    )


async def test_a_draft_that_a_colleague_changes_while_it_is_waited_for_is_not_gone(service: Service) -> None:
    database, partner_id = service.runtime.database, service.partner.partner_id
    pat, kim = await broker(service, "Pat"), await broker(service, "Kim")
    draft_id = await start_draft(database, pat, {"client.name": ("Marble",)})

    async def changed_by() -> str:
        async with database.transaction() as tx:
            found = await drafts.lock(tx, draft_id, partner_id=partner_id)
        return "nobody: it is gone" if found is None else found.changed_by

    async with database.transaction() as tx:
        draft = await drafts.lock(tx, draft_id, partner_id=partner_id)
        assert draft is not None
        waiting = asyncio.create_task(changed_by())
        await eventually(service.waiting_for_locks, lambda count: count == 1)
        await drafts.change(tx, draft, Merged({}, {}, {}, ()), user_id=kim.user_id)

    assert await waiting == "Kim"
