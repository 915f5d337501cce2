"""What an operator does at the platform."""

import html
import re
import uuid
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from bindery.actions.access.change_user import add_user
from bindery.domain.access.users import MOST_FAILURES_OF_AN_ADDRESS, Role
from bindery.settings import Environment
from bindery.storage.jobs import queue
from bindery.web.ops import health_shown
from support.people import PASSWORD, Person, fields_of, new_browser, text_of
from support.service import Service, request_body, serving
from support.waiting import eventually


async def test_a_partner_is_set_up_without_the_command_line(service: Service, operator: Person) -> None:
    page = await operator.send("/ops/partners", name="Quillstone Brokers", contact="it@quillstone.example")
    key = re.search(r"/ops/partners/(\w{8})/tokens", page).group(1)  # type: ignore[union-attr] # it is there
    brokers, ann = f"/ops/partners/{key}/brokers", "Ann@quillstone.example"
    refused = await operator.send(brokers, status=422, email=ann, firm="x" * 201)
    await operator.send(brokers, email=ann, firm="Quill & Stone")

    token = re.search(
        r'<pre id="token">(.*?)</pre>', await operator.send(f"/ops/partners/{key}/tokens")
    ).group(1)  # type: ignore[union-attr] # as above

    headers = {"Authorization": f"Bearer {token}"}
    assert (await service.http.get("/v2/quotes/none", headers=headers)).status_code == 404
    page = await operator.open(f"/ops/partners/{key}")
    assert "1 to 200 characters" in refused
    assert "ann@quillstone.example, Quill &amp; Stone" in page
    assert "<td>Quill &amp; Stone</td>" in await operator.open("/ops/brokers")
    revocation = re.search(r'step=revoke.*?name="token_id" value="(\w+)"', page)
    assert revocation is not None
    token_id = revocation.group(1)
    assert token not in page

    await operator.send(f"/ops/partners/{key}/revoke", token_id=token_id)

    assert (await service.http.get("/v2/quotes/none", headers=headers)).status_code == 401


async def test_a_removed_broker_is_on_nothing_new_until_added_again(
    service: Service, operator: Person
) -> None:
    path = f"/ops/partners/{service.partner.key}"
    await service.submit()
    form: dict[str, Any] = {"email": "broker@example.com"}

    asked = text_of(
        await operator.send(f"/sure?step=remove_broker&to={path}/remove-broker&back={path}", **form)
    )
    removed = text_of(await operator.send(f"{path}/remove-broker", **form))
    again = text_of(await operator.send(f"{path}/remove-broker", **form))
    refused = await eventually(
        lambda: service.post("/v2/quotes", request_body()), lambda answer: answer.status_code == 400
    )
    await operator.send(f"{path}/brokers", **form, firm="")
    back = await eventually(
        lambda: service.post("/v2/quotes", request_body()), lambda answer: answer.status_code == 200
    )

    assert "New submissions that name this broker are refused." in asked
    assert "broker@example.com is removed" in removed
    assert "Removed, and back when added again: broker@example.com." in removed
    assert "A submission needs a broker: add one." in removed
    assert "Nothing was done: broker@example.com is no broker of" in again
    assert [problem["path"] for problem in refused.json()["errors"]] == ["client.broker_email"]
    assert back.status_code == 200
    assert await service.count("submissions") >= 2


async def test_a_token_has_a_label_and_as_many_days_as_were_chosen(
    service: Service, operator: Person
) -> None:
    path = f"/ops/partners/{service.partner.key}"
    form = fields_of(await operator.open(path), f"{path}/tokens")
    assert (form["days"], form["label"]) == ("365", "")

    shown = text_of(
        await operator.send(f"{path}/tokens", **{**form, "days": "30", "label": "nightly export"})
    )
    before = await service.count("tokens")
    refused = [
        text_of(await operator.send(f"{path}/tokens", status=422, **{**form, **wrong}))
        for wrong in ({"days": "0"}, {"days": "3651"}, {"days": "soon"}, {"label": "x" * 61})
    ]
    page = text_of(await operator.open(path))

    assert "for 30 days, or until you revoke it" in shown
    assert all("A token lasts 1 to 3,650 days." in said for said in refused[:3])
    assert "A label has at most 60 characters." in refused[3]
    assert await service.count("tokens") == before
    assert f"nightly export {form['token_id']} expires in" in page
    assert operator.email in page


