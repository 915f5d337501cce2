"""The bordereaux page: what was made and sent of each month, what is late, and the files."""

from pathlib import Path

from bindery.domain.bordereaux.bordereau import BordereauFormat
from scenarios.test_bordereaux import binder_with_pin, canceled, first_month, make, of, this_month
from support.binding import move_days
from support.book import binder_file, import_file, issued
from support.people import Person, text_of
from support.service import Service


async def test_months_are_made_sent_and_late_in_words_and_files_come_as_they_were_kept(
    service: Service, operator: Person, tmp_path: Path
) -> None:
    empty = text_of(await operator.open("/ops/bordereaux"))
    await import_file(service, binder_with_pin())
    await canceled(service)
    month = await first_month(service)
    late = text_of(await operator.open("/ops/bordereaux"))
    made = await make(service, tmp_path, month)
    page = await operator.open("/ops/bordereaux")
    files = {
        kind: await operator.http.get(f"/ops/bordereaux/1/{kind}")
        for kind in (*BordereauFormat, "csv.exe", "none")
    }

    first = text_of(await operator.send("/ops/bordereaux/1/sent"))
    second = text_of(await operator.send("/ops/bordereaux/1/sent"))
    sent = text_of(await operator.open("/ops/bordereaux"))
    none = text_of(await operator.send("/ops/bordereaux/9/sent", status=404))

    assert "There is no binder, and so nobody to report to." in empty
    assert "Not made" in late
    assert "The month is not over" in late
    assert "bindery bordereau make --binder SAMPLE-2027 --month" in late
    assert "crs-5.2-us, made " in text_of(page)
    assert "by somebody" in text_of(page)
    assert "Mark as sent" in text_of(page)
    for kind in BordereauFormat:
        path = of(made, kind)
        assert files[kind].content == path.read_bytes()
        assert files[kind].headers["content-disposition"] == f'attachment; filename="{path.name}"'
    assert files["csv.exe"].status_code == files["none"].status_code == 404
    assert f"SAMPLE-2027 {month} premium is noted as sent." in first
    assert f"SAMPLE-2027 {month} premium was noted as sent on " in second
    assert "nothing was changed" in second
    assert "Mark as sent" not in sent
    assert "Sent" in sent
    assert "There is no such bordereau." in none
    kept = await service.runtime.database.pool.fetch("select kind from deeds where kind = 'bordereau_sent'")
    assert len(kept) == 1
    row = await service.runtime.database.pool.fetchrow("select sent_by, sent_on from bordereaux")
    assert row is not None
    assert row["sent_on"] == await service.runtime.database.today()
    assert row["sent_by"] in sent


async def test_exceptions_and_their_reason_are_said_and_a_month_is_late_by_days(
    service: Service, operator: Person, tmp_path: Path
) -> None:
    await import_file(service, binder_file(inception="2020-01-01", expiry="2099-01-01"))
    await issued(service)
    month = await this_month(service)
    await move_days(service, 75)
    late = text_of(await operator.open("/ops/bordereaux"))

    await make(service, tmp_path, month, because="The PIN is applied for.")
    page = text_of(await operator.open("/ops/bordereaux"))

    assert "Not made: " in late
    assert " days late" in late
    assert "; 1 exception: The PIN is applied for." in page
    assert "Exceptions" in page
    assert "Made, not sent: " in page


async def test_only_operators_see_bordereaux(underwriter: Person, broker: Person) -> None:
    for person in (underwriter, broker):
        for path in ("/ops/bordereaux", "/ops/bordereaux/1/csv"):
            assert (await person.http.get(path)).status_code in {403, 404}
