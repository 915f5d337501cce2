import hashlib
from collections.abc import Iterator, Sequence

from bindery.base.numbers import in_dollars
from bindery.domain.access.deeds import Deed, Doer
from bindery.domain.policy.binder_file import FileFlaw, in_short, line_of, read_binder_file
from bindery.domain.policy.binders import Binder
from bindery.storage.database import Reader, Tx
from bindery.storage.operations import deeds
from bindery.storage.policy import binders, carriers
from bindery.storage.policy.binders import KnownSection


async def check_binder(tx: Reader, content: bytes) -> tuple[Binder | None, list[FileFlaw]]:
    """Read a binder's file and hold it against what is on file; return what is wrong with it."""
    binder, flaws = read_binder_file(content, await carriers.on_file(tx))
    if binder is not None:
        flaws = list(_conflicts(binder, await binders.sections(tx), content))
        shares = await binders.written_shares(tx, binder.agreement)
        if shares and shares != {carrier.number: carrier.share for carrier in binder.carriers}:
            # The papers of its policies say who insures them, and for what part.
            text = "are others than when policies were written on it: give the new ones a binder of their own"
            flaws.append(FileFlaw(line_of(content, "carriers[0]"), "carriers", text))
    return binder, flaws


async def import_binder(tx: Tx, content: bytes, *, by: Doer) -> tuple[Binder | None, list[FileFlaw]]:
    """Keep a binder, or what its new file says of it; with anything wrong in the file nothing is kept."""
    await binders.lock_all(tx)
    binder, flaws = await check_binder(tx, content)
    if binder is None or flaws:
        return binder, flaws
    await binders.keep(tx, binder, sha256=hashlib.sha256(content).hexdigest())
    details = f"{binder.inception} to {binder.expiry}, {in_dollars(binder.premium_limit)}"
    await deeds.append(tx, by, Deed.BINDER_IMPORTED, binder.agreement, details=details)
    return binder, []


def _conflicts(binder: Binder, known: Sequence[KnownSection], content: bytes) -> Iterator[FileFlaw]:
    own = [section for section in known if section.agreement == binder.agreement]
    booked = max((section.premium_booked for section in own), default=0)
    if binder.premium_limit < booked:
        text = f"is below the {in_dollars(booked)} that is booked already"
        yield FileFlaw(line_of(content, "premium_limit"), "premium_limit", text)
    places = {section.name: place for place, section in enumerate(binder.sections)}
    for section in own:
        if not section.written:
            continue
        if section.name not in places:
            text = f"lacks section {section.name}, on which {section.written} transactions were written"
            yield FileFlaw(line_of(content, "sections[0]"), "sections", text)
        elif binder.sections[places[section.name]].product is not section.product:
            path = f"sections[{places[section.name]}].product"
            text = f"was {section.product} when policies were written on it"
            yield FileFlaw(line_of(content, path), path, text)
    for place, mine in enumerate(binder.sections):
        for other in known:
            both = sorted(mine.states & other.states)
            if (
                other.agreement != binder.agreement
                and other.product is mine.product
                and both
                and other.inception < binder.expiry
                and binder.inception < other.expiry
            ):
                path = f"sections[{place}].states"
                text = (
                    f"overlaps section {other.name} of binder {other.agreement}, {other.inception} to "
                    f"{other.expiry}: {in_short(both)}"
                )
                yield FileFlaw(line_of(content, path), path, text)
