"""When a call is sent again, and when not; the other side is a list of answers."""

import itertools
import ssl
from collections.abc import Iterator

import httpx
import pytest

from bindery.client import ApiError, AsyncBindery, Bindery, call
from bindery.contract.service import HealthCheck

Answer = httpx.Response | Exception
RECEIPT = {"company_id": "123456789", "quotes": []}
HEALTHY = {"healthy": True}


class Script(httpx.MockTransport):
    """Gives one answer after the other, the last one forever, and keeps what was asked."""

    def __init__(self, *answers: Answer) -> None:
        super().__init__(self._next)
        self._answers: Iterator[Answer] = itertools.chain(answers, itertools.repeat(answers[-1]))
        self.asked: list[httpx.Request] = []

    def _next(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = next(self._answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


def answer(status: int, body: object = HEALTHY, **headers: str) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.Response(status, json=body, headers=named)


def refusal(status: int, **headers: str) -> httpx.Response:
    return answer(status, {"message": "Not now.", "code": "unavailable", "request_id": "req_1"}, **headers)


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, without the waiting."""
    made: list[float] = []

    async def pause(seconds: float) -> None:
        made.append(seconds)

    monkeypatch.setattr("bindery.client.plain.time.sleep", made.append)
    monkeypatch.setattr("bindery.client.asynchronous.asyncio.sleep", pause)
    return made


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_a_passing_fault_is_tried_again_after_the_time_asked_for(status: int, pauses: list[float]) -> None:
    script = Script(refusal(status, retry_after="7"), answer(200))

    with Bindery("t", transport=script) as client:
        health = client.health_check()

    assert health == HealthCheck(healthy=True)
    assert pauses == [7]
    assert len(script.asked) == 2


def test_without_a_time_asked_for_the_pauses_grow(pauses: list[float]) -> None:
    script = Script(refusal(503))

    with Bindery("t", transport=script) as client, pytest.raises(ApiError) as given_up:
        client.health_check()

    assert (given_up.value.status, given_up.value.code, given_up.value.request_id) == (
        503,
        "unavailable",
        "req_1",
    )
    assert pauses == [0.25, 0.5, 1]
    assert len(script.asked) == 4


def test_no_pause_is_longer_than_half_a_minute(pauses: list[float]) -> None:
    script = Script(refusal(429, retry_after="86400"), answer(200))

    with Bindery("t", transport=script) as client:
        client.health_check()

    assert pauses == [30]


async def test_the_asynchronous_client_tries_again_as_well(pauses: list[float]) -> None:
    script = Script(httpx.ConnectError("refused"), refusal(503, retry_after="2"), answer(200))

    async with AsyncBindery("t", transport=script) as client:
        health = await client.health_check()

    assert health.healthy
    assert pauses == [0.25, 2]


def test_a_post_is_sent_again_under_the_key_of_the_first_try() -> None:
    script = Script(httpx.ReadError("the line broke"), refusal(503), answer(200, RECEIPT))

    with Bindery("t", transport=script) as client:
        receipt = client.create_quotes({"client": {}})
        client.create_quotes({"client": {}})

    keys = [request.headers["idempotency-key"] for request in script.asked]
    assert receipt.company_id == "123456789"
    assert keys[0] == keys[1] == keys[2]
    assert len(keys[0]) >= 20
    assert keys[3] != keys[0]


@pytest.mark.parametrize("status", [400, 401, 404, 422, 500])
def test_a_refusal_is_not_tried_again(status: int, pauses: list[float]) -> None:
    script = Script(refusal(status))

    with Bindery("t", transport=script) as client, pytest.raises(ApiError) as refused:
        client.create_quotes(b"{}")

    assert refused.value.status == status
    assert len(script.asked) == 1
    assert pauses == []


def test_a_key_in_flight_is_tried_again_when_the_service_says_so(pauses: list[float]) -> None:
    script = Script(refusal(409, retry_after="1"), answer(200, RECEIPT))

    with Bindery("t", transport=script) as client:
        client.create_quotes(b"{}")

    assert pauses == [1]


def test_another_conflict_is_not_tried_again(pauses: list[float]) -> None:
    script = Script(refusal(409))

    with Bindery("t", transport=script) as client, pytest.raises(ApiError):
        client.create_quotes(b"{}")

    assert pauses == []


def test_what_must_not_be_repeated_is_sent_once(pauses: list[float]) -> None:
    script = Script(refusal(503))
    once = call.ApiCall(method="POST", path="/once", answers={200: HealthCheck}, repeatable=False)

    with Bindery("t", transport=script) as client, pytest.raises(ApiError):
        client.send(once)

    assert len(script.asked) == 1


def test_nobody_there_is_an_error_that_names_the_address() -> None:
    script = Script(httpx.ConnectError("connection refused"))

    with Bindery("t", "http://127.0.0.1:9/v2", transport=script) as client, pytest.raises(ApiError) as gone:
        client.health_check()

    assert (gone.value.status, gone.value.code) == (0, "unreachable")
    assert gone.value.message == "There is no answer from http://127.0.0.1:9/v2: connection refused."
    assert len(script.asked) == 4


def test_an_answer_of_somebody_in_between_is_an_error() -> None:
    page = httpx.Response(403, html="<h1>Forbidden</h1>")

    with Bindery("t", transport=Script(page)) as client, pytest.raises(ApiError) as refused:
        client.health_check()

    assert (refused.value.status, refused.value.code) == (403, "unexpected_answer")
    assert "403 Forbidden" in refused.value.message


def test_a_quote_is_asked_for_until_it_is_ready() -> None:
    not_ready = {"error": "Not yet.", "quote_identifier": "q", "quote_status": "calculating"}
    script = Script(answer(202, not_ready, retry_after="2"), refusal(404))

    with Bindery("t", transport=script) as client, pytest.raises(ApiError) as refused:
        client.wait_for_quote("q", timeout_s=90)

    assert refused.value.status == 404
    assert [request.headers["prefer"] for request in script.asked] == ["wait=60", "wait=60"]


@pytest.mark.parametrize(("left_s", "asked_s"), [(-5, 1), (0.4, 1), (7.6, 8), (60, 60), (600, 60)])
def test_the_service_is_asked_to_wait_a_second_to_a_minute(left_s: float, asked_s: int) -> None:
    assert call.next_wait_s(until=100 + left_s, now=100) == asked_s


def test_the_token_goes_with_every_call_and_a_body_says_what_it_is() -> None:
    script = Script(answer(200, {"valid": True, "errors": [], "missing": [], "referral_reasons": []}))

    with Bindery("secret", "http://service/v2/", transport=script) as client:
        client.validate_quotes({"client": {}})

    (request,) = script.asked
    assert str(request.url) == "http://service/v2/quotes/validate"
    assert request.headers["authorization"] == "Bearer secret"
    assert request.headers["content-type"] == "application/json"
    assert "idempotency-key" not in request.headers
    assert request.content == b'{"client":{}}'


@pytest.mark.parametrize("ending", ["", "/", "/v2", "/v2/", "//", "/gateway", "/gateway/v2"])
async def test_the_address_of_the_service_is_as_good_as_that_of_its_api(ending: str) -> None:
    script = Script(answer(200), answer(200))

    with Bindery("t", f"http://service{ending}", transport=script) as client:
        client.health_check()
    async with AsyncBindery("t", f"http://service{ending}", transport=script) as patient:
        await patient.health_check()

    gateway = "/gateway" if "gateway" in ending else ""
    assert {str(request.url) for request in script.asked} == {f"http://service{gateway}/v2/health_check"}


def test_fields_that_are_not_known_yet_are_passed_over() -> None:
    script = Script(answer(200, {"healthy": True, "load": 3}))

    with Bindery("t", transport=script) as client:
        assert client.health_check() == HealthCheck(healthy=True)


def test_an_address_without_tls_reads_no_certificates_and_one_with_tls_the_machines() -> None:
    plain, secure = call.trust_for("http://127.0.0.1:8000"), call.trust_for("https://api.example.com")

    assert isinstance(plain, ssl.SSLContext)
    assert plain.get_ca_certs() == []
    assert plain.verify_mode is ssl.CERT_REQUIRED
    assert secure is True
