"""Addresses of the platform that no page of ours leads to: refused or not found, and never a crash."""

import re
from datetime import timedelta
from functools import cache
from urllib.parse import quote as percent_encoded

import pytest

from bindery.domain.access.users import Role
from bindery.web.frame.route import Route
from bindery.web.pages import PAGES
from support.people import Person, sign_in_as
from support.service import Service
from support.source_tree import python_sources
from support.telling import move_clock, register

STREAM = "/live"
"""It answers as long as somebody listens."""
HOSTILE = (
    "a\0b",
    "0001-01-01T00:00:00+23:59_1",
    "9999-12-31T23:59:59-23:59_1",
    "9" * 18,
    "²\u202e\U0010ffff%",
)
"""Each is given to everything that a page reads at once: a page drops one and reads the next."""
MOMENTS = (
    "0001-01-01T00:00:00+23:59",
    "0001-01-01T00:00:00+00:00",
    "0001-01-01T00:00",
    "9999-12-31T23:59:59-23:59",
    "9999-12-31T23:59:59+00:00",
    "9999-12-31T23:59",
)


@cache
def names_in_queries() -> frozenset[str]:
    """Return every name that a page reads from its query, and those of its constants."""
    read = re.compile(r"""(?:\.word|\.number|getlist)\("(\w+)"\)""")
    found = {name for source in python_sources().values() for name in read.findall(source)}
    assert {"q", "about", "at", "since"} <= found
    return frozenset(found | {"after", "before"})


def pages_for(role: Role) -> list[Route]:
    return [
        row for row in PAGES if row.get is not None and row.path != STREAM and role in (row.who or {role})
    ]


def filled(path: str) -> str:
    values = {
        "company_id": "1",
        "user_id": "1",
        "kind": "quote_letter",
        "picture": "funnel",
        "delivery_id": "1",
    }
    some_id = "01890000-0000-7000-8000-000000000000"
    return re.sub(r"\{(\w+)\}", lambda found: values.get(found.group(1), some_id), path)


FIRST_SEEN = {row.path: role for role in reversed(Role) for row in pages_for(role)}
"""A role for each page: `make test` asks once for each, `make test-long` as every role."""
every_role = pytest.mark.parametrize("as_each", [False, pytest.param(True, marks=pytest.mark.long)])


def asked_for(role: Role, *, as_each: bool) -> list[Route]:
    return [row for row in pages_for(role) if as_each is (FIRST_SEEN[row.path] is not role)]


async def crashes(person: Person, addresses: list[str]) -> list[str]:
    return [path for path in addresses if (await person.http.get(path)).status_code >= 500]


@every_role
@pytest.mark.parametrize("role", Role)
async def test_no_query_of_a_page_crashes_it(service: Service, role: Role, as_each: bool) -> None:
    about = {Role.BROKER: "company 1", Role.UNDERWRITER: "desk", Role.OPERATOR: "ops"}[role]
    registered = await register(service, "http://127.0.0.1:9/hook")
    addresses = [
        f"{filled(row.path)}?"
        + "&".join(f"{name}={percent_encoded(value, safe='')}" for name in sorted(names_in_queries()))
        for row in asked_for(role, as_each=as_each)
        for value in HOSTILE
    ]
    for value in map(percent_encoded, MOMENTS):
        addresses.append(f"/live/news?about={percent_encoded(about)}&at={value}")
        if role is Role.OPERATOR:
            addresses.append(f"/ops/webhooks/{registered}/recover?since={value}")

    async with await sign_in_as(service, role) as person:
        assert await crashes(person, addresses) == []


@every_role
@pytest.mark.parametrize("role", Role)
async def test_no_path_of_a_page_crashes_it(service: Service, role: Role, as_each: bool) -> None:
    addresses = [
        re.sub(r"\{\w+\}", percent_encoded(value, safe="").replace("\\", "\\\\"), row.path)
        for row in asked_for(role, as_each=as_each)
        for value in HOSTILE
        if "{" in row.path
    ]

    async with await sign_in_as(service, role) as person:
        assert await crashes(person, addresses) == []


async def test_a_zero_byte_is_dropped_from_a_query_and_found_in_no_path(
    service: Service, operator: Person
) -> None:
    assert 'value="ab"' in await operator.open("/search?q=a%00b")
    await operator.open(f"/ops/partners/{service.partner.key}")
    await operator.open(f"/ops/partners/{service.partner.key}%00", status=404)


@pytest.mark.parametrize(
    "at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "soon", "2026-01-01"]
)
async def test_news_since_a_moment_that_does_not_exist_are_not_found(operator: Person, at: str) -> None:
    answer = await operator.http.get("/live/news", params={"about": "ops", "at": at})

    assert answer.status_code == 404


async def test_news_since_the_last_moment_of_the_calendar_are_none(
    service: Service, operator: Person
) -> None:
    await move_clock(service, timedelta(days=1))

    answer = await operator.http.get(
        "/live/news", params={"about": "ops", "at": "9999-12-31T23:59:59.999999+00:00"}
    )

    assert (answer.status_code, answer.text) == (200, "0")
