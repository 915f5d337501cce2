"""Every metric of the program, and how they are written out for Prometheus."""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Metric,
    disable_created_metrics,
    generate_latest,
    multiprocess,
    registry,
)
from prometheus_client.core import GaugeMetricFamily

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Where the processes of one server keep their metrics, so that any of them can show all. It has to be set
before a process imports this module: the library then chooses where its values live."""

CONTENT_TYPE: Final = "text/plain; version=0.0.4"
SAMPLE_EVERY_S: Final = 0.25

_live_gauge: Final = partial(Gauge, multiprocess_mode="livesum")

disable_created_metrics()  # type: ignore[no-untyped-call]  # partly typed

http_requests = Counter("bindery_http_requests_total", "Requests answered.", ["operation", "status"])
http_request_seconds = Histogram(
    "bindery_http_request_seconds",
    "Time to the last byte of the answer.",
    ["operation"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60),
)
http_connections = _live_gauge("bindery_http_connections", "Open connections.")
connections_closed = Counter(
    "bindery_connections_closed_total", "Connections closed by the service.", ["reason"]
)
long_polls = _live_gauge("bindery_long_polls", "Requests that wait for a quote.")
group_commit_size = Histogram(
    "bindery_group_commit_size", "Submissions taken up together.", buckets=(1, 2, 4, 8, 16, 32)
)
job_seconds = Histogram(
    "bindery_job_seconds",
    "Jobs worked on, and how long each took.",
    ["kind", "outcome"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 300),
)
quote_ready_seconds = Histogram(
    "bindery_quote_ready_seconds",
    "Time from the request until an option was offered or with an underwriter.",
    ["product"],
    buckets=(0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 40, 60, 120, 300, 1800),
)
scans = Counter("bindery_scans_total", "Domains scanned.", ["outcome"])
loop_lag_seconds = Histogram(
    "bindery_loop_lag_seconds",
    "How late the event loop woke a task that slept.",
    buckets=(0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5),
)
pool_connections = _live_gauge("bindery_pool_connections", "Database connections held open.")
pool_connections_in_use = _live_gauge("bindery_pool_connections_in_use", "Database connections at work.")
pool_connections_max = _live_gauge("bindery_pool_connections_max", "Database connections that may be open.")
data_free_bytes = Gauge(
    "bindery_data_free_bytes", "Free on the disk of the data folder.", multiprocess_mode="livemin"
)
data_size_bytes = Gauge(
    "bindery_data_size_bytes", "Size of the disk of the data folder.", multiprocess_mode="livemax"
)
pool_waiting = _live_gauge("bindery_pool_waiting", "Tasks that wait for a database connection.")


@dataclass(frozen=True, slots=True)
class Sample:
    name: str
    labels: tuple[str, ...]
    value: float


DATABASE_UP: Final = "bindery_database_up"
BACKLOG: Final = {
    "bindery_jobs": ("Jobs in the queue.", ("kind", "state")),
    "bindery_job_oldest_seconds": ("How long the oldest job of a kind has been due.", ("kind",)),
    "bindery_deliveries": ("Webhook deliveries not yet accepted.", ("webhook",)),
    "bindery_delivery_oldest_seconds": ("How long the oldest delivery has been due.", ("webhook",)),
    "bindery_webhooks_disabled": ("Webhooks that were disabled.", ()),
    "bindery_referrals": ("Quotes that wait for an underwriter.", ()),
    "bindery_referral_oldest_seconds": ("How long the oldest referral has waited.", ()),
    "bindery_bind_requests": ("Binds that wait for an underwriter.", ()),
    "bindery_bind_request_oldest_seconds": ("How long the oldest bind request has waited.", ()),
    "bindery_desk_late": ("Cases on the desk that are late.", ()),
    "bindery_desk_oldest_working_seconds": ("How long the case that is due first has waited.", ()),
    "bindery_token_expires_seconds": ("Until the last token of a partner expires.", ("partner",)),
    "bindery_binder_mark_seconds": (
        "How long a binder has reached a mark of its premium limit, in percent.",
        ("binder", "mark"),
    ),
    "bindery_mails_unsent": ("Mails not yet sent.", ()),
    "bindery_mail_oldest_seconds": ("How old the oldest unsent mail is.", ()),
}
"""The gauges that are read from the database, the same in every process: what each says, and its labels."""


@asynccontextmanager
async def sampling(take_sample: Callable[[], None]) -> AsyncIterator[None]:
    """Measure the event loop's lag while the block runs, and take a sample of what cannot be counted."""

    async def sample() -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + SAMPLE_EVERY_S
            await asyncio.sleep(SAMPLE_EVERY_S)
            loop_lag_seconds.observe(max(0.0, loop.time() - due))
            take_sample()

    task = asyncio.create_task(sample())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def exposition(backlog: Iterable[Sample] | None) -> bytes:
    """Return all metrics in Prometheus' text form; without a backlog, the database did not answer."""
    from_database = CollectorRegistry()
    from_database.register(_FromDatabase(backlog))
    return generate_latest(_from_processes()) + generate_latest(from_database)


def _from_processes() -> CollectorRegistry:
    """Return the counts of this process, or of all processes of its server together."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        return registry.REGISTRY
    _forget_gauges_of_the_dead(Path(folder))
    together = CollectorRegistry()
    multiprocess.MultiProcessCollector(together, folder)  # type: ignore[no-untyped-call]  # partly typed
    return together


def _forget_gauges_of_the_dead(folder: Path) -> None:
    """Remove the gauges of killed processes; their counters stay."""
    for file in folder.glob("gauge_live*.db"):
        if not _is_alive(int(file.stem.rpartition("_")[2])):
            file.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class _FromDatabase:
    def __init__(self, backlog: Iterable[Sample] | None) -> None:
        self._backlog = backlog

    def collect(self) -> Iterator[Metric]:
        answers = self._backlog is not None
        yield GaugeMetricFamily(DATABASE_UP, "Whether the database answered.", value=int(answers))
        families = {
            name: GaugeMetricFamily(name, text, labels=labels) for name, (text, labels) in BACKLOG.items()
        }
        for sample in self._backlog or ():
            families[sample.name].add_metric(sample.labels, sample.value)
        yield from families.values()
