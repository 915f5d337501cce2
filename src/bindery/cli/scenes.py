"""Scenes that lead to each event of the catalogue, played on the demo for a new applicant."""

import copy
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from dateutil.relativedelta import relativedelta

from bindery.client import AsyncBindery
from bindery.client.calls import Quote
from bindery.contract.documents import DocumentType
from bindery.contract.events import EVENT_DETAILS
from bindery.contract.examples import CREATE_QUOTES_EXAMPLE
from bindery.contract.quote import QuoteBody
from bindery.contract.webhooks import WebhookStatus

NAME: Final = "Triggered Sample Company"
REASON: Final = "Triggered from the command line."
WAITS_S: Final = 120.0
ONE_DAY: Final = timedelta(days=1)
PING_ALL: Final = "pings every active webhook; it is not an event and not in the feed"


@dataclass(frozen=True, slots=True)
class Stage:
    bindery: AsyncBindery
    report: Callable[[str], None]

    async def quoted(
        self,
        *,
        name: str = NAME,
        domain: str = "clean.example.com",
        options: int = 1,
        dates: Mapping[str, str] | None = None,
    ) -> list[QuoteBody]:
        body = copy.deepcopy(CREATE_QUOTES_EXAMPLE)
        body["client"].update(name=name, domains=[domain])
        body["policy"]["quotes"] = body["policy"]["quotes"][:options]
        if dates is not None:
            body["policy"]["dates"] = dates
        quotes = await self.bindery.quote(body, timeout_s=WAITS_S)
        for quote in quotes:
            self.report(f"Submitted {name}: quote {quote.quote_identifier}, {quote.quote_status}.")
        return quotes

    async def published(self) -> QuoteBody:
        return (await self.quoted())[0]

    async def referred(self) -> QuoteBody:
        return (await self.quoted(domain="red-flags.example.com"))[0]

    async def bound(self, quote: QuoteBody, *, attested: bool = False) -> QuoteBody:
        receipt = await self.bindery.bind(quote, attested=attested)
        self.report(f"Bound it: {receipt.outcome}, {receipt.policy_number or 'no policy number yet'}.")
        return await self.bindery.wait_for_quote(quote.quote_identifier)

    async def issued(self, *, months: int = 12, domain: str = "clean.example.com") -> QuoteBody:
        today = await self.today()
        term = {"effective": today + ONE_DAY, "expiration": today + ONE_DAY + relativedelta(months=months)}
        (quote,) = await self.quoted(domain=domain, dates={name: str(day) for name, day in term.items()})
        await self.bindery.upload_signed(quote, await self.bindery.signed_application(quote))
        self.report("Uploaded the signed application, and attest it.")
        return await self.bound(quote, attested=True)

    async def reviewed(self, quote: QuoteBody, decision: str, **more: Mapping[str, object]) -> QuoteBody:
        asked: dict[str, object] = {"decision": decision, **more}
        asked["text" if decision == "cancel" else "reason"] = REASON
        decided = await self.bindery.review_quote(quote, asked)
        self.report(f"Played the underwriter: {decision}.")
        return decided

    async def today(self) -> date:
        """Return the demo's date; by UTC, so that it may be a day ahead of the business."""
        return (await self.bindery.show_clock()).now.date()

    async def move_past(self, day: date) -> None:
        """Move the clock until a day is over wherever the business is."""
        days = (day - await self.today()).days + 2
        now = (await self.bindery.move_clock(days)).now
        self.report(f"Moved the demo's clock {days} days ahead, to {now:%Y-%m-%d}.")


@dataclass(frozen=True, slots=True)
class Scene:
    """The steps that lead to an event; `play` returns the quote that the event is about."""

    how: str
    play: Callable[[Stage], Awaitable[Quote]]


async def _declined(stage: Stage) -> Quote:
    return await stage.reviewed(await stage.referred(), "decline")


async def _expired(stage: Stage) -> Quote:
    quote = await stage.published()
    assert quote.quote_expiration_date is not None, "an open quote has a last day"
    await stage.move_past(quote.quote_expiration_date)
    return quote


async def _revoked(stage: Stage) -> Quote:
    return await stage.reviewed(await stage.published(), "revoke")


