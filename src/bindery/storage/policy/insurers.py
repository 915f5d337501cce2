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
    statement = """
    select q.quote_id, b.claims_administrator,
           json_agg(json_build_object('name', c.name, 'number', c.number, 'address', c.address,
                                      'domicile', c.domicile, 'rating', c.rating,
                                      'share', trim_scale(k.share)::text) order by k.place)::text as carriers
    from quotes q join submissions m using (submission_id) left join binds d using (quote_id)
    left join premium_transactions t on t.quote_id = q.quote_id and t.number = 1
    join binder_sections s on case when t.quote_id is not null then s.section_id = t.section_id
        else s.product = q.product and m.state = any(s.states) end
    cross join lateral (select coalesce(d.effective, m.effective) as day) first
    join binders b on b.binder_id = s.binder_id
        and (t.quote_id is not null or b.inception <= first.day and first.day < b.expiry)
    join binder_carriers k on k.binder_id = b.binder_id join carriers c using (carrier_id)
    where q.quote_id = any($1) group by q.quote_id, b.binder_id, s.section_id
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
