"""Bearer tokens: what opens the service, and everything that does not."""

import base64
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc import jws, jwt
from joserfc.jwk import OctKey

from bindery.actions.access.issue_token import issue_token
from bindery.base.clock import Clock
from bindery.base.errors import Unauthorized
from bindery.domain.access.tokens import TokenClaims, read_token, write_token
from bindery.settings import Environment
from bindery.storage.access import partners
from support.intake import changed, nothing_written
from support.service import SECRET, Service, serving
from support.waiting import eventually

OTHER_SECRET = "another-secret-of-the-tests-9876543210-zyxw"
GUARDED = [
    ("POST", "/v2/quotes"),
    ("POST", "/v2/quotes/validate"),
    ("GET", "/v2/quotes/01890a5d-ac96-774b-bcce-b302099a8057"),
    ("GET", "/v2/quotes/a.malformed.identifier"),
    ("GET", "/v2/questions/CYB"),
]
on_shared = pytest.mark.asyncio(loop_scope="module")
OPEN = ["/v2/health_check", "/v2/openapi.json", "/docs", "/livez", "/readyz", "/metrics"]


@pytest.fixture
async def second(dsn: str, service: Service, tmp_path: Path) -> AsyncIterator[Service]:
    """Another process of the same service on the same database."""
    async with serving(dsn, tmp_path) as opened:
        yield Service(opened.runtime, opened.http, service.partner, service.token)


def claims_of(service: Service, **changes: Any) -> TokenClaims:
    now = datetime.now(UTC).replace(microsecond=0)
    given = {
        "partner_key": service.partner.key,
        "environment": "demo",
        "issued_at": now,
        "expires_at": now + timedelta(days=1),
        "token_id": token_id_of(service.token),
        **changes,
    }
    return TokenClaims(**given)


def token_id_of(token: str) -> str:
    return str(payload_of(token)["jti"])


def payload_of(token: str) -> dict[str, Any]:
    part = token.split(".")[1]
    payload: dict[str, Any] = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return payload


