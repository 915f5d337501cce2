"""What an operator sees of jobs and workers, and does about those that failed."""

import json
import re

from bindery.domain.access.users import Role
from support.people import PASSWORD, Person, fields_of, new_browser, sign_in_as, text_of
from support.service import Service, working
from support.waiting import eventually

FAILED = """
with job as (
    insert into pgq.pgqueuer (entrypoint, payload, status, priority, attempts, dedupe_key, headers)
    values ($1, convert_to($2, 'UTF8'), 'failed', 0, 5, $1 || ':' || $2, '{}')
    returning id, entrypoint, priority
)
insert into pgq.pgqueuer_log (job_id, status, entrypoint, priority, traceback)
select id, 'failed', entrypoint, priority, $3::jsonb from job
"""


async def fail(service: Service, kind: str, about: str, error: str) -> None:
    fault = {"job_id": 1, "timestamp": "2026-11-16T00:00:00Z", "exception_type": "KeyError"}
    record = {**fault, "exception_message": error, "traceback": f"Traceback of {about}"}
    await service.runtime.database.pool.execute(FAILED, kind, about, json.dumps(record))


async def statuses(service: Service) -> dict[str, str]:
    rows = await service.runtime.database.pool.fetch(
        "select convert_from(payload, 'UTF8') as about, status::text from pgq.pgqueuer"
    )
    return {row["about"]: row["status"] for row in rows}


async def test_failures_are_grouped_by_why_with_one_of_them_to_look_at(
    service: Service, operator: Person
) -> None:
    await fail(service, "send_mail", "one", "quote 12 is gone")
    await fail(service, "send_mail", "two", "quote 345 is gone")
    await fail(service, "send_mail", "three", "the server said no")
    await fail(service, "finish_bind", "four", "quote 6 is gone")

    page = await operator.open("/ops/jobs")

    words = text_of(page)
    assert "4 jobs failed." in words
    assert (
        "2 jobs of send_mail failed Try all of them again KeyError: quote 12 is gone The others differ"
        in words
    )
    assert "1 job of finish_bind failed" in words
    assert "Traceback of one" in words
    assert "Traceback of two" not in words
    assert "send_mail 0 0 0 3 none waits" in words

    group = re.search(r'<form [^>]*><input type="hidden" name="kind".*?</form>', page, re.DOTALL).group(0)  # type: ignore[union-attr] # it is there
    page = await operator.send("/ops/jobs", **fields_of(group, "/ops/jobs"))

    assert "2 jobs are in the queue again." in text_of(page)
    assert await statuses(service) == {"one": "queued", "two": "queued", "three": "failed", "four": "failed"}


async def test_one_job_is_tried_again_and_nothing_is_without_a_name(
    service: Service, operator: Person
) -> None:
    await fail(service, "send_mail", "one", "no")
    await fail(service, "send_mail", "two", "no")
    number = await service.runtime.database.pool.fetchval("select min(id) from pgq.pgqueuer")

    assert "1 job is in the queue again." in text_of(await operator.send("/ops/jobs", job_id=str(number)))
    assert "Nothing was retried" in text_of(await operator.send("/ops/jobs", job_id=str(number)))
    await operator.send("/ops/jobs", status=422, job_id="")

    assert await statuses(service) == {"one": "queued", "two": "failed"}


async def test_every_page_of_an_operator_says_that_no_worker_runs(service: Service, operator: Person) -> None:
    pool = service.runtime.database.pool
    assert "No worker is running: quotes, deliveries and mail wait" in text_of(
        await operator.open("/ops/settings")
    )

    async with working(service):
        await eventually(lambda: operator.open("/ops"), lambda page: "No worker" not in page)
        await pool.execute("update workers set seen_at = now() - interval '59 seconds'")
        assert "No worker" not in await operator.open("/ops/jobs")
    # It says goodbye when it is told to stop; one that dies does not.
    assert await service.count("workers") == 0
    await pool.execute("insert into workers values (gen_random_uuid(), now() - interval '3 minutes')")

    assert "No worker has been seen for 3 minutes" in text_of(await operator.open("/ops/users"))
    async with await sign_in_as(service, Role.UNDERWRITER) as underwriter:
        assert "No worker" not in await underwriter.open("/desk")


async def test_a_user_is_signed_out_given_another_password_and_kept_out(
    service: Service, operator: Person
) -> None:
    async with await sign_in_as(service, Role.UNDERWRITER, email="uma@example.com") as uma:
        page = await operator.open("/ops/users")
        address = re.search(r'href="(/ops/users/\d+)">Pat Underwriter', page).group(1)  # type: ignore[union-attr] # she is there
        assert "python-httpx" in await operator.open(address)

        page = await operator.send(address, status=422, change="reset", password="short")
        assert "at least 12 characters" in text_of(page)
        assert "<h1>Queue</h1>" in await uma.open("/desk")
        await operator.send(address, change="reset", password="quite another phrase")
        assert "Sign in" in await uma.open("/desk")

    async with new_browser(service) as http:
        again = Person(http, "uma@example.com")
        assert (await again.post("/sign-in", email=again.email, password=PASSWORD)).status_code == 422
        await again.send("/sign-in", email=again.email, password="quite another phrase")
        page = await operator.send(address, change="disable")
        assert "Disabled, and signed out everywhere." in text_of(page)
        assert "Sign in" in await again.open("/desk")
    await operator.send(address, status=422, change="reset", password="")
    assert (await operator.post("/ops/users/99999", change="disable")).status_code == 404
    assert (await operator.post(address, change="promote")).status_code == 422


async def test_changing_a_user_asks_for_the_password_again(service: Service, operator: Person) -> None:
    async with await sign_in_as(service, Role.BROKER):
        number = await service.runtime.database.pool.fetchval(
            "select user_id from users where role = 'broker'"
        )
    await service.runtime.database.pool.execute(
        "update sign_ins set confirmed_at = now() - interval '10 minutes'"
    )

    page = await operator.send(f"/ops/users/{number}", change="disable")

    assert "Confirm that it is you" in page
    assert (
        await service.runtime.database.pool.fetchval(
            "select count(*) from users where disabled_at is not null"
        )
        == 0
    )


async def test_a_partner_shows_its_webhooks_and_what_it_was_told(
    working_service: Service, operator: Person
) -> None:
    await working_service.post(
        "/v2/webhooks", {"endpoint": "http://127.0.0.1:9/hook", "quote_level": True, "policy_level": True}
    )
    quote = await working_service.quote()
    await working_service.get("/v2/events")

    page = await operator.open(f"/ops/partners/{working_service.partner.key}")

    assert "http://127.0.0.1:9/hook" in page
    assert f"/ops/journal/{quote['quote_identifier']}" in page
    assert "quote.published" in text_of(page)
