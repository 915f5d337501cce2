"""How long the parts of a job take: measured where they happen, and kept with the job when it ends.

Nothing is measured outside a job, and no statement is sent for it: the parts ride on the row that every job
leaves in the queue's log.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from bindery.base.tracing import add_span, span

SPAN_NAMES: Final = {"price": "rate"}
"""What traces call a part; that of a domain is told by its name alone."""
MOST_STAGES: Final = 100
"""An applicant has 75 domains at most."""


@dataclass(slots=True)
class JobStage:
    """A part of a job: when it began after the job did, and how long it took."""

    name: str
    began_ms: float
    took_ms: float
    about: str = ""


@dataclass(slots=True)
class JobWork:
    began_at: datetime | None = None
    """When the job began, in business time, where the job has read the clock."""
    request_id: str | None = None
    stages: list[JobStage] = field(default_factory=list)
    together: int = 1
    """How many submissions shared the transaction of this one."""


_work: ContextVar[tuple[JobWork, float] | None] = ContextVar("work", default=None)


@contextmanager
def measuring_job() -> Iterator[JobWork]:
    work = JobWork()
    token = _work.set((work, time.perf_counter()))
    try:
        yield work
    finally:
        _work.reset(token)


def current_work() -> JobWork | None:
    found = _work.get()
    return None if found is None else found[0]


@contextmanager
def stage(name: str, about: str = "") -> Iterator[None]:
    """Measure the block as a part of the job that runs; tasks that it starts belong to the same job."""
    found = _work.get()
    if found is None:
        yield
        return
    work, began = found
    started = time.perf_counter()
    try:
        with span(SPAN_NAMES.get(name, name)):
            yield
    finally:
        if len(work.stages) < MOST_STAGES:
            began_ms, took_ms = (started - began) * 1000, (time.perf_counter() - started) * 1000
            work.stages.append(JobStage(name, round(began_ms, 1), round(took_ms, 1), about))


def add_stage(name: str, *, started: float, seconds: float) -> None:
    """Add a part that was measured elsewhere, by `time.perf_counter()`."""
    add_span(SPAN_NAMES.get(name, name), began=started, seconds=seconds)
    if (found := _work.get()) is not None:
        work, began = found
        began_ms = (started - began) * 1000
        work.stages.append(JobStage(name, round(max(0.0, began_ms), 1), round(seconds * 1000, 1)))
