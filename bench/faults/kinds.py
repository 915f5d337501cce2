"""The kinds of faults, and what each does to the service; every fault undoes itself before it returns."""

import asyncio
import contextlib
import random
import signal
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import psutil

from bench.faults.postgres import Postgres, SmallDisk
from bench.faults.processes import Process, Processes
from bench.faults.proxy import Proxy

T = TypeVar("T")


@dataclass
class World:
    """What can be broken."""

    processes: Processes
    postgres: Postgres
    blobs: Path
    proxy: Proxy | None = None
    disk: SmallDisk | None = None

    def servers(self) -> list[Process]:
        return self.processes.named("serve") or self.processes.named("demo")

    def workers(self) -> list[Process]:
        return self.processes.named("work")


@dataclass(frozen=True)
class Step:
    """One fault of a plan: what, for how long, the rest before it, and a draw that chooses the victim."""

    kind: str
    hold_s: float
    rest_s: float
    draw: float

    def choose(self, among: Sequence[T]) -> T:
        return among[int(self.draw * len(among))]


Perform = Callable[[World, Step], Awaitable[None]]


@dataclass(frozen=True)
class Kind:
    """A kind of fault; `needs` says whether this world can have it."""

    title: str
    perform: Perform
    weight: int
    hold_s: tuple[float, float]
    needs: Callable[[World], bool] = lambda _: True
    stops_the_api: bool = False


async def kill_worker(world: World, step: Step) -> None:
    await _kill(world, step.choose(world.workers()), step)


async def kill_server(world: World, step: Step) -> None:
    await _kill(world, step.choose(world.servers()), step)


async def _kill(world: World, process: Process, step: Step) -> None:
    await world.processes.kill(process)
    await asyncio.sleep(step.hold_s)
    process.start()


async def kill_copy(world: World, step: Step) -> None:
    copies = world.servers()[0].copies()
    if copies:
        with contextlib.suppress(psutil.NoSuchProcess):
            step.choose(copies).kill()


async def freeze_worker(world: World, step: Step) -> None:
    with world.processes.frozen(step.choose(world.workers()).alone()):
        await asyncio.sleep(step.hold_s)


async def freeze_server(world: World, step: Step) -> None:
    """Freeze one copy, or the whole server."""
    server = step.choose(world.servers())
    copies = server.copies()
    whole = [*server.alone(), *copies]
    with world.processes.frozen(copies[:1] if copies and step.draw < 0.5 else whole):
        await asyncio.sleep(step.hold_s)


async def kill_backend(world: World, step: Step) -> None:
    _signal_backend(world, step, signal.SIGKILL)


async def end_backend(world: World, step: Step) -> None:
    _signal_backend(world, step, signal.SIGTERM)


def _signal_backend(world: World, step: Step, by: signal.Signals) -> None:
    backends = world.postgres.backends()
    if backends:
        with contextlib.suppress(psutil.NoSuchProcess):
            step.choose(backends).send_signal(by)


async def kill_postmaster(world: World, step: Step) -> None:
    await _restart(world, step, signal.SIGKILL)


async def restart_fast(world: World, step: Step) -> None:
    await _restart(world, step, signal.SIGINT)


async def restart_immediately(world: World, step: Step) -> None:
    await _restart(world, step, signal.SIGQUIT)


async def _restart(world: World, step: Step, by: signal.Signals) -> None:
    await world.postgres.end(by)
    await asyncio.sleep(step.hold_s)
    await world.postgres.start()


async def freeze_postgres(world: World, step: Step) -> None:
    with world.postgres.frozen():
        await asyncio.sleep(step.hold_s)


async def fill_disk(world: World, step: Step) -> None:
    """Leave PostgreSQL no room; should that end it, it is started once there is room again."""
    assert world.disk is not None
    try:
        await asyncio.to_thread(world.disk.fill)
        await asyncio.sleep(step.hold_s)
    finally:
        world.disk.free()
    await world.postgres.start()