async def _stale(stage: Stage) -> Quote:
    quote = await stage.referred()
    await stage.move_past(await stage.today() + timedelta(days=60))
    return quote


async def _bind_requested(stage: Stage) -> Quote:
    (quote,) = await stage.quoted(name=f"{NAME} (prebind)")
    return await stage.bound(quote)


async def _not_bound(stage: Stage) -> Quote:
    chosen, other = await stage.quoted(options=2)
    await stage.bound(chosen)
    return other


async def _amended(stage: Stage) -> Quote:
    return await stage.reviewed(await stage.published(), "amend", terms={"aggregate_retention": 25_000})


async def _contingency_changed(stage: Stage) -> Quote:
    owed = {"type": "pre_bind", "text": "A copy of the expiring policy"}
    return await stage.reviewed(await stage.published(), "add_contingency", contingency=owed)


async def _asked(stage: Stage) -> QuoteBody:
    return await stage.reviewed(await stage.referred(), "ask")


async def _question_closed(stage: Stage) -> Quote:
    return await stage.reviewed(await _asked(stage), "go_on")


async def _quote_documents(stage: Stage) -> Quote:
    quote = await stage.published()
    for kind in quote.available_documents:
        await stage.bindery.download(kind, quote)
    stage.report(f"Downloaded its {len(quote.available_documents)} documents.")
    return quote


async def _bound(stage: Stage) -> QuoteBody:
    return await stage.bound(await stage.published())


async def _canceled(stage: Stage) -> Quote:
    return await stage.reviewed(await stage.issued(), "cancel")


async def _policy_expired(stage: Stage) -> Quote:
    policy = await stage.issued(months=6)
    await stage.bindery.pause_renewal(policy)
    stage.report("Paused its renewal.")
    await stage.move_past(policy.dates.expiration)
    return policy


async def _lapsed(stage: Stage) -> Quote:
    binder = await _bound(stage)
    assert binder.binder is not None, "it was bound just now"
    assert binder.binder.fulfil_by is not None, "nothing was uploaded for it"
    await stage.move_past(binder.binder.fulfil_by)
    return binder


async def _renewal_offered(stage: Stage) -> Quote:
    policy = await stage.issued(months=6)
    await stage.move_past(policy.dates.expiration - timedelta(days=60))
    renewed = await stage.bindery.wait_for_quote(policy)
    assert renewed.renewal is not None, "a policy says how it renews"
    return renewed.renewal.renewed_by or policy


async def _paused(stage: Stage) -> Quote:
    policy = await stage.issued()
    stage.report((await stage.bindery.pause_renewal(policy)).message)
    return policy


async def _resumed(stage: Stage) -> Quote:
    policy = await _paused(stage)
    stage.report((await stage.bindery.resume_renewal(policy)).message)
    return policy


async def _not_renewed(stage: Stage) -> QuoteBody:
    policy = await stage.issued(months=6)
    await stage.move_past(policy.dates.expiration - timedelta(days=100))
    return await stage.reviewed(policy, "not_renew")


async def _restored(stage: Stage) -> Quote:
    return await stage.reviewed(await _not_renewed(stage), "renew_after_all")


async def _cancellation_requested(stage: Stage) -> Quote:
    policy = await stage.issued()
    asked = await stage.bindery.request_cancellation(
        policy, effective=policy.dates.effective + timedelta(days=30), reason="insured_request", text=REASON
    )
    stage.report(asked.message)
    return policy


async def _asked_to_change(stage: Stage, limit: int) -> QuoteBody:
    policy = await stage.issued()
    asked = {"effective": policy.dates.effective, "changes": {"aggregate_limit": limit}, "reason": REASON}
    change = await stage.bindery.ask_for_change(policy, asked)
    accepted = await stage.bindery.accept_change(policy, change.change_id)
    stage.report(f"Accepted a change for ${change.total:,.2f}: {accepted.status}.")
    return policy


async def _changed(stage: Stage) -> Quote:
    return await _asked_to_change(stage, 2_000_000)


async def _change_declined(stage: Stage) -> Quote:
    return await stage.reviewed(await _asked_to_change(stage, 10_000_000), "decline_change")


async def _security_alert(stage: Stage) -> Quote:
    today = await stage.today()
    policy = await stage.issued(domain=f"exposed-{today + ONE_DAY}.example.com")
    # The first turn of a policy is within 30 days of its first day.
    await stage.move_past(policy.dates.effective + timedelta(days=30))
    return policy


