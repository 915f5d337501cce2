"""The worker's actions: one for each kind of job, which names its subject by id, and the timetable."""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from bindery.actions.access.turn_on_two_step import reseal_two_step
from bindery.actions.desk.take_decisions import play_underwriter
from bindery.actions.documents.find_seal_key import reseal_seal_key
from bindery.actions.documents.send_digests import send_digests
from bindery.actions.documents.send_mail import requeue_unsent_mails, send_mail
from bindery.actions.policy.put_in_force import finish_bind
from bindery.actions.signing.play_client import play_client
from bindery.actions.submission.process_submission import Pipeline, TryAgain
from bindery.actions.timetable.purge import (
    purge_answers,
    purge_client_links,
    purge_deliveries,
    purge_drafts,
    purge_job_log,
    purge_rescans,
    purge_scans,
)
from bindery.actions.timetable.sweep import (
    SWEEPS,
    add_up_sums,
    expire_client_links,
    figure_days,
    requeue_bind_requests,
    requeue_played_clients,
    requeue_standing_still,
    requeue_unfinished_binds,
    sweep,
)
from bindery.actions.webhooks.read_events import place_events
from bindery.actions.webhooks.set_webhook_secret import reseal_webhook_secrets
from bindery.domain.business_rules import BusinessRules
from bindery.domain.jobs import (
    FINISH_BIND,
    FINISH_ISSUE,
    PLAY_CLIENT,
    PLAY_UNDERWRITER,
    PROCESS_SUBMISSION,
    SEND_MAIL,
)
from bindery.runtime import Runtime
from bindery.storage.database import Database

Entrypoint = Callable[[uuid.UUID], Awaitable[TryAgain | None]]

KINDS: Final = frozenset(
    {PROCESS_SUBMISSION, PLAY_UNDERWRITER, PLAY_CLIENT, FINISH_BIND, FINISH_ISSUE, SEND_MAIL, *SWEEPS}
)
EVERY_MINUTE: Final = "* * * * *"
EVERY_HOUR: Final = "0 * * * *"
RunOnRuntime = Callable[[Runtime], Awaitable[object]]


def entrypoints(runtime: Runtime) -> dict[str, Entrypoint]:
    """Return the action of each kind of job; concurrent submissions share transactions."""
    database, rules = runtime.database, runtime.rules
    return {
        PROCESS_SUBMISSION: Pipeline(runtime).process,
        PLAY_UNDERWRITER: partial(play_underwriter, database, rules),
        PLAY_CLIENT: partial(play_client, runtime),
        FINISH_BIND: partial(finish_bind, runtime),
        FINISH_ISSUE: partial(finish_bind, runtime),
        SEND_MAIL: partial(send_mail, runtime),
        **{name: partial(entry.job, runtime) for name, entry in SWEEPS.items()},
    }


@dataclass(frozen=True, slots=True)
class TimetableEntry:
    """An action and when it runs, in cron's notation."""

    cron: str
    action: RunOnRuntime


def _on_database(action: Callable[[Database], Awaitable[object]]) -> RunOnRuntime:
    return lambda runtime: action(runtime.database)


def _by_rules(action: Callable[[Database, BusinessRules], Awaitable[object]]) -> RunOnRuntime:
    return lambda runtime: action(runtime.database, runtime.rules)


TIMETABLE: Final[Mapping[str, TimetableEntry]] = {
    "add_up_sums": TimetableEntry(EVERY_HOUR, _on_database(add_up_sums)),
    "expire_client_links": TimetableEntry(EVERY_MINUTE, _on_database(expire_client_links)),
    "figure_days": TimetableEntry(EVERY_HOUR, _by_rules(figure_days)),
    "place_events": TimetableEntry(EVERY_MINUTE, _on_database(place_events)),
    "purge_answers": TimetableEntry(EVERY_HOUR, _on_database(purge_answers)),
    "purge_client_links": TimetableEntry(EVERY_HOUR, _on_database(purge_client_links)),
    "purge_deliveries": TimetableEntry(EVERY_HOUR, _on_database(purge_deliveries)),
    "purge_drafts": TimetableEntry(EVERY_HOUR, _on_database(purge_drafts)),
    "purge_job_log": TimetableEntry(EVERY_HOUR, _on_database(purge_job_log)),
    "purge_rescans": TimetableEntry(EVERY_HOUR, _on_database(purge_rescans)),
    "purge_scans": TimetableEntry(EVERY_HOUR, _on_database(purge_scans)),
    "reseal_seal_key": TimetableEntry(EVERY_HOUR, reseal_seal_key),
    "reseal_two_step": TimetableEntry(EVERY_HOUR, reseal_two_step),
    "reseal_webhook_secrets": TimetableEntry(EVERY_HOUR, reseal_webhook_secrets),
    "send_digests": TimetableEntry(EVERY_MINUTE, _by_rules(send_digests)),
    "requeue_unsent_mails": TimetableEntry(EVERY_HOUR, requeue_unsent_mails),
    "requeue_standing_still": TimetableEntry(EVERY_MINUTE, _on_database(requeue_standing_still)),
    "requeue_unfinished_binds": TimetableEntry(EVERY_MINUTE, _on_database(requeue_unfinished_binds)),
    "requeue_bind_requests": TimetableEntry(EVERY_MINUTE, _by_rules(requeue_bind_requests)),
    "requeue_played_clients": TimetableEntry(EVERY_MINUTE, _by_rules(requeue_played_clients)),
    **{
        f"sweep_{name}": TimetableEntry(EVERY_MINUTE, _by_rules(partial(sweep, name=name))) for name in SWEEPS
    },
}