async def take_blobs_away(world: World, step: Step) -> None:
    with _replaced_by_a_file(world.blobs):
        await asyncio.sleep(step.hold_s)


@contextlib.contextmanager
def _replaced_by_a_file(folder: Path) -> Iterator[None]:
    away = folder.with_name(f"{folder.name}.away")
    folder.rename(away)
    try:
        folder.touch()
        yield
    finally:
        folder.unlink(missing_ok=True)
        away.rename(folder)


async def cut_connections(world: World, step: Step) -> None:
    assert world.proxy is not None
    try:
        world.proxy.cut()
        await asyncio.sleep(step.hold_s)
    finally:
        world.proxy.resume()


async def stall_connections(world: World, step: Step) -> None:
    assert world.proxy is not None
    try:
        world.proxy.stall()
        await asyncio.sleep(step.hold_s)
    finally:
        world.proxy.resume()


def _has_workers(world: World) -> bool:
    return bool(world.workers())


def _has_copies(world: World) -> bool:
    return bool(world.processes.named("serve"))


def _has_proxy(world: World) -> bool:
    return world.proxy is not None


def _has_small_disk(world: World) -> bool:
    return world.disk is not None


# A worker that is silent for four seconds is taken for dead, so it is frozen for longer than that.
KINDS: Final[dict[str, Kind]] = {
    "kill_worker": Kind("kill -9 of a worker", kill_worker, 6, (0.0, 1.0), _has_workers),
    "kill_server": Kind(
        "kill -9 of the API's parent, or of the demo", kill_server, 3, (0.0, 1.0), stops_the_api=True
    ),
    "kill_copy": Kind(
        "kill -9 of a process of the API", kill_copy, 5, (0.0, 0.0), _has_copies, stops_the_api=True
    ),
    "freeze_worker": Kind("SIGSTOP of a worker", freeze_worker, 3, (5.0, 7.0), _has_workers),
    "freeze_server": Kind(
        "SIGSTOP of the API, or of the demo", freeze_server, 2, (5.0, 7.0), stops_the_api=True
    ),
    "kill_backend": Kind("kill -9 of a PostgreSQL backend", kill_backend, 5, (0.0, 0.0)),
    "end_backend": Kind("PostgreSQL ends one connection", end_backend, 4, (0.0, 0.0)),
    "kill_postmaster": Kind("kill -9 of the postmaster", kill_postmaster, 3, (0.0, 2.0)),
    "restart_fast": Kind("fast restart of PostgreSQL", restart_fast, 3, (0.0, 2.0)),
    "restart_immediately": Kind("immediate restart of PostgreSQL", restart_immediately, 3, (0.0, 2.0)),
    "freeze_postgres": Kind("SIGSTOP of PostgreSQL", freeze_postgres, 2, (3.0, 6.0)),
    "fill_disk": Kind("full disk under PostgreSQL", fill_disk, 2, (2.0, 4.0), _has_small_disk),
    "take_blobs_away": Kind("file store away", take_blobs_away, 3, (2.0, 5.0)),
    "cut_connections": Kind("connections to PostgreSQL cut", cut_connections, 4, (0.0, 3.0), _has_proxy),
    "stall_connections": Kind(
        "connections to PostgreSQL stalled", stall_connections, 2, (3.0, 6.0), _has_proxy
    ),
}


def kinds_for(world: World) -> list[str]:
    """Return the kinds that this world can have."""
    return [name for name, kind in KINDS.items() if kind.needs(world)]


def make_plan(names: Sequence[str], count: int, seed: int) -> list[Step]:
    """Draw faults by their weights, each kind at least once where there is room; a seed repeats a plan."""
    if not names:
        return []
    chance = random.Random(seed)
    each_once = chance.sample(names, min(len(names), count))
    weights = [KINDS[name].weight for name in names]
    drawn = [*each_once, *chance.choices(names, weights, k=count - len(each_once))]
    chance.shuffle(drawn)
    return [
        Step(name, chance.uniform(*KINDS[name].hold_s), chance.uniform(1.0, 2.0), chance.random())
        for name in drawn
    ]
