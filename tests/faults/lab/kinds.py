"""The kinds of faults, and what each does to the service; every fault undoes itself before it returns."""

import asyncio
import contextlib
import random
import signal
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

import psutil

from faults.lab.cluster import Cluster, can_swallow
from faults.lab.postgres import Postgres
from faults.lab.processes import Process, Processes, frozen
from faults.lab.proxy import Proxy

T = TypeVar("T")


@dataclass
class World:
    """What can be broken."""

    processes: Processes
    postgres: Postgres | Cluster
    blobs: Path
    proxy: Proxy | None = None

    def servers(self) -> list[Process]:
        return self.processes.named("serve") or self.processes.named("demo")

    def workers(self) -> list[Process]:
        return self.processes.named("work")

    @property
    def server(self) -> Postgres:
        assert isinstance(self.postgres, Postgres), "this world has one server"
        return self.postgres

    @property
    def cluster(self) -> Cluster:
        assert isinstance(self.postgres, Cluster), "this world has a cluster"
        return self.postgres


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
    """A kind of fault; `needs` says whether this world can have it.

    What does not undo itself is mended after it was measured from when on things are wrong.
    """

    title: str
    perform: Perform
    weight: int
    hold_s: tuple[float, float]
    needs: Callable[[World], bool] = lambda _: True
    stops_the_api: bool = False
    mend: Callable[[World], Awaitable[bool]] | None = None
    recovers_within_s: float = 20.0


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
    with frozen(step.choose(world.workers()).alone()):
        await asyncio.sleep(step.hold_s)


async def freeze_server(world: World, step: Step) -> None:
    """Freeze one copy, or the whole server."""
    server = step.choose(world.servers())
    copies = server.copies()
    whole = [*server.alone(), *copies]
    with frozen(copies[:1] if copies and step.draw < 0.5 else whole):
        await asyncio.sleep(step.hold_s)


def signal_backend(by: signal.Signals) -> Perform:
    async def perform(world: World, step: Step) -> None:
        if backends := world.server.backends():
            with contextlib.suppress(psutil.NoSuchProcess):
                step.choose(backends).send_signal(by)

    return perform


def restart(by: signal.Signals) -> Perform:
    async def perform(world: World, step: Step) -> None:
        await world.server.end(by)
        await asyncio.sleep(step.hold_s)
        await world.server.start()

    return perform


async def freeze_postgres(world: World, step: Step) -> None:
    with frozen(world.server.members()):
        await asyncio.sleep(step.hold_s)


async def take_blobs_away(world: World, step: Step) -> None:
    """Put a file in the place of the folder."""
    away = world.blobs.with_name(f"{world.blobs.name}.away")
    world.blobs.rename(away)
    try:
        world.blobs.touch()
        await asyncio.sleep(step.hold_s)
    finally:
        world.blobs.unlink(missing_ok=True)
        away.rename(world.blobs)


def disturb(how: Callable[[Proxy], None]) -> Perform:
    async def perform(world: World, step: Step) -> None:
        assert world.proxy is not None
        try:
            how(world.proxy)
            await asyncio.sleep(step.hold_s)
        finally:
            world.proxy.resume()

    return perform


def _has_workers(world: World) -> bool:
    return bool(world.workers())


def _has_copies(world: World) -> bool:
    return bool(world.processes.named("serve"))


async def lose_node(world: World, step: Step) -> None:
    """Lose the node that leads or, half the time, the standby without which nothing is acknowledged."""
    cluster = world.cluster
    cluster.lose(await (cluster.leader() if step.draw < 0.5 else cluster.standby()))


async def kill_leading_postmaster(world: World, _step: Step) -> None:
    world.cluster.postmaster(await world.cluster.leader()).kill()


async def switch_over(world: World, _step: Step) -> None:
    await world.cluster.switch_over()


async def kill_etcd_leader(world: World, _step: Step) -> None:
    await world.cluster.lose_etcd_leader()


async def freeze_node(world: World, step: Step) -> None:
    """Stop a whole node for longer than its lead lasts, and let it go on as if nothing had been."""
    cluster = world.cluster
    node = await (cluster.leader() if step.draw < 0.5 else cluster.standby())
    with frozen(cluster.processes(node)):
        await asyncio.sleep(step.hold_s)


