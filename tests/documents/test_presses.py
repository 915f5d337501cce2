import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
import uvloop

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import MissingFacts
from bindery.documents.press_child import HEADER, REQUEST
from bindery.documents.presses import Presses, PressFailed
from bindery.documents.seal import verify_seal
from bindery.domain.documents.seal import StampRefused
from documents.reading import plain_document, plain_facts
from support.seals import AT, StampServer, key_of
from support.waiting import A_LONG_TIME_S, eventually

D = DocumentType
P = InsuranceProduct
TESTS: Final = Path(__file__).parent.parent
LETTER: Final = (D.QUOTE_LETTER, plain_facts(D.QUOTE_LETTER, P.CYB))

A_PARENT: Final = """
import asyncio, time
from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents.presses import Presses
from documents.reading import plain_facts

async def main():
    presses = Presses(2)
    facts = plain_facts(DocumentType.QUOTE_LETTER, InsuranceProduct.CYB)
    await asyncio.gather(*(presses.typeset(DocumentType.QUOTE_LETTER, facts) for _ in range(4)))
    print(*presses.pids, flush=True)
    time.sleep(600)

asyncio.run(main())
"""


@pytest.mark.long
def test_a_press_whose_parent_has_gone_ends_without_a_word() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", "from bindery.documents.press_child import main; main()", "0"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    with child, child.stdin, child.stderr:
        child.stdout.close()
        # What it cannot read it answers at once, and nobody is there to read that.
        child.stdin.write(HEADER.pack(REQUEST, 1) + b"x")
        child.stdin.flush()

        assert child.wait(A_LONG_TIME_S) == 0
        assert child.stderr.read() == b""


def is_there(pid: int) -> bool:
    """Whether a process is there, even if only as a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def is_at_work(pid: int) -> bool:
    """Whether a process is there and not a zombie, for processes whose parent is not this one."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def open_files(pid: int) -> list[Path]:
    return [file.readlink() for file in Path(f"/proc/{pid}/fd").iterdir()]


@contextlib.asynccontextmanager
async def opened(count: int = 1, **options: Any) -> AsyncIterator[Presses]:
    """Presses that are gone without a trace when the block ends."""
    async with Presses(count, **options) as presses:
        yield presses
        pids = presses.pids
    assert presses.pids == []
    assert not any(is_there(pid) for pid in pids)


@pytest.fixture
def stopped() -> Iterator[Callable[[int], None]]:
    """Makes a process hang, as one that computes forever would."""
    pids: list[int] = []

    def stop(pid: int) -> None:
        os.kill(pid, signal.SIGSTOP)
        pids.append(pid)

    yield stop
    assert not any(is_there(pid) for pid in pids)


@pytest.mark.parametrize(
    "kinds",
    [
        pytest.param((D.QUOTE_LETTER, D.APPLICATION, D.BINDER), id="a few"),
        pytest.param(tuple(D), id="every", marks=pytest.mark.long),
    ],
)
async def test_presses_make_the_same_bytes_as_this_process_of_several_kinds_at_once(
    kinds: tuple[D, ...],
) -> None:
    async with opened(2) as presses:
        made = await asyncio.gather(*(presses.typeset(kind, plain_facts(kind, P.TEO)) for kind in kinds))

        assert len(presses.pids) == 2

    assert made == [plain_document(kind, P.TEO) for kind in kinds]


async def test_a_press_seals_and_stamps_and_says_what_is_wrong_with_a_stamp() -> None:
    async with opened(1) as presses:
        sealed = await presses.seal(
            plain_document(D.QUOTE_LETTER, P.CYB), key_of(), at=AT, room_for_stamp=True
        )
        request = await presses.stamp_request(sealed)
        with pytest.raises(StampRefused, match="Insufficient data"):
            await presses.stamp(sealed, request, b"no stamp")
        with pytest.raises(PressFailed, match="PdfReadError"):
            await presses.seal(b"no PDF", key_of(), at=AT)
        stamped = await presses.stamp(sealed, request, StampServer().answer(request))

        assert len(presses.pids) == 1

    report = verify_seal(stamped, key_of().certificates)
    assert report.flaws == ()
    assert report.stamp is not None


