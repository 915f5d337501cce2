"""Ten years of a policy on the demo's clock."""

from datetime import date
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from support.binding import move_days, shown
from support.journals import check_journal
from support.service import Service

pytestmark = pytest.mark.long

DAY = date(2027, 3, 1)


async def test_ten_years_of_a_policy_are_eleven_terms_without_a_gap(
    service: Service, policy: dict[str, Any]
) -> None:

    for _ in range(10):
        await move_days(service, 365)
    await move_days(service, 10)

    rows = await service.runtime.database.pool.fetch(
        """
        select b.quote_id::text as id, b.policy_number, b.effective, b.expiration, q.premium, q.status,
               q.assessment
        from binds b join quotes q using (quote_id) order by b.effective
        """
    )
    stem = policy["policy_number"].removesuffix("00")
    assert [row["policy_number"] for row in rows] == [f"{stem}{number:02}" for number in range(11)]
    assert all(before["expiration"] == after["effective"] for before, after in pairwise(rows))
    assert (rows[0]["effective"], rows[-1]["effective"]) == (date(2027, 3, 2), date(2037, 3, 2))
    assert [row["status"] for row in rows] == ["policy_expired"] * 10 + ["policy_active"]
    for row in rows:
        assert row["premium"] == msgspec.json.decode(row["assessment"])["worksheet"]["premium"]
        check_journal(await service.journal(row["id"]))
    # A link in each direction, from the first policy to the one in force.
    here = policy["quote_identifier"]
    for following in rows[1:]:
        renewed_by = (await shown(service, here))["renewal"]["renewed_by"]
        assert renewed_by == following["id"]
        assert (await shown(service, following["id"]))["renewal"]["renews"] == here
        here = renewed_by
    kinds = await service.runtime.database.pool.fetch(
        "select kind, count(*) from mails where kind not like 'file_read%' group by 1 order by 1"
    )
    assert [tuple(row) for row in kinds] == [
        ("policy_issued", 11),
        ("policy_issued_to_insured", 11),
        ("renewal_offer", 10),
        ("renewal_offer_to_insured", 10),
        ("renewal_reminder_1", 10),
        ("renewal_reminder_2", 10),
        ("renewal_reminder_to_insured_1", 10),
        ("renewal_reminder_to_insured_2", 10),
        ("security_letter", 11),
    ]
