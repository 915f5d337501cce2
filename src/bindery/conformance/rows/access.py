"""Health, and who may ask."""

from collections.abc import Iterator
from typing import Final

from bindery.conformance.expect import BOOLEAN, AtPath, Header, Must, Status, equals
from bindery.conformance.requests import submission, submit
from bindery.conformance.row import GIVEN, Auth, HttpStep, SpecRow
from bindery.conformance.rows.making import GOOD

AUTHENTICATION: Final = "Authentication"
HEALTH: Final = "Endpoints, GET /health_check"


def _health() -> Iterator[SpecRow]:
    for auth in (Auth.NONE, Auth.GIVEN):
        yield SpecRow(
            f"health.{auth}",
            HEALTH,
            "200: object with healthy (boolean); no token is required.",
            (GOOD, AtPath("healthy", BOOLEAN)),
            steps=(HttpStep("GET", "/health_check", auth=auth),),
        )
    yield SpecRow(
        "health.true",
        HEALTH,
        "healthy is true where the service works.",
        (GOOD, AtPath("healthy", equals(expected=True))),
        steps=(HttpStep("GET", "/health_check"),),
        decision=True,
    )


def _tokens() -> Iterator[SpecRow]:
    yield SpecRow(
        "tokens.length",
        AUTHENTICATION,
        "A token is a string of about 150 to 200 characters.",
        (AtPath("token", _ABOUT_AS_LONG),),
        looks_at=GIVEN,
    )
    for auth in (Auth.NONE, Auth.WRONG):
        for name, step in (
            ("POST-quotes", submit(submission(), auth=auth)),
            ("GET-quote", HttpStep("GET", "/quotes/{unknown}", auth=auth)),
            ("GET-document", HttpStep("GET", "/quotes/policy/{unknown}", auth=auth)),
            ("metadata", HttpStep("GET", "/quotes/{unknown}/documents/quote/metadata", auth=auth)),
            ("pause", HttpStep("POST", "/quotes/{unknown}/pause_renewal", auth=auth)),
            ("POST-binds", HttpStep("POST", "/binds", json={}, auth=auth)),
            ("POST-documents", HttpStep("POST", "/documents", form={"name": "x"}, auth=auth)),
            ("secret", HttpStep("POST", "/settings/webhook_secret", auth=auth)),
            ("GET-webhooks", HttpStep("GET", "/webhooks", auth=auth)),
            ("POST-webhooks", HttpStep("POST", "/webhooks", json={}, auth=auth)),
            ("DELETE-webhook", HttpStep("DELETE", "/webhooks/{unknown}", auth=auth)),
        ):
            yield SpecRow(
                f"tokens.{auth}.{name}",
                AUTHENTICATION,
                "A missing or invalid token is answered 401.",
                (Status(401), Header("WWW-Authenticate", _BEARER)),
                steps=(step,),
                decision=True,
            )


_ABOUT_AS_LONG: Final = Must("of 140 to 210 characters", lambda value, _: len(value) in range(140, 211))
_BEARER: Final = Must("Bearer", lambda value, _: isinstance(value, str) and value.startswith("Bearer"))

ROWS: Final = (*_health(), *_tokens())
