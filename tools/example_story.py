"""A partner who does everything once, so that there is an example of every answer."""

import copy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec
from starlette.responses import Response

from bindery.api.errors import (
    TooManyUploads,
    UnknownPath,
    crash_response,
    error_response,
    unavailable_response,
)
from bindery.api.openapi import Examples
from bindery.base.errors import (
    BinderyError,
    DocumentUnavailable,
    IdempotencyInFlight,
    TooManyRequests,
    TooManyWaiting,
    Unauthorized,
    WrongState,
)
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE, EXAMPLE_ENDPOINT
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.documents.file_types import LARGEST_PAPER

APPLICATION: Final = Path(__file__).parent.parent / "examples" / "signed-application.jpg"
SIGNER: Final = {"email": "ann@harborlight.example.com", "name": "Ann Example"}
EXAMPLE_LINK: Final = f"https://platform.example.com/s/{'x' * 43}"
REQUEST_ID: Final = "req_5f0c2a91e7b64d38"
UNKNOWN: Final = "0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55"
AS_JSON: Final = {"Content-Type": "application/json"}
MOST_ITEMS: Final = 3
"""Of a long list an example shows the beginning."""
MOST_LINES: Final = 3
NOT_READY: Final = 202
WHY: Final = "A customer asks for a higher limit."


@dataclass
class Recorder:
    """Asks a demo, and keeps what it answers by operation or, where many share it, by name."""

    http: httpx.AsyncClient
    token: str
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    shared: dict[str, Any] = field(default_factory=dict)

    async def ask(self, call: str, body: object = None, **options: Any) -> httpx.Response:  # noqa: ANN401 - httpx's
        method, path = call.split(" ", 1)
        given = {"Authorization": f"Bearer {self.token}", "X-Request-Id": REQUEST_ID}
        headers = [*(given | options.pop("headers", {})).items(), *options.pop("more_headers", ())]
        if body is not None:
            options["json"] = body
        return await self.http.request(method, path, headers=headers, **options)

    async def keep(self, name: str, status: int, call: str, body: object = None, **options: Any) -> Any:  # noqa: ANN401 - JSON
        """Send a request and keep its answer; the name of a shared one begins with a capital.

        Raises:
            ValueError: the answer has another status.
        """
        answer = await self.ask(call, body, **options)
        if answer.status_code != status:
            raise ValueError(f"{call} was answered {answer.status_code}: {answer.text}")
        said = answer.json() if answer.headers["content-type"] == "application/json" else answer.text
        if name[0].isupper():
            self.shared[name] = _shortened(said)
        else:
            self.answers.setdefault(name, {})[str(status)] = _shortened(said)
        return said


async def record(http: httpx.AsyncClient, token: str) -> Examples:
    recorder = Recorder(http, token)
    quote = await _quotes(recorder)
    await _waiting(recorder)
    await _refusals(recorder)
    await _documents(recorder, quote)
    await _webhooks(recorder)
    await _signatures(recorder, quote)
    await _binds(recorder, quote)
    await _changes(recorder)
    await _lists(recorder, quote)
    await _demo(recorder)
    await _renewal(recorder)
    await _service(recorder)
    _not_on_demand(recorder)
    return Examples(recorder.answers, recorder.shared)


async def _quotes(recorder: Recorder) -> str:
    body = _request(metadata={"crm": "A-17"})
    receipt = await recorder.keep("create_quotes", 200, "POST /v2/quotes", body)
    wrong = _request(revenue=0)
    wrong["policy"]["quotes"] = [{"aggregate_limit": 123}]
    await recorder.keep("create_quotes", 400, "POST /v2/quotes", wrong)
    large = _request()
    large["policy"]["quotes"] = [{"aggregate_limit": 10_000_000}]
    await recorder.keep("validate_quotes", 200, "POST /v2/quotes/validate", large)
    broken = {"content": b'{"client":', "headers": AS_JSON}
    await recorder.keep("validate_quotes", 400, "POST /v2/quotes/validate", **broken)
    await recorder.keep("get_questions", 200, "GET /v2/questions/CYB")
    await recorder.keep("get_questions", 404, "GET /v2/questions/XYZ")
    await recorder.keep("list_industries", 200, "GET /v2/industries?q=bakeries&limit=3")
    await recorder.keep("get_product", 200, "GET /v2/products/CYB")
    await recorder.keep("get_product", 404, "GET /v2/products/XYZ")
    likely = {"name": "Harborlight Bakery LLC", "revenue": 2_500_000, "state": "PA", "industry": "311811"}
    await recorder.keep("indicate_price", 200, "POST /v2/quotes/indication", likely)
    identifier: str = receipt["quotes"][0]["quote_identifier"]
    await _until_ready(recorder, identifier)
    await recorder.keep("get_quote", 200, f"GET /v2/quotes/{identifier}")
    return identifier


