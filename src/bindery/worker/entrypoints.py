"""Which action each kind of job runs; a job names one thing by its id."""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from bindery.actions.finish_bind import finish_bind
from bindery.actions.play_underwriter import play_underwriter
from bindery.actions.process_submission import TryAgain, process_submission
from bindery.actions.send_mail import send_mail
from bindery.actions.sweep import SWEEPS
from bindery.domain.jobs import FINISH_BIND, FINISH_ISSUE, PLAY_UNDERWRITER, PROCESS_SUBMISSION, SEND_MAIL
from bindery.runtime import Runtime

Entrypoint = Callable[[Runtime, uuid.UUID], Awaitable[TryAgain | None]]

ENTRYPOINTS: Final[Mapping[str, Entrypoint]] = {
    PROCESS_SUBMISSION: process_submission,
    PLAY_UNDERWRITER: play_underwriter,
    FINISH_BIND: finish_bind,
    FINISH_ISSUE: finish_bind,
    SEND_MAIL: send_mail,
    **{name: entry.job for name, entry in SWEEPS.items()},
}
