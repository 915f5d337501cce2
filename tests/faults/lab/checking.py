"""The model held against what the service has: nothing lost, nothing doubled, everything told and in order.

Pure: the model and the findings of the gathering in, sentences out.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import Any

from faults.lab.gathering import Found, FoundPolicy
from faults.lab.model import Arrival, Hook, Model, Outcome, Submission
from support.service import BROKER

BINDER_PAPERS = frozenset({"binder", "binder_tria", "billing_statement", "security_letter"})
POLICY_PAPERS = BINDER_PAPERS | {"policy"}
STILL_BOUND = frozenset({"policy_active", "policy_canceled", "policy_expired"})
OFFERED_BEFORE = timedelta(days=60)


@dataclass(frozen=True)
class Finding:
    """Something that should not be; `kind` groups findings of one sort."""

    kind: str
    what: str


def check(model: Model, found: Found) -> list[Finding]:
    """Return everything that is not as it was promised."""
    return [
        *check_submissions(model, found),
        *check_quotes(model, found),
        *check_uploads(model, found),
        *check_binds(model, found),
        *check_policies(model, found),
        *check_papers(found),
        *check_mails(model, found),
        *check_pauses(model, found),
        *check_events(found),
        *check_hooks(model, found),
        *check_deliveries(model, found),
        *check_renewals(found),
        *check_jobs_and_journal(found),
    ]


def check_submissions(model: Model, found: Found) -> Iterator[Finding]:
    by_name = defaultdict(list)
    for submission in found.submissions:
        if submission.renews is None:
            by_name[submission.name].append(submission)
    for sent in model.submissions:
        there = by_name.pop(sent.name, [])
        if len(there) > 1:
            yield Finding("submission doubled", f"{sent.name}: {len(there)} times")
        if sent.is_acknowledged and not there:
            yield Finding("submission lost", sent.name)
        if sent.outcome is Outcome.REFUSED and there:
            yield Finding("submission made though refused", sent.name)
        if sent.is_acknowledged and there and set(there[0].quotes) != set(sent.quotes):
            yield Finding("receipt not kept", f"{sent.name}: {sent.quotes} became {there[0].quotes}")
        if there and len(there[0].quotes) != sent.options:
            yield Finding("option lost", f"{sent.name}: {len(there[0].quotes)} of {sent.options}")
    for name in by_name:
        yield Finding("submission of nobody", name)


def check_quotes(model: Model, found: Found) -> Iterator[Finding]:
    for identifier, why in found.unreadable.items():
        yield Finding("quote not final", f"{identifier}: {why}")
    clean = {sent.name for sent in model.submissions if sent.is_clean}
    for identifier, quote in found.quotes.items():
        if quote["error_occurred"]:
            yield Finding("quote failed", f"{identifier}: {quote['quote_status']}")
        elif quote["quote_status"] == "quote_referred" and quote["client"]["name"] in clean:
            yield Finding("quote referred without a reason", identifier)


def check_uploads(model: Model, found: Found) -> Iterator[Finding]:
    count = Counter((upload.quote, upload.sha256) for upload in found.uploads)
    kept = {upload.document_id for upload in found.uploads}
    for sent in model.uploads:
        times = count[sent.quote, sent.sha256]
        if times > 1:
            yield Finding("upload doubled", f"{sent.quote}: {times} times")
        if sent.is_acknowledged and sent.answer.get("document_id") not in kept:
            yield Finding("upload lost", sent.quote)
    for upload in found.uploads:
        if not upload.is_stored:
            yield Finding("file of an upload lost", upload.document_id)


def check_binds(model: Model, found: Found) -> Iterator[Finding]:
    for bind in model.binds:
        policy = found.policies.get(bind.quote)
        if bind.is_acknowledged and policy is None:
            yield Finding("bind lost", bind.quote)
        if bind.outcome is Outcome.REFUSED and policy is not None:
            yield Finding("bound though refused", bind.quote)
        if bind.is_acknowledged and bind.attested and policy is not None and not policy.is_issued:
            yield Finding("policy not issued", bind.quote)
    for closing in model.closings:
        policy = found.policies.get(closing.quote)
        if closing.is_acknowledged and (policy is None or not policy.is_issued):
            yield Finding("policy not issued", closing.quote)


def check_policies(model: Model, found: Found) -> Iterator[Finding]:
    asked = {bind.quote for bind in model.binds}
    renewals = {quote for row in found.submissions if row.renews for quote in row.quotes}
    for quote in found.policies.keys() - asked - renewals:
        yield Finding("bound by nobody", quote)
    for quote, policy in found.policies.items():
        told = Counter(event["type"] for event in _events_of(found, quote))
        if told["policy.bound"] != 1:
            yield Finding("policy.bound not told once", f"{quote}: {told['policy.bound']} times")
        if told["policy.issued"] != int(policy.is_issued):
            yield Finding("policy.issued not told once", f"{quote}: {told['policy.issued']} times")


def check_papers(found: Found) -> Iterator[Finding]:
    for document in found.documents:
        if document.problem:
            yield Finding("document not available", f"{document.quote} {document.kind}: {document.problem}")
    downloaded = defaultdict(set)
    for document in found.documents:
        downloaded[document.quote].add(document.kind)
    for quote, policy in found.policies.items():
        wanted = POLICY_PAPERS if policy.is_issued else BINDER_PAPERS
        ready = [
            frozenset(event["data"]["documents"])
            for event in _events_of(found, quote)
            if event["type"] == "policy.document_ready"
        ]
        missing = wanted.difference(*ready)
        # Nobody is told of the documents of cover that ended before they were made.
        ended = {event["type"] for event in _events_of(found, quote)} & {"policy.lapsed", "policy.canceled"}
        if missing and not ended:
            yield Finding("policy.document_ready missing", f"{quote}: {', '.join(sorted(missing))}")
        if len(set(ready)) != len(ready):
            yield Finding("policy.document_ready doubled", quote)
        status = found.quotes.get(quote, {}).get("quote_status")
        if status in STILL_BOUND and not wanted <= downloaded[quote]:
            gone = ", ".join(sorted(wanted - downloaded[quote]))
            yield Finding("policy without its papers", f"{quote}: {gone}")


def check_mails(model: Model, found: Found) -> Iterator[Finding]:
    written = Counter((mail.quote, mail.kind, to) for mail in found.mails for to in mail.recipients)
    for (quote, kind, to), times in written.items():
        if times > 1:
            yield Finding("mail doubled", f"{quote} {kind} to {to}: {times} times")
    people = {sent.name: sent for sent in model.submissions}
    for submission in found.submissions:
        sent = people.get(submission.name)
        if sent is None:
            continue
        for quote in submission.quotes:
            for kind, to in _expected_mails(sent, found.policies.get(quote), _types_told(found, quote)):
                if not written[quote, kind, to]:
                    yield Finding("mail lost", f"{quote} {kind} to {to}")


def _expected_mails(
    sent: Submission, policy: FoundPolicy | None, told: Counter[str]
) -> Iterator[tuple[str, str]]:
    if told["policy.renewal_offered"]:
        yield "renewal_offer", BROKER
    if policy is None:
        return
    # An issuance that follows the bind before anybody wrote of the bind is one mail, not two.
    kind = "policy_issued" if policy.is_issued else "policy_bound"
    yield kind, BROKER
    yield from ((f"{kind}_to_insured", to) for to in sent.notices)
    yield from (("security_letter", to) for to in sent.alerts)


def check_pauses(model: Model, found: Found) -> Iterator[Finding]:
    for pause in model.pauses:
        policy = found.policies.get(pause.quote)
        times = _types_told(found, pause.quote)["policy.renewal_paused"]
        if pause.is_acknowledged and (policy is None or policy.renewal_type != "manual"):
            yield Finding("pause lost", pause.quote)
        if times > 1 or (pause.is_acknowledged and not times):
            yield Finding("policy.renewal_paused not told once", f"{pause.quote}: {times} times")


def check_events(found: Found) -> Iterator[Finding]:
    ids = Counter(event["id"] for event in found.events)
    for event_id, times in ids.items():
        if times > 1:
            yield Finding("event doubled in the feed", event_id)
    sequences = defaultdict(list)
    for event in found.events:
        sequences[event["data"]["quote_identifier"], event["data"]["level"]].append(event["data"]["sequence"])
    for (quote, level), numbers in sequences.items():
        if numbers != list(range(1, len(numbers) + 1)):
            yield Finding("gap in a sequence", f"{quote} {level}: {numbers}")


def check_hooks(model: Model, found: Found) -> Iterator[Finding]:
    registered = Counter(hook["endpoint"] for hook in found.hooks if hook["status"] == "active")
    for hook in model.hooks:
        times = registered[hook.request.json["endpoint"]]
        if times > 1 or (hook.is_acknowledged and not times):
            yield Finding("webhook not registered once", f"{hook.path}: {times} times")


def check_deliveries(model: Model, found: Found) -> Iterator[Finding]:
    if model.bad_signatures:
        yield Finding("wrong signature", f"{model.bad_signatures} deliveries")
    place = {event["id"]: number for number, event in enumerate(found.events)}
    arrived = defaultdict(list)
    for arrival in model.arrivals:
        arrived[arrival.path].append(arrival)
    for hook in model.hooks:
        if not hook.is_acknowledged:
            continue
        there = {arrival.event_id for arrival in arrived[hook.path]}
        for event in _owed_to(hook, model, found):
            if event["id"] not in there:
                yield Finding("event not delivered", f"{hook.path}: {event['id']} {event['type']}")
        for quote, earlier, later in _disorder(arrived[hook.path], place):
            yield Finding("deliveries out of order", f"{hook.path} {quote}: {later} before {earlier}")
    for arrival in model.arrivals:
        if arrival.event_id not in place and arrival.at < found.read_at:
            yield Finding("delivery of an event that the feed lacks", f"{arrival.event_id} {arrival.type}")


def _owed_to(hook: Hook, model: Model, found: Found) -> Iterator[dict[str, Any]]:
    """Yield the events of whatever was submitted after the webhook was acknowledged."""
    names = {sent.name for sent in model.submissions if sent.sent_at >= (hook.acknowledged_at or 0)}
    quotes = {quote for row in found.submissions if row.name in names for quote in row.quotes}
    yield from (event for event in found.events if event["data"]["quote_identifier"] in quotes)


def _disorder(arrivals: list[Arrival], place: dict[str, int]) -> Iterator[tuple[str, int, int]]:
    """Yield pairs of a quote's events whose first deliveries came in the wrong order.

    A delivery may come again at any time: a worker that was frozen with it in hand sends it when it thaws.
    """
    firsts: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for arrival in arrivals:
        if arrival.event_id in place:
            firsts[arrival.quote].setdefault(arrival.event_id, place[arrival.event_id])
    for quote, places in firsts.items():
        yield from ((quote, b, a) for a, b in pairwise(places.values()) if b < a)


def check_renewals(found: Found) -> Iterator[Finding]:
    renewed_by: defaultdict[str, list[str]] = defaultdict(list)
    for submission in found.submissions:
        if submission.renews is not None:
            renewed_by[submission.renews] += submission.quotes
    for quote, policy in found.policies.items():
        renewals = renewed_by[quote]
        if len(renewals) > 1:
            yield Finding("policy renewed twice", f"{quote}: {renewals}")
        if not policy.is_issued or policy.renewal_type != "auto":
            continue
        if policy.expiration - OFFERED_BEFORE <= found.today and not renewals:
            yield Finding("policy not renewed", f"{quote}: expires on {policy.expiration}")
        if policy.expiration <= found.today and any(renewal not in found.policies for renewal in renewals):
            yield Finding("renewal not bound", f"{quote}: expired on {policy.expiration}")


def check_jobs_and_journal(found: Found) -> Iterator[Finding]:
    for (entrypoint, status), count in found.jobs.items():
        yield Finding(f"job left {status}", f"{entrypoint}: {count}")
    for flaw in found.journal["flaws"]:
        yield Finding("journal not whole", str(flaw))


def _events_of(found: Found, quote: str) -> list[dict[str, Any]]:
    return found.events_by_quote.get(quote, [])


def _types_told(found: Found, quote: str) -> Counter[str]:
    return Counter(event["type"] for event in _events_of(found, quote))
