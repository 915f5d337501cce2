"""No body of a megabyte keeps the event loop for long, whatever it holds."""

import time

import msgspec
import pytest

from support.floods import LARGEST, fields, filled, floods, holding, text
from support.service import Service

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="module")]

MOST_ANSWERED = 256 * 1024 + 4_096
BIND = {"quote_identifier": "x", "dates": {"effective": "2026-12-01"}}
CONTACT = b'{"email":1,"contact_roles":[{}]}'
OTHER_FLOODS = [
    ("/v2/binds", "contacts", filled("client.additional_contacts", CONTACT, around=BIND)),
    *(
        (path, f"{known} of {name}", body)
        for path, around, known in (
            ("/v2/binds", BIND, "dates"),
            ("/v2/binds", BIND, "client"),
            ("/v2/webhooks", {"endpoint": "https://hooks.example.com", "quote_level": True}, "policy_level"),
            ("/v2/webhooks", {"quote_level": True, "policy_level": True}, "endpoint"),
            ("/v2/webhooks/x/replay", {}, "since"),
            ("/v2/demo/webhooks/x/fail", {}, "times"),
            ("/v2/demo/clock", {}, "advance_days"),
            ("/v2/demo/quotes/x/review", {"decision": "approve"}, "terms"),
            ("/v2/demo/quotes/x/review", {"decision": "approve"}, "extra"),
        )
        for name, body in (
            ("empty objects", filled(known, b"{}", around=around)),
            ("lists in lists", filled(known, b"[[]]", around=around)),
            ("many fields", holding(known, fields(b"{}", 60_000), around=around)),
            ("bad characters", holding(known, text("\u202e"), around=around)),
            ("4,900 empty objects", filled(known, b"{}", most=4_900, around=around)),
        )
    ),
]


@pytest.fixture(scope="module")
def allowed_s() -> float:
    """The time in which this machine decodes three megabytes of empty objects: here a tenth of a second."""
    body = filled("x", b"{}", around={})

    def measured() -> float:
        started = time.thread_time()
        for _ in range(3):
            msgspec.json.decode(body)
        return time.thread_time() - started

    return min(measured() for _ in range(3))


async def check_cost(service: Service, path: str, body: bytes, *, allowed_s: float) -> None:
    """Send a request to the application on this very loop, and look at how long it kept the loop's thread."""
    assert len(body) <= LARGEST
    headers = {**service.headers, "content-type": "application/json"}
    for last in (False, False, True):
        started = time.thread_time()
        answer = await service.http.post(path, content=body, headers=headers)
        cost = time.thread_time() - started
        # The first call makes the validator, and any may happen to collect garbage of others.
        if cost <= allowed_s:
            break
        assert not last, f"{cost:.3f} s where {allowed_s:.3f} s are allowed"
    assert answer.status_code in {200, 400, 404, 422}
    assert len(answer.content) <= MOST_ANSWERED


@pytest.mark.parametrize("path", ["/v2/quotes", "/v2/quotes/validate"])
async def test_no_flood_of_a_submission_keeps_the_loop(
    shared: Service, allowed_s: float, path: str, subtests: pytest.Subtests
) -> None:
    for name, body in floods().items():
        with subtests.test(name):
            await check_cost(shared, path, body, allowed_s=allowed_s)


async def test_no_flood_of_another_body_keeps_the_loop(
    shared: Service, allowed_s: float, subtests: pytest.Subtests
) -> None:
    for path, name, body in OTHER_FLOODS:
        with subtests.test(f"{path} {name}"):
            await check_cost(shared, path, body, allowed_s=allowed_s)
