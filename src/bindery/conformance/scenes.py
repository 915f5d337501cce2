"""Where rows begin: each scene is the requests that lead to it, after those of another."""

from collections.abc import Mapping
from typing import Any, Final

from bindery.conformance.expect import AtPath, equals
from bindery.conformance.requests import (
    CYB,
    LARGE_FIRM,
    LARGE_REVENUE,
    MPL,
    TEO,
    bind,
    get_quote,
    submission,
    submit,
    upload,
)
from bindery.conformance.row import CLOCK, Beginning, Day, Delivery, Hook, HttpStep, Value

RECEIPT: Final = {"company": "company_id", "quote": "quotes[0].quote_identifier"}
QUOTE: Final = {
    "premium": "premium",
    "effective": "dates.effective",
    "expiration": "dates.expiration",
    "contingency": "contingencies[0].contingency_id",
    "limit": "aggregate_limit",
    "open_until": "quote_expiration_date",
}


def taken(body: Any) -> Beginning:  # noqa: ANN401 - a request body
    return Beginning((submit(body, name="receipt", keep=RECEIPT),))


def quoted(body: Any) -> Beginning:  # noqa: ANN401 - a request body
    return Beginning((submit(body, name="receipt", keep=RECEIPT), get_quote(keep=QUOTE)))


def named(ending: str) -> Mapping[str, Any]:
    return {"client.name": f"Rowbyrow Bakery ({ending})"}


def domain(label: str) -> Mapping[str, Any]:
    return {"client.domains": [f"{label}.example.com"]}


def review(**decision: Any) -> HttpStep:  # noqa: ANN401 - fields of a decision
    return HttpStep("POST", "/demo/quotes/{quote}/review", json=decision)


def move_clock(days: int) -> HttpStep:
    return HttpStep("POST", CLOCK, json={"advance_days": days})


def status_is(status: str) -> AtPath:
    return AtPath("quote_status", equals(status))


def hook(name: str, *, quotes: bool, policies: bool) -> HttpStep:
    body = {"endpoint": Hook(name), "quote_level": quotes, "policy_level": policies}
    return HttpStep("POST", "/webhooks", json=body, name="registered", keep={"webhook": "id"})


NEW_SECRET: Final = HttpStep(
    "POST", "/settings/webhook_secret", name="secret", keep={"secret": "secret"}, once=True
)
TWO_OPTIONS: Final = {"policy.quotes": [{"aggregate_limit": 1_000_000}, {"aggregate_limit": 2_000_000}]}
BEFORE_RENEWAL: Final = 130
"""Of a policy of six months: its renewal is offered 60 days before its end."""
SIX_MONTHS: Final = {"policy.dates": {"effective": Day(1), "expiration": Day(1, months=6)}}