async def test_the_line_that_tries_a_token_fails_with_a_wrong_one(service: Service, operator: Person) -> None:
    path = f"/ops/partners/{service.partner.key}"
    form = fields_of(await operator.open(path), f"{path}/tokens")
    page = html.unescape(await operator.send(f"{path}/tokens", **form))

    found = re.search(r'curl .*? http\S+?(/v2/\S+) -H "Authorization: Bearer (\S+)"', page)

    assert found is not None
    address, token = found.groups()
    answers = [
        await service.http.get(address, headers={"Authorization": f"Bearer {given}"})
        for given in (token, "bogus", f"{token}x")
    ]
    assert [answer.status_code for answer in answers] == [200, 401, 401]


async def test_a_partner_is_not_added_under_a_name_that_is_taken(service: Service, operator: Person) -> None:
    there = service.partner
    await operator.send("/ops/partners", name="Quillstone Brokers", contact="it@quillstone.example")

    page = await operator.send(
        "/ops/partners", status=422, name="Quillstone Brokers", contact="new@quillstone.example"
    )
    other = await operator.send("/ops/partners", status=422, name=there.name, contact="it@example.com")

    assert "The name is taken; nothing was changed." in page
    assert 'value="new@quillstone.example"' in page
    assert "it@quillstone.example" in page
    assert f'<a href="/ops/partners/{there.key}">Open the partner {there.name}</a>' in other
    assert await service.count("partners") == 2


async def test_a_partners_page_says_whom_it_has_as_contact_and_changes_it(
    service: Service, operator: Person
) -> None:
    path = f"/ops/partners/{service.partner.key}"

    before = text_of(await operator.open(path))
    refused = await operator.send(f"{path}/contact", status=422, contact="nobody")
    after = text_of(await operator.send(f"{path}/contact", contact="it@example.com"))

    assert (
        "Contact None. The first broker, broker@example.com, is notified when a webhook is disabled."
        in before
    )
    assert "The contact must be an email address." in refused
    assert "The contact is it@example.com." in after
    assert "Contact it@example.com" in after
    assert "it@example.com" in await operator.open("/ops/partners")


async def test_a_token_is_issued_once_however_often_its_page_is_loaded(
    service: Service, operator: Person
) -> None:
    path = f"/ops/partners/{service.partner.key}"
    form = fields_of(await operator.open(path), f"{path}/tokens")
    before = await service.count("tokens")

    first = await operator.send(f"{path}/tokens", **form)
    again = await operator.post(f"{path}/tokens", **form)
    page = text_of(await operator.open(again.headers["location"]))

    assert '<pre id="token">' in first
    assert again.headers["location"] == path
    assert f"Token {form['token_id']} was issued already and is shown only once." in page
    assert await service.count("tokens") == before + 1
    assert fields_of(await operator.open(path), f"{path}/tokens") != form


async def test_a_token_is_not_issued_under_an_id_that_is_none(service: Service, operator: Person) -> None:
    before = await service.count("tokens")

    page = await operator.send(f"/ops/partners/{service.partner.key}/tokens", status=422, token_id="<b>")

    assert "The token needs an id." in page
    assert await service.count("tokens") == before


async def test_a_token_asks_for_the_password_again_after_a_while(service: Service, operator: Person) -> None:
    await service.runtime.database.pool.execute(
        "update sign_ins set confirmed_at = now() - interval '10 minutes'"
    )
    path = f"/ops/partners/{service.partner.key}/tokens"

    page = await operator.send(path)
    wrong = await operator.send(path, status=422, confirm_password="nothing like it")

    assert "Confirm that it is you" in page
    assert "The password is wrong." in wrong
    assert '<pre id="token">' in await operator.send(path, confirm_password=PASSWORD)
    assert '<pre id="token">' in await operator.send(path)


