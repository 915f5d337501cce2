"""An upload whose file is lost or damaged is an alarm and a sentence, and never wrong bytes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.papers import letter
from support.people import Person, text_of
from support.service import Service
from support.uploads import processed


def damage(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def remove(file: Path) -> None:
    file.unlink()


@pytest.mark.parametrize(("harm", "event"), [(damage, "upload_damaged"), (remove, "upload_missing")])
async def test_a_lost_upload_is_unavailable_and_logged(
    service: Service,
    broker: Person,
    log_lines: Callable[[], list[dict[str, Any]]],
    harm: Callable[[Path], None],
    event: str,
) -> None:
    identifier = (await processed(service))["quote_identifier"]
    await broker.send(f"/quote/{identifier}/uploads", files={"file": ("note.pdf", letter("A note"))})
    (upload,) = (await service.ready(identifier))["uploads"]
    address = f"/quote/{identifier}/upload/{upload['document_id']}"
    sha256 = (await service.runtime.database.pool.fetchval("select sha256 from uploads")).strip()
    file = service.runtime.settings.data_dir / "files" / sha256[:2] / sha256
    assert (await broker.http.get(address)).content == file.read_bytes()
    harm(file)

    answer = await broker.http.get(address)

    assert answer.status_code == 503
    assert "it is missing or damaged, and the operator has been alerted" in text_of(answer.text)
    (line,) = [line for line in log_lines() if line["event"] in {event, "crash"}]
    assert (line["event"], line["level"]) == (event, "error")
    assert line["quote_identifier"] == identifier
    assert (line["document_id"], line["sha256"]) == (upload["document_id"], sha256)