def encoded(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def signed(claims: dict[str, Any]) -> str:
    """Sign any claims as this service would."""
    payload = json.dumps(claims)  # escapes what UTF-8 cannot write
    return jws.serialize_compact({"alg": "HS256"}, payload, OctKey.import_key(SECRET), algorithms=["HS256"])


async def get_with(service: Service, authorization: str | bytes | None) -> httpx.Response:
    headers: Any = {} if authorization is None else {"authorization": authorization}
    return await service.http.get("/v2/questions/CYB", headers=headers)


def check_refused(answer: httpx.Response, code: str) -> None:
    assert answer.status_code == 401
    # RFC 6750: whoever sent no token is asked for one, and not told that it is wrong.
    challenge = "Bearer" if code == "missing_token" else 'Bearer error="invalid_token"'
    assert answer.headers["www-authenticate"] == challenge
    body = answer.json()
    assert body["code"] == code
    assert body["message"]
    assert body["request_id"] == answer.headers["x-request-id"]


async def revoke(service: Service, token: str) -> None:
    async with service.runtime.database.transaction() as tx:
        assert await partners.revoke_token(tx, token_id_of(token), at=tx.now)


@on_shared
async def test_a_token_opens_the_service(shared: Service) -> None:
    for scheme in ("Bearer", "bearer", "BEARER"):
        assert (await get_with(shared, f"{scheme} {shared.token}")).status_code == 200


@on_shared
async def test_a_token_has_150_to_200_characters_and_five_claims(shared: Service) -> None:
    for days in (1, 365, 36_500):
        token = await issue_token(
            shared.runtime.database,
            shared.runtime.clock,
            shared.runtime.settings,
            shared.runtime.secret,
            shared.partner,
            days=days,
        )

        payload = payload_of(token)
        assert 150 <= len(token) <= 200
        assert set(payload) == {"sub", "env", "iat", "exp", "jti"}
        assert payload["sub"] == shared.partner.key
        assert payload["env"] == "demo"
        assert payload["exp"] - payload["iat"] == days * 86_400
        assert len(payload["sub"]) == len(payload["jti"]) == 8


async def test_the_token_itself_is_kept_nowhere(service: Service) -> None:
    rows = await service.runtime.database.pool.fetch("select t::text from tokens t")

    assert len(rows) == 1
    assert service.token not in rows[0][0]
    assert service.token.split(".")[2] not in rows[0][0]


@on_shared
@pytest.mark.parametrize(("method", "path"), GUARDED)
async def test_an_operation_is_closed_without_a_token(shared: Service, method: str, path: str) -> None:
    async with nothing_written(shared):
        answer = await shared.http.request(method, path, json=changed() if method == "POST" else None)

    check_refused(answer, "missing_token")


@on_shared
@pytest.mark.parametrize("path", OPEN)
async def test_operations_about_the_service_itself_need_no_token(shared: Service, path: str) -> None:
    assert (await shared.http.get(path)).status_code == 200


@on_shared
@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz", "Token abc"])
async def test_a_header_without_a_bearer_token_is_refused(shared: Service, authorization: str | None) -> None:
    check_refused(await get_with(shared, authorization), "missing_token")


@on_shared
@pytest.mark.parametrize(
    "token",
    [
        "x",
        "a.b.c",
        "....",
        "a.b.c.d.e",
        "x" * 200,
        "x" * 5_000,
        "é",
        "null",
        f"{encoded({'alg': 'HS256'})}.{encoded([])}.x",
        f"{encoded([])}.{encoded({})}.x",
        f"{encoded('text')}.{encoded({})}.x",
        f"{encoded({'alg': None})}.{encoded({})}.x",
        f"{encoded({'alg': ['HS256']})}.{encoded({})}.x",
        f"{encoded({'alg': 'HS256', 'crit': ['x']})}.{encoded({})}.x",
        f"{encoded({'alg': 'HS256', 'b64': False, 'crit': ['b64']})}.{encoded({})}.x",
        f"{encoded({'alg': 'dir', 'enc': 'A128GCM'})}..x.x.x",
        f"{'WyJ' * 200}.x.x",
    ],
)
async def test_what_is_no_token_of_this_service_is_refused(shared: Service, token: str) -> None:
    check_refused(await get_with(shared, f"Bearer {token}".encode()), "invalid_token")


@on_shared
async def test_a_token_with_something_changed_is_refused(shared: Service) -> None:
    header, payload, signature = shared.token.split(".")
    richer = encoded({**payload_of(shared.token), "exp": 9_999_999_999})
    flipped = ("A" if signature[0] != "A" else "B") + signature[1:]

    for changed_token in (
        f"{header}.{richer}.{signature}",
        f"{header}.{payload}.{flipped}",
        f"{header}.{payload}.",
        f"{header}.{payload}",
        f"{encoded({'alg': 'HS512', 'typ': 'JWT'})}.{payload}.{signature}",
    ):
        check_refused(await get_with(shared, f"Bearer {changed_token}"), "invalid_token")


@on_shared
async def test_a_token_signed_with_another_secret_is_refused(shared: Service) -> None:
    token = write_token(claims_of(shared), OTHER_SECRET)

    check_refused(await get_with(shared, f"Bearer {token}"), "invalid_token")


@on_shared
@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE"])
async def test_an_unsigned_token_is_refused(shared: Service, algorithm: str) -> None:
    payload = shared.token.split(".")[1]
    for signature in ("", shared.token.split(".")[2]):
        token = f"{encoded({'alg': algorithm, 'typ': 'JWT'})}.{payload}.{signature}"

        check_refused(await get_with(shared, f"Bearer {token}"), "invalid_token")


@on_shared
async def test_a_token_signed_with_another_algorithm_is_refused(shared: Service) -> None:
    token = jwt.encode(
        {"alg": "HS512"}, payload_of(shared.token), OctKey.import_key(SECRET), algorithms=["HS512"]
    )

    check_refused(await get_with(shared, f"Bearer {token}"), "invalid_token")


@on_shared
@pytest.mark.parametrize(
    "change",
    [
        {"exp": None},
        {"exp": "soon"},
        {"exp": 10**30},
        {"iat": None},
        {"iat": "now"},
        {"nbf": None},
        {"nbf": "soon"},
        {"nbf": [1]},
        {"nbf": 10**30},
        {"env": None},
        {"jti": 5},
        {"jti": ""},
        {"jti": "nul\0nul"},
        {"jti": "lone\ud800surrogate"},
        {"jti": "x" * 65},
        {"jti": "two words"},
        {"sub": ["x"]},
        {"sub": ""},
        {"sub": "nul\0nul"},
        {"sub": "lone\udfffsurrogate"},
        {"sub": "x" * 65},
    ],
    ids=repr,
)
async def test_a_signed_token_with_odd_claims_is_refused(shared: Service, change: dict[str, Any]) -> None:
    token = signed({**payload_of(shared.token), **change})

    check_refused(await get_with(shared, f"Bearer {token}"), "invalid_token")


@on_shared
@pytest.mark.parametrize(
    ("claim", "ahead_s", "opens"),
    [
        ("nbf", -1, True),
        ("nbf", 55, True),
        ("nbf", 600, False),
        ("iat", 55, True),
        ("iat", 600, False),
        ("iat", 86_400, False),
    ],
)
async def test_a_token_opens_nothing_before_its_time(
    shared: Service, claim: str, ahead_s: int, opens: bool
) -> None:
    now = int(Clock.real_now().timestamp())
    token = signed({**payload_of(shared.token), claim: now + ahead_s})

    answer = await get_with(shared, f"Bearer {token}")

    if opens:
        assert answer.status_code == 200
    else:
        check_refused(answer, "token_not_valid_yet")


def test_a_token_may_be_a_minute_ahead_of_this_machines_clock() -> None:
    at = datetime(2027, 3, 1, 12, 0, tzinfo=UTC)
    ahead = TokenClaims("abcdefgh", "demo", at, at + timedelta(days=1), "hgfedcba")
    token = write_token(ahead, SECRET)

    assert read_token(token, SECRET, environment="demo", now=at - timedelta(seconds=60)) == ahead
    with pytest.raises(Unauthorized, match="not valid yet"):
        read_token(token, SECRET, environment="demo", now=at - timedelta(seconds=61))


@on_shared
async def test_a_token_is_good_until_the_second_it_expires(shared: Service) -> None:
    now = Clock.real_now().replace(microsecond=0)
    alive = write_token(claims_of(shared, expires_at=now + timedelta(seconds=30)), SECRET)
    over = write_token(claims_of(shared, expires_at=now), SECRET)

    assert (await get_with(shared, f"Bearer {alive}")).status_code == 200
    check_refused(await get_with(shared, f"Bearer {over}"), "expired_token")


async def test_the_moved_clock_of_the_demo_does_not_age_a_token(service: Service) -> None:
    moved = await service.post("/v2/demo/clock", {"advance_days": 400})

    assert moved.status_code == 200
    assert (await get_with(service, f"Bearer {service.token}")).status_code == 200


@on_shared
async def test_a_signed_token_that_was_never_issued_is_refused(shared: Service) -> None:
    token = write_token(claims_of(shared, token_id="zzzzzzzz"), SECRET)

    check_refused(await get_with(shared, f"Bearer {token}"), "revoked_token")


@on_shared
async def test_a_token_of_a_partner_that_does_not_exist_is_refused(shared: Service) -> None:
    token = write_token(claims_of(shared, partner_key="zzzzzzzz"), SECRET)

    check_refused(await get_with(shared, f"Bearer {token}"), "revoked_token")


@on_shared
async def test_a_token_does_not_open_the_service_for_another_partner(shared: Service) -> None:
    other = await shared.new_partner("other")
    token = write_token(claims_of(shared, partner_key=other.partner.key), SECRET)

    check_refused(await get_with(shared, f"Bearer {token}"), "revoked_token")


async def test_a_revoked_token_is_refused_at_once_by_every_process(service: Service, second: Service) -> None:
    kept = await issue_token(
        service.runtime.database,
        service.runtime.clock,
        service.runtime.settings,
        service.runtime.secret,
        service.partner,
        days=30,
    )
    for process in (service, second):
        assert (await process.get("/v2/questions/CYB")).status_code == 200

    await revoke(service, service.token)

    for process in (second, service):
        # The notice of it is on its way to each process for a moment.
        await eventually(partial(process.get, "/v2/questions/CYB"), lambda seen: seen.status_code == 401)
        async with nothing_written(service):
            answer = await process.post("/v2/quotes", changed())
        check_refused(answer, "revoked_token")
        assert (await get_with(process, f"Bearer {kept}")).status_code == 200


async def test_a_process_that_cannot_hear_of_revocations_asks_each_time(service: Service) -> None:
    assert (await service.get("/v2/questions/CYB")).status_code == 200
    pool = service.runtime.database.pool
    ended = await pool.fetch(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity "
        "where application_name = 'bindery-listener' and datname = current_database()"
    )
    assert len(ended) == 1

    await revoke(service, service.token)

    check_refused(await service.get("/v2/questions/CYB"), "revoked_token")


async def test_a_broker_is_known_to_every_process_as_soon_as_it_is_added(
    service: Service, second: Service
) -> None:
    body = changed(("client.broker_email", "new@example.com"))
    for process in (service, second):
        assert (await process.post("/v2/quotes", body)).status_code == 400

    async with service.runtime.database.transaction() as tx:
        await partners.add_broker(tx, service.partner, "New@Example.com")

    for process in (second, service):
        assert (await process.post("/v2/quotes", body)).status_code == 200


async def test_a_token_of_one_environment_opens_nothing_in_the_other(
    service: Service, dsn: str, tmp_path: Path
) -> None:
    async with serving(
        dsn, tmp_path, environment=Environment.PRODUCTION, base_url="https://api.bindery.example/v2"
    ) as production:
        check_refused(await get_with(production, f"Bearer {service.token}"), "wrong_environment")
        check_refused(await get_with(service, f"Bearer {production.token}"), "wrong_environment")

        assert payload_of(production.token)["env"] == "prod"
        assert 150 <= len(production.token) <= 200
        assert (await get_with(production, f"Bearer {production.token}")).status_code == 200


async def test_what_only_the_demo_has_does_not_exist_in_production(dsn: str, tmp_path: Path) -> None:
    async with serving(
        dsn, tmp_path, environment=Environment.PRODUCTION, base_url="https://api.bindery.example/v2"
    ) as production:
        for answer in (
            await production.get("/v2/demo/clock"),
            await production.post("/v2/demo/clock", {"advance_days": 1}),
            await production.post("/v2/demo/quotes/x/review", {"decision": "approve"}),
        ):
            assert answer.status_code == 404
            assert answer.json()["code"] == "unknown_path"
