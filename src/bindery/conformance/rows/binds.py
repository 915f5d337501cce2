"""Binds, and pausing a renewal."""

from collections.abc import Iterator
from typing import Final

from bindery.conformance.expect import SOME_TEXT, AtPath, Begins, Status, at_day, equals, items, same_as
from bindery.conformance.requests import CONTACT, bind, get_quote
from bindery.conformance.row import Day, Expectation, HttpStep, SpecRow, Value
from bindery.conformance.rows.making import GOOD, REFUSED
from bindery.conformance.rows.statuses import is_

BINDS: Final = "Endpoints, POST /binds"
STATES: Final = "States and transitions"
WINDOW: Final = (
    "Bind effective date: not more than 7 days in the past and not more than 30 days in the future."
)
TERM: Final = "Policy term: 6 to 18 months between effective and expiration."
PAUSE: Final = "Endpoints, POST /quotes/{external_identifier}/pause_renewal"
PUBLISHED: Final = "a published CYB quote"
RECEIPT: Final[tuple[Expectation, ...]] = (
    GOOD,
    AtPath("company_id", same_as("company", "the company_id of the receipt")),
    AtPath("quotes[0].quote_identifier", SOME_TEXT),
)


def pause(identifier: str = "{quote}") -> HttpStep:
    return HttpStep("POST", f"/quotes/{identifier}/pause_renewal")


def _with_dates(**dates: Day) -> HttpStep:
    return bind(dates=dates)


def _of(
    id_: str,
    sentence: str,
    scene: str,
    looks_at: str,
    *expect: Expectation,
    section: str = STATES,
    decision: bool = False,
) -> SpecRow:
    return SpecRow(
        f"binds.{id_}", section, sentence, expect, scene=scene, looks_at=looks_at, decision=decision
    )


