"""The checker of the fault run finds whatever is not as promised; what is as promised it leaves alone."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from faults.lab.checking import check
from faults.lab.gathering import (
    Found,
    FoundDocument,
    FoundMail,
    FoundPolicy,
    FoundSubmission,
    FoundUpload,
)
from faults.lab.model import (
    Arrival,
    Bind,
    Closing,
    Hook,
    Model,
    Outcome,
    Pause,
    Request,
    Submission,
    Upload,
)
from support.service import BROKER

NAME = "Harborlight LLC"
NOTICES = "notices@insured.example"
ALERTS = "alerts@insured.example"
POLICY, SIBLING, RENEWAL = "policy", "sibling", "renewal"
PAPERS = ["binder", "policy", "binder_tria", "billing_statement", "security_letter"]
TODAY = date(2027, 9, 1)
TERM = {"effective": date(2027, 2, 1), "expiration": date(2027, 8, 1)}

Break = Callable[[Model, Found], object]


def acknowledged(path: str = "/v2/quotes", key: str | None = "key", **more: Any) -> dict[str, Any]:
    return {
        "request": Request(path=path, key=key, json={"endpoint": "http://127.0.0.1:9/hook/all"}),
        "outcome": Outcome.ACKNOWLEDGED,
        "sent_at": 2.0,
        "acknowledged_at": 1.0,
        **more,
    }


def a_model() -> Model:
    receipt = {"quotes": [{"quote_identifier": POLICY}, {"quote_identifier": SIBLING}]}
    return Model(
        submissions=[
            Submission(
                **acknowledged(answer=receipt), name=NAME, options=2, notices=(NOTICES,), alerts=(ALERTS,)
            )
        ],
        uploads=[Upload(**acknowledged(answer={"document_id": "paper"}), quote=POLICY, sha256="5a")],
        binds=[Bind(**acknowledged(), quote=POLICY, attested=True)],
        hooks=[Hook(**acknowledged(), path="/hook/all")],
        arrivals=[
            Arrival(
                path="/hook/all",
                event_id=event["id"],
                type=event["type"],
                quote=event["data"]["quote_identifier"],
                at=3.0,
            )
            for event in the_events()
        ],
    )


def the_events() -> list[dict[str, Any]]:
    told = [
        (POLICY, "quote", 1, "quote.published", {}),
        (SIBLING, "quote", 1, "quote.published", {}),
        (POLICY, "policy", 1, "policy.bound", {}),
        (POLICY, "policy", 2, "policy.issued", {}),
        (SIBLING, "quote", 2, "quote.not_bound", {}),
        (POLICY, "policy", 3, "policy.document_ready", {"documents": PAPERS}),
        (RENEWAL, "policy", 1, "policy.renewal_offered", {}),
        (RENEWAL, "policy", 2, "policy.bound", {}),
        (RENEWAL, "policy", 3, "policy.issued", {}),
        (RENEWAL, "policy", 4, "policy.document_ready", {"documents": PAPERS}),
    ]
    return [
        {
            "id": f"{quote}-{level}-{sequence}",
            "type": kind,
            "data": {"quote_identifier": quote, "level": level, "sequence": sequence, **more},
        }
        for quote, level, sequence, kind, more in told
    ]


def a_policy(quote: str, **changes: Any) -> FoundPolicy:
    chosen = {"is_issued": True, "was_conditional": False, "in_force": True, "renewal_type": "auto", **TERM}
    return FoundPolicy(quote=quote, **{**chosen, **changes})


def a_quote(status: str) -> dict[str, Any]:
    return {"quote_status": status, "error_occurred": False, "client": {"name": NAME}}


def what_is_there() -> Found:
    later = {"effective": date(2027, 8, 1), "expiration": date(2028, 2, 1)}
    return Found(
        today=TODAY,
        read_at=time.monotonic(),
        submissions=[
            FoundSubmission(submission_id="1", name=NAME, renews=None, quotes=(POLICY, SIBLING)),
            FoundSubmission(submission_id="2", name=NAME, renews=POLICY, quotes=(RENEWAL,)),
        ],
        quotes={
            POLICY: a_quote("policy_expired"),
            SIBLING: a_quote("quote_not_bound"),
            RENEWAL: a_quote("policy_active"),
        },
        policies={POLICY: a_policy(POLICY), RENEWAL: a_policy(RENEWAL, **later)},
        mails=[
            FoundMail(quote=RENEWAL, kind="renewal_offer", recipients=(BROKER,)),
            *(
                mail
                for quote in (POLICY, RENEWAL)
                for mail in (
                    FoundMail(quote=quote, kind="policy_issued", recipients=(BROKER,)),
                    FoundMail(quote=quote, kind="policy_issued_to_insured", recipients=(NOTICES,)),
                    FoundMail(quote=quote, kind="security_letter", recipients=(ALERTS,)),
                )
            ),
        ],
        uploads=[FoundUpload(document_id="paper", quote=POLICY, sha256="5a", is_stored=True)],
        documents=[
            FoundDocument(quote=quote, kind=kind, problem="")
            for quote in (POLICY, RENEWAL)
            for kind in PAPERS
        ],
        events=the_events(),
        hooks=[{"endpoint": "http://127.0.0.1:9/hook/all", "status": "active"}],
    )


def kinds(model: Model, found: Found) -> set[str]:
    return {finding.kind for finding in check(model, found)}


def test_what_is_as_promised_is_no_finding() -> None:
    assert check(a_model(), what_is_there()) == []


def drop(what: str, quote: str, **having: Any) -> Break:
    """Remove rows of the service's account."""

    def change(_: Model, found: Found) -> None:
        rows = getattr(found, what)
        rows[:] = [
            row
            for row in rows
            if not (row.quote == quote and all(getattr(row, name) == value for name, value in having.items()))
        ]

    return change


