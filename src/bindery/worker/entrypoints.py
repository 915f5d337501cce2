"""Which action each kind of job runs; a job names one thing by its id."""

import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from bindery.actions.process_submission import TryAgain, process_submission
from bindery.actions.sweep import SWEEPS
from bindery.runtime import Runtime
from bindery.storage.intake import PROCESS_SUBMISSION

Entrypoint = Callable[[Runtime, uuid.UUID], Awaitable[TryAgain | None]]

ENTRYPOINTS: Final[Mapping[str, Entrypoint]] = {
    PROCESS_SUBMISSION: process_submission,
    **{name: entry.job for name, entry in SWEEPS.items()},
}
