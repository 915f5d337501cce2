"""The demo plays the applicant who signs: the application comes back filled in."""

import uuid

from support.binding import one_quoted
from support.service import Service


async def test_the_demo_signs_the_application_of_a_quote(service: Service) -> None:
    quote = await one_quoted(service)

    signed = await service.get(f"/v2/demo/quotes/{quote['quote_identifier']}/signed_application")
    unknown = await service.get(f"/v2/demo/quotes/{uuid.uuid4()}/signed_application")

    assert (signed.status_code, signed.headers["content-type"]) == (200, "application/pdf")
    assert signed.content.startswith(b"%PDF-")
    assert unknown.status_code == 404