def _outcomes() -> Iterator[SpecRow]:
    number = AtPath("policy_number", SOME_TEXT)
    conditional = (
        "Without app_attestation, signature contingency only: conditional binder issued, policy_active."
    )
    yield _of(
        "conditional", "200: Create-quotes response.", "a conditional binder", "bind", *RECEIPT, section=BINDS
    )
    yield _of("conditional.status", conditional, "a conditional binder", "bound", is_("policy_active"))
    yield _of(
        "conditional.policy_number",
        "policy_number available in GET.",
        "a conditional binder",
        "bound",
        number,
    )
    yield _of(
        "conditional.expires",
        "Quote expires after 30 days if the conditional binder is not fulfilled.",
        "a conditional binder",
        "bound",
        AtPath("quote_expiration_date", at_day(Day(30), "30 days after today")),
    )
    yield _of(
        "conditional.open",
        "The signature contingency is still open.",
        "a conditional binder",
        "bound",
        AtPath("contingencies[0].status", equals("open")),
        decision=True,
    )
    attested = (
        "With app_attestation true and the signed application uploaded: policy_active, immediate issuance."
    )
    yield _of("attested", "200: Create-quotes response.", "a policy", "bind", *RECEIPT, section=BINDS)
    yield _of("attested.status", attested, "a policy", "bound", is_("policy_active"))
    yield _of("attested.policy_number", attested, "a policy", "bound", number)
    yield _of(
        "attested.closed",
        "An attested issuance closes the signature contingency.",
        "a policy",
        "bound",
        AtPath("contingencies[0].status", equals("closed")),
        decision=True,
    )
    yield SpecRow(
        "binds.attested.false",
        BINDS,
        "app_attestation false: a conditional binder.",
        (GOOD, is_("policy_active")),
        scene=PUBLISHED,
        alone=True,
        steps=(bind(attested=False), get_quote()),
    )
    yield SpecRow(
        "binds.attested.no-upload",
        BINDS,
        "It applies only to files uploaded for the signature contingency.",
        REFUSED,
        scene=PUBLISHED,
        alone=True,
        steps=(bind(attested=True),),
    )
    yield SpecRow(
        "binds.attested.after-binder",
        STATES,
        "After a conditional binder, another bind request with app_attestation true cannot be submitted.",
        REFUSED,
        scene="a conditional binder with its application",
        steps=(bind(attested=True),),
    )
    requested = "Pre-bind contingencies exist, or more post-bind ones: bind requested (quote_bind_requested)."
    yield _of(
        "pre-bind", requested, "a bind before a pre-bind contingency", "bound", is_("quote_bind_requested")
    )
    yield _of(
        "prior-acts",
        "An earlier teo_retroactive_date: the bind stage is reviewed by an underwriter.",
        "a bind of prior acts",
        "bound",
        is_("quote_bind_requested"),
    )
    yield _of(
        "post-bind", requested, "a bind of a quote that owes more", "bound", is_("quote_bind_requested")
    )
    yield _of(
        "post-bind.owed",
        "A referred quote may hold several contingencies after review.",
        "a quote that owes more",
        "owing",
        AtPath("contingencies", items(2, 2)),
        section=BINDS,
    )
    decided = "Bind requested: an underwriter reviews it."
    yield _of(
        "requested.approved", decided, "a requested bind that is approved", "reviewed", is_("policy_active")
    )
    yield _of(
        "requested.declined", decided, "a requested bind that is declined", "reviewed", is_("quote_declined")
    )
    closes = "Contingency status: open moves to closed only after underwriter review."
    yield _of(
        "fulfilled.closed",
        closes,
        "a conditional binder fulfilled",
        "reviewed",
        AtPath("contingencies[0].status", equals("closed")),
    )
    yield SpecRow(
        "binds.fulfilled.policy",
        STATES,
        "When all contingencies of a conditional binder are closed, the policy is issued.",
        (GOOD, Begins()),
        scene="a conditional binder fulfilled",
        steps=(HttpStep("GET", "/quotes/policy/{quote}", waits=True),),
        decision=True,
    )
    yield SpecRow(
        "binds.upload-alone",
        STATES,
        "An upload alone closes nothing: open moves to closed only after underwriter review.",
        (GOOD, AtPath("contingencies[0].status", equals("open"))),
        scene="a conditional binder with its application",
        steps=(get_quote(),),
    )
    yield _of(
        "effective.shown",
        "dates: effective is required; the term of the policy begins then.",
        "a binder that begins later",
        "bound",
        AtPath("dates.effective", at_day(Day(20), "the date of the bind")),
        section=BINDS,
    )
    for field in ("outcome", "quote_status"):
        yield _of(
            f"receipt.{field}",
            f"The answer has {field}.",
            "a conditional binder",
            "bind",
            AtPath(f"quotes[0].{field}", SOME_TEXT),
            decision=True,
        )
    yield SpecRow(
        "binds.twice",
        BINDS,
        "The same bind sent again returns the receipt that was kept with it.",
        RECEIPT,
        scene="a conditional binder",
        steps=(bind(),),
        decision=True,
    )
    yield SpecRow(
        "binds.other-option",
        BINDS,
        "An option that is not bound any more cannot be bound.",
        REFUSED,
        scene="one of two options bound",
        decision=True,
        steps=(bind(quote_identifier=Value("other")),),
    )
    yield SpecRow(
        "binds.referred",
        BINDS,
        "A referred quote cannot be bound.",
        REFUSED,
        scene="a referred quote",
        steps=(bind(dates={"effective": Day(1)}),),
        decision=True,
    )


def _dates() -> Iterator[SpecRow]:
    for word, days, is_taken in (("-8", -8, False), ("-7", -7, True), ("30", 30, True), ("31", 31, False)):
        yield SpecRow(
            f"binds.effective.{word}-days",
            "Limits",
            WINDOW,
            (GOOD,) if is_taken else REFUSED,
            scene=PUBLISHED,
            alone=is_taken,
            steps=(_with_dates(effective=Day(days)),),
        )
    for word, end, is_taken in (
        ("6-months", Day(5, months=6), True),
        ("6-months-less-a-day", Day(5, months=6, then_days=-1), False),
        ("18-months", Day(5, months=18), True),
        ("18-months-and-a-day", Day(5, months=18, then_days=1), False),
    ):
        yield SpecRow(
            f"binds.term.{word}",
            "Limits",
            TERM,
            (GOOD,) if is_taken else REFUSED,
            scene=PUBLISHED,
            alone=is_taken,
            steps=(_with_dates(effective=Day(5), expiration=end),),
        )


