"""Stories of the invented companies: each step, and how long ago it was."""

import random
import uuid
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final

from dateutil.relativedelta import relativedelta

from bindery.actions.desk.take_case import take_case, write_note
from bindery.cli.sample.applicants import ABOVE_AUTHORITY, invented_request, option
from bindery.client import AsyncBindery
from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import ContingencyStatus, QuoteStatus
from bindery.domain.access.users import Role
from bindery.runtime import Runtime
from bindery.storage.access import users
from bindery.storage.quote import quotes
from bindery.web.account.signing_in import DEMO_PEOPLE

EMAIL = next(email for email, _, role in DEMO_PEOPLE if role is Role.UNDERWRITER)
LONGEST_AGO: Final = timedelta(days=300)
HALF_A_YEAR: Final = 6
BIG_LIMIT: Final = "big-limit"
FOUND_OUT: Final = {
    "red-flags": "Called the applicant: the server was a test and is switched off. Their provider confirms.",
    "no-data": "The site moved to another host on the day of the scan. It answers now.",
    "scan-error": "Looked at the site by hand: mail is protected, certificates are in order.",
    "missing-domain": "The broker sent the domain by mail: a single page, nothing is sold there.",
    "calc-error": "Priced again. The premium is in line with similar applicants.",
    BIG_LIMIT: "A customer's contract asks for this limit; the controls are good for a firm of the size.",
}
"""Why applicants come to the desk, and what an underwriter found out before approving."""
TROUBLES: Final = tuple(FOUND_OUT)


@dataclass(frozen=True, slots=True)
class Underwriter:
    runtime: Runtime
    user_id: int

    async def take(self, quote: QuoteBody) -> None:
        await take_case(self.runtime.database, [await self._submission_of(quote)], user_id=self.user_id)

    async def note(self, quote: QuoteBody, text: str) -> None:
        await write_note(self.runtime.database, await self._submission_of(quote), text, user_id=self.user_id)

    async def _submission_of(self, quote: QuoteBody) -> uuid.UUID:
        async with self.runtime.database.reading() as tx:
            return (await quotes.get(tx, uuid.UUID(quote.quote_identifier))).submission_id


async def underwriter_of(runtime: Runtime) -> Underwriter:
    async with runtime.database.reading() as tx:
        found = await users.find_by_email(tx, EMAIL)
    assert found is not None, "the demo makes its people before anything else"
    return Underwriter(runtime, found[0].user_id)


@dataclass(slots=True)
class SampleCase:
    body: dict[str, Any]
    months: int
    trouble: str = ""
    quotes: list[QuoteBody] = field(default_factory=list)
    is_given_up: bool = False
    """Whether something went another way than planned; the rest of its story is left out."""

    @property
    def chosen(self) -> QuoteBody:
        return self.quotes[0]


@dataclass(frozen=True, slots=True)
class SampleDay:
    """A day of the stories: the partner's client, a quote without waiting, and the underwriter."""

    bindery: AsyncBindery
    quote: Callable[[dict[str, Any]], Awaitable[list[QuoteBody]]]
    underwriter: Underwriter
    today: date


Deed = Callable[[SampleDay, SampleCase], Awaitable[object]]


async def submit(moment: SampleDay, case: SampleCase) -> None:
    effective = moment.today + timedelta(days=1)
    case.body["policy"]["dates"] = {
        "effective": str(effective),
        "expiration": str(effective + relativedelta(months=case.months)),
    }
    case.quotes = await moment.quote(case.body)


async def bind(moment: SampleDay, case: SampleCase) -> None:
    await moment.bindery.bind(case.chosen)


async def fulfill(moment: SampleDay, case: SampleCase) -> None:
    """Close what the binder waits for: the policy is issued."""
    bound = await moment.bindery.wait_for_quote(case.chosen.quote_identifier)
    for contingency in bound.contingencies:
        if contingency.status is ContingencyStatus.OPEN:
            closed = {"decision": "close_contingency", "contingency_id": contingency.contingency_id}
            await moment.bindery.review_quote(bound, closed)


async def withdraw(moment: SampleDay, case: SampleCase) -> None:
    await moment.bindery.withdraw_quote(case.chosen)


async def pause(moment: SampleDay, case: SampleCase) -> None:
    await moment.bindery.pause_renewal(case.chosen)


async def ask_to_cancel(moment: SampleDay, case: SampleCase) -> None:
    await moment.bindery.request_cancellation(
        case.chosen, effective=moment.today + timedelta(days=30), reason="business_sold"
    )


async def approve(moment: SampleDay, case: SampleCase) -> None:
    await moment.underwriter.note(case.chosen, FOUND_OUT[case.trouble])
    await _decide_referral(moment, case, "approve", "Explained by the applicant.")


async def decline(moment: SampleDay, case: SampleCase) -> None:
    await moment.underwriter.note(case.chosen, "Asked the broker twice for more about it; nothing came.")
    await _decide_referral(moment, case, "decline", "Outside our appetite.")


