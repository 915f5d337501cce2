"""Stories that are played once in a run; tests begin with copies of what they left."""

import contextlib
import shutil
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import date, time
from pathlib import Path
from typing import Any

from bindery.storage.access.partners import Partner
from support.binding import DAY, issue, move_to, one_quoted, set_day, shown, today
from support.book import busy
from support.postgres import create_database
from support.service import Service, serving

OFFERED = date(2028, 1, 2)
"""The day on which the renewal of the policy is offered, sixty days before its end."""


@dataclass(frozen=True)
class FrozenStory:
    """What a story has left: a database that nobody is using, files, and what tests go on with."""

    database: str
    folder: Path
    partner: Partner
    token: str
    day: date
    policy: dict[str, Any] | None = None
    offer: dict[str, Any] | None = None


async def issued_policy(service: Service) -> dict[str, Any]:
    """Play the story: a quote, the signed application, the policy; an hour before tests go on."""
    await set_day(service, DAY, time(11))
    return await issue(service, await one_quoted(service))


async def freeze(server: str, template: str, folder: Path) -> FrozenStory:
    """Play the story on a copy of the template, and leave what it made."""
    name = f"story_{uuid.uuid4().hex}"
    async with serving(await create_database(server, name, template=template), folder) as service:
        policy = await issued_policy(service)
        return FrozenStory(name, folder, service.partner, service.token, DAY, policy)


async def freeze_offer(server: str, story: FrozenStory, folder: Path) -> FrozenStory:
    """Play on from the issued policy to the offer of its renewal, and leave what that made."""
    name = f"story_{uuid.uuid4().hex}"
    async with thawed(story, await create_database(server, name, template=story.database), folder) as service:
        await set_day(service, DAY, time(11))
        await move_to(service, OFFERED)
        assert story.policy is not None
        policy = await shown(service, story.policy["quote_identifier"])
        offer = await shown(service, policy["renewal"]["renewed_by"])
        return replace(story, database=name, folder=folder, day=OFFERED, offer=offer)


async def freeze_book(server: str, template: str, folder: Path) -> FrozenStory:
    """Live through everything that moves premium on a copy of the template, and leave what it made."""
    name = f"story_{uuid.uuid4().hex}"
    async with serving(await create_database(server, name, template=template), folder) as service:
        await set_day(service, DAY, time(11))
        await busy(service)
        return FrozenStory(name, folder, service.partner, service.token, await today(service))


@contextlib.asynccontextmanager
async def thawed(story: FrozenStory, dsn: str, folder: Path) -> AsyncIterator[Service]:
    """Open a service on a copy of the story's database, as its partner, at noon of its last day."""
    shutil.copytree(story.folder, folder, dirs_exist_ok=True)
    async with serving(dsn, folder, partner=(story.partner, story.token)) as service:
        await set_day(service, story.day)
        yield service