async def test_without_presses_papers_are_made_in_this_process() -> None:
    async with opened(0) as presses:
        made = await presses.typeset(*LETTER)

        assert presses.pids == []

    assert made == plain_document(D.QUOTE_LETTER, P.CYB)


async def test_presses_start_when_they_are_needed_and_no_more_than_are_needed() -> None:
    async with opened(2) as presses:
        before = presses.pids
        await presses.typeset(*LETTER)
        first = presses.pids
        await presses.typeset(*LETTER)

        assert before == []
        assert len(first) == 1
        assert presses.pids == first


async def test_papers_are_made_in_the_order_in_which_they_were_asked_for() -> None:
    done: list[int] = []

    async def ask(number: int, presses: Presses) -> None:
        await presses.typeset(*LETTER)
        done.append(number)

    async with opened(1) as presses:
        await asyncio.gather(*(ask(number, presses) for number in range(8)))

    assert done == list(range(8))


async def test_missing_facts_are_told_as_in_this_process_and_the_press_stays() -> None:
    async with opened() as presses:
        with pytest.raises(MissingFacts, match="is not bound"):
            await presses.typeset(D.BINDER, plain_facts(D.QUOTE_LETTER, P.CYB))
        pids = presses.pids
        made = await presses.typeset(*LETTER)

        assert presses.pids == pids

    assert made == plain_document(D.QUOTE_LETTER, P.CYB)


async def test_a_bug_is_told_with_its_trace_and_the_press_stays() -> None:
    kind, facts = LETTER
    broken = replace(facts, insured=None)  # type: ignore[arg-type] # that is the bug

    async with opened() as presses:
        with pytest.raises(PressFailed, match=r"AttributeError: 'NoneType' object has no attribute"):
            await presses.typeset(kind, broken)
        pids = presses.pids
        made = await presses.typeset(kind, facts)

        assert presses.pids == pids

    assert made == plain_document(D.QUOTE_LETTER, P.CYB)


async def test_a_press_that_is_killed_at_work_is_replaced_and_the_paper_comes(
    log_lines: Callable[[], list[dict[str, Any]]],
) -> None:
    async with opened() as presses:
        paper = asyncio.create_task(presses.typeset(*LETTER))
        (pid,) = await eventually(lambda: presses.pids)
        os.kill(pid, signal.SIGKILL)

        assert await paper == plain_document(D.QUOTE_LETTER, P.CYB)
        assert len(presses.pids) == 1
        assert presses.pids != [pid]
        assert not is_there(pid)

    told = [(line["level"], line["why"], line["document"]) for line in log_lines() if "why" in line]
    assert told == [("warning", "ended", "quote_letter")]


@pytest.mark.long
async def test_a_press_that_is_killed_while_idle_leaves_no_zombie_and_nobody_notices(
    log_lines: Callable[[], list[dict[str, Any]]],
) -> None:
    async with opened() as presses:
        await presses.typeset(*LETTER)
        (pid,) = presses.pids
        os.kill(pid, signal.SIGKILL)
        await eventually(lambda: not is_there(pid))

        assert presses.pids == []
        assert await presses.typeset(*LETTER) == plain_document(D.QUOTE_LETTER, P.CYB)

    assert log_lines() == []


@pytest.mark.long
async def test_a_press_that_hangs_is_ended_at_its_limit_and_the_paper_comes(
    log_lines: Callable[[], list[dict[str, Any]]], stopped: Callable[[int], None]
) -> None:
    # The limit holds for the replacement too, which has to start within it.
    async with opened(time_limit_s=12) as presses:
        await presses.typeset(*LETTER)
        (pid,) = presses.pids
        stopped(pid)

        assert await presses.typeset(*LETTER) == plain_document(D.QUOTE_LETTER, P.CYB)
        assert len(presses.pids) == 1
        assert presses.pids != [pid]

    assert [line["why"] for line in log_lines()] == ["hung"]