async def _sent_to_sign(stage: Stage, name: str) -> Quote:
    (quote,) = await stage.quoted(name=f"{NAME} {name}")
    sent = await stage.bindery.request_signature(quote, email="client@example.com", message=REASON)
    stage.report(f"Mailed the link to sign to {sent.email}; the demo's client opens it.")
    return quote


async def _signed(stage: Stage) -> Quote:
    return await _sent_to_sign(stage, "(signs)")


async def _sent_back(stage: Stage) -> Quote:
    return await _sent_to_sign(stage, "(objects)")


async def _policy_documents(stage: Stage) -> Quote:
    policy = await stage.issued()
    for kind in (DocumentType.BINDER, DocumentType.POLICY):
        await stage.bindery.download(kind, policy)
    stage.report("Downloaded binder and policy.")
    return policy


SCENES: Final[Mapping[str, Scene]] = {
    "quote.published": Scene("submits a clean applicant", Stage.published),
    "quote.amended": Scene("submits, and offers a higher retention", _amended),
    "quote.referred": Scene("submits an applicant with red flags", Stage.referred),
    "quote.declined": Scene("submits one with red flags, and declines it", _declined),
    "quote.expired": Scene("submits, and moves the clock past the last day to bind: 60 days", _expired),
    "quote.revoked": Scene("submits, and revokes the quote", _revoked),
    "quote.stale": Scene("submits one with red flags, and moves the clock 60 days", _stale),
    "quote.bind_requested": Scene("submits one that owes something, and binds", _bind_requested),
    "quote.not_bound": Scene("submits two options, and binds the first", _not_bound),
    "quote.contingency_changed": Scene("submits, and adds a contingency", _contingency_changed),
    "quote.question_asked": Scene("submits one with red flags, and asks the broker", _asked),
    "quote.question_closed": Scene("the same, and goes on without the answer", _question_closed),
    "quote.document_ready": Scene("submits, and downloads the documents", _quote_documents),
    "signature_request.opened": Scene("submits, and mails the link to a client who opens it", _signed),
    "signature_request.signed": Scene("the same, and the client signs", _signed),
    "signature_request.declined": Scene("the same, and the client finds something wrong", _sent_back),
    "policy.bound": Scene("submits and binds on condition", _bound),
    "policy.issued": Scene("submits, uploads the signed application, binds and attests", Stage.issued),
    "policy.canceled": Scene("issues a policy, and cancels it", _canceled),
    "policy.expired": Scene(
        "issues a policy of six months, pauses it, moves the clock past it", _policy_expired
    ),
    "policy.lapsed": Scene("binds on condition, and moves the clock past 30 days", _lapsed),
    "policy.renewal_offered": Scene("issues a policy of six months, moves the clock four", _renewal_offered),
    "policy.renewal_paused": Scene("issues a policy, and pauses its renewal", _paused),
    "policy.renewal_resumed": Scene("the same, and resumes it", _resumed),
    "policy.not_renewed": Scene(
        "issues a policy of six months, moves the clock three, does not renew it", _not_renewed
    ),
    "policy.renewal_restored": Scene("the same, and renews it after all", _restored),
    "policy.cancellation_requested": Scene("issues a policy, and asks to cancel it", _cancellation_requested),
    "policy.changed": Scene("issues a policy, and doubles its limit", _changed),
    "policy.change_declined": Scene(
        "issues a policy, asks for a limit beyond authority, declines it", _change_declined
    ),
    "policy.security_alert": Scene(
        "issues a policy for a domain that is exposed tomorrow, moves the clock 30 days", _security_alert
    ),
    "policy.document_ready": Scene("issues a policy, and downloads binder and policy", _policy_documents),
}

assert SCENES.keys() == EVENT_DETAILS.keys(), "every event of the catalogue can be triggered"


async def ping_all(bindery: AsyncBindery) -> list[tuple[str, str]]:
    return [
        ((await bindery.ping_webhook(webhook.id)).event_id, webhook.endpoint)
        for webhook in (await bindery.list_webhooks()).webhooks
        if webhook.status is WebhookStatus.ACTIVE
    ]
