"""Ways in which an address may do something differently, and the rows that are about it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from support.spoiling import Spoil


def of_product(name: str) -> Callable[[Any], bool]:
    """Return whether a quote is one of a product, and priced."""
    return lambda quote: quote["insurance_product"] == name and quote["premium"] is not None


def drop(*path: str) -> Callable[[Any], object]:
    """Return a change that drops a field."""

    def change(body: Any) -> None:
        for name in path[:-1]:
            body = body[name]
        del body[path[-1]]

    return change


def put(name: str, value: Any) -> Callable[[Any], object]:
    return lambda body: body.update({name: value})


def round_premium(quote: Any) -> None:
    quote["premium"] = round(quote["premium"], -3)


def raise_revenue(request: Any) -> None:
    client = request.get("client", {})
    if client.get("revenue") == 0 and client.get("address", {}).get("zip") != "?":
        client["revenue"] = 1


def cut_domains(request: Any) -> None:
    client = request.get("client", {})
    if isinstance(client.get("domains"), list):
        del client["domains"][75:]


def turn_answer(request: Any) -> None:
    for item in request.get("questions", []):
        if item["id"] == "2142":
            item["value"] = False


def drop_titles(metadata: Any) -> None:
    for document in metadata["documents"]:
        del document["title"]


def a_quote(
    change: Callable[[Any], object], when: Callable[[Any], bool] = lambda _: True, status: int | None = None
) -> Spoil:
    """Return how the answer to GET of a quote is spoiled, once it is ready."""
    return Spoil("GET", "/quotes/*", change, status, when=lambda body: "client" in body and when(body))


@dataclass(frozen=True)
class Case:
    """What is spoiled, the areas that are played, and the rows that find it."""

    spoil: Spoil
    areas: tuple[str, ...]
    rows: tuple[str, ...]


OPTIONS_OF_THE_ROWS = 2
"""About a receipt."""

CASES = {
    "a field is dropped": Case(
        a_quote(drop("surcharges_effective_from"), of_product("MPL")),
        ("quote", "receipt"),
        ("quote.MPL.surcharges_effective_from",),
    ),
    "a field of a part is dropped": Case(
        a_quote(lambda quote: quote["coverages"][-1].pop("limit"), of_product("TEO")),
        ("quote",),
        ("quote.TEO.coverages.limit",),
    ),
    "a premium is rounded": Case(
        a_quote(round_premium, of_product("TEO")), ("quote", "questions.*.both-names"), ("quote.TEO.total",)
    ),
    "a premium is a text": Case(
        a_quote(lambda quote: put("premium", str(quote["premium"]))(quote), of_product("MPL")),
        ("quote.MPL",),
        ("quote.MPL.premium", "quote.MPL.total"),
    ),
    "an industry is shown as it was sent": Case(
        a_quote(lambda quote: quote["client"].update(industry="541511"), of_product("TEO")),
        ("quote",),
        ("quote.TEO.industry",),
    ),
    "a receipt forgets what was asked for": Case(
        Spoil(
            "POST",
            "/quotes",
            lambda receipt: [
                option.update(requested_per_claim_retention=None) for option in receipt["quotes"]
            ],
            when=lambda body: len(body.get("quotes", ())) == OPTIONS_OF_THE_ROWS,
        ),
        ("receipt",),
        ("receipt.requested_per_claim_retention",),
    ),
    "a status has another name": Case(
        a_quote(put("quote_status", "declined"), lambda quote: quote["quote_status"] == "quote_declined"),
        ("statuses", "binds.requested"),
        ("statuses.quote_declined", "binds.requested.declined"),
    ),
    "red flags are not told": Case(
        a_quote(put("red_flags_exist", value=False)), ("statuses", "authority"), ("statuses.red_flags",)
    ),
    "a limit has no lower end": Case(
        Spoil("POST", "/quotes", asked=raise_revenue), ("client", "address"), ("client.revenue.zero",)
    ),
    "a list has no end": Case(
        Spoil("POST", "/quotes", asked=cut_domains), ("client", "policy"), ("client.domains.too-many",)
    ),
    "a question under its other name is read differently": Case(
        Spoil("POST", "/quotes", asked=turn_answer),
        ("questions.*.both-names",),
        ("questions.Q2142.both-names",),
    ),
    "a document is lost": Case(
        Spoil("GET", "/quotes/billing_statement/*", status=404, when=lambda body: body is None),
        ("documents.binder", "documents.policy", "documents.too-early"),
        ("documents.binder.billing_statement", "documents.policy.billing_statement"),
    ),
    "a document has no title": Case(
        Spoil("GET", "/quotes/*/documents/policy/metadata", drop_titles),
        ("metadata",),
        ("metadata.policy.title",),
    ),
    "an upload is not taken without a contingency": Case(
        Spoil("POST", "/documents", status=422, when=lambda body: body.get("contingency", "") is None),
        ("uploads",),
        ("uploads.no-contingency",),
    ),
    "a bind has no company": Case(
        Spoil(
            "POST",
            "/binds",
            drop("company_id"),
            when=lambda body: "quotes" in body and body["quotes"][0]["outcome"] == "policy_issued",
        ),
        ("binds",),
        ("binds.attested",),
    ),
    "a binder has no policy number": Case(
        a_quote(
            put("policy_number", None), lambda quote: bool(quote["binder"] and quote["binder"]["conditional"])
        ),
        ("binds",),
        ("binds.conditional.policy_number",),
    ),
    "a pause says nothing": Case(
        Spoil(
            "POST",
            "/quotes/*/pause_renewal",
            lambda body: body.clear(),
            when=lambda body: "errors" not in body,
        ),
        ("pause",),
        ("pause.policy", "pause.twice"),
    ),
    "a refusal has another code": Case(
        Spoil("POST", "/binds", status=400, when=lambda body: body.get("code") == "not_found"),
        ("codes.404", "binds"),
        ("codes.404.bind", "codes.404.bind.message"),
    ),
    "a refusal names one problem alone": Case(
        Spoil(
            "POST",
            "/quotes",
            lambda body: body["errors"].pop(),
            when=lambda body: len(body.get("errors", "")) > 1,
        ),
        ("codes.400",),
        ("codes.400.every-problem", "codes.400.path.client.address.zip"),
    ),
    "a token is not asked for": Case(
        Spoil("GET", "/webhooks", status=200),
        ("tokens",),
        ("tokens.none.GET-webhooks", "tokens.wrong.GET-webhooks"),
    ),
    "a webhook is said to be removed twice": Case(
        Spoil(
            "DELETE", "/webhooks/*", status=200, when=lambda body: not body.get("code", "").endswith("_token")
        ),
        ("webhooks",),
        ("webhooks.removed.unknown",),
    ),
    "a health check speaks in words": Case(
        Spoil("GET", "/health_check", put("healthy", "yes")),
        ("health",),
        ("health.none", "health.given", "health.true"),
    ),
}
