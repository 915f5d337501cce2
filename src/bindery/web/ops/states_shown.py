"""States on the operators' pages: the dot that tells the family, the word, and the sentence below a name."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from bindery.base.errors import Problem
from bindery.contract.webhooks import DeliveryStatus
from bindery.memory.request_counts import WRITTEN_EVERY, ListedToken
from bindery.storage.access.partners import TokenRecord
from bindery.storage.jobs.job_view import JobStatus
from bindery.web.shown.words import StatusDot, Times, counted, listed

ENDS_SOON: Final = timedelta(days=30)
JOB_DOTS: Final = {
    JobStatus.WAITING: StatusDot.WAIT,
    JobStatus.RUNNING: StatusDot.RUN,
    JobStatus.FAILED: StatusDot.BAD,
}


@dataclass(frozen=True, slots=True)
class ShownState:
    dot: StatusDot
    text: str


@dataclass(frozen=True, slots=True)
class Lede:
    """The sentence below a name, bold up to the fact that matters."""

    strong: str = ""
    rest: str = ""


def marked(problems: Iterable[Problem]) -> defaultdict[str, str]:
    """Return what is wrong with each field of a form; a field that is right has an empty sentence."""
    found: defaultdict[str, str] = defaultdict(str)
    for problem in problems:
        found[problem.path] = problem.message
    return found


def token_state(token: ListedToken | TokenRecord, times: Times) -> ShownState:
    if token.revoked_at is not None:
        return ShownState(StatusDot.OVER, "revoked")
    if token.expires_at < times.now:
        return ShownState(StatusDot.OVER, "expired")
    if token.expires_at - times.now < ENDS_SOON:
        return ShownState(StatusDot.WARN, f"expires {times.until(token.expires_at).text}")
    return ShownState(StatusDot.BOUND, "in force")


def token_use(used_at: datetime, times: Times) -> str:
    """Return when a token was last used; uses soon after a recorded one are not recorded."""
    return (
        "within the last hour" if times.now - used_at < WRITTEN_EVERY else f"{times.since(used_at).text} ago"
    )


def delivery_state(status: DeliveryStatus, *, is_waiting: bool, is_sent_to: bool) -> ShownState:
    if is_waiting:
        return ShownState(StatusDot.WAIT, status) if is_sent_to else ShownState(StatusDot.OVER, "held")
    return ShownState(StatusDot.BAD if status is DeliveryStatus.FAILED else StatusDot.OPEN, status)


def mail_state(*, is_sent: bool, is_failed: bool, was_tried: bool) -> ShownState:
    if is_sent:
        return ShownState(StatusDot.OPEN, "sent")
    if is_failed:
        return ShownState(StatusDot.BAD, "failed")
    return (
        ShownState(StatusDot.WARN, "tried, not sent")
        if was_tried
        else ShownState(StatusDot.WAIT, "not sent yet")
    )


def partner_standing(tokens: Sequence[ShownState], brokers: int, webhooks: Sequence[ShownState]) -> Lede:
    in_force = sum(state.dot is not StatusDot.OVER for state in tokens)
    failing = sum(state.dot is StatusDot.BAD for state in webhooks)
    needs = (
        "" if brokers else "A submission needs a broker: add one.",
        "" if in_force else "No token is in force: issue one.",
        f"{counted(failing, 'webhook')} {'needs' if failing == 1 else 'need'} a look." if failing else "",
    )
    has = [
        counted(count, what) + more
        for count, what, more in (
            (in_force, "token", " in force"),
            (brokers, "broker", ""),
            (len(webhooks), "webhook", ""),
        )
        if count
    ]
    return Lede(" ".join(filter(None, needs)), f"{listed(has)}." if has else "")


def webhooks_standing(shown: Sequence[ShownState]) -> Lede:
    failing = sum(state.dot is StatusDot.BAD for state in shown)
    if not shown or not failing:
        return Lede("", "Where events are sent to, failing ones first." if shown else "")
    return Lede(
        f"{counted(failing, 'endpoint')} {'needs' if failing == 1 else 'need'} a look.", "They come first."
    )


def jobs_standing(failed: int, waiting: int) -> Lede:
    waits = (
        f"{counted(waiting, 'job')} {'waits' if waiting == 1 else 'wait'}." if waiting else "No job waits."
    )
    return Lede(f"{counted(failed, 'job')} failed." if failed else "Nothing has failed.", waits)