async def _waiting(recorder: Recorder) -> None:
    """Ask for something that takes a while, and meet what says so."""
    receipt = (await recorder.ask("POST /v2/quotes", _request(domains=["slow.example.com"]))).json()
    identifier = receipt["quotes"][0]["quote_identifier"]
    await recorder.keep("get_quote", 202, f"GET /v2/quotes/{identifier}")
    await recorder.keep("download_document", 202, f"GET /v2/quotes/quote_letter/{identifier}")
    await recorder.keep("bind_quote", 202, "POST /v2/binds", await _bind(recorder, identifier))
    asked = f"POST /v2/quotes/{identifier}/signature_requests"
    await recorder.keep("request_signature", 202, asked, SIGNER)


async def _refusals(recorder: Recorder) -> None:
    nonsense = {"Authorization": "Bearer nonsense"}
    await recorder.keep("Unauthorized", 401, f"GET /v2/quotes/{UNKNOWN}", headers=nonsense)
    await recorder.keep("NoSuchQuote", 404, f"GET /v2/quotes/{UNKNOWN}")
    await recorder.keep("MalformedIdentifier", 400, "GET /v2/quotes/not%20an%20identifier")
    await recorder.keep(
        "MalformedRequest",
        400,
        "GET /livez",
        more_headers=[("Idempotency-Key", "a"), ("Idempotency-Key", "b")],
    )
    await recorder.keep("BadRequest", 400, "GET /v2/events?limit=0")
    await recorder.keep("WrongMediaType", 415, "POST /v2/quotes", content=b"name=Harborlight")
    await recorder.keep("TooLarge", 413, "POST /v2/quotes", content=b" " * 1_000_001, headers=AS_JSON)


async def _documents(recorder: Recorder, quote: str) -> None:
    letter = f"GET /v2/quotes/quote_letter/{quote}"
    await recorder.keep("download_document", 400, f"GET /v2/quotes/policy/{quote}")
    await recorder.keep("download_document", 404, f"GET /v2/quotes/quote_letter/{UNKNOWN}")
    await recorder.keep("download_document", 416, letter, headers={"Range": "bytes=99999999-"})
    packet = f"GET /v2/quotes/{quote}/documents"
    await recorder.keep("packet_metadata", 200, f"{packet}/quote/metadata")
    await recorder.keep("packet_metadata", 400, f"{packet}/leaflet/metadata")
    shown = (await recorder.ask(f"GET /v2/quotes/{quote}")).json()
    fields = {"quote_identifier": quote, "contingency": shown["contingencies"][0]["contingency_id"]}
    for status, content in (
        (200, APPLICATION.read_bytes()),
        (415, b"text"),
        (413, bytes(LARGEST_PAPER + 1)),
    ):
        file = {"file": ("signed-application.jpg", content)}
        await recorder.keep("upload_document", status, "POST /v2/documents", data=fields, files=file)


