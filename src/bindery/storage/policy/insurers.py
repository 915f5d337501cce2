"""On whose behalf quotes are offered and policies written, as their papers name them."""

import uuid
from collections.abc import Sequence

import msgspec

from bindery.domain.documents.facts import Insurers
from bindery.domain.policy.binders import Carrier
from bindery.storage.database import Reader

_read_address = msgspec.json.Decoder(tuple[str, ...]).decode


async def of_quotes(tx: Reader, quote_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Insurers]:
    """Return the insurers of quotes; those on no binder are not in it.

    A bound policy has those of the section that it was written on, an offer those of the section that covers
    its first day now.
    """
    # The first part is apart: to plan all of these joins at once takes the database several milliseconds.
    statement = """
    with asked as materialized (
        select q.quote_id, q.product, m.state, coalesce(d.effective, m.effective) as first_day,
               t.quote_id is not null as is_booked, t.section_id
        from quotes q join submissions m using (submission_id) left join binds d using (quote_id)
        left join premium_transactions t on t.quote_id = q.quote_id and t.number = 1
        where q.quote_id = any($1)
    )
    select a.quote_id, b.claims_administrator,
           json_agg(json_build_object('name', c.name, 'number', c.number, 'address', c.address,
                                      'domicile', c.domicile, 'rating', c.rating,
                                      'share', trim_scale(k.share)::text) order by k.place)::text as carriers
    from asked a
    join binder_sections s on case when a.is_booked then s.section_id = a.section_id
        else s.product = a.product and a.state = any(s.states) end
    join binders b on b.binder_id = s.binder_id
        and (a.is_booked or b.inception <= a.first_day and a.first_day < b.expiry)
    join binder_carriers k on k.binder_id = b.binder_id join carriers c using (carrier_id)
    group by a.quote_id, b.binder_id, s.section_id
    """
    rows = await tx.connection.fetch(statement, list(quote_ids))
    return {
        row["quote_id"]: Insurers(
            claims_administrator=row["claims_administrator"],
            carriers=tuple(_carrier(carrier) for carrier in msgspec.json.decode(row["carriers"])),
        )
        for row in rows
    }


def _carrier(kept: dict[str, str]) -> Carrier:
    return msgspec.convert({**kept, "address": _read_address(kept["address"])}, Carrier, strict=False)