async def test_a_page_that_asks_for_the_password_leads_on_to_what_was_asked_for(
    service: Service, operator: Person
) -> None:
    await service.runtime.database.pool.execute(
        "update sign_ins set confirmed_at = now() - interval '10 minutes'"
    )

    wrong = await operator.send(
        "/account/confirm", status=422, confirm_password="nothing like it", then="/ops/users"
    )
    right = await operator.send("/account/confirm", confirm_password=PASSWORD, then="/ops/users")

    assert "The password is wrong." in wrong
    assert "<h1>Users</h1>" in right


async def test_a_form_is_not_lost_to_the_question_who_sends_it(service: Service, operator: Person) -> None:
    await service.runtime.database.pool.execute(
        "update sign_ins set confirmed_at = now() - interval '10 minutes'"
    )
    filled = {"email": "uma@example.com", "name": "Uma Example", "role": "underwriter", "password": PASSWORD}

    answer = await operator.post("/ops/users", **filled)
    form = fields_of(answer.text, "/ops/users")
    page = await operator.send("/ops/users", **{**form, "confirm_password": PASSWORD})

    assert "Confirm that it is you" in answer.text
    assert answer.headers["cache-control"] == "no-store"
    assert {name: form[name] for name in filled} == filled
    assert "Invitation of uma@example.com" in page
    assert "Uma Example" in await operator.open("/ops/users")


@pytest.mark.parametrize("door", ["/ops/users", "/account/confirm", "/account/password"])
async def test_guessing_a_password_ends_at_every_door(service: Service, operator: Person, door: str) -> None:
    await service.runtime.database.pool.execute(
        "update sign_ins set confirmed_at = now() - interval '10 minutes'"
    )
    guess = {"confirm_password": "nothing like it", "current": "nothing like it", "password": "irrelevant"}

    said = [text_of((await operator.post(door, **guess)).text) for _ in range(MOST_FAILURES_OF_AN_ADDRESS)]
    right = {"confirm_password": PASSWORD, "current": PASSWORD, "password": "a long and new password"}
    late = await operator.post(door, **right)

    assert all("password is wrong" in text for text in said)
    assert (late.status_code, late.headers["retry-after"]) == (429, "900")
    assert "Too many wrong passwords. Try again in 15 minutes." in text_of(late.text)


async def test_in_a_demo_nobody_who_came_in_by_a_click_is_asked_for_a_password(service: Service) -> None:
    await add_user(
        service.runtime,
        email="operator@example.com",
        name="Ollie Operator",
        role=Role.OPERATOR,
        partner=None,
        password=None,
    )
    async with Person(new_browser(service), "operator@example.com") as ollie:
        await ollie.send("/demo/sign-in", role="operator")
        await service.runtime.database.pool.execute(
            "update sign_ins set confirmed_at = now() - interval '10 minutes'"
        )

        page = await ollie.send(f"/ops/partners/{service.partner.key}/tokens")

    assert '<pre id="token">' in page


async def test_a_user_is_added_with_everything_wrong_said_at_once(operator: Person) -> None:
    page = text_of(await operator.send("/ops/users", status=422, email="nobody", name="", role="broker"))

    for words in ("must be an email address", "name is required", "is required for a broker"):
        assert words in page


async def user_page(service: Service, email: str) -> str:
    user_id = await service.runtime.database.pool.fetchval(
        "select user_id from users where email = $1", email
    )
    return f"/ops/users/{user_id}"


