"""Webhooks: registering, removing, and what is delivered."""

from collections.abc import Iterator
from typing import Final

from bindery.conformance.expect import (
    SOME_TEXT,
    AtPath,
    Begins,
    Must,
    Signed,
    Status,
    equals,
    one_of,
    same_as,
    with_one,
)
from bindery.conformance.row import Hook, HttpStep, SpecRow
from bindery.conformance.rows.making import GOOD

ENDPOINTS: Final = "Endpoints, webhooks"
REGISTRATION: Final = "Webhook registration"
EVENTS: Final = "Events"
A_WEBHOOK: Final = "a webhook"
QUOTE_TOLD: Final = "a quote told of"
POLICY_TOLD: Final = "a policy told of"


def register(**body: object) -> HttpStep:
    return HttpStep("POST", "/webhooks", json=body)


def _operations() -> Iterator[SpecRow]:
    yield SpecRow(
        "webhooks.secret",
        ENDPOINTS,
        "POST /settings/webhook_secret: 200 success.",
        (GOOD,),
        scene="a webhook secret",
        looks_at="secret",
    )
    yield SpecRow(
        "webhooks.registered",
        ENDPOINTS,
        "POST /webhooks: 200 success.",
        (GOOD,),
        scene=A_WEBHOOK,
        looks_at="registered",
    )
    yield SpecRow(
        "webhooks.listed",
        ENDPOINTS,
        "GET /webhooks: returns webhook information, 200 success.",
        (GOOD, Begins()),
        scene=A_WEBHOOK,
        steps=(HttpStep("GET", "/webhooks"),),
    )
    yield SpecRow(
        "webhooks.removed",
        ENDPOINTS,
        "DELETE /webhooks/{identifier}: 200 success.",
        (GOOD,),
        scene=A_WEBHOOK,
        alone=True,
        steps=(HttpStep("DELETE", "/webhooks/{webhook}"),),
    )
    yield SpecRow(
        "webhooks.removed.unknown",
        ENDPOINTS,
        "400: failure, for a webhook that is not there.",
        (Status(400),),
        steps=(HttpStep("DELETE", "/webhooks/{unknown}"),),
    )
    yield SpecRow(
        "webhooks.removed.twice",
        ENDPOINTS,
        "A webhook that was removed is gone from the list.",
        (GOOD, AtPath("webhooks", Must("without the one that was removed", _without_removed))),
        scene=A_WEBHOOK,
        alone=True,
        decision=True,
        steps=(HttpStep("DELETE", "/webhooks/{webhook}"), HttpStep("GET", "/webhooks")),
    )
    yield SpecRow(
        "webhooks.secret.text",
        ENDPOINTS,
        "A new secret begins with whsec_.",
        (GOOD, AtPath("secret", Must("whsec_…", lambda value, _: str(value).startswith("whsec_")))),
        scene="a webhook secret",
        looks_at="secret",
        decision=True,
    )
    yield SpecRow(
        "webhooks.listed.id",
        ENDPOINTS,
        "The list holds the webhook that was registered.",
        (GOOD, AtPath("webhooks", with_one("id", same_as("webhook", "the one registered")))),
        scene=A_WEBHOOK,
        steps=(HttpStep("GET", "/webhooks"),),
        decision=True,
    )


def _without_removed(value: object, known: object) -> bool:
    return (
        isinstance(value, list)
        and isinstance(known, dict)
        and all(
            webhook.get("id") != known.get("webhook") or webhook.get("status") == "removed"
            for webhook in value
            if isinstance(webhook, dict)
        )
    )


def _bodies() -> Iterator[SpecRow]:
    levels = {"quote_level": True, "policy_level": True}
    for word, body, sentence in (
        ("endpoint.missing", levels, "endpoint: required."),
        ("endpoint.too-short", {**levels, "endpoint": "http://"}, "endpoint: minimum length 8."),
        ("endpoint.not-text", {**levels, "endpoint": 12345678}, "endpoint: string."),
        ("quote_level.missing", {"endpoint": Hook("never"), "policy_level": True}, "quote_level: required."),
        ("policy_level.missing", {"endpoint": Hook("never"), "quote_level": True}, "policy_level: required."),
        (
            "quote_level.text",
            {**levels, "endpoint": Hook("never"), "quote_level": "sometimes"},
            "quote_level: boolean.",
        ),
    ):
        yield SpecRow(f"webhooks.{word}", REGISTRATION, sentence, (Status(400),), steps=(register(**body),))
    yield SpecRow(
        "webhooks.no-level",
        REGISTRATION,
        "A registration subscribes to at least one level.",
        (Status(400),),
        decision=True,
        steps=(register(endpoint=Hook("never"), quote_level=False, policy_level=False),),
    )


def _deliveries() -> Iterator[SpecRow]:
    quote_level = "quote_level: subscribe to quote-level events."
    policy_level = "policy_level: subscribe to policy-level events."
    for name, scene, sentence, level, first in (
        ("quote", QUOTE_TOLD, quote_level, "quote", "quote.published"),
        ("policy", POLICY_TOLD, policy_level, "policy", "policy.bound"),
    ):
        yield SpecRow(
            f"webhooks.delivered.{name}", EVENTS, sentence, (Begins(),), scene=scene, looks_at="told"
        )
        yield SpecRow(
            f"webhooks.signed.{name}",
            EVENTS,
            "Deliveries are signed by Standard Webhooks.",
            (Signed(),),
            scene=scene,
            looks_at="told",
            decision=True,
        )
        yield SpecRow(
            f"webhooks.body.{name}",
            EVENTS,
            "A delivery says type, timestamp and data.",
            (
                AtPath("type", equals(first)),
                AtPath("timestamp", SOME_TEXT),
                AtPath("data.quote_identifier", same_as("quote", "the quote")),
                AtPath("data.level", one_of(level)),
                AtPath("data.company_id", same_as("company", "the company")),
                AtPath("data.quote_status", SOME_TEXT),
            ),
            scene=scene,
            looks_at="told",
            decision=True,
        )


ROWS: Final = (*_operations(), *_bodies(), *_deliveries())