async def test_a_paper_that_two_presses_are_lost_over_fails() -> None:
    async with opened(time_limit_s=0.01) as presses:
        with pytest.raises(PressFailed, match="No press could make a quote_letter"):
            await presses.typeset(*LETTER)

        await eventually(lambda: presses.pids == [])


@pytest.mark.long
async def test_a_caller_who_no_longer_waits_makes_room_for_others() -> None:
    async with opened() as presses:
        await presses.typeset(*LETTER)
        impatient = asyncio.create_task(presses.typeset(D.POLICY, plain_facts(D.POLICY, P.CYB)))
        queued = asyncio.create_task(presses.typeset(*LETTER))
        await asyncio.sleep(0)
        patient = asyncio.create_task(presses.typeset(*LETTER))
        impatient.cancel()
        queued.cancel()

        assert await patient == plain_document(D.QUOTE_LETTER, P.CYB)
        assert impatient.cancelled()
        assert queued.cancelled()


@pytest.mark.long
async def test_a_press_with_nothing_to_do_ends() -> None:
    async with opened(idle_s=0.05) as presses:
        await presses.typeset(*LETTER)

        await eventually(lambda: presses.pids == [])

        assert await presses.typeset(*LETTER) == plain_document(D.QUOTE_LETTER, P.CYB)


async def test_closing_breaks_off_what_is_being_made() -> None:
    async with opened() as presses:
        paper = asyncio.create_task(presses.typeset(*LETTER))
        await eventually(lambda: presses.pids)

    with pytest.raises(PressFailed, match="closed"):
        await paper
    with pytest.raises(PressFailed, match="closed"):
        await presses.typeset(*LETTER)


@pytest.mark.long
async def test_a_press_does_not_end_when_the_whole_service_is_told_to_stop() -> None:
    async with opened() as presses:
        await presses.typeset(*LETTER)
        pids = presses.pids
        for told in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            os.kill(pids[0], told)

        assert await presses.typeset(*LETTER) == plain_document(D.QUOTE_LETTER, P.CYB)
        assert presses.pids == pids


@pytest.mark.long
async def test_presses_of_a_worker_step_back() -> None:
    async with opened(niceness=5) as presses:
        await presses.typeset(*LETTER)

        assert os.getpriority(os.PRIO_PROCESS, presses.pids[0]) == os.getpriority(os.PRIO_PROCESS, 0) + 5


@pytest.mark.long
@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_press_holds_nothing_open_of_the_service(
    new_loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    async def see_what_is_open() -> tuple[bytes, list[Path]]:
        async with opened() as presses:
            made = await presses.typeset(*LETTER)
            return made, open_files(presses.pids[0])

    with socket.create_server(("127.0.0.1", 0)) as listening, asyncio.Runner(loop_factory=new_loop) as runner:
        # Processes of `serve` share one socket, which is open to children.
        listening.set_inheritable(True)
        made, held = runner.run(see_what_is_open())
        ours = Path(f"/proc/self/fd/{listening.fileno()}").readlink()

    assert made == plain_document(D.QUOTE_LETTER, P.CYB)
    assert ours not in held
    # Standard input, output and error, and the copy of standard output that answers go to.
    assert len(held) == 4


@pytest.mark.long
async def test_presses_end_when_their_parent_is_killed() -> None:
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", A_PARENT, env={"PYTHONPATH": str(TESTS)}, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    async with asyncio.timeout(A_LONG_TIME_S):
        pids = [int(pid) for pid in (await parent.stdout.readline()).split()]
    working = [is_at_work(pid) for pid in pids]

    parent.kill()
    await parent.wait()

    assert working == [True, True]
    await eventually(lambda: not any(is_at_work(pid) for pid in pids))
