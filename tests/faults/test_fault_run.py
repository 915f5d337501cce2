"""Faults of every kind under load, and everything that was acknowledged compared in the end.

`make soak` is the long version: 300 faults in half an hour.
"""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from faults.lab.caller import Counts, Waited
from faults.lab.kinds import KINDS, make_plan
from faults.lab.processes import EndedByItself
from faults.lab.proxy import proxying
from faults.lab.report import Fault, Limits, measure, misbehavior
from support.processes import without_watch
from support.source_tree import ROOT

pytestmark = pytest.mark.long

SLOW_MACHINE = "6"
OF_ONE_SERVER = [name for name, kind in KINDS.items() if not kind.mend]
"""What needs no cluster."""


def run_faults(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "faults.lab", "--patience", SLOW_MACHINE, *arguments],
        env=without_watch({**os.environ, "PYTHONPATH": f"{ROOT}/tests:{ROOT}"}),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.timeout(1500)
def test_nothing_is_lost_or_doubled_whatever_breaks() -> None:
    kinds = len(OF_ONE_SERVER)
    ended = run_faults("--minutes", "1", "--faults", str(kinds), "--seed", "1")

    assert ended.returncode == 0, ended.stdout[-6000:] + ended.stderr[-2000:]
    assert f"**All, {kinds} kinds** | **{kinds}**" in ended.stdout


@pytest.mark.timeout(1500)
def test_the_demo_stands_up_again_whatever_breaks() -> None:
    ended = run_faults(
        "--mode", "demo", "--minutes", "0.5", "--seed", "1", "--faults", "4", "--kinds",
        "kill_server", "kill_postmaster", "kill_backend", "restart_fast",
    )  # fmt: skip

    assert ended.returncode == 0, ended.stdout[-6000:] + ended.stderr[-2000:]
    assert "**All, 4 kinds** | **4**" in ended.stdout


def test_a_seed_repeats_its_plan_and_every_kind_is_in_it() -> None:
    names = list(KINDS)

    plan = make_plan(names, 300, seed=7)

    assert plan == make_plan(names, 300, seed=7)
    assert plan != make_plan(names, 300, seed=8)
    assert len(plan) == 300
    assert {step.kind for step in make_plan(names, len(names), seed=7)} == set(names)
    assert len({step.kind for step in make_plan(names, 3, seed=7)}) == 3
    assert make_plan([], 3, seed=7) == []


def test_the_longest_stretch_without_a_success_is_measured_until_the_next_fault() -> None:
    first, second = Fault("kill_worker", 0.0, 10.0), Fault("kill_worker", 20.0, 21.0)

    measure([first, second], successes=[9.0, 10.5, 12.0, 19.0, 30.0], deliveries=[], until=32.0)

    assert (first.unanswered_s, first.idle_s) == (7.0, 10.0)
    assert (second.unanswered_s, second.idle_s) == (9.0, 11.0)


def test_answers_that_are_late_or_wrong_and_processes_that_end_are_findings() -> None:
    counts = Counts(crashes=["GET /v2/quotes/1: 500"])
    counts.unavailable = [
        Waited(100.0, 2.0, "at once"),
        Waited(100.0, 2.1, "late"),
        Waited(10.0, 9.0, "frozen"),
        Waited(37.0, 2.5, "starting"),
        Waited(41.5, 2.5, "started"),
        Waited(39.0, 2.9, "struck"),
        Waited(39.0, 3.2, "struck and late"),
    ]
    counts.timed_out = [Waited(100.0, 30.0, "never")]
    faults = [
        Fault("freeze_server", 12.0, 18.0, unanswered_s=20.0, idle_s=20.0),
        Fault("kill_worker", 40.0, 41.0, unanswered_s=20.1, idle_s=20.2),
    ]

    found = [*misbehavior(faults, counts, [EndedByItself("work-1", 1, 50.0, "no database")], Limits())]

    assert [(finding.kind, finding.what) for finding in found] == [
        ("needed a person", "work-1 ended with 1: no database"),
        ("answered 500", "GET /v2/quotes/1: 500"),
        ("long without an answer", "kill_worker: 20.1 s"),
        ("long without a delivery", "kill_worker: 20.2 s"),
        ("kept waiting", "late: 2.1 s"),
        ("kept waiting", "started: 2.5 s"),
        ("kept waiting", "struck and late: 2.2 s"),
        ("kept waiting", "never: 30.0 s"),
    ]
    assert not [*misbehavior(faults, Counts(), [], Limits(patience=2))]


async def test_a_proxy_passes_on_stalls_and_cuts(tmp_path: Path) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(100):
            writer.write(data)
        writer.close()

    server = await asyncio.start_unix_server(echo, tmp_path / "socket")
    async with server, proxying(tmp_path / "socket") as proxy:
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(b"one")
        passed = await asyncio.wait_for(reader.readexactly(3), 30)

        proxy.stall()
        writer.write(b"two")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.readexactly(3), 0.2)
        proxy.resume()
        late = await asyncio.wait_for(reader.readexactly(3), 30)

        proxy.cut()
        broken = await _what_is_left(reader)
        refused, other = await asyncio.open_connection("127.0.0.1", proxy.port)
        refusal = await _what_is_left(refused)
        proxy.resume()
        for stream in (writer, other):
            stream.close()

    assert (passed, late) == (b"one", b"two")
    assert (broken, refusal) == (b"", b"")


async def _what_is_left(reader: asyncio.StreamReader) -> bytes:
    try:
        return await asyncio.wait_for(reader.read(), 30)
    except ConnectionError:
        return b""
