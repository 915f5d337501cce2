"""Links and codes under attack, in races, and at the ends of their time."""

import asyncio
import uuid
from dataclasses import replace
from datetime import timedelta

import asyncpg
import pytest

from bindery.actions.signing.find_link import ClientVisit, find_link
from bindery.actions.signing.keep_answers import keep_answers
from bindery.actions.signing.play_client import play_client
from bindery.actions.signing.revoke_link import revoke_link
from bindery.actions.signing.send_link import LinkAsk, send_link
from bindery.actions.signing.sign_application import SignAsk
from bindery.actions.timetable.purge import purge_client_links
from bindery.actions.timetable.sweep import expire_client_links, requeue_played_clients
from bindery.base.errors import InvalidRequest, NotFound
from bindery.domain.access.users import Role
from bindery.domain.business_rules import NoDemoOutcomes
from bindery.domain.signing.client_link import (
    MOST_CODES_OF_A_LINK,
    MOST_LINKS_A_DAY,
    MOST_MISSES_OF_AN_ADDRESS,
    LinkEnded,
    LinkPurpose,
    LinkStatus,
    TooManyTries,
)
from bindery.domain.signing.signing import NoLonger, TermsNoLongerHold
from bindery.storage.signing import client_links
from bindery.storage.submission import submissions
from support.binding import bind, one_quoted, shown, told
from support.drafts import start
from support.links import questions_to
from support.people import sign_in_as
from support.service import Service
from support.signing import (
    EMAIL,
    VISIT,
    ask_for,
    caller_of,
    code_for,
    found_link,
    opened,
    sent,
    sent_back,
    signed,
    signing,
    token_in,
)
from support.telling import move_clock
from support.waiting import eventually

ELSEWHERE = ClientVisit(address="203.0.113.9", agent="curl")


def with_code(ask: SignAsk, code: str) -> SignAsk:
    return replace(ask, signer=replace(ask.signer, code=code))


