"""The overview says on how many days options took longer than partners are told."""

from datetime import date, timedelta

from bindery.domain.figures import READY_WITHIN_MS, Figures
from bindery.storage.access import partners
from bindery.storage.operations import figures
from bindery.web.ops.dashboard_shown import readiness_words
from support.people import Person, text_of
from support.service import Service

DAYS = (date(2026, 11, 17), date(2026, 11, 18))


def all_within(ms: int) -> Figures:
    return Figures(readiness=tuple(int(bound == ms) * 10 for bound in (*READY_WITHIN_MS, 0)))


def test_days_over_the_forty_seconds_are_counted() -> None:
    # Spread evenly from 30 to 45 seconds nine of ten are ready within 43.5; from 20 to 30 within 29.
    slow, quick = all_within(45_000), all_within(30_000)

    assert "On 1 of 2 days it was over the 40 seconds that partners are told." in readiness_words(
        DAYS, [slow, quick]
    )
    assert "That is over the 40 seconds that partners are told." in readiness_words(DAYS[:1], [slow])
    assert "40 seconds" not in readiness_words(DAYS, [quick, quick])


async def test_the_overview_compares_partners(service: Service, operator: Person) -> None:
    async with service.runtime.database.transaction() as tx:
        quiet = await partners.add_partner(tx, "Quiet House")
        busy = service.partner.partner_id
        slow = Figures(
            submitted=7,
            referred=2,
            published=5,
            bound=1,
            premium=12_345,
            readiness=all_within(45_000).readiness,
        )
        quick = Figures(submitted=3, published=3, readiness=all_within(50).readiness)
        yesterday = tx.today - timedelta(days=1)
        await figures.keep(
            tx, yesterday, {("CYB", busy): slow, ("TEO", busy): slow, ("CYB", quiet.partner_id): quick}
        )
        await figures.keep(tx, tx.today - timedelta(days=20), {("CYB", quiet.partner_id): quick})

    month = await operator.open("/ops")
    week = text_of(await operator.open("/ops?days=7"))

    assert f"{service.partner.name} 14 4 10 2 $24,690 43.5 s Quiet House 6 0 6 0 $0 45 ms" in text_of(month)
    assert month.count('class="money late"') == 1
    assert "Quiet House 3 0 3 0 $0 45 ms" in week