async def _decide_referral(moment: SampleDay, case: SampleCase, decision: str, reason: str) -> None:
    for quote in case.quotes:
        if quote.quote_status is QuoteStatus.QUOTE_REFERRED:
            await moment.bindery.review_quote(quote, {"decision": decision, "reason": reason})


async def take(moment: SampleDay, case: SampleCase) -> None:
    await moment.underwriter.take(case.chosen)


async def ask_broker(moment: SampleDay, case: SampleCase) -> None:
    await moment.underwriter.take(case.chosen)
    await moment.underwriter.note(case.chosen, "Asked the broker about it. Waiting for the answer.")


def reviewed(decision: str, reason: str) -> Deed:
    async def review(moment: SampleDay, case: SampleCase) -> None:
        await moment.bindery.review_quote(case.chosen, {"decision": decision, "reason": reason})

    return review


@dataclass(frozen=True, slots=True)
class Story:
    """A number of companies, when each began, and its steps by days since then."""

    count: int
    ago: Sequence[timedelta]
    deeds: tuple[tuple[float, Deed], ...] = ()
    months: int = 12
    is_trouble: bool = False
    ending: str = ""


def days(first: int, last: int) -> Sequence[timedelta]:
    """Return a day from that many days ago, both ends included."""
    return [timedelta(days=number) for number in range(first, last + 1)]


def hours(first: int, last: int) -> Sequence[timedelta]:
    """Return a time that many hours ago, for what is still waiting: the desk answers within a working day."""
    return [timedelta(hours=number) for number in range(first, last + 1)]


ISSUED: Final = ((2, bind), (5, fulfill))
CANCEL: Final = reviewed("cancel", "nonpayment")
STORIES: Final[Mapping[str, Story]] = {
    "open": Story(34, days(0, 50)),
    "on the desk": Story(11, hours(1, 14), is_trouble=True),
    "due next": Story(4, hours(18, 22), ((0.25, take),), is_trouble=True),
    "late": Story(3, hours(96, 140), ((0.5, ask_broker),), is_trouble=True),
    "approved": Story(10, days(3, 45), ((0.25, approve),), is_trouble=True),
    "declined": Story(10, days(5, 250), ((0.75, decline),), is_trouble=True),
    "stale": Story(7, days(70, 250), is_trouble=True),
    "expired": Story(22, days(66, 290)),
    "revoked": Story(5, days(4, 200), ((3, reviewed("revoke", "The applicant was acquired.")),)),
    "withdrawn": Story(5, days(4, 200), ((3, withdraw),)),
    "bind requested": Story(5, hours(26, 40), ((1, bind),), ending="(prebind)"),
    "bind requested long ago": Story(1, hours(120, 150), ((1, bind),), ending="(prebind)"),
    "binder": Story(8, days(3, 25), ((1, bind),)),
    "lapsed": Story(5, days(40, 250), ((1, bind),)),
    "policy": Story(36, days(8, 300), ISSUED),
    "canceled": Story(6, days(60, 280), (*ISSUED, (50, CANCEL))),
    "reinstated": Story(
        2, days(90, 280), (*ISSUED, (50, CANCEL), (60, reviewed("reinstate", "The premium was paid.")))
    ),
    "to be canceled": Story(3, hours(482, 500), (*ISSUED, (20, ask_to_cancel))),
    "paused": Story(3, days(20, 250), (*ISSUED, (10, pause))),
    "renewal offered": Story(10, days(130, 172), ISSUED, months=HALF_A_YEAR),
    "renewed": Story(6, days(195, 290), ISSUED, months=HALF_A_YEAR),
    "ended": Story(4, days(195, 290), (*ISSUED, (10, pause)), months=HALF_A_YEAR),
}
"""Together two hundred companies, in every status that lasts."""


@dataclass(frozen=True, slots=True)
class SampleStep:
    ago: timedelta
    case: SampleCase
    deed: Deed


def planned_steps(rng: random.Random) -> list[SampleStep]:
    steps = []
    number = 0
    for story in STORIES.values():
        for turn in range(story.count):
            trouble = TROUBLES[turn % len(TROUBLES)] if story.is_trouble else ""
            case = SampleCase(_request(story, number, trouble, rng), story.months, trouble)
            begun = rng.choice(story.ago)
            deeds = ((0.0, submit), *story.deeds)
            steps += [SampleStep(begun - timedelta(days=after), case, deed) for after, deed in deeds]
            number += 1
    # The order of a company's own steps stays as planned.
    return sorted(steps, key=lambda step: -step.ago)


def _request(story: Story, number: int, trouble: str, rng: random.Random) -> dict[str, Any]:
    label = "clean" if trouble == BIG_LIMIT else trouble
    body = invented_request(number, rng, label=label, ending=story.ending)
    if trouble == BIG_LIMIT:
        body["policy"]["quotes"] = [option(*ABOVE_AUTHORITY)]
    return body