async def _webhooks(recorder: Recorder) -> None:
    await recorder.keep("set_webhook_secret", 200, "POST /v2/settings/webhook_secret")
    registration = {"endpoint": EXAMPLE_ENDPOINT, "quote_level": True, "policy_level": True}
    webhook = await recorder.keep("register_webhook", 200, "POST /v2/webhooks", registration)
    refused = {**registration, "endpoint": "ftp://127.0.0.1/"}
    await recorder.keep("register_webhook", 400, "POST /v2/webhooks", refused)
    await recorder.keep("list_webhooks", 200, "GET /v2/webhooks")
    known, unknown, fail = f"/v2/webhooks/{webhook['id']}", f"/v2/webhooks/{UNKNOWN}", {"times": 1}
    key = {"Idempotency-Key": f"ping-{webhook['id']}"}
    await recorder.keep("fail_webhook", 200, f"POST /v2/demo/webhooks/{webhook['id']}/fail", fail)
    await recorder.keep("fail_webhook", 400, f"POST /v2/demo/webhooks/{UNKNOWN}/fail", fail)
    await recorder.keep("ping_webhook", 200, f"POST {known}/ping", headers=key)
    await recorder.keep(
        "KeyReused", 422, f"POST {known}/replay", {"since": "2026-01-01T00:00:00Z"}, headers=key
    )
    await recorder.keep("ping_webhook", 400, f"POST {unknown}/ping")
    await recorder.keep("replay_deliveries", 200, f"POST {known}/replay", {"since": "2026-01-01T00:00:00Z"})
    await recorder.keep("replay_deliveries", 400, f"POST {unknown}/replay", {"since": "2026-01-01T00:00:00Z"})
    await recorder.keep("list_deliveries", 200, f"GET {known}/deliveries")
    await recorder.keep("list_deliveries", 400, f"GET {unknown}/deliveries")
    await recorder.keep("remove_webhook", 200, f"DELETE {known}")
    await recorder.keep("remove_webhook", 400, f"DELETE {unknown}")
    await recorder.keep("list_events", 200, "GET /v2/events?limit=3")


async def _signatures(recorder: Recorder, quote: str) -> None:
    path = f"/v2/quotes/{quote}/signature_requests"
    sent = await recorder.keep("request_signature", 200, f"POST {path}", SIGNER)
    wrong = {"email": "nobody", "name": " "}
    await recorder.keep("request_signature", 400, f"POST {path}", wrong)
    await recorder.keep("list_signature_requests", 200, f"GET {path}")
    one, other = f"{path}/{sent['signature_request_id']}", f"{path}/{UNKNOWN}"
    await recorder.keep("get_signature_request", 200, f"GET {one}")
    await recorder.keep("get_signature_request", 404, f"GET {other}")
    await recorder.keep("revoke_signature_request", 200, f"DELETE {one}")
    await recorder.keep("revoke_signature_request", 404, f"DELETE {other}")
    await _wait_until_signed(recorder)
    (listed,) = recorder.answers["list_signature_requests"]["200"]["signature_requests"]
    for name in ("request_signature", "get_signature_request", "revoke_signature_request"):
        # Whoever has a link can open it; this one shows its shape alone.
        recorder.answers[name]["200"]["url"] = listed["url"] = EXAMPLE_LINK


async def _wait_until_signed(recorder: Recorder) -> None:
    """Meet a request that cannot be taken back any more."""
    receipt = (await recorder.ask("POST /v2/quotes", _request(name="Signed Sample LLC (signs)"))).json()
    quote = receipt["quotes"][0]["quote_identifier"]
    await _until_ready(recorder, quote)
    path = f"/v2/quotes/{quote}/signature_requests"
    one = f"{path}/{(await recorder.ask(f'POST {path}', SIGNER)).json()['signature_request_id']}"
    while (await recorder.ask(f"GET {one}")).json()["status"] != "signed":
        pass
    await recorder.keep("revoke_signature_request", 400, f"DELETE {one}")


async def _binds(recorder: Recorder, quote: str) -> None:
    body = await _bind(recorder, quote)
    await recorder.keep("bind_quote", 200, "POST /v2/binds", body)
    late = {**body, "dates": {"effective": "2031-01-01"}}
    await recorder.keep("bind_quote", 400, "POST /v2/binds", late)
    await recorder.keep("pause_renewal", 200, f"POST /v2/quotes/{quote}/pause_renewal")
    await recorder.keep("pause_renewal", 422, f"POST /v2/quotes/{UNKNOWN}/pause_renewal")
    await recorder.keep("resume_renewal", 200, f"POST /v2/quotes/{quote}/resume_renewal")
    await recorder.keep("resume_renewal", 422, f"POST /v2/quotes/{UNKNOWN}/resume_renewal")
    await recorder.keep("withdraw_quote", 400, f"POST /v2/quotes/{quote}/withdraw")
    ask = {"effective": body["dates"]["effective"], "reason": "business_sold", "text": "Sold."}
    cancel = f"POST /v2/quotes/{quote}/request_cancellation"
    await recorder.keep("request_cancellation", 400, cancel, {**ask, "effective": "2020-01-01"})
    await recorder.keep("request_cancellation", 200, cancel, ask)
    receipt = (await recorder.ask("POST /v2/quotes", _request())).json()
    open_quote = receipt["quotes"][0]["quote_identifier"]
    await recorder.keep("withdraw_quote", 200, f"POST /v2/quotes/{open_quote}/withdraw")


