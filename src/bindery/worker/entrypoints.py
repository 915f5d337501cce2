"""Which action each kind of job runs; a job names one thing by its id."""

import uuid
from collections.abc import Awaitable, Callable, Mapping
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

ACTIONS: Final[Mapping[str, Callable[[Runtime, uuid.UUID], Awaitable[None]]]] = {
    PLAY_UNDERWRITER: play_underwriter,
    FINISH_BIND: finish_bind,
    FINISH_ISSUE: finish_bind,
    SEND_MAIL: send_mail,
    **{name: entry.job for name, entry in SWEEPS.items()},
}
KINDS: Final = frozenset({PROCESS_SUBMISSION, *ACTIONS})


def entrypoints(runtime: Runtime) -> dict[str, Entrypoint]:
    """Return what runs each kind of job; submissions that come at the same time share transactions."""
    return {
        PROCESS_SUBMISSION: Pipeline(runtime).process,
        **{kind: partial(action, runtime) for kind, action in ACTIONS.items()},
    }
