"""A story that is played once in each worker; tests begin with copies of the database and files it left."""

import contextlib
import shutil
import uuid
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import time
from pathlib import Path
from typing import Any

from bindery.storage.access.partners import Partner
from support.binding import DAY, issue, one_quoted, set_day
from support.postgres import create_database
from support.service import Service, serving


@dataclass(frozen=True)
class FrozenStory:
    """What the story has left: a database that nobody is using, files, and the policy that was issued."""

    database: str
    folder: Path
    partner: Partner
    token: str
    policy: dict[str, Any]


async def issued_policy(service: Service) -> dict[str, Any]:
    """Play the story: a quote, the signed application, the policy; an hour before tests go on."""
    await set_day(service, DAY, time(11))
    return await issue(service, await one_quoted(service))


async def freeze(server: str, template: str, folder: Path) -> FrozenStory:
    """Play the story on a copy of the template, and leave what it made."""
    name = f"story_{uuid.uuid4().hex}"
    async with serving(await create_database(server, name, template=template), folder) as service:
        policy = await issued_policy(service)
        return FrozenStory(name, folder, service.partner, service.token, policy)


@contextlib.asynccontextmanager
async def thawed(story: FrozenStory, dsn: str, folder: Path) -> AsyncIterator[Service]:
    """Open a service on a copy of the story's database, as its partner, at noon of the same day."""
    shutil.copytree(story.folder, folder, dirs_exist_ok=True)
    async with serving(dsn, folder, partner=(story.partner, story.token)) as service:
        await set_day(service, DAY)
        yield service