def _bodies() -> Iterator[SpecRow]:
    body = {"quote_identifier": Value("quote"), "dates": {"effective": Day(1)}}
    for word, wrong in (
        ("quote_identifier.missing", {"dates": {"effective": Day(1)}}),
        ("dates.missing", {"quote_identifier": Value("quote")}),
        ("dates.effective.missing", {**body, "dates": {}}),
        ("app_attestation.text", {**body, "app_attestation": "perhaps"}),
        ("client.no-contact", {**body, "client": {}}),
        ("client.email.missing", {**body, "client": {"insured_main_contact": {"first_name": "Ann"}}}),
        ("client.more-properties", {**body, "client": {"insured_main_contact": {**CONTACT, "fax": "1"}}}),
        (
            "client.contact_roles.unknown",
            {
                **body,
                "client": {
                    "insured_main_contact": CONTACT,
                    "additional_contacts": [{**CONTACT, "contact_roles": ["everything"]}],
                },
            },
        ),
    ):
        words = f"Bind request body: {word.replace('.missing', ' is required')}."
        yield SpecRow(
            f"binds.{word}",
            "Bind request body",
            words,
            (Status(400),),
            scene=PUBLISHED,
            steps=(HttpStep("POST", "/binds", json=wrong),),
        )
    yield SpecRow(
        "binds.client",
        "Bind request body",
        "client: insured_main_contact, and optional additional_contacts.",
        (GOOD,),
        scene=PUBLISHED,
        alone=True,
        steps=(
            bind(
                client={
                    "insured_main_contact": CONTACT,
                    "additional_contacts": [{**CONTACT, "contact_roles": ["policy_notices"]}],
                }
            ),
        ),
    )


def _pauses() -> Iterator[SpecRow]:
    words = "200: object with message (string, required)."
    said = AtPath("message", SOME_TEXT)
    yield SpecRow("pause.policy", PAUSE, words, (GOOD, said), scene="a policy", alone=True, steps=(pause(),))
    yield SpecRow(
        "pause.twice",
        PAUSE,
        "Pausing twice is 200 twice.",
        (GOOD, said),
        scene="a policy",
        alone=True,
        steps=(pause(), pause()),
        decision=True,
    )
    yield SpecRow(
        "pause.quote",
        PAUSE,
        "422: validation error, for what is no policy.",
        (Status(422),),
        scene=PUBLISHED,
        steps=(pause(),),
    )
    yield SpecRow(
        "pause.unknown",
        PAUSE,
        "422: validation error, for what is not there.",
        (Status(422),),
        decision=True,
        steps=(pause("{unknown}"),),
    )
    yield SpecRow(
        "pause.manual",
        PAUSE,
        "Changes the allowed renewal type of the policy to manual.",
        (GOOD, AtPath("renewal.type", equals("manual"))),
        scene="a policy",
        alone=True,
        decision=True,
        steps=(pause(), get_quote()),
    )
    yield SpecRow(
        "pause.with-renewal",
        PAUSE,
        "If a renewal policy already exists, it is also changed to manual renewal.",
        (GOOD, said),
        scene="a policy whose term is over",
        looks_at="paused",
    )
    yield SpecRow(
        "pause.nothing-renews",
        PAUSE,
        "No automatic renewal is created: the policy is over at its end.",
        (GOOD, is_("policy_expired")),
        scene="a policy whose term is over",
        looks_at="later",
    )


ROWS: Final = (*_outcomes(), *_dates(), *_bodies(), *_pauses())