SCENES: Final[Mapping[str, Beginning]] = {
    "a CYB request taken": taken(submission(CYB)),
    "a TEO request taken": taken(submission(TEO)),
    "an MPL request taken": taken(submission(MPL)),
    "a larger firm's request taken": taken(
        submission(
            put={"client.revenue": LARGE_REVENUE},
            answers=LARGE_FIRM,
        )
    ),
    "a request being worked on": taken(submission(put=domain("slow"))),
    "a published CYB quote": quoted(submission(CYB)),
    "a published TEO quote": quoted(submission(TEO)),
    "a published MPL quote": quoted(submission(MPL)),
    "a quote of 6 months": quoted(submission(put=SIX_MONTHS)),
    "two published options": Beginning(
        (
            submit(
                submission(put=TWO_OPTIONS),
                name="receipt",
                keep={**RECEIPT, "other": "quotes[1].quote_identifier"},
            ),
            get_quote(keep=QUOTE),
            get_quote("other", "{other}"),
        )
    ),
    "a referred quote": quoted(submission(put={"policy.quotes": [{"aggregate_limit": 5_000_000}]})),
    "a quote with red flags": quoted(submission(put=domain("red-flags"))),
    "a quote whose pricing fails": quoted(submission(put=domain("calc-error"))),
    "a referral that is approved": Beginning(
        (
            review(decision="approve", terms={"premium": 21_000}),
            get_quote("reviewed", until=status_is("published")),
        ),
        after="a referred quote",
    ),
    "a referral that is declined": Beginning(
        (review(decision="decline", reason="Outside our appetite"), get_quote("reviewed")),
        after="a referred quote",
    ),
    "a quote that is revoked": Beginning(
        (review(decision="revoke", reason="Its facts changed"), get_quote("reviewed")),
        after="a published CYB quote",
    ),
    "a quote with a pre-bind contingency": quoted(submission(put=named("prebind"))),
    "a TEO quote with prior acts": quoted(
        submission(
            TEO, put={"policy.dates": {"effective": Day(1), "teo_retroactive_date": Day(1, months=-36)}}
        )
    ),
    "a signed application": Beginning(
        (
            HttpStep("GET", "/quotes/application/{quote}", waits=True, name="application"),
            upload(),
        ),
        after="a published CYB quote",
    ),
    "a policy": Beginning(
        (bind(attested=True), get_quote("bound", keep={"policy": "policy_number"})),
        after="a signed application",
    ),
    "a conditional binder": Beginning(
        (bind(), get_quote("bound", keep={"policy": "policy_number", "open_until": "quote_expiration_date"})),
        after="a published CYB quote",
    ),
    "a conditional binder with its application": Beginning((upload(),), after="a conditional binder"),
    "a conditional binder fulfilled": Beginning(
        (
            review(decision="close_contingency", contingency_id=Value("contingency")),
            get_quote("reviewed"),
        ),
        after="a conditional binder with its application",
    ),
    "a quote that owes more": Beginning(
        (
            review(
                decision="add_contingency",
                contingency={"type": "post_bind", "text": "A copy of the expiring policy"},
            ),
            get_quote("owing"),
        ),
        after="a published CYB quote",
    ),
    "a bind of a quote that owes more": Beginning(
        (bind(), get_quote("bound")), after="a quote that owes more"
    ),
    "a requested bind that is approved": Beginning(
        (review(decision="approve"), get_quote("reviewed")), after="a bind before a pre-bind contingency"
    ),
    "a requested bind that is declined": Beginning(
        (review(decision="decline", reason="Not fulfilled"), get_quote("reviewed")),
        after="a bind before a pre-bind contingency",
    ),
    "a binder that begins later": Beginning(
        (bind(dates={"effective": Day(20)}), get_quote("bound")), after="a published CYB quote"
    ),
    "a bind before a pre-bind contingency": Beginning(
        (bind(), get_quote("bound")), after="a quote with a pre-bind contingency"
    ),
    "a bind of prior acts": Beginning((bind(), get_quote("bound")), after="a TEO quote with prior acts"),
    "one of two options bound": Beginning(
        (bind(), get_quote("other", "{other}", until=status_is("quote_not_bound"))),
        after="two published options",
    ),
    "a canceled policy": Beginning(
        (
            review(decision="cancel", reason="insured_request"),
            get_quote("reviewed"),
        ),
        after="a policy",
    ),
    "a webhook": Beginning((hook("idle", quotes=True, policies=True),)),
    "a webhook secret": Beginning((NEW_SECRET,)),
    "a quote told of": Beginning(
        (
            NEW_SECRET,
            hook("quotes", quotes=True, policies=False),
            submit(submission(), keep=RECEIPT),
            get_quote(keep=QUOTE),
            Delivery("quotes", "{quote}", name="told"),
        )
    ),
    "a policy told of": Beginning(
        (
            NEW_SECRET,
            hook("policies", quotes=False, policies=True),
            submit(submission(), keep=RECEIPT),
            get_quote(keep=QUOTE),
            bind(),
            Delivery("policies", "{quote}", name="told"),
        )
    ),
    "a quote long published": Beginning((move_clock(61), get_quote("later")), after="a published CYB quote"),
    "a conditional binder not fulfilled": Beginning(
        (move_clock(31), get_quote("later")), after="a conditional binder"
    ),
    "a policy of 6 months": Beginning(
        (upload(), bind(attested=True), get_quote("bound")), after="a quote of 6 months"
    ),
    "a policy with a renewal, paused": Beginning(
        (
            move_clock(BEFORE_RENEWAL),
            get_quote("before"),
            HttpStep("POST", "/quotes/{quote}/pause_renewal", name="paused"),
        ),
        after="a policy of 6 months",
    ),
    "a policy whose term is over": Beginning(
        (move_clock(60), get_quote("later")), after="a policy with a renewal, paused"
    ),
}
"""By what a person would call them; `{name}` in a path is what an earlier answer gave."""
