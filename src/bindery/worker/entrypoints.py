"""Which action each kind of job runs; a job names one thing by its id."""

import uuid
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from bindery.actions.desk.play_underwriter import play_underwriter
from bindery.actions.documents.send_mail import send_mail
from bindery.actions.policy.finish_bind import finish_bind
from bindery.actions.submission.process_submission import Pipeline, TryAgain
from bindery.actions.timetable.sweep import SWEEPS
from bindery.domain.jobs import FINISH_BIND, FINISH_ISSUE, PLAY_UNDERWRITER, PROCESS_SUBMISSION, SEND_MAIL
from bindery.runtime import Runtime

Entrypoint = Callable[[uuid.UUID], Awaitable[TryAgain | None]]

KINDS: Final = frozenset(
    {PROCESS_SUBMISSION, PLAY_UNDERWRITER, FINISH_BIND, FINISH_ISSUE, SEND_MAIL, *SWEEPS}
)


def entrypoints(runtime: Runtime) -> dict[str, Entrypoint]:
    """Return what runs each kind of job; submissions that come at the same time share transactions."""
    database, rules = runtime.database, runtime.rules
    return {
        PROCESS_SUBMISSION: Pipeline(runtime).process,
        PLAY_UNDERWRITER: partial(play_underwriter, database, rules),
        FINISH_BIND: partial(finish_bind, runtime),
        FINISH_ISSUE: partial(finish_bind, runtime),
        SEND_MAIL: partial(send_mail, runtime),
        **{name: partial(entry.job, database, rules) for name, entry in SWEEPS.items()},
    }
