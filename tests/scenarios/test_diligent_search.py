"""A diligent search: owed before the bind where it is switched on, and closed as other contingencies are."""

from pathlib import Path

from support.binding import bind, decide, one_quoted, shown
from support.service import serving


async def test_a_bind_without_the_record_of_the_search_waits_for_an_underwriter(
    dsn: str, tmp_path: Path
) -> None:
    async with serving(dsn, tmp_path, diligent_search=True) as service:
        quote = await one_quoted(service)
        (search,) = [row for row in quote["contingencies"] if "diligent search" in row["text"]]
        requested = await bind(service, quote)
        await decide(
            service,
            quote,
            "close_contingency",
            contingency_id=search["contingency_id"],
            closed_as="fulfilled",
        )
        after = await shown(service, quote["quote_identifier"])

    assert (search["type"], search["status"]) == ("pre_bind", "open")
    assert "3 insurers that declined, each with its name, the date, the reason, and who" in search["text"]
    assert requested["quote_status"] == "quote_bind_requested"
    (closed,) = [row for row in after["contingencies"] if row["contingency_id"] == search["contingency_id"]]
    assert (closed["status"], closed["closed_as"]) == ("closed", "fulfilled")
