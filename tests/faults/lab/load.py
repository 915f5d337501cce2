"""A few partners' days: quotes, papers, binds, pauses and webhooks, drawn by a seed."""

import asyncio
import hashlib
import io
import itertools
import random
import time
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from dateutil.relativedelta import relativedelta
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from faults.lab.caller import PAUSE_S, Caller
from faults.lab.clock import Calendar
from faults.lab.model import Bind, Closing, Effect, Hook, Model, Pause, Request, Submission, Upload, new_key
from support.service import BROKER, request_body

STORIES = {"quote": 20, "refer": 8, "conditional": 14, "fulfill": 12, "issue": 36, "pause": 10}
LIMITS = (1_000_000, 2_000_000, 500_000)
WITH_A_KEY = 0.7
HOOK_EVERY = 20
MOST_HOOKS = 6
TERM = relativedelta(months=6)
BINDABLE_SINCE = timedelta(days=7)
POLL_S = 5
READY_WITHIN_S = 10.0
"""So long a client waits for a quote. Then it turns to something else: held-up work must not end the load."""


@dataclass
class Load:
    """Clients that ask for one thing after the other until told to stop."""

    caller: Caller
    model: Model
    calendar: Calendar
    receiver_url: str
    seed: int
    finish_within_s: float
    stopped_at: float | None = None

    def __post_init__(self) -> None:
        self._numbers = itertools.count(1)

    def stop(self) -> None:
        """Start nothing new; what is under way is finished."""
        self.stopped_at = time.monotonic()

    async def run(self, client: int) -> None:
        chance = random.Random(f"{self.seed}:{client}")
        while self.stopped_at is None:
            story = chance.choices(list(STORIES), list(STORIES.values()))[0]
            await self.tell(story, chance)

    async def tell(self, story: str, chance: random.Random) -> None:
        """Play one story from its submission to its end."""
        number = next(self._numbers)
        if number % HOOK_EVERY == 0 and len(self.model.hooks) < MOST_HOOKS:
            await self.register(f"late-{number}", chance)
        submission = self._draft(number, story, chance)
        self.model.submissions.append(submission)
        await self._insist(submission)
        if not submission.is_acknowledged or story in {"quote", "refer"}:
            return
        quote = await self._ready(submission.quotes[0])
        if quote is None or quote["quote_status"] != "published":
            return
        if story == "conditional":
            await self._bind(quote, attested=False, chance=chance)
        elif story == "fulfill":
            await self._fulfill(quote, chance)
        else:
            await self._issue(quote, chance, pauses=story == "pause")

    async def register(self, path: str, chance: random.Random) -> None:
        """Register a further endpoint of our receiver."""
        body = {"endpoint": f"{self.receiver_url}/{path}", "quote_level": True, "policy_level": True}
        request = Request(path="/v2/webhooks", json=body, key=new_key(WITH_A_KEY, chance.random()))
        hook = Hook(request=request, path=f"/hook/{path}")
        self.model.hooks.append(hook)
        await self._insist(hook)

    async def _fulfill(self, quote: dict[str, Any], chance: random.Random) -> None:
        """Bind conditionally, then have the one contingency closed."""
        bind = await self._bind(quote, attested=False, chance=chance)
        if not bind.is_acknowledged:
            return
        (owed, *_) = [row for row in quote["contingencies"] if row["status"] == "open"]
        decision = {"decision": "close_contingency", "contingency_id": owed["contingency_id"]}
        identifier = quote["quote_identifier"]
        closing = Closing(
            request=Request(path=f"/v2/demo/quotes/{identifier}/review", json=decision), quote=identifier
        )
        self.model.closings.append(closing)
        await self._insist(closing)

    async def _issue(self, quote: dict[str, Any], chance: random.Random, *, pauses: bool) -> None:
        """Upload the signed application, attest it, and perhaps pause the renewal."""
        upload = await self._upload(quote, chance)
        if not upload.is_acknowledged:
            return
        bind = await self._bind(quote, attested=True, chance=chance)
        if not bind.is_acknowledged or not pauses:
            return
        identifier = quote["quote_identifier"]
        path = f"/v2/quotes/{identifier}/pause_renewal"
        pause = Pause(request=Request(path=path, key=new_key(WITH_A_KEY, chance.random())), quote=identifier)
        self.model.pauses.append(pause)
        await self._insist(pause)

    async def _upload(self, quote: dict[str, Any], chance: random.Random) -> Upload:
        content = photo(f"{quote['quote_identifier']} {chance.random()}")
        (signature, *_) = [row for row in quote["contingencies"] if "signed and dated" in row["text"]]
        form = {"quote_identifier": quote["quote_identifier"], "contingency": signature["contingency_id"]}
        key = new_key(WITH_A_KEY, chance.random())
        upload = Upload(
            request=Request(path="/v2/documents", form=form, file=content, key=key),
            quote=quote["quote_identifier"],
            sha256=hashlib.sha256(content).hexdigest(),
        )
        self.model.uploads.append(upload)
        await self._insist(upload)
        return upload

    async def _bind(self, quote: dict[str, Any], *, attested: bool, chance: random.Random) -> Bind:
        effective = date.fromisoformat(quote["dates"]["effective"])
        if effective < self.calendar.today - BINDABLE_SINCE:
            effective = self.calendar.today
        body: dict[str, Any] = {
            "quote_identifier": quote["quote_identifier"],
            "dates": six_months_from(effective),
        }
        if attested:
            body["app_attestation"] = True
        request = Request(path="/v2/binds", json=body, key=new_key(WITH_A_KEY, chance.random()))
        bind = Bind(request=request, quote=quote["quote_identifier"], attested=attested)
        self.model.binds.append(bind)
        await self._insist(bind)
        return bind

    async def _ready(self, identifier: str) -> dict[str, Any] | None:
        """Poll a quote until it is ready; one that takes long is left, and looked at again in the end."""
        until = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < until and not self._is_over():
            answer = await self.caller.get(f"/v2/quotes/{identifier}", wait_s=POLL_S)
            if answer is not None and answer.status_code == 200:
                quote: dict[str, Any] = answer.json()
                return quote
            await asyncio.sleep(PAUSE_S)
        return None

    async def _insist(self, effect: Effect) -> None:
        await self.caller.insist(effect, until=self._is_over)

    def _is_over(self) -> bool:
        return self.stopped_at is not None and time.monotonic() > self.stopped_at + self.finish_within_s

    def _draft(self, number: int, story: str, chance: random.Random) -> Submission:
        name = f"Soak {self.seed}-{number:06} LLC"
        options = 1 if story == "refer" else chance.randint(1, len(LIMITS))
        people = {
            "policy_notices": (f"notices-{number}@insured.example",) if chance.random() < 0.5 else (),
            "security_alerts": (f"alerts-{number}@insured.example",) if chance.random() < 0.5 else (),
        }

        def change(body: dict[str, Any]) -> None:
            domain = "red-flags" if story == "refer" else "clean"
            body["client"].update(
                name=name,
                broker_email=BROKER,
                domains=[f"{domain}.example.com"],
                additional_contacts=[
                    {"email": email, "contact_roles": [role]}
                    for role, emails in people.items()
                    for email in emails
                ],
            )
            body["policy"]["quotes"] = [{"aggregate_limit": limit} for limit in LIMITS[:options]]
            body["policy"]["dates"] = six_months_from(self.calendar.today + timedelta(days=1))

        body = request_body(change)
        return Submission(
            request=Request(path="/v2/quotes", json=body, key=new_key(WITH_A_KEY, chance.random())),
            name=name,
            options=options,
            notices=people["policy_notices"],
            alerts=people["security_alerts"],
            is_clean=story != "refer",
        )


def six_months_from(effective: date) -> dict[str, str]:
    """Return the dates of the shortest policy there is, so that it renews within a run."""
    return {"effective": effective.isoformat(), "expiration": (effective + TERM).isoformat()}


def photo(mark: str) -> bytes:
    """Return a picture that nobody can read anything in, unlike any other."""
    info = PngInfo()
    info.add_text("mark", mark)
    file = io.BytesIO()
    Image.new("L", (8, 8), 255).save(file, "PNG", pnginfo=info)
    return file.getvalue()