def other(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


async def refusal(service: Service, ask: SignAsk) -> str:
    with pytest.raises(InvalidRequest) as refused:
        await signing(service, ask)
    (problem,) = refused.value.problems
    assert problem.path == "code"
    return problem.code


async def test_a_code_has_five_tries_and_a_new_one_takes_its_place(service: Service) -> None:
    link = await sent(service, await one_quoted(service))
    ask = await ask_for(service, link)
    wrong = with_code(ask, other(ask.signer.code))

    refused = [await refusal(service, wrong) for _ in range(5)]
    sixth = await refusal(service, ask)
    renewed = with_code(ask, await code_for(service, link))
    of_before = await refusal(service, with_code(ask, other(renewed.signer.code)))
    made = await signing(service, renewed)

    assert refused == ["wrong_code"] * 5
    assert (sixth, of_before) == ("code_over", "wrong_code")
    assert made.link.status is LinkStatus.SIGNED


async def test_a_code_works_for_15_minutes_and_once(service: Service) -> None:
    link = await sent(service, await one_quoted(service))
    ask = await ask_for(service, link)
    pool = service.runtime.database.pool
    lasts = await pool.fetchval("select expires_at - sent_at from signing_codes")
    await pool.execute("update signing_codes set expires_at = now() - interval '1 second'")
    too_late = await refusal(service, ask)
    await pool.execute("update signing_codes set expires_at = now() + interval '1 minute'")

    first = await signing(service, ask)
    again = await signing(service, ask)

    assert lasts == timedelta(minutes=15)
    assert too_late == "code_over"
    assert again == first
    assert await service.count("uploads") == 1
    assert await pool.fetchval("select used_at is not null from signing_codes")


async def test_a_code_of_one_link_opens_no_other(service: Service) -> None:
    mine, theirs = [await sent(service, await one_quoted(service)) for _ in range(2)]
    ask, of_theirs = await ask_for(service, mine), await code_for(service, theirs)

    if of_theirs != ask.signer.code:
        assert await refusal(service, with_code(ask, of_theirs)) == "wrong_code"


async def test_codes_and_links_are_kept_nowhere_in_plain(service: Service) -> None:
    quote = await one_quoted(service)
    ask = LinkAsk(email=EMAIL, quote_id=uuid.UUID(quote["quote_identifier"]))
    link = await send_link(service.runtime, caller_of(service, "key-1"), ask)
    code = await code_for(service, link)
    pool = service.runtime.database.pool
    tables = await pool.fetch("select tablename from pg_tables where schemaname = 'public'")

    kept = [row[0] for table in tables for row in await pool.fetch(f'select t::text from "{table[0]}" as t')]

    secrets = (token_in(link), token_in(link).encode().hex())
    assert not [text for text in kept if any(secret in text for secret in secrets)]
    assert not [text for text in kept if f"{code}" in text and "signing_code" in text]
    again = await send_link(service.runtime, caller_of(service, "key-1"), ask)
    assert (again.url, again.is_replayed) == (link.url, True)


async def test_new_codes_are_limited_by_link_and_a_wrong_form_costs_no_try(service: Service) -> None:
    link = await sent(service, await one_quoted(service))
    ask = await ask_for(service, link)
    with pytest.raises(InvalidRequest):
        await signing(service, replace(ask, signer=replace(ask.signer, name="")))
    for _ in range(MOST_CODES_OF_A_LINK - 1):
        await code_for(service, link, ELSEWHERE)

    with pytest.raises(TooManyTries):
        await code_for(service, link)

    assert await service.runtime.database.pool.fetchval("select tries from signing_codes") == 0
    assert await service.runtime.database.pool.fetchval(
        "select count(*) from mails where kind = 'signing_code'"
    ) == (MOST_CODES_OF_A_LINK)


async def test_ended_revoked_and_unknown_links_are_answered_alike(service: Service) -> None:
    revoked, ended, working = [await sent(service, await one_quoted(service)) for _ in range(3)]
    await revoke_link(service.runtime.database, caller_of(service), revoked.link_id)
    pool = service.runtime.database.pool
    await pool.execute("update client_links set expires_at = now() where link_id = $1", ended.link_id)
    tokens = (token_in(revoked), token_in(ended), "x" * 43, "short")

    said = []
    for token in tokens:
        with pytest.raises(LinkEnded) as refused:
            await find_link(service.runtime.database, token, VISIT)
        said.append(refused.value.message)

    assert len(set(said)) == 1
    assert (await opened(service, working)).link.openings == 1
    for _ in range(MOST_MISSES_OF_AN_ADDRESS - len(tokens)):
        with pytest.raises(LinkEnded):
            await find_link(service.runtime.database, "x" * 43, VISIT)
    with pytest.raises(TooManyTries):
        await find_link(service.runtime.database, "x" * 43, VISIT)
    with pytest.raises(LinkEnded):
        await find_link(service.runtime.database, "x" * 43, ELSEWHERE)


async def test_openings_are_counted_and_told_once(service: Service) -> None:
    quote = await one_quoted(service)
    link = await sent(service, quote)

    await asyncio.gather(*(opened(service, link) for _ in range(3)))

    found = await found_link(service, link)
    assert (found.status, found.openings) == (LinkStatus.OPENED, 3)
    assert found.opened_at is not None
    assert (await told(service, quote["quote_identifier"])).count("signature_request.opened") == 1
    await service.runtime.database.pool.execute(
        "insert into sign_in_failures select $1, now() from generate_series(1, 200)",
        f"client link opened {link.link_id}",
    )
    with pytest.raises(TooManyTries):
        await opened(service, link)


async def test_a_new_link_to_the_same_address_takes_the_place_of_the_one_before(service: Service) -> None:
    quote = await one_quoted(service)
    first, to_another = await sent(service, quote), await sent(service, quote, email="bob@x.example")
    second = await sent(service, quote, email=EMAIL.upper())

    statuses = [(await found_link(service, link)).status for link in (first, to_another, second)]

    assert statuses == [LinkStatus.REVOKED, LinkStatus.SENT, LinkStatus.SENT]


async def test_no_more_than_so_many_links_a_day_are_sent(service: Service) -> None:
    quote = await one_quoted(service)
    for _ in range(MOST_LINKS_A_DAY):
        link = await sent(service, quote)
    with pytest.raises(InvalidRequest) as refused:
        await sent(service, quote, email="nobody")

    assert [problem.code for problem in refused.value.problems] == ["not_an_email", "too_many_links"]
    assert (await found_link(service, link)).status is LinkStatus.SENT
    await move_clock(service, timedelta(days=1, seconds=1))
    await sent(service, quote)


async def test_two_who_sign_at_once_have_signed_once(service: Service) -> None:
    quote = await one_quoted(service)
    ask = await ask_for(service, await sent(service, quote))

    first, second = await asyncio.gather(signing(service, ask), signing(service, ask))

    assert first == second
    assert (await service.count("uploads"), await service.count("signatures")) == (1, 1)
    assert (await told(service, quote["quote_identifier"])).count("signature_request.signed") == 1


async def test_a_signature_that_fails_at_its_last_line_leaves_nothing_and_is_made_by_pressing_again(
    service: Service,
) -> None:
    quote = await one_quoted(service)
    await bind(service, quote)
    ask = await ask_for(service, await sent(service, quote))
    pool, tables = service.runtime.database.pool, ("uploads", "signatures", "journal", "mails", "editions")
    before = [await service.count(table) for table in tables]
    # The copy for the brokers is the last thing that is written.
    await pool.execute(
        "create function fail() returns trigger language plpgsql as $$ begin raise 'killed'; end $$"
    )
    await pool.execute(
        "create trigger killed before insert on mails for each row "
        "when (new.kind like 'application_signed_%' and new.recipients[1] = 'broker@example.com') "
        "execute function fail()"
    )

    with pytest.raises(asyncpg.RaiseError, match="killed"):
        await signing(service, ask)
    left = [await service.count(table) for table in tables]
    status = (await shown(service, quote["quote_identifier"]))["contingencies"][0]["status"]
    await pool.execute("drop trigger killed on mails")
    made = await signing(service, ask)

    assert left == before
    assert status == "open"
    assert made.is_issued


async def held(
    service: Service, quote: dict[str, str], ask: SignAsk, meanwhile: str, *values: object
) -> None:
    """Sign while another transaction holds the company, changes something, and ends before the signature."""
    async with service.runtime.database.transaction() as tx:
        await submissions.lock(tx, int(quote["company_id"]))
        signer = asyncio.create_task(signing(service, ask))
        await eventually(service.waiting_for_locks, lambda waiting: waiting > 0)
        await tx.execute(meanwhile, *values)
    await signer


async def test_a_link_that_is_taken_back_while_its_client_signs_is_not_signed(service: Service) -> None:
    quote = await one_quoted(service)
    link = await sent(service, quote)
    ask = await ask_for(service, link)
    taken_back = "update client_links set status = 'revoked', settled_at = now() where link_id = $1"

    with pytest.raises(LinkEnded):
        await held(service, quote, ask, taken_back, link.link_id)

    assert (await service.count("uploads"), await service.count("signatures")) == (0, 0)
    assert "signature_request.signed" not in await told(service, quote["quote_identifier"])


async def test_terms_that_change_while_their_client_signs_are_not_signed_for(service: Service) -> None:
    quote = await one_quoted(service)
    link = await sent(service, quote)
    ask = await ask_for(service, link)
    repriced = """
    insert into editions (quote_id, type, version, facts, frozen_at)
    select quote_id, 'quote_letter', 2, facts, now() from packets where quote_id = $1 and packet = 'quote'
    """

    with pytest.raises(TermsNoLongerHold) as refused:
        await held(service, quote, ask, repriced, uuid.UUID(quote["quote_identifier"]))

    assert refused.value.because is NoLonger.CHANGED
    assert (await service.count("uploads"), await service.count("signatures")) == (0, 0)
    assert (await found_link(service, link)).status is LinkStatus.SENT
    async with service.runtime.database.transaction() as tx:
        assert not await client_links.move(tx, link.link_id, LinkStatus.SIGNED, read_version=1)
        assert await client_links.move(tx, link.link_id, LinkStatus.SIGNED, read_version=2)


@pytest.mark.parametrize("does", ["signs", "sends_back"])
async def test_what_is_settled_cannot_be_taken_back(service: Service, does: str) -> None:
    link = await sent(service, await one_quoted(service))
    await (signed(service, link) if does == "signs" else sent_back(service, link, "Wrong."))

    with pytest.raises(InvalidRequest, match="cannot be taken back"):
        await revoke_link(service.runtime.database, caller_of(service), link.link_id)

    stranger = await service.new_partner("stranger")
    with pytest.raises(NotFound):
        await revoke_link(service.runtime.database, caller_of(stranger), link.link_id)


async def test_links_expire_and_are_removed_90_days_later_unless_something_was_signed(
    service: Service,
) -> None:
    kept, ended = [await sent(service, await one_quoted(service)) for _ in range(2)]
    await signed(service, kept)
    await code_for(service, ended)
    database = service.runtime.database

    await move_clock(service, timedelta(days=30, seconds=-30))
    early = await expire_client_links(database)
    await move_clock(service, timedelta(seconds=60))
    expired = await expire_client_links(database)
    await move_clock(service, timedelta(days=90, seconds=-30))
    still_there = await purge_client_links(database)
    await move_clock(service, timedelta(seconds=60))
    purged = await purge_client_links(database)

    assert (early, expired, still_there, purged) == (0, 1, 0, 1)
    assert (await service.count("client_links"), await service.count("signing_codes")) == (1, 1)
    with pytest.raises(Exception, match="kept as they were made"):
        await database.pool.execute("delete from signatures")


async def test_answers_to_the_questions_of_a_draft_are_kept_once_and_told(service: Service) -> None:
    async with await sign_in_as(service, Role.BROKER) as broker:
        link = await questions_to(service, await start(broker), "Q2134")
    page = await opened(service, link)
    database, rules, given = (
        service.runtime.database,
        service.runtime.rules,
        '[{"id":"Q2134","value":"true"}]',
    )
    answered = await keep_answers(database, rules, token_in(link), VISIT, given)

    async with database.reading() as tx:
        assert answered.draft_id is not None
        assert await client_links.of_draft(tx, answered.draft_id, limit=10) == [answered]
    assert (page.standing, page.why_not, page.link.asked) == (None, None, ("Q2134",))
    assert (answered.status, answered.answers) == (LinkStatus.ANSWERED, given)
    with pytest.raises(InvalidRequest, match="answered already"):
        await keep_answers(database, rules, token_in(link), VISIT, "[]")
    mails = await database.pool.fetch("select kind, recipients from mails order by mail_id")
    assert [row["recipients"] for row in mails] == [[EMAIL], ["broker@example.com"]]
    with pytest.raises(InvalidRequest, match="cannot be taken back"):
        await revoke_link(database, caller_of(service), link.link_id)


async def test_questions_about_a_quote_are_answered_in_its_journal(service: Service) -> None:
    quote = await one_quoted(service)
    link = await sent(service, quote, purpose=LinkPurpose.ANSWERS, asked=("Q2134",))
    await opened(service, link)

    await keep_answers(service.runtime.database, service.runtime.rules, token_in(link), VISIT, "{}")

    steps = [entry.trigger for entry in await service.journal(quote["quote_identifier"])]
    assert steps[-2:] == ["send_to_client", "answer_questions"]
    to_sign = await sent(service, quote)
    with pytest.raises(LinkEnded):
        await keep_answers(service.runtime.database, service.runtime.rules, token_in(to_sign), VISIT, "{}")


async def test_the_demos_client_leaves_what_cannot_be_signed_and_whom_no_name_asks(service: Service) -> None:
    plain = await sent(service, await one_quoted(service))
    quote = await one_quoted(service, lambda body: body["client"].update(name="Quick (signs)"))
    withdrawn = await sent(service, quote)
    await service.post(f"/v2/quotes/{quote['quote_identifier']}/withdraw")

    for link in (plain, withdrawn):
        await play_client(service.runtime, link.link_id)

    assert await service.count("signatures") == 0
    assert (await found_link(service, plain)).status is LinkStatus.OPENED


async def test_links_whose_client_was_not_played_are_queued_again(service: Service) -> None:
    quote = await one_quoted(service, lambda body: body["client"].update(name="Quick (signs)"))
    await sent(service, quote)
    await sent(service, await one_quoted(service))
    database, rules = service.runtime.database, service.runtime.rules
    await database.pool.execute("delete from pgq.pgqueuer where entrypoint = 'play_client'")

    early = await requeue_played_clients(database, rules)
    await move_clock(service, timedelta(minutes=3))
    found = await requeue_played_clients(database, rules)
    in_production = await requeue_played_clients(database, replace(rules, demo_outcomes=NoDemoOutcomes()))

    assert (early, found, in_production) == (0, 1, 0)
