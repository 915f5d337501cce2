"""Carriers: the insurers that binders name."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import msgspec

from bindery.domain.policy.binders import CarrierOnFile
from bindery.storage.database import Reader, Tx

_read_address = msgspec.json.Decoder(tuple[str, ...]).decode


async def on_file(tx: Reader) -> list[CarrierOnFile]:
    statement = "select number, name, address, domicile, rating from carriers order by name, number"
    return [
        CarrierOnFile(**{**row, "address": _read_address(row["address"])})
        for row in await tx.connection.fetch(statement)
    ]


async def add(tx: Tx, carrier: CarrierOnFile) -> bool:
    """Keep a carrier; return whether its number was free."""
    return bool(
        await tx.execute(
            "insert into carriers (number, name, address, domicile, rating) values ($1, $2, $3, $4, $5) "
            "on conflict (number) do nothing",
            carrier.number,
            carrier.name,
            msgspec.json.encode(carrier.address).decode(),
            carrier.domicile,
            carrier.rating,
        )
    )


async def name_of(tx: Reader, number: str) -> str:
    return await tx.value(str, "select name from carriers where number = $1", number)


@dataclass(frozen=True, slots=True, kw_only=True)
class CarrierOnBinder:
    number: str
    agreement: str
    share: Decimal
    inception: date
    expiry: date


async def on_binders(tx: Reader) -> list[CarrierOnBinder]:
    """Return which carriers are on which binders, the newest binder first."""
    statement = """
    select c.number, b.agreement, trim_scale(k.share) as share, b.inception, b.expiry
    from binder_carriers k join carriers c using (carrier_id) join binders b using (binder_id)
    order by b.inception desc, b.agreement, k.place
    """
    return await tx.rows(CarrierOnBinder, statement)
