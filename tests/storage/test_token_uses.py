"""When tokens were last used: noticed by every request, written down once an hour."""

from datetime import datetime, timedelta

import pytest

from bindery.domain.access.users import Role
from bindery.memory import request_counts
from bindery.memory.request_counts import TokenUses
from support.people import sign_in_as, text_of
from support.service import Service
from support.waiting import eventually


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_counts, "GATHER_S", 0.01)


async def written(service: Service) -> list[datetime]:
    rows = await service.runtime.database.pool.fetch("select used_at from token_uses")
    return [row["used_at"] for row in rows]


async def test_operators_see_when_a_token_was_used(service: Service) -> None:
    path = f"/ops/partners/{service.partner.key}"
    async with await sign_in_as(service, Role.OPERATOR) as operator:
        assert "ago" not in text_of(await operator.open(path))

        await service.get("/v2/webhooks")

        await eventually(lambda: operator.open(path), lambda page: "within the last hour" in text_of(page))
        assert "in force" in (listed := text_of(await operator.open("/ops/tokens")))
        assert listed.count("within the last hour") == 1
        assert "broker@example.com" in text_of(await operator.open("/ops/brokers"))


@pytest.mark.parametrize(
    ("minutes", "said"), [(0, "within the last hour"), (59, "within the last hour"), (125, "2 hours ago")]
)
async def test_a_use_is_said_to_the_hour(service: Service, minutes: int, said: str) -> None:
    await service.runtime.database.pool.execute(
        "insert into token_uses select token_id, now() - make_interval(mins => $1) from tokens", minutes
    )
    async with await sign_in_as(service, Role.OPERATOR) as operator:
        for path in (f"/ops/partners/{service.partner.key}", "/ops/tokens"):
            assert said in text_of(await operator.open(path)), path


async def test_a_use_is_written_down_once_an_hour_by_all_processes_together(service: Service) -> None:
    database, now = service.runtime.database, service.runtime.clock.real_now()
    token_id = await database.pool.fetchval("select token_id from tokens")
    async with TokenUses(database) as first, TokenUses(database) as other:
        first.notice(token_id, at=now)
        await eventually(lambda: written(service), lambda seen: seen == [now])

        first.notice(token_id, at=now + timedelta(minutes=59))
        assert first._writing is None
        other.notice(token_id, at=now + timedelta(minutes=59))
        await eventually(lambda: other._writing is None)
        assert await written(service) == [now]

        later = now + timedelta(minutes=61)
        first.notice(token_id, at=later)
        await eventually(lambda: written(service), lambda seen: seen == [later])


async def test_the_use_of_a_token_makes_nobody_forget_who_may_come_in(service: Service) -> None:
    access = service.runtime.access
    await service.get("/v2/webhooks")
    remembered = dict(access._partners)

    await eventually(lambda: written(service), bool)

    assert remembered
    assert access._partners == remembered
