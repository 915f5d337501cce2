from collections.abc import Mapping

from bindery.domain.access.deeds import Deed, Doer
from bindery.domain.policy.binder_file import FileFlaw, read_carrier
from bindery.domain.policy.binders import CarrierOnFile
from bindery.storage.database import Tx
from bindery.storage.operations import deeds
from bindery.storage.policy import carriers


async def add_carrier(
    tx: Tx, given: Mapping[str, object], *, by: Doer
) -> tuple[CarrierOnFile | None, list[FileFlaw]]:
    """Keep a carrier, or return everything that is wrong with it; then nothing is kept."""
    carrier, flaws = read_carrier(given)
    if carrier is None:
        return None, flaws
    if not await carriers.add(tx, carrier):
        other = await carriers.name_of(tx, carrier.number)
        text = f"{carrier.number} is that of {other}, which is on file already"
        return None, [FileFlaw(1, "number", text)]
    await deeds.append(tx, by, Deed.CARRIER_ADDED, carrier.number, details=carrier.name)
    return carrier, []