async def _changes(recorder: Recorder) -> None:
    """Change a policy twice, and meet what cannot be changed, accepted or taken back."""
    quote = await _issued(recorder)
    changes = f"/v2/policies/{quote}/changes"
    effective = (await recorder.ask(f"GET /v2/quotes/{quote}")).json()["dates"]["effective"]
    ask = {"effective": effective, "changes": {"aggregate_limit": 2_000_000}, "reason": WHY}
    await recorder.keep("ask_for_change", 400, f"POST {changes}", {**ask, "changes": {}})
    asked = await recorder.keep("ask_for_change", 200, f"POST {changes}", ask)
    await recorder.keep("ask_for_change", 409, f"POST {changes}", ask)
    one, unknown = f"{changes}/{asked['change_id']}", f"{changes}/{UNKNOWN}"
    await recorder.keep("list_changes", 200, f"GET {changes}")
    await recorder.keep("get_change", 200, f"GET {one}")
    await recorder.keep("get_change", 404, f"GET {unknown}")
    await recorder.keep("accept_change", 200, f"POST {one}/accept")
    await recorder.keep("accept_change", 404, f"POST {unknown}/accept")
    await recorder.keep("withdraw_change", 404, f"POST {unknown}/withdraw")
    await recorder.keep("withdraw_change", 409, f"POST {one}/withdraw")
    other = {**ask, "changes": {"dba": "Harborlight Bread"}, "reason": "It trades under this name now."}
    taken_back = f"{changes}/{(await recorder.ask(f'POST {changes}', other)).json()['change_id']}"
    await recorder.keep("withdraw_change", 200, f"POST {taken_back}/withdraw")
    await recorder.keep("accept_change", 409, f"POST {taken_back}/accept")


async def _lists(recorder: Recorder, quote: str) -> None:
    """Look for what was made; a page of one shows how the next is asked for."""
    for name in ("quotes", "policies", "companies"):
        await recorder.keep(f"list_{name}", 200, f"GET /v2/{name}?limit=1")
    company = (await recorder.ask(f"GET /v2/quotes/{quote}")).json()["company_id"]
    await recorder.keep("get_company", 200, f"GET /v2/companies/{company}")
    await recorder.keep("get_company", 404, "GET /v2/companies/999999999")


async def _demo(recorder: Recorder) -> None:
    await recorder.keep("show_clock", 200, "GET /v2/demo/clock")
    await recorder.keep("move_clock", 200, "POST /v2/demo/clock", {"advance_days": 0})
    large = _request()
    large["policy"]["quotes"] = [{"aggregate_limit": 10_000_000}]
    receipt = (await recorder.ask("POST /v2/quotes", large)).json()
    referred = receipt["quotes"][0]["quote_identifier"]
    await _until_ready(recorder, referred)
    review = f"POST /v2/demo/quotes/{referred}/review"
    await recorder.keep(
        "review_quote", 200, review, {"decision": "approve", "reason": "Looked at, and fine."}
    )
    await recorder.keep("review_quote", 400, review, {"decision": "reinstate"})


async def _renewal(recorder: Recorder) -> None:
    """Ask for the renewal of a paused policy once that is possible."""
    quote = await _issued(recorder)
    await recorder.ask(f"POST /v2/quotes/{quote}/pause_renewal")
    call = f"POST /v2/quotes/{quote}/request_renewal"
    await recorder.keep("request_renewal", 400, call)
    await recorder.ask("POST /v2/demo/clock", {"advance_days": 300})
    await recorder.keep("request_renewal", 200, call)