async def test_a_user_gets_another_role_and_is_signed_out(
    service: Service, operator: Person, underwriter: Person
) -> None:
    path = await user_page(service, underwriter.email)
    form = fields_of(await operator.open(path), f"{path}/role")
    before = (await underwriter.http.get("/desk")).status_code

    unchanged = text_of(await operator.send(f"{path}/role", **form))
    still = (await underwriter.http.get("/desk")).status_code
    alone = text_of(await operator.send(f"{path}/role", status=422, role="broker", partner=""))
    unknown = await operator.send(f"{path}/role", status=422, role="broker", partner="Nobody")
    too_much = text_of(
        await operator.send(f"{path}/role", status=422, role="operator", partner=service.partner.name)
    )
    page = text_of(await operator.send(f"{path}/role", role="broker", partner=service.partner.name.upper()))
    out = await underwriter.http.get("/desk")
    seen = await underwriter.send("/sign-in", email=underwriter.email, password=PASSWORD)

    assert form == {"role": "underwriter", "partner": ""}
    assert "Nothing was changed." in unchanged
    assert (before, still, out.status_code) == (200, 200, 303)
    assert "The partner is required for a broker." in alone
    assert "The partner 'Nobody' is unknown; use the name of a partner." in text_of(unknown)
    assert fields_of(unknown, f"{path}/role") == {"role": "broker", "partner": "Nobody"}
    assert "The partner is for brokers only." in too_much
    assert "Changed; the user is signed out everywhere." in page
    assert f"broker of {service.partner.name}" in page
    assert "<h1>Today</h1>" in seen


async def test_an_operators_own_account_says_why_it_has_no_buttons(
    service: Service, operator: Person
) -> None:
    path = await user_page(service, operator.email)

    page = await operator.open(path)
    refused = await operator.send(f"{path}/role", status=422, role="underwriter", partner="")

    assert "This is your own account" in page
    assert '<form class="card' not in page
    assert "You cannot change your own account here." in refused
    assert "operator" in text_of(await operator.open(path))
    assert (await operator.post("/ops/users/0/role", role="operator")).status_code == 404


async def test_a_user_is_refused_in_whole_sentences(service: Service, operator: Person) -> None:
    page = text_of(
        await operator.send(
            "/ops/users", status=422, email=operator.email, name="Pat", role="operator", password=PASSWORD
        )
    )

    assert "The address has an account already." in page


async def test_settings_are_shown_and_secrets_are_not(service: Service, operator: Person) -> None:
    page = await operator.open("/ops/settings")

    rows = [text_of(row) for row in re.findall(r"<tr>.*?</tr>", page, re.DOTALL)]
    (zone,) = [row for row in rows if row.startswith("BINDERY_BUSINESS_ZONE ")]
    assert " America/New_York default America/New_York" in zone
    (secret,) = [row for row in rows if row.startswith("BINDERY_SECRET_KEY ")]
    assert " set command line not set" in secret
    assert not [row for row in rows if " none " in row]
    assert service.runtime.settings.secret_key not in page
    assert service.runtime.settings.database_url not in page


async def test_what_production_hardly_does_without_is_flagged_above_the_settings(
    dsn: str, tmp_path: Path, operator: Person
) -> None:
    platform = "https://desk.bindery.example"
    production = {
        "environment": Environment.PRODUCTION,
        "platform_url": platform,
        "base_url": f"{platform}/v2",
        "smtp_url": "smtp://127.0.0.1:9",
    }
    async with serving(dsn, tmp_path, **production) as service:
        http = httpx.AsyncClient(transport=service.http._transport, base_url=platform)
        async with Person(http, operator.email, origin=platform) as opened:
            await opened.post("/sign-in", email=operator.email, password=PASSWORD)
            flagged = text_of(await opened.open("/ops/settings")).partition("Settings in force")[0]

    assert "BINDERY_BLOBS_URL is not set: documents and uploads are files of this machine" in flagged
    assert "BINDERY_METRICS_TOKEN is not set: /metrics answers 404" in flagged
    assert "BINDERY_SMTP_URL" not in flagged
    assert "is not set" not in text_of(await operator.open("/ops/settings")).partition("Settings in force")[0]


async def test_the_journal_of_a_quote_is_shown_with_its_check(
    working_service: Service, operator: Person
) -> None:
    quote = await working_service.quote()
    path = f"/ops/journal/{quote['quote_identifier']}"

    page = text_of(await operator.open(path))
    assert "Verified: no entry has been altered or removed." in page
    assert re.search(r" 2 \w{3} \d+, \d+:\d\d:\d\d [AP]M (\d\.\d{3}|\d+\.\d) s scan ", page)

    pool = working_service.runtime.database.pool
    await pool.execute("alter table journal disable trigger journal_is_append_only")
    await pool.execute("update journal set actor = 'somebody else' where entry = 1")
    assert "The journal has been altered" in text_of(await operator.open(path))