def twice(what: str) -> Break:
    def change(_: Model, found: Found) -> None:
        getattr(found, what).append(getattr(found, what)[0])

    return change


def forget_event(event_id: str) -> Break:
    def change(_: Model, found: Found) -> None:
        found.events[:] = [event for event in found.events if event["id"] != event_id]

    return change


def with_policy(quote: str, **changes: Any) -> Break:
    def change(_: Model, found: Found) -> None:
        found.policies[quote] = replace(found.policies[quote], **changes)

    return change


def without_policy(quote: str) -> Break:
    return lambda _, found: found.policies.pop(quote)


def refuse(what: str) -> Break:
    return lambda model, _: setattr(getattr(model, what)[0], "outcome", Outcome.REFUSED)


def never_arrived(model: Model, _: Found) -> None:
    model.arrivals.pop()


def arrived_in_the_wrong_order(model: Model, _: Found) -> None:
    model.arrivals[2], model.arrivals[3] = model.arrivals[3], model.arrivals[2]


def arrived_before_its_feed(model: Model, _: Found) -> None:
    model.arrivals.append(replace(model.arrivals[0], event_id="unheard"))


def pause(model: Model, _: Found) -> None:
    model.pauses.append(Pause(**acknowledged(), quote=POLICY))


def close(model: Model, found: Found) -> None:
    model.closings.append(Closing(**acknowledged(), quote=POLICY))
    found.policies[POLICY] = replace(found.policies[POLICY], is_issued=False)


def told_twice(_: Model, found: Found) -> None:
    again = {**the_events()[5], "id": "again"}
    found.events.append({**again, "data": {**again["data"], "sequence": 4}})


def renewed_again(_: Model, found: Found) -> None:
    found.submissions.append(
        FoundSubmission(submission_id="3", name=NAME, renews=POLICY, quotes=("another",))
    )


def still_working(_: Model, found: Found) -> None:
    found.quotes.pop(SIBLING)
    found.unreadable[SIBLING] = "202"