async def _service(recorder: Recorder) -> None:
    await recorder.keep("health_check", 200, "GET /v2/health_check")
    document = await recorder.keep("openapi", 200, "GET /v2/openapi.json")
    recorder.answers["openapi"]["200"] = {name: document[name] for name in ("openapi", "servers")}
    await recorder.keep("livez", 200, "GET /livez")
    await recorder.keep("readyz", 200, "GET /readyz")
    shown = await recorder.keep("metrics", 200, "GET /metrics")
    recorder.answers["metrics"]["200"] = "".join(shown.splitlines(keepends=True)[:MOST_LINES])


def _not_on_demand(recorder: Recorder) -> None:
    """Keep what a healthy demo does not answer, as the code that would answer it words it."""
    recorder.shared |= {
        "InternalError": _body(crash_response(REQUEST_ID, "POST")),
        "KeyInFlight": _refused(
            IdempotencyInFlight("A request with this Idempotency-Key is still being worked on.")
        ),
        "TooManyRequests": _refused(TooManyRequests(1200, "reads", 42)),
        "TooManyWaiting": _refused(TooManyWaiting(20)),
        "Unavailable": _body(unavailable_response(REQUEST_ID)),
    }
    recorder.answers["download_document"]["503"] = _refused(DocumentUnavailable())
    recorder.answers["upload_document"]["503"] = _refused(TooManyUploads())
    unsent = WrongState(
        "A quote that is quote_declined has no application.", available_statuses=[QuoteStatus.PUBLISHED]
    )
    recorder.answers["signed_application"] = {"400": _refused(unsent)}
    over = WrongState("The policy has ended on 2027-11-20.", available_statuses=[QuoteStatus.POLICY_ACTIVE])
    recorder.answers["accept_change"]["400"] = _refused(over)
    recorder.answers["readyz"]["503"] = "not ready\n"
    wrong = Unauthorized("The bearer token is not the metrics token.", code="invalid_token")
    recorder.answers["metrics"] |= {
        "401": _refused(wrong),
        "404": _refused(UnknownPath("There is nothing at /metrics.")),
    }


def _request(**client: object) -> dict[str, Any]:
    body = copy.deepcopy(CREATE_QUOTES_EXAMPLE)
    body["client"] |= client
    return body


async def _bind(recorder: Recorder, identifier: str) -> dict[str, Any]:
    now = datetime.fromisoformat((await recorder.ask("GET /v2/demo/clock")).json()["now"])
    effective = (now + timedelta(days=2)).date().isoformat()
    return {"quote_identifier": identifier, "dates": {"effective": effective}}


async def _issued(recorder: Recorder) -> str:
    """Return a quote that became a policy."""
    receipt = (await recorder.ask("POST /v2/quotes", _request())).json()
    quote: str = receipt["quotes"][0]["quote_identifier"]
    await _until_ready(recorder, quote)
    owed = (await recorder.ask(f"GET /v2/quotes/{quote}")).json()["contingencies"][0]["contingency_id"]
    await recorder.ask(
        "POST /v2/documents",
        data={"quote_identifier": quote, "contingency": owed},
        files={"file": ("signed-application.jpg", APPLICATION.read_bytes())},
    )
    await recorder.ask("POST /v2/binds", {**await _bind(recorder, quote), "app_attestation": True})
    return quote


async def _until_ready(recorder: Recorder, identifier: str) -> None:
    call, wait = f"GET /v2/quotes/{identifier}", {"Prefer": "wait=20"}
    while (await recorder.ask(call, headers=wait)).status_code == NOT_READY:
        pass


def _shortened(said: Any) -> Any:  # noqa: ANN401 - JSON
    match said:
        case list():
            return [_shortened(item) for item in said[:MOST_ITEMS]]
        case dict():
            return {name: _shortened(value) for name, value in said.items()}
        case _:
            return said


def _body(response: Response) -> Any:  # noqa: ANN401 - JSON
    return msgspec.json.decode(bytes(response.body))


def _refused(fault: BinderyError) -> Any:  # noqa: ANN401 - JSON
    return _body(error_response(fault, REQUEST_ID))