async def test_a_webhook_is_pinged_and_its_tries_are_shown(
    working_service: Service, operator: Person
) -> None:
    registered = await working_service.post(
        "/v2/webhooks", {"endpoint": "http://127.0.0.1:9/hook", "quote_level": True, "policy_level": True}
    )
    assert registered.status_code < 300, registered.text
    webhook_id = await working_service.runtime.database.pool.fetchval("select webhook_id from webhooks")

    page = text_of(await operator.send(f"/ops/webhooks/{webhook_id}"))

    assert "A ping is on its way." in page
    assert "http://127.0.0.1:9/hook" in text_of(await operator.open("/ops/webhooks"))


async def test_every_page_of_an_operator_opens_when_there_is_nothing(operator: Person) -> None:
    for path in (
        "/ops",
        "/ops?days=90",
        "/ops/jobs",
        "/ops/mails",
        "/ops/webhooks",
        "/ops/users",
        "/ops/partners",
        "/ops/tokens",
        "/ops/brokers",
    ):
        page = await operator.open(path)
        assert page.count("<h1>") == 1, path


async def test_the_overview_counts_what_became_of_options(working_service: Service, operator: Person) -> None:
    receipt = await working_service.submit()
    for quote in receipt["quotes"]:
        await working_service.ready(quote["quote_identifier"])

    page = text_of(await operator.open("/ops"))

    count = len(receipt["quotes"])
    assert f"{count} submitted {count} published 0 referred 0 bound $0 premium bound" in page


async def test_mail_is_listed_and_read(working_service: Service, operator: Person, broker: Person) -> None:
    quote = await working_service.quote()
    bind = f"/quote/{quote['quote_identifier']}/bind"
    await broker.send(bind, **{**fields_of(await broker.open(bind), bind), "step": "bind"})

    page = await operator.open("/ops/mails")

    address = re.search(r'href="(/ops/mails/[0-9a-f-]+)"', page).group(1)  # type: ignore[union-attr] # one was written
    mail = text_of(await operator.open(address))
    assert quote["client"]["name"] in mail
    assert "Sent not yet Attached" in mail
    assert f"/ops/journal/{quote['quote_identifier']}" in await operator.open(address)


async def test_a_mail_that_failed_says_why_and_is_sent_again(service: Service, operator: Person) -> None:
    database = service.runtime.database
    pool, mail = database.pool, uuid.uuid4()
    await pool.execute(
        """
        insert into mails (mail_id, kind, recipients, subject, body, created_at, last_error, taken, taken_at)
        values ($1, 'policy_ended_to_insured_9', '{ann@x.example,bob@x.example}', 'Ended', 'Text',
                $2, 'bob@x.example: 550 No', '{ann@x.example}', $2)
        """,
        mail,
        await database.now() - timedelta(days=4),
    )

    listed = text_of(await operator.open("/ops/mails"))
    failed = text_of(await operator.open(f"/ops/mails/{mail}"))
    again = [text_of(await operator.send(f"/ops/mails/{mail}")) for _ in range(2)]
    went_along = [
        {"document": "signed_application", "version": 1, "sha256": "5a" * 32},
        {"document": "policy", "version": 2, "sha256": "5b" * 32},
    ]
    sent = "update mails set sent_at = created_at, sent_documents = $1"
    await pool.execute(sent, msgspec.json.encode(went_along).decode())
    late = text_of(await operator.send(f"/ops/mails/{mail}"))
    record = text_of(await operator.open(f"/ops/mails/{mail}"))

    assert "Signed application" in record
    assert "5b" * 32 in record
    assert "policy ended, to the insured" in listed
    assert "failed" in listed
    assert "Sent failed: it is tried no more Taken for ann@x.example" in failed
    assert "Last error bob@x.example: 550 No" in failed
    assert "Sent not yet" in again[0]
    assert "Nothing was done: it was sent already." in late
    assert await pool.fetchval("select count(*) from pgq.pgqueuer where entrypoint = 'send_mail'") == 1


