"""What documents show in addition to a submission: the broker by name, and since when a finding is known."""

from datetime import date
from typing import Any

from bindery.contract.documents import DocumentType as D
from bindery.domain.access.users import Role
from bindery.storage.access import partners
from documents.reading import text_of
from support.binding import quoted, set_day
from support.people import sign_in_as
from support.service import BROKER, Service, request_body


async def read(service: Service, kind: D, quote: dict[str, Any]) -> str:
    answer = await service.get(f"/v2/quotes/{kind}/{quote['quote_identifier']}")
    assert answer.status_code == 200, answer.text
    return text_of(answer.content)


async def test_a_later_paper_names_the_broker_and_the_day_on_which_a_finding_was_first_seen(
    service: Service,
) -> None:
    def weak(body: dict[str, Any]) -> None:
        body["client"]["domains"] = ["weak.example.com"]

    await set_day(service, date(2026, 11, 2))
    first, *_ = await quoted(service, request_body(weak))
    letter, report = [await read(service, kind, first) for kind in (D.QUOTE_LETTER, D.SECURITY_REPORT)]
    async with await sign_in_as(service, Role.BROKER, email=BROKER):
        await set_day(service, date(2026, 12, 1))
        async with service.runtime.database.transaction() as tx:
            await partners.add_broker(tx, service.partner, BROKER, firm="Harbor Row Insurance Brokers")
        body = request_body(weak)
        body["client"]["company_id"] = first["company_id"]
        second, *_ = await quoted(service, body)

    later_letter, later_report = [
        await read(service, kind, second) for kind in (D.QUOTE_LETTER, D.SECURITY_REPORT)
    ]

    assert f"Your broker is {BROKER}." in letter
    assert f"Your broker is Pat Broker, Harbor Row Insurance Brokers, {BROKER}." in later_letter
    assert "Scanned November 2, 2026" in report
    assert "Scanned December 1, 2026" in later_report
    assert report.count("first seen November 2, 2026") > 0
    assert later_report.count("first seen November 2, 2026") == report.count("first seen November 2, 2026")
    assert "first seen December 1, 2026" not in later_report


async def test_another_partners_account_does_not_name_a_broker(service: Service) -> None:
    other = await service.new_partner("another", "elsewhere@example.com")
    async with await sign_in_as(other, Role.BROKER, email=BROKER):
        quote, *_ = await quoted(service)

    assert f"Your broker is {BROKER}." in await read(service, D.QUOTE_LETTER, quote)
