"""A client with a browser and a link, as a broker sends it."""

import re
import uuid
from typing import Any

from bindery.actions.signing.send_link import LinkAsk, SentLink, send_link
from bindery.domain.access.caller import Caller
from bindery.domain.messages.signing_mails import LinkAbout
from bindery.domain.signing.client_link import LinkPurpose
from support.people import ORIGIN, Person, fields_of, new_browser
from support.service import Service

EMAIL = "ann@harborlight.example"
STATED: dict[str, Any] = {
    "name": "Ann Example",
    "title": "President",
    "is_authorized": "yes",
    "has_consented": "yes",
    "acknowledged": "yes",
}
"""What somebody types and ticks who signs."""


class Client(Person):
    """Somebody who has nothing but a link."""

    def __init__(self, service: Service, link: SentLink, *, address: str = "203.0.113.7") -> None:
        super().__init__(new_browser(service, address=address), EMAIL, origin=ORIGIN)
        self.http.headers["user-agent"] = "Mozilla/5.0 (tests)"
        self.token = link.url.rpartition("/")[2]
        self.path = f"/s/{self.token}"

    async def fill(self, page: str, action: str, *, status: int = 200, **fields: Any) -> str:
        """Send the form of a page that goes to an address, with what somebody changed in it."""
        path = f"{self.path}/{action}"
        return await self.send(path, status=status, **{**fields_of(page, path), **fields})

    async def sign(self, **changes: Any) -> str:
        """Sign as one does who reads, asks for the code and types it."""
        page = await self.open(f"{self.path}/sign")
        typed: dict[str, Any] = {**STATED, **changes}
        coded = await self.fill(page, "sign", **typed, do="code")
        return await self.fill(coded, "sign", code=code_on(coded), do="sign")


def code_on(page: str) -> str:
    found = re.search(r"The code is (\d{6})", page)
    assert found is not None, "the demo shows the code"
    return found[1]


async def link_to(service: Service, *quotes: dict[str, Any], **asked: Any) -> SentLink:
    """Send options to a client: one to sign, or several to choose from, the first of them recommended."""
    ids = tuple(uuid.UUID(quote["quote_identifier"]) for quote in quotes)
    ask = LinkAsk(
        email=EMAIL,
        quote_id=ids[0],
        purpose=LinkPurpose.PROPOSAL if len(ids) > 1 else LinkPurpose.SIGNATURE,
        option_ids=ids if len(ids) > 1 else (),
        **asked,
    )
    caller = Caller(partner_id=service.partner.partner_id, actor="broker@example.com")
    return await send_link(service.runtime, caller, ask)


async def questions_to(service: Service, place: str, *asked: str, **more: Any) -> SentLink:
    """Ask a client questions of the draft at an address."""
    ask = LinkAsk(
        email=EMAIL,
        purpose=LinkPurpose.ANSWERS,
        draft_id=uuid.UUID(place.rpartition("/")[2]),
        asked=asked,
        about=LinkAbout("Marble Lighthouse Dental Group PC", "Pat Broker"),
        broker_email="broker@example.com",
        **more,
    )
    caller = Caller(partner_id=service.partner.partner_id, actor="broker@example.com")
    return await send_link(service.runtime, caller, ask)
