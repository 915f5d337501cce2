"""The card of documents on a company's page: of when each is, and in which version."""

import uuid

from bindery.actions.documents.make_document import newest_version
from bindery.contract.documents import DocumentType
from bindery.storage.documents.packets import issued_documents
from support.binding import DAY, bind, decide, move_days, one_quoted, set_day
from support.people import Person, text_of
from support.service import Service


def card_of(page: str) -> str:
    return text_of(page[page.index('id="documents"') :].partition("</section>")[0])


async def test_each_document_says_of_when_it_is_and_which_version_where_there_are_several(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service)
    company = f"/company/{quote['company_id']}"
    offered = card_of(await broker.open(company))
    await move_days(service, 2)
    proof = {"type": "pre_bind", "text": "Proof of backups"}
    await decide(service, quote, "add_contingency", contingency=proof)

    changed = card_of(await broker.open(company))

    assert "Quote letter Mar 1, 2027" in offered
    assert "Application to sign Mar 1, 2027" in offered
    assert "version" not in offered
    assert "Quote letter version 2, Mar 3, 2027" in changed
    assert "Application to sign Mar 1, 2027" in changed


async def test_documents_of_a_bind_are_of_its_day_and_have_the_versions_that_a_reader_gets(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service)
    await move_days(service, 1)
    binder = await bind(service, quote)
    await move_days(service, 1)
    proof = {"type": "post_bind", "text": "Proof of backups"}
    await decide(service, quote, "add_contingency", contingency=proof)

    card = card_of(await broker.open(f"/company/{quote['company_id']}"))

    identifier = uuid.UUID(quote["quote_identifier"])
    async with service.runtime.database.reading() as tx:
        known = await issued_documents(tx, identifier)
        newest = {
            kind: await newest_version(tx, identifier, kind)
            for kind in map(DocumentType, binder["available_documents"])
        }
    assert {kind: known[kind].version for kind in newest} == newest
    assert "Binder version 2, Mar 3, 2027" in card
    assert "Quote letter Mar 1, 2027" in card
    assert "made when opened" not in card


async def test_documents_of_a_referral_that_was_declined_are_made_when_opened(
    service: Service, broker: Person
) -> None:
    await set_day(service, DAY)
    quote = await one_quoted(service, lambda body: body["client"].update(domains=["red-flags.example.com"]))
    await decide(service, quote, "decline", reason="Not for us")
    company = f"/company/{quote['company_id']}"

    before = card_of(await broker.open(company))
    await broker.http.get(f"/quote/{quote['quote_identifier']}/document/application")
    after = card_of(await broker.open(company))

    assert "Application to sign made when opened" in before
    assert "Application to sign Mar 1, 2027" in after
