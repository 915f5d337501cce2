"""What a file costs to read grows with its size and no faster, and never beyond the limit."""

import resource

import pytest

from bindery.domain.documents.application_matching import PaperReading
from bindery.domain.documents.file_types import PaperType
from bindery.outside.upload_reader.child import CPU_SECONDS
from bindery.outside.upload_reader.reader import TIMEOUT_S, UploadReader
from support.hostile_papers import BOMBS, GROWING
from support.papers import letter, read_paper

pytestmark = pytest.mark.long

PATIENT = UploadReader(timeout_s=120)
"""On a busy machine a second of processor time may take many; what is measured is processor time."""


async def cost_of(content: bytes, kind: PaperType) -> tuple[float, PaperReading]:
    """Return the processor seconds that reading a file took, and the reading."""
    before = _spent_by_children()
    reading = await read_paper(PATIENT, content, kind)
    return _spent_by_children() - before, reading


def _spent_by_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.long
@pytest.mark.parametrize("name", GROWING)
async def test_twice_the_size_costs_twice_as_much(name: str) -> None:
    make, kind, size = GROWING[name]

    cost, once = await cost_of(make(size), kind)
    double_cost, twice = await cost_of(make(2 * size), kind)

    # Where the cost is a square of the size, both end at the limit; the half second is for a busy machine.
    assert "too long" not in once.flaw + twice.flaw
    assert double_cost < 2.6 * cost + 0.5


HEAVIEST = {"a page without end", "23 MB of parts"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long) if name in HEAVIEST else name for name in BOMBS]
)
async def test_no_file_costs_more_than_the_limit(name: str) -> None:
    make, kind = BOMBS[name]

    cost, reading = await cost_of(make(), kind)

    assert cost < CPU_SECONDS + 2
    assert 5 * CPU_SECONDS <= TIMEOUT_S, "a busy machine would make honest files look hostile"
    assert not reading.damaged
    assert len(reading.text) <= 400_000
    assert (await read_paper(PATIENT, letter("The next one"), PaperType.PDF)).text == "The next one"
