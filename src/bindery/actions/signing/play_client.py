import uuid
from typing import Final, assert_never

from bindery.actions.documents.write_mails import gather_mail_facts
from bindery.actions.signing.find_link import ClientVisit, standing_of
from bindery.actions.signing.open_link import open_link
from bindery.actions.signing.send_back import send_back
from bindery.actions.signing.send_code import send_code
from bindery.actions.signing.send_link import tokens_of
from bindery.actions.signing.sign_application import SignAsk, sign_application
from bindery.base.errors import BinderyError
from bindery.domain.business_rules import PlayedClient
from bindery.domain.signing.signing import Signer
from bindery.runtime import Runtime
from bindery.storage.quote import quotes
from bindery.storage.signing import client_links
from bindery.storage.submission import submissions

VISIT: Final = ClientVisit(address="127.0.0.1", agent="demo client")
SIGNER: Final = "Ann Example"
WRONG: Final = "The number of employees is wrong."


async def play_client(runtime: Runtime, link_id: uuid.UUID) -> None:
    """Open a link and sign or send it back as the demo's client, by the applicant's name.

    It goes through the doors of the page, so that running it twice changes nothing more.
    """
    sealer, rules = runtime.sealer, runtime.rules
    async with runtime.database.reading() as tx:
        link = await client_links.get(tx, link_id)
        token = (await tokens_of(tx, sealer, [link_id]))[link_id]
        quote = await quotes.get(tx, link.subject)
        stored = await submissions.get(tx, quote.submission_id)
        facts = await gather_mail_facts(tx, rules, quote)
    if not link.is_waiting:
        return
    try:
        await open_link(runtime.database, token, VISIT)
        match rules.demo_outcomes.played_client(stored.submission.name):
            case PlayedClient.SIGNS:
                code = await send_code(runtime, token, VISIT)
                async with runtime.database.reading() as reading:
                    standing = await standing_of(reading, link.subject)
                signer = Signer(
                    name=link.name or facts.to.main_contact_name or SIGNER,
                    title="President",
                    is_authorized=True,
                    has_consented=True,
                    code=code.shown or "",
                )
                await sign_application(
                    runtime, SignAsk(token=token, visit=VISIT, shown=standing.terms, signer=signer)
                )
            case PlayedClient.OBJECTS:
                await send_back(runtime.database, runtime.rules, token, VISIT, WRONG)
            case None:
                pass
            case played:
                assert_never(played)
    except BinderyError:
        # The quote was bound, withdrawn or signed meanwhile: a client would leave it, too.
        return