@pytest.mark.parametrize(
    ("sends_mail", "said"),
    [
        # Every page says so when no worker is running.
        (None, None),
        (False, "No worker has a mail server, so mail stays unsent."),
        (True, None),
    ],
)
async def test_the_mail_page_says_what_the_workers_can_send(
    service: Service, operator: Person, sends_mail: bool | None, said: str | None
) -> None:
    if sends_mail is not None:
        async with service.runtime.database.autocommit() as tx:
            await queue.beat(tx, uuid.uuid4(), sends_mail=sends_mail)

    page = text_of(await operator.open("/ops/mails"))

    assert said in page if said else "mail stays unsent" not in page


async def test_the_menu_marks_the_page_that_is_open(operator: Person, subtests: pytest.Subtests) -> None:
    for path, place in [
        ("/ops", "Overview"),
        ("/ops?days=90", "Overview"),
        ("/ops/partners", "Partners"),
        ("/ops/tokens", "Partners"),
        ("/ops/brokers", "Partners"),
        ("/ops/users", "Users"),
        ("/ops/webhooks", "Webhooks"),
        ("/ops/jobs", "Jobs"),
        ("/ops/mails", "Mail"),
        ("/ops/settings", "Settings"),
        ("/account", None),
    ]:
        with subtests.test(path):
            page = (await operator.open(path)).partition("</header>")[0]

            assert re.findall(r'aria-current="page"[^>]*>([^<]+)</a>', page) == ([place] if place else [])


async def test_the_overview_says_when_the_database_is_slow(
    operator: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health_shown, "SLOW_MS", 600_000)
    usual = text_of(await operator.open("/ops"))
    monkeypatch.setattr(health_shown, "SLOW_MS", -1)
    slow = text_of(await operator.open("/ops"))

    assert re.search(r"Database \d+ ms answer time Jobs", usual)
    assert "the database is slow" not in usual
    assert re.search(r"the database is slow, it answered in \d", slow)
    assert "Database needs a look:" in slow


async def test_the_overview_tells_mail_that_was_refused_from_mail_that_waits(
    service: Service, operator: Person
) -> None:
    database = service.runtime.database
    now = await database.now()
    write = """
    insert into mails (mail_id, kind, recipients, subject, body, created_at, last_error)
    values (gen_random_uuid(), 'policy_ended', '{ann@x.example}', 'Ended', 'Text', $1, $2)
    """
    async with database.autocommit() as tx:
        await queue.beat(tx, uuid.uuid4(), sends_mail=True)

    well = text_of(await operator.open("/ops"))
    await database.pool.execute(write, now - timedelta(minutes=1), None)
    await database.pool.execute(write, now - timedelta(days=8), "550 No")
    waits = text_of(await operator.open("/ops"))
    await database.pool.execute(write, now - timedelta(days=6), "550 No")
    refused = text_of(await operator.open("/ops"))

    assert "Overview Everything runs." in well
    assert "Mail all sent nothing waits" in well
    assert "Everything runs." in waits
    assert "Mail 2 not sent Desk" in waits
    assert "One thing needs a look: 1 mail could not be sent." in refused
    assert "Mail needs a look: 3 not sent, 1 refused Desk" in refused


async def test_a_picture_becomes_a_table_in_its_place(working_service: Service, operator: Person) -> None:
    await working_service.quote()

    pictures = await operator.open("/ops?days=7")
    table = await operator.open("/ops?days=7&table=readiness")

    assert 'href="/ops?days=7&amp;table=readiness#readiness"' in pictures
    assert pictures.count('aria-labelledby="readiness-title readiness-words"') == 2
    assert "readiness-title readiness-words" not in table
    assert "<caption>How soon options are ready</caption>" in table
    assert text_of(table).count("As a picture") == 1
    assert text_of(table).count("CSV") == text_of(pictures).count("CSV")
    assert "No option was referred in this period." in text_of(table)
    assert "No partner has registered an endpoint. How partners register one" in text_of(table)
