"""The underwriter of the invented companies: takes cases and notes what was found out, as on the desk."""

import uuid
from dataclasses import dataclass

from bindery.actions.desk.take_case import take_case, write_note
from bindery.contract.quote import QuoteBody
from bindery.domain.access.users import Role
from bindery.runtime import Runtime
from bindery.storage.access import users
from bindery.storage.quote import quotes
from bindery.web.account.signing_in import DEMO_PEOPLE

EMAIL = next(email for email, _, role in DEMO_PEOPLE if role is Role.UNDERWRITER)


@dataclass(frozen=True, slots=True)
class Underwriter:
    """Somebody who works at the desk."""

    runtime: Runtime
    user_id: int

    async def take(self, quote: QuoteBody) -> None:
        """Take the case of a quote."""
        await take_case(self.runtime.database, [await self._submission_of(quote)], user_id=self.user_id)

    async def note(self, quote: QuoteBody, text: str) -> None:
        """Write down something about the case of a quote."""
        await write_note(self.runtime.database, await self._submission_of(quote), text, user_id=self.user_id)

    async def _submission_of(self, quote: QuoteBody) -> uuid.UUID:
        async with self.runtime.database.reading() as tx:
            return (await quotes.get(tx, uuid.UUID(quote.quote_identifier))).submission_id


async def underwriter_of(runtime: Runtime) -> Underwriter:
    """Return the demo's underwriter."""
    async with runtime.database.reading() as tx:
        found = await users.find_by_email(tx, EMAIL)
    assert found is not None, "the demo makes its people before anything else"
    return Underwriter(runtime, found[0].user_id)
