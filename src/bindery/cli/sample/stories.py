"""What becomes of the invented companies: who does what, how long ago."""

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Final

from dateutil.relativedelta import relativedelta

from bindery.cli.sample.applicants import ABOVE_AUTHORITY, invented_request, option
from bindery.client import AsyncBindery
from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import ContingencyStatus

LONGEST_AGO_DAYS: Final = 300
HALF_A_YEAR: Final = 6
BIG_LIMIT: Final = "big-limit"
TROUBLES: Final = ("red-flags", "no-data", "scan-error", "missing-domain", "calc-error", BIG_LIMIT)
"""Why applicants come to the desk."""


@dataclass(slots=True)
class Case:
    """One company, what it asks for, and the quotes that it got."""

    body: dict[str, Any]
    months: int
    quotes: list[QuoteBody] = field(default_factory=list)
    is_given_up: bool = False
    """Whether something went another way than planned; the rest of its story is left out."""

    @property
    def chosen(self) -> QuoteBody:
        """Return the option that the story is about."""
        return self.quotes[0]


Quoting = Callable[[dict[str, Any]], Awaitable[list[QuoteBody]]]


@dataclass(frozen=True, slots=True)
class Moment:
    """Who can act on a day: the partner at the service, and what quotes a request at once."""

    bindery: AsyncBindery
    quote: Quoting
    today: date


Deed = Callable[[Moment, Case], Awaitable[object]]


async def submit(moment: Moment, case: Case) -> None:
    """Ask for quotes."""
    effective = moment.today + timedelta(days=1)
    case.body["policy"]["dates"] = {
        "effective": str(effective),
        "expiration": str(effective + relativedelta(months=case.months)),
    }
    case.quotes = await moment.quote(case.body)


async def bind(moment: Moment, case: Case) -> None:
    """Bind the first option, on condition or by request."""
    await moment.bindery.bind(case.chosen)


async def fulfil(moment: Moment, case: Case) -> None:
    """Close what the conditional binder waits for: the policy is issued."""
    bound = await moment.bindery.wait_for_quote(case.chosen.quote_identifier)
    for contingency in bound.contingencies:
        if contingency.status is ContingencyStatus.OPEN:
            closed = {"decision": "close_contingency", "contingency_id": contingency.contingency_id}
            await moment.bindery.review_quote(bound, closed)


async def withdraw(moment: Moment, case: Case) -> None:
    """Take the quote back."""
    await moment.bindery.withdraw_quote(case.chosen)


async def pause(moment: Moment, case: Case) -> None:
    """Pause the renewal."""
    await moment.bindery.pause_renewal(case.chosen)


async def ask_to_cancel(moment: Moment, case: Case) -> None:
    """Ask an underwriter to cancel the policy."""
    await moment.bindery.request_cancellation(
        case.chosen, effective=moment.today + timedelta(days=30), reason="The business is being sold."
    )


def reviewed(decision: str, reason: str) -> Deed:
    """Let the underwriter decide."""

    async def review(moment: Moment, case: Case) -> None:
        await moment.bindery.review_quote(case.chosen, {"decision": decision, "reason": reason})

    return review


@dataclass(frozen=True, slots=True)
class Story:
    """How many companies have it, how many days ago it began, and what was done on which day of it."""

    count: int
    ago: tuple[int, int]
    deeds: tuple[tuple[int, Deed], ...] = ()
    months: int = 12
    is_trouble: bool = False
    ending: str = ""


ISSUED: Final = ((2, bind), (5, fulfil))
CANCEL: Final = reviewed("cancel", "The premium was not paid.")
STORIES: Final[Mapping[str, Story]] = {
    "open": Story(34, (0, 50)),
    "on the desk": Story(20, (0, 50), is_trouble=True),
    "approved": Story(
        8, (3, 45), ((1, reviewed("approve", "Explained by the applicant.")),), is_trouble=True
    ),
    "declined": Story(10, (5, 250), ((2, reviewed("decline", "Outside our appetite.")),), is_trouble=True),
    "stale": Story(7, (70, 250), is_trouble=True),
    "expired": Story(22, (66, 290)),
    "revoked": Story(5, (4, 200), ((3, reviewed("revoke", "The applicant was acquired.")),)),
    "withdrawn": Story(5, (4, 200), ((3, withdraw),)),
    "bind requested": Story(6, (1, 20), ((1, bind),), ending="(prebind)"),
    "conditional binder": Story(8, (3, 25), ((1, bind),)),
    "lapsed": Story(5, (40, 250), ((1, bind),)),
    "policy": Story(36, (8, 300), ISSUED),
    "canceled": Story(6, (60, 280), (*ISSUED, (50, CANCEL))),
    "reinstated": Story(
        2, (90, 280), (*ISSUED, (50, CANCEL), (60, reviewed("reinstate", "The premium was paid.")))
    ),
    "to be canceled": Story(3, (20, 60), (*ISSUED, (10, ask_to_cancel))),
    "paused": Story(3, (20, 250), (*ISSUED, (10, pause))),
    "renewal offered": Story(10, (130, 172), ISSUED, months=HALF_A_YEAR),
    "renewed": Story(6, (195, 290), ISSUED, months=HALF_A_YEAR),
    "ended": Story(4, (195, 290), (*ISSUED, (10, pause)), months=HALF_A_YEAR),
}
"""Together two hundred companies, in every status that lasts."""


@dataclass(frozen=True, slots=True)
class Step:
    """What is done for a company, how many days ago."""

    ago: int
    case: Case
    deed: Deed


def planned_steps(rng: random.Random) -> list[Step]:
    """Plan what is done for every company, the oldest first."""
    steps = []
    number = 0
    for story in STORIES.values():
        for turn in range(story.count):
            case = Case(_request(story, number, turn, rng), story.months)
            begun = rng.randint(*story.ago)
            deeds = ((0, submit), *story.deeds)
            steps += [Step(begun - after, case, deed) for after, deed in deeds]
            number += 1
    # The order of a company's own steps stays as planned.
    return sorted(steps, key=lambda step: -step.ago)


def _request(story: Story, number: int, turn: int, rng: random.Random) -> dict[str, Any]:
    trouble = TROUBLES[turn % len(TROUBLES)] if story.is_trouble else ""
    label = "clean" if trouble == BIG_LIMIT else trouble
    body = invented_request(number, rng, label=label, ending=story.ending)
    if trouble == BIG_LIMIT:
        body["policy"]["quotes"] = [option(*ABOVE_AUTHORITY)]
    return body