BREAKS: dict[str, tuple[Break, str]] = {
    "a submission is gone": (lambda _, found: found.submissions.pop(0), "submission lost"),
    "a submission is there twice": (twice("submissions"), "submission doubled"),
    "a refused submission is there": (refuse("submissions"), "submission made though refused"),
    "a stranger's submission": (lambda model, _: model.submissions.clear(), "submission of nobody"),
    "an option is gone": (
        lambda _, found: found.submissions.__setitem__(0, replace(found.submissions[0], quotes=(POLICY,))),
        "option lost",
    ),
    "another receipt": (
        lambda _, found: found.submissions.__setitem__(
            0, replace(found.submissions[0], quotes=(POLICY, "other"))
        ),
        "receipt not kept",
    ),
    "a quote that stays 202": (still_working, "quote not final"),
    "a quote with an error": (
        lambda _, found: found.quotes[SIBLING].update(error_occurred=True),
        "quote failed",
    ),
    "a clean quote on the desk": (
        lambda _, found: found.quotes[SIBLING].update(quote_status="quote_referred"),
        "quote referred without a reason",
    ),
    "an upload is gone": (drop("uploads", POLICY), "upload lost"),
    "an upload is there twice": (twice("uploads"), "upload doubled"),
    "a file is gone": (
        lambda _, found: found.uploads.__setitem__(0, replace(found.uploads[0], is_stored=False)),
        "file of an upload lost",
    ),
    "a bind is gone": (without_policy(POLICY), "bind lost"),
    "a refused bind is there": (refuse("binds"), "bound though refused"),
    "a bind of nobody": (lambda model, _: model.binds.clear(), "bound by nobody"),
    "an attested bind without a policy": (with_policy(POLICY, is_issued=False), "policy not issued"),
    "a fulfilled binder without a policy": (close, "policy not issued"),
    "no policy.bound": (forget_event("policy-policy-1"), "policy.bound not told once"),
    "no policy.issued": (forget_event("policy-policy-2"), "policy.issued not told once"),
    "no policy.document_ready": (forget_event("policy-policy-3"), "policy.document_ready missing"),
    "policy.document_ready again": (told_twice, "policy.document_ready doubled"),
    "a paper is gone": (drop("documents", POLICY, kind="binder"), "policy without its papers"),
    "a damaged paper": (
        lambda _, found: found.documents.append(FoundDocument(quote=POLICY, kind="policy", problem="hash")),
        "document not available",
    ),
    "a notice is gone": (drop("mails", POLICY, kind="policy_issued"), "mail lost"),
    "a security letter is gone": (drop("mails", RENEWAL, kind="security_letter"), "mail lost"),
    "an offer is gone": (drop("mails", RENEWAL, kind="renewal_offer"), "mail lost"),
    "a mail is there twice": (twice("mails"), "mail doubled"),
    "a pause without effect": (pause, "pause lost"),
    "a pause that nobody tells": (pause, "policy.renewal_paused not told once"),
    "a gap": (forget_event("sibling-quote-1"), "gap in a sequence"),
    "an event twice in the feed": (twice("events"), "event doubled in the feed"),
    "a delivery that never came": (never_arrived, "event not delivered"),
    "a delivery too early": (arrived_in_the_wrong_order, "deliveries out of order"),
    "a delivery of nothing": (arrived_before_its_feed, "delivery of an event that the feed lacks"),
    "a wrong signature": (lambda model, _: setattr(model, "bad_signatures", 1), "wrong signature"),
    "a webhook is gone": (lambda _, found: found.hooks.clear(), "webhook not registered once"),
    "a webhook is there twice": (twice("hooks"), "webhook not registered once"),
    "no renewal": (lambda _, found: found.submissions.pop(1), "policy not renewed"),
    "two renewals": (renewed_again, "policy renewed twice"),
    "a renewal that did not bind": (without_policy(RENEWAL), "renewal not bound"),
    "a failed job": (
        lambda _, found: found.jobs.update({("finish_bind", "failed"): 1}),
        "job left failed",
    ),
    "a flaw in a journal": (lambda _, found: found.journal["flaws"].append("gap"), "journal not whole"),
}


@pytest.mark.parametrize(("breaks", "kind"), BREAKS.values(), ids=BREAKS.keys())
def test_whatever_is_not_as_promised_is_found(breaks: Break, kind: str) -> None:
    model, found = a_model(), what_is_there()

    breaks(model, found)

    assert kind in kinds(model, found)


def test_a_delivery_that_comes_again_is_no_finding() -> None:
    model, found = a_model(), what_is_there()

    model.arrivals.append(model.arrivals[0])

    assert check(model, found) == []


def test_a_webhook_is_owed_only_what_was_submitted_after_it() -> None:
    model, found = a_model(), what_is_there()
    late = Hook(**acknowledged(acknowledged_at=2.5), path="/hook/late")
    early = Hook(**acknowledged(acknowledged_at=2.0), path="/hook/early")

    model.hooks.append(late)
    late_finds = kinds(model, found)
    model.hooks.append(early)

    assert late_finds == set()
    assert kinds(model, found) == {"event not delivered"}


def test_a_policy_is_to_be_renewed_sixty_days_before_its_end_and_bound_on_the_day() -> None:
    def found_on(today: date, *, renewed: bool, bound: bool) -> set[str]:
        model, found = a_model(), what_is_there()
        found.today = today
        if not bound:
            found.policies.pop(RENEWAL)
        if not renewed:
            found.submissions.pop(1)
        return kinds(model, found)

    assert "policy not renewed" not in found_on(date(2027, 6, 1), renewed=False, bound=False)
    assert "policy not renewed" in found_on(date(2027, 6, 2), renewed=False, bound=False)
    assert "renewal not bound" not in found_on(date(2027, 7, 31), renewed=True, bound=False)
    assert "renewal not bound" in found_on(date(2027, 8, 1), renewed=True, bound=False)


@pytest.mark.parametrize(
    ("answers", "key", "outcome"),
    [
        ([200], "key", Outcome.ACKNOWLEDGED),
        ([400], None, Outcome.REFUSED),
        ([None], "key", Outcome.UNKNOWN),
        ([503], None, Outcome.UNKNOWN),
        ([409], "key", Outcome.UNKNOWN),
        ([429], None, Outcome.UNKNOWN),
        ([None, 200], "key", Outcome.ACKNOWLEDGED),
        ([None, 400], "key", Outcome.REFUSED),
        ([None, 400], None, Outcome.UNKNOWN),
    ],
)
def test_an_answer_is_believed_only_as_far_as_it_goes(
    answers: list[int | None], key: str | None, outcome: Outcome
) -> None:
    bind = Bind(request=Request(path="/v2/binds", key=key), quote=POLICY, attested=False)

    for status in answers:
        bind.learn(status, {})

    assert bind.outcome is outcome
    assert Counter(answers)[None] + Counter(answers)[503] == bind.lost