async def swallow_node(world: World, step: Step) -> None:
    cluster = world.cluster
    with cluster.swallowing(await (cluster.leader() if step.draw < 0.5 else cluster.standby())):
        await asyncio.sleep(step.hold_s)


async def mend_cluster(world: World) -> bool:
    return await world.cluster.mend()


def _has_server(world: World) -> bool:
    return isinstance(world.postgres, Postgres)


def _has_cluster(world: World) -> bool:
    return isinstance(world.postgres, Cluster)


def _can_swallow(world: World) -> bool:
    return _has_cluster(world) and can_swallow()


def _has_proxy(world: World) -> bool:
    return world.proxy is not None


def _of_a_cluster(
    title: str,
    perform: Perform,
    weight: int,
    hold_s: tuple[float, float] = (0.0, 0.0),
    *,
    recovers_within_s: float = 20.0,
) -> Kind:
    return Kind(
        title, perform, weight, hold_s, _has_cluster, mend=mend_cluster, recovers_within_s=recovers_within_s
    )


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
    "kill_backend": Kind(
        "kill -9 of a PostgreSQL backend", signal_backend(signal.SIGKILL), 5, (0.0, 0.0), _has_server
    ),
    "end_backend": Kind(
        "PostgreSQL ends one connection", signal_backend(signal.SIGTERM), 4, (0.0, 0.0), _has_server
    ),
    "kill_postmaster": Kind("kill -9 of the postmaster", restart(signal.SIGKILL), 3, (0.0, 2.0), _has_server),
    "restart_fast": Kind("fast restart of PostgreSQL", restart(signal.SIGINT), 3, (0.0, 2.0), _has_server),
    "restart_immediately": Kind(
        "immediate restart of PostgreSQL", restart(signal.SIGQUIT), 3, (0.0, 2.0), _has_server
    ),
    "freeze_postgres": Kind("SIGSTOP of PostgreSQL", freeze_postgres, 2, (3.0, 6.0), _has_server),
    "take_blobs_away": Kind("file store away", take_blobs_away, 3, (2.0, 5.0)),
    "cut_connections": Kind("connections to PostgreSQL cut", disturb(Proxy.cut), 4, (0.0, 3.0), _has_proxy),
    "stall_connections": Kind(
        "connections to PostgreSQL stalled", disturb(Proxy.stall), 2, (3.0, 6.0), _has_proxy
    ),
    "lose_node": _of_a_cluster("a node of the cluster lost", lose_node, 20, recovers_within_s=30.0),
    "kill_leading_postmaster": _of_a_cluster("kill -9 of the leading postmaster", kill_leading_postmaster, 5),
    "switch_over": _of_a_cluster("switchover", switch_over, 5),
    "kill_etcd_leader": _of_a_cluster("kill -9 of the quorum's leader", kill_etcd_leader, 5),
    "freeze_node": _of_a_cluster("SIGSTOP of a whole node", freeze_node, 1, (22.0, 26.0)),
    "swallow_node": replace(
        _of_a_cluster("packets of a node swallowed", swallow_node, 1, (20.0, 20.0)), needs=_can_swallow
    ),
}


def kinds_for(world: World) -> list[str]:
    """Return the kinds that this world can have."""
    return [name for name, kind in KINDS.items() if kind.needs(world)]


def make_plan(names: Sequence[str], count: int, seed: int) -> list[Step]:
    """Plan each kind as often as its weight says, once where there is room; a seed repeats a plan."""
    if not names:
        return []
    chance = random.Random(seed)
    each_once = chance.sample(names, min(len(names), count))
    weights = [KINDS[name].weight for name in names]
    rest = count - len(each_once)
    shares = [
        name
        for name, weight in zip(names, weights, strict=True)
        for _ in range(weight * rest // sum(weights))
    ]
    drawn = [*each_once, *shares, *chance.choices(names, weights, k=rest - len(shares))]
    chance.shuffle(drawn)
    return [
        Step(name, chance.uniform(*KINDS[name].hold_s), chance.uniform(1.0, 2.0), chance.random())
        for name in drawn
    ]
