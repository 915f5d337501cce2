"""The operations about webhooks: registration, secrets, deliveries, replay, ping."""

import asyncio
import base64
import contextlib
import ipaddress
import socket
import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bindery.actions.webhooks import read_events
from bindery.actions.webhooks.deliver_due import deliver_due
from bindery.actions.webhooks.register_webhook import MOST_WEBHOOKS, RegisterAsk, register_webhook
from bindery.actions.webhooks.send_delivery import address_rule
from bindery.actions.webhooks.set_webhook_secret import RESEAL_BATCH, reseal_webhook_secrets
from bindery.base.errors import InvalidRequest
from bindery.contract.webhooks import WebhookRegistration
from bindery.domain.access.caller import Caller
from bindery.domain.messages.webhooks import owner_name
from bindery.outside.addresses import AddressRefused, IPAddress
from bindery.outside.partner_http import checked_socket_factory
from bindery.outside.sealing import Sealer
from bindery.settings import Environment, Settings
from support.receiver import receiving
from support.service import Service, serving
from support.telling import change, deliveries_to, new_quotes, new_secret, publish, published, register

ENDPOINT = "http://127.0.0.1:9/hook"
PRODUCTION: dict[str, Any] = {
    "environment": Environment.PRODUCTION,
    "base_url": "https://api.bindery.example/v2",
}


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def partner(shared: Service) -> Service:
    """A partner of their own on the module's service."""
    return await shared.new_partner(f"partner-{uuid.uuid4().hex}")


async def rows_of(service: Service, table: str) -> int:
    """Count a partner's rows."""
    own = (
        "partner_id = $1"
        if table != "deliveries"
        else "webhook_id in (select webhook_id from webhooks where partner_id = $1)"
    )
    counted: int = await service.runtime.database.pool.fetchval(
        f"select count(*) from {table} where {own}", service.partner.partner_id
    )
    return counted


def registration(endpoint: str = ENDPOINT, **changed: Any) -> dict[str, Any]:
    return {"endpoint": endpoint, "quote_level": True, "policy_level": False, **changed}


class TestRegistering:
    async def test_a_registration_is_answered_with_the_webhook_and_listed(self, partner: Service) -> None:
        answer = await partner.post("/v2/webhooks", registration())

        assert answer.status_code == 200
        body = answer.json()
        uuid.UUID(body["id"])
        assert body["endpoint"] == ENDPOINT
        assert (body["quote_level"], body["policy_level"]) == (True, False)
        assert body["status"] == "active"
        assert body["failing_since"] is body["disabled_at"] is body["disabled_because"] is None
        assert datetime.fromisoformat(body["created_at"]).utcoffset() == timedelta()
        assert body.pop("warnings") == []
        assert (await partner.get("/v2/webhooks")).json() == {"webhooks": [body]}

    async def test_without_webhooks_the_list_is_empty(self, partner: Service) -> None:
        assert (await partner.get("/v2/webhooks")).json() == {"webhooks": []}

    async def test_the_same_endpoint_again_changes_the_webhook_that_is_there(self, partner: Service) -> None:
        first = await register(partner, ENDPOINT, quote=True, policy=False)

        second = await partner.post("/v2/webhooks", registration(quote_level=False, policy_level=True))

        assert second.json()["id"] == first
        assert (second.json()["quote_level"], second.json()["policy_level"]) == (False, True)
        assert await rows_of(partner, "webhooks") == 1

    @pytest.mark.parametrize(
        ("body", "path", "code"),
        [
            ({"endpoint": "http://"}, "endpoint", "too_short"),
            ({"endpoint": "http://" + "x" * 2042}, "endpoint", "too_long"),
            ({"endpoint": 7}, "endpoint", "wrong_type"),
            ({"endpoint": "gopher://host"}, "endpoint", "bad_scheme"),
            ({"endpoint": "not an address"}, "endpoint", "bad_endpoint"),
            ({"endpoint": "localhost:9000"}, "endpoint", "bad_endpoint"),
            ({"endpoint": "http://me:pw@host.example/"}, "endpoint", "bad_endpoint"),
            ({"quote_level": "yes"}, "quote_level", "wrong_type"),
            ({"policy_level": None}, "policy_level", "wrong_type"),
        ],
    )
    async def test_a_wrong_body_is_refused_with_its_path(
        self, partner: Service, body: dict[str, Any], path: str, code: str
    ) -> None:
        answer = await partner.post("/v2/webhooks", registration() | body)

        assert answer.status_code == 400
        assert [(error["path"], error["code"]) for error in answer.json()["errors"]] == [(path, code)]
        assert await rows_of(partner, "webhooks") == 0

    async def test_a_webhook_that_would_hear_of_nothing_is_refused(self, partner: Service) -> None:
        answer = await partner.post("/v2/webhooks", registration(quote_level=False, policy_level=False))

        assert answer.status_code == 400
        assert [(error["path"], error["code"]) for error in answer.json()["errors"]] == [
            ("quote_level", "no_level")
        ]
        assert (await partner.get("/v2/webhooks")).json() == {"webhooks": []}

    async def test_fields_that_a_registration_does_not_have_are_named_in_its_answer(
        self, partner: Service
    ) -> None:
        plain = await partner.post("/v2/webhooks", registration())
        more = await partner.post("/v2/webhooks", registration(events=["quote.published"], secret="s"))

        assert plain.json()["warnings"] == []
        assert more.status_code == 200
        fields = "the fields are endpoint, policy_level, quote_level"
        assert more.json()["warnings"] == [
            {
                "path": name,
                "code": "unknown_field",
                "message": f"{name} is not a known field and was ignored; {fields}",
            }
            for name in ("events", "secret")
        ]
        assert "warnings" not in (await partner.get("/v2/webhooks")).json()["webhooks"][0]

    @pytest.mark.parametrize("field", ["endpoint", "quote_level", "policy_level"])
    async def test_every_field_is_required(self, partner: Service, field: str) -> None:
        body = registration()
        del body[field]

        answer = await partner.post("/v2/webhooks", body)

        assert answer.status_code == 400
        assert answer.json()["errors"] == [{"path": field, "code": "required", "message": "is required"}]

    async def test_an_endpoint_of_eight_characters_is_long_enough(self, partner: Service) -> None:
        short = await partner.post("/v2/webhooks", registration("https:/"))
        enough = await partner.post("/v2/webhooks", registration("http://1"))

        assert short.json()["errors"][0]["code"] == "too_short"
        # It is 0.0.0.1 in short, which nobody may be delivered to: it got as far as that.
        assert enough.json()["errors"][0]["code"] == "address_refused"

    async def test_a_partner_may_have_a_hundred(self, partner: Service) -> None:
        await partner.runtime.database.pool.execute(
            """
            insert into webhooks
                (webhook_id, partner_id, endpoint, quote_level, policy_level, status, created_at)
            select gen_random_uuid(), $1, $2 || '/' || n, true, true, 'active', now()
            from generate_series(0, $3 - 1) as n
            """,
            partner.partner.partner_id,
            ENDPOINT,
            MOST_WEBHOOKS,
        )

        refused = await partner.post("/v2/webhooks", registration(f"{ENDPOINT}/more"))
        again = await partner.post("/v2/webhooks", registration(f"{ENDPOINT}/0"))

        assert refused.status_code == 400
        assert refused.json()["errors"][0]["code"] == "too_many_webhooks"
        assert again.status_code == 200
        assert await rows_of(partner, "webhooks") == MOST_WEBHOOKS

    async def test_the_same_key_gives_the_first_answer(self, partner: Service) -> None:
        first = await partner.post("/v2/webhooks", registration(), Idempotency_Key="k1")
        await partner.http.delete(f"/v2/webhooks/{first.json()['id']}", headers=partner.headers)

        again = await partner.post("/v2/webhooks", registration(), Idempotency_Key="k1")
        other = await partner.post("/v2/webhooks", registration(policy_level=True), Idempotency_Key="k1")

        assert (again.status_code, again.json()) == (200, first.json())
        assert again.headers["idempotent-replayed"] == "true"
        assert other.status_code == 422
        assert (await partner.get("/v2/webhooks")).json() == {"webhooks": []}

    async def test_a_refused_registration_may_be_sent_again_under_its_key(self, partner: Service) -> None:
        refused = await partner.post("/v2/webhooks", registration("nonsense"), Idempotency_Key="k1")
        taken = await partner.post("/v2/webhooks", registration(), Idempotency_Key="k1")

        assert (refused.status_code, taken.status_code) == (400, 200)

    async def test_without_a_token_nothing_opens(self, partner: Service) -> None:
        for method, path in [
            ("POST", "/v2/settings/webhook_secret"),
            ("GET", "/v2/webhooks"),
            ("POST", "/v2/webhooks"),
            ("DELETE", f"/v2/webhooks/{uuid.uuid4()}"),
            ("GET", f"/v2/webhooks/{uuid.uuid4()}/deliveries"),
            ("POST", f"/v2/webhooks/{uuid.uuid4()}/replay"),
            ("POST", f"/v2/webhooks/{uuid.uuid4()}/ping"),
            ("POST", f"/v2/demo/webhooks/{uuid.uuid4()}/fail"),
            ("GET", "/v2/events"),
        ]:
            assert (await partner.http.request(method, path)).status_code == 401, path


class TestTheGuard:
    HOSTILE = (
        "https://127.0.0.1/", "https://localhost/", "https://[::1]/", "https://0.0.0.0/", "https://10.1.2.3/",
        "https://172.16.0.1/", "https://192.168.1.1/", "https://169.254.169.254/latest/meta-data",
        "https://[fd00::1]/", "https://[fe80::1]/", "https://[::ffff:127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://2130706433/", "https://0177.0.0.1/",
        "https://0x7f.1/", "https://127.1/", "https://100.100.100.200/", "https://224.0.0.1/",
    )  # fmt: skip

    async def test_production_refuses_every_hostile_spelling(self, dsn: str, tmp_path: Path) -> None:
        async with serving(dsn, tmp_path, **PRODUCTION) as service:
            for endpoint in self.HOSTILE:
                answer = await service.post("/v2/webhooks", registration(endpoint))

                assert answer.status_code == 400, endpoint
                assert answer.json()["errors"][0]["path"] == "endpoint"
            assert await service.count("webhooks") == 0

    async def test_production_takes_https_only_and_demo_paths_do_not_exist(
        self, dsn: str, tmp_path: Path
    ) -> None:
        async with serving(dsn, tmp_path, **PRODUCTION) as service:
            plain = await service.post("/v2/webhooks", registration("http://1.1.1.1/hook"))
            secure = await service.post("/v2/webhooks", registration("https://1.1.1.1/hook"))
            fail = await service.post(f"/v2/demo/webhooks/{secure.json()['id']}/fail", {"times": 1})

        assert plain.json()["errors"][0]["code"] == "bad_scheme"
        assert secure.status_code == 200
        assert fail.status_code == 404

    async def test_production_takes_the_two_https_ports_only(self, dsn: str, tmp_path: Path) -> None:
        async with serving(dsn, tmp_path, **PRODUCTION) as service:
            refused = await service.post("/v2/webhooks", registration("https://1.1.1.1:22/hook"))
            stored = await service.count("webhooks")
            taken = await service.post("/v2/webhooks", registration("https://1.1.1.1:8443/hook"))

        assert refused.status_code == 400
        assert refused.json()["errors"] == [
            {"path": "endpoint", "code": "bad_port", "message": "must be on port 443 or 8443"}
        ]
        assert stored == 0
        assert taken.status_code == 200

    async def test_an_operator_may_choose_other_ports(self, dsn: str, tmp_path: Path) -> None:
        async with serving(dsn, tmp_path, webhook_ports=(9443,), **PRODUCTION) as service:
            taken = await service.post("/v2/webhooks", registration("https://1.1.1.1:9443/hook"))
            refused = await service.post("/v2/webhooks", registration("https://1.1.1.1/hook"))

        assert taken.status_code == 200
        assert refused.json()["errors"][0]["message"] == "must be on port 9443"

    @pytest.mark.parametrize(("port", "may"), [(443, True), (8443, True), (22, False), (5432, False)])
    async def test_the_port_is_judged_again_where_a_delivery_connects(self, port: int, may: bool) -> None:
        production = address_rule(Settings(environment=Environment.PRODUCTION))
        make_socket = checked_socket_factory(production)
        public = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("1.1.1.1", port))

        if may:
            make_socket(public).close()
        else:
            with pytest.raises(AddressRefused, match=f"port {port}"):
                make_socket(public)
        assert address_rule(Settings())(ipaddress.ip_address("127.0.0.1"), port)

    async def test_the_demo_refuses_private_addresses_but_takes_this_machine(self, partner: Service) -> None:
        private = await partner.post("/v2/webhooks", registration("http://10.0.0.1/hook"))
        metadata = await partner.post("/v2/webhooks", registration("http://169.254.169.254/"))
        here = await partner.post("/v2/webhooks", registration("http://localhost:9000/hook"))

        assert private.json()["errors"][0]["code"] == "address_refused"
        assert metadata.json()["errors"][0]["code"] == "address_refused"
        assert here.status_code == 200

    async def test_one_private_address_among_public_ones_is_enough_to_refuse(
        self, dsn: str, tmp_path: Path
    ) -> None:
        async def resolve(_: str) -> tuple[IPAddress, ...]:
            return ipaddress.ip_address("1.1.1.1"), ipaddress.ip_address("10.0.0.1")

        async with serving(dsn, tmp_path, **PRODUCTION) as service:
            ask = RegisterAsk(
                caller=Caller(partner_id=service.partner.partner_id, actor="a test"),
                registration=WebhookRegistration(
                    endpoint="https://two-faced.example/", quote_level=True, policy_level=True
                ),
                unknown_fields=(),
            )

            with pytest.raises(InvalidRequest, match="cannot receive deliveries"):
                await register_webhook(service.runtime, ask, resolve=resolve)

    async def test_a_name_that_turns_to_this_machine_after_registration_is_not_connected_to(
        self, dsn: str, tmp_path: Path
    ) -> None:
        answers = [ipaddress.ip_address("1.1.1.1"), ipaddress.ip_address("127.0.0.1")]

        async def rebinding(_: str) -> tuple[IPAddress, ...]:
            return (answers.pop(0),)

        async with contextlib.AsyncExitStack() as stack:
            receiver = await stack.enter_async_context(receiving())
            port = int(receiver.url.rpartition(":")[2].partition("/")[0])
            service = await stack.enter_async_context(
                serving(dsn, tmp_path, webhook_ports=(port,), **PRODUCTION)
            )
            endpoint = f"https://rebinding.example:{port}/"
            ask = RegisterAsk(
                caller=Caller(partner_id=service.partner.partner_id, actor="a test"),
                registration=WebhookRegistration(endpoint=endpoint, quote_level=True, policy_level=True),
                unknown_fields=(),
            )
            await register_webhook(service.runtime, ask, resolve=rebinding)
            await published(service)

            tried = await deliver_due(service.runtime, resolve=rebinding)

            (webhook,) = (await service.get("/v2/webhooks")).json()["webhooks"]
            (delivery,) = await deliveries_to(service, webhook["id"])
        assert tried == 1
        assert receiver.got == []
        assert delivery["attempts"][0]["status_code"] is None
        assert "127.0.0.1" in delivery["attempts"][0]["error"]
        assert delivery["status"] == "pending"


class TestTheSecret:
    async def test_it_is_new_each_time_and_shown_once(self, partner: Service) -> None:
        first = (await partner.post("/v2/settings/webhook_secret")).json()
        second = (await partner.post("/v2/settings/webhook_secret")).json()

        assert first["secret"].startswith("whsec_")
        assert len(base64.b64decode(first["secret"].removeprefix("whsec_"))) == 32
        assert first["secret"] != second["secret"]
        assert first["previous_secret_signs_until"] is None
        overlap = datetime.fromisoformat(second["previous_secret_signs_until"])
        assert overlap - datetime.fromisoformat(second["created_at"]) == timedelta(hours=24)

    async def test_it_takes_no_idempotency_key(self, partner: Service) -> None:
        first = await partner.post("/v2/settings/webhook_secret", Idempotency_Key="k")
        second = await partner.post("/v2/settings/webhook_secret", Idempotency_Key="k")

        assert first.json()["secret"] != second.json()["secret"]
        assert await rows_of(partner, "idempotency_keys") == 0

    async def test_the_database_holds_it_sealed(self, partner: Service) -> None:
        secret = base64.b64decode((await new_secret(partner)).removeprefix("whsec_"))

        rows = await partner.runtime.database.pool.fetch(
            "select * from webhook_secrets where partner_id = $1", partner.partner.partner_id
        )

        assert secret not in rows[0]["sealed"]
        owner = owner_name(partner.partner.partner_id)
        assert partner.runtime.sealer.open(rows[0]["sealed"], owner=owner) == secret

    async def test_a_changed_key_of_the_service_seals_it_anew(self, dsn: str, tmp_path: Path) -> None:
        old, new = ("an-old-key-of-the-tests-0123456789-abcdef", "a-new-key-of-the-tests-0123456789-abcdef")
        async with serving(dsn, tmp_path, secret_key=old) as before:
            await new_secret(before)
            partner_id = before.partner.partner_id

        async with serving(dsn, tmp_path, secret_key=new, old_secret_keys=(old,)) as after:
            resealed = await reseal_webhook_secrets(after.runtime)
            again = await reseal_webhook_secrets(after.runtime)
            sealed = await after.runtime.database.pool.fetchval("select sealed from webhook_secrets")

        assert (resealed, again) == (1, 0)
        assert len(Sealer([new]).open(sealed, owner=owner_name(partner_id))) == 32

    async def test_one_run_seals_all_of_them_anew_however_many_there_are(
        self, dsn: str, tmp_path: Path
    ) -> None:
        old, new = ("an-old-key-of-the-tests-0123456789-abcdef", "a-new-key-of-the-tests-0123456789-abcdef")
        count = 2 * RESEAL_BATCH + 1
        async with serving(dsn, tmp_path, secret_key=new, old_secret_keys=(old,)) as service:
            pool, former = service.runtime.database.pool, Sealer([old])
            owners = await pool.fetch(
                "insert into partners (partner_key, name, created_at) "
                "select lpad(n::text, 8, 'x'), 'bulk ' || n, now() from generate_series(1, $1) n "
                "returning partner_id",
                count,
            )
            await pool.executemany(
                "insert into webhook_secrets (partner_id, sealed, created_at) values ($1, $2, now())",
                [(row[0], former.seal(b"secret", owner=owner_name(row[0]))) for row in owners],
            )

            resealed = await reseal_webhook_secrets(service.runtime)

            rows = await pool.fetch("select partner_id, sealed from webhook_secrets")
        newest = Sealer([new])
        assert resealed == count
        assert {newest.open(row["sealed"], owner=owner_name(row["partner_id"])) for row in rows} == {
            b"secret"
        }

    async def test_one_that_cannot_be_opened_does_not_keep_the_others_from_being_sealed_anew(
        self, dsn: str, tmp_path: Path, log_lines: Callable[[], list[dict[str, Any]]]
    ) -> None:
        old, new = ("an-old-key-of-the-tests-0123456789-abcdef", "a-new-key-of-the-tests-0123456789-abcdef")
        async with serving(dsn, tmp_path, secret_key=old) as before:
            await new_secret(before)
            lost = before.partner.partner_id
            await new_secret(await before.new_partner("well"))
            await before.runtime.database.pool.execute(
                "update webhook_secrets set sealed = '\\x00000000'::bytea || substring(sealed from 5) "
                "where partner_id = $1",
                lost,
            )

        async with serving(dsn, tmp_path, secret_key=new, old_secret_keys=(old,)) as after:
            resealed = await reseal_webhook_secrets(after.runtime)

        said = {line["event"]: line for line in log_lines()}
        assert resealed == 1
        assert said["webhook_secret_unreadable"]["partner_id"] == lost
        assert (
            said["webhook_secrets_resealed"]["count"],
            said["webhook_secrets_resealed"]["unreadable"],
        ) == (
            1,
            1,
        )

    async def test_many_at_once_leave_one_current(self, partner: Service) -> None:
        await asyncio.gather(*(partner.post("/v2/settings/webhook_secret") for _ in range(12)))

        kept = await partner.runtime.database.pool.fetch(
            "select retires_at from webhook_secrets where partner_id = $1", partner.partner.partner_id
        )
        assert [row["retires_at"] for row in kept].count(None) == 1
        assert len(kept) == 5


class TestRemoving:
    async def test_a_removed_webhook_is_gone_and_told_nothing_more(self, partner: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(partner, receiver.url)
            await published(partner)

            answer = await partner.http.delete(f"/v2/webhooks/{webhook_id}", headers=partner.headers)
            await published(partner)
            await deliver_due(partner.runtime)

        assert answer.status_code == 200
        assert (answer.json()["id"], answer.json()["status"]) == (webhook_id, "removed")
        assert (await partner.get("/v2/webhooks")).json() == {"webhooks": []}
        assert receiver.got == []

    @pytest.mark.parametrize("identifier", ["x", "0197b2c4-5d10-7c3e-8a41-6f2f9c0d7e55", "a" * 65, "no.dots"])
    async def test_an_unknown_webhook_is_a_bad_request(self, partner: Service, identifier: str) -> None:
        answers = [
            await partner.http.delete(f"/v2/webhooks/{identifier}", headers=partner.headers),
            await partner.get(f"/v2/webhooks/{identifier}/deliveries"),
            await partner.post(f"/v2/webhooks/{identifier}/replay", {"since": "2026-01-01T00:00:00Z"}),
            await partner.post(f"/v2/webhooks/{identifier}/ping"),
            await partner.post(f"/v2/demo/webhooks/{identifier}/fail", {"times": 1}),
        ]

        assert [answer.status_code for answer in answers] == [400] * 5
        assert all(answer.json()["code"] in {"unknown_webhook", "malformed_identifier"} for answer in answers)

    async def test_removing_twice_is_a_bad_request(self, partner: Service) -> None:
        webhook_id = await register(partner, ENDPOINT)
        await partner.http.delete(f"/v2/webhooks/{webhook_id}", headers=partner.headers)

        again = await partner.http.delete(f"/v2/webhooks/{webhook_id}", headers=partner.headers)

        assert again.status_code == 400
        assert again.json()["code"] == "unknown_webhook"

    async def test_of_two_who_remove_it_at_once_one_is_told_that_it_is_gone(self, partner: Service) -> None:
        webhook_id = await register(partner, ENDPOINT)
        path = f"/v2/webhooks/{webhook_id}"

        answers = await asyncio.gather(
            *(partner.http.delete(path, headers=partner.headers) for _ in range(2))
        )

        assert sorted(answer.status_code for answer in answers) == [200, 400]

    async def test_a_removed_endpoint_can_be_registered_anew(self, partner: Service) -> None:
        first = await register(partner, ENDPOINT)
        await partner.http.delete(f"/v2/webhooks/{first}", headers=partner.headers)

        assert await register(partner, ENDPOINT) != first


class TestOtherPartners:
    async def test_a_webhook_of_another_partner_does_not_exist(self, partner: Service) -> None:
        other = await partner.new_partner(f"other-{uuid.uuid4().hex}")
        webhook_id = await register(partner, ENDPOINT)

        answers = [
            await other.http.delete(f"/v2/webhooks/{webhook_id}", headers=other.headers),
            await other.get(f"/v2/webhooks/{webhook_id}/deliveries"),
            await other.post(f"/v2/webhooks/{webhook_id}/replay", {"since": "2026-01-01T00:00:00Z"}),
            await other.post(f"/v2/webhooks/{webhook_id}/ping"),
            await other.post(f"/v2/demo/webhooks/{webhook_id}/fail", {"times": 1}),
        ]

        assert [answer.status_code for answer in answers] == [400] * 5
        assert {answer.json()["code"] for answer in answers} == {"unknown_webhook"}
        assert (await other.get("/v2/webhooks")).json() == {"webhooks": []}
        assert len((await partner.get("/v2/webhooks")).json()["webhooks"]) == 1

    async def test_an_event_of_another_partner_cannot_be_replayed(self, partner: Service) -> None:
        other = await partner.new_partner(f"other-{uuid.uuid4().hex}")
        await published(other)
        (event,) = (await other.get("/v2/events")).json()["events"]
        webhook_id = await register(partner, ENDPOINT)

        answer = await partner.post(f"/v2/webhooks/{webhook_id}/replay", {"event_id": event["id"]})

        assert answer.status_code == 400
        assert answer.json()["errors"][0]["code"] == "unknown_event"
        assert await rows_of(partner, "deliveries") == 0

    async def test_events_go_to_their_own_partner_only(self, partner: Service) -> None:
        other = await partner.new_partner(f"other-{uuid.uuid4().hex}")
        async with receiving() as mine, receiving() as theirs:
            await register(partner, mine.url)
            await register(other, theirs.url)
            await published(other)

            await deliver_due(partner.runtime)

        assert mine.got == []
        assert len(theirs.got) == 1

    async def test_two_partners_may_have_the_same_endpoint(self, partner: Service) -> None:
        other = await partner.new_partner(f"other-{uuid.uuid4().hex}")

        assert await register(partner, ENDPOINT) != await register(other, ENDPOINT)


class TestReplaying:
    async def test_one_event_is_sent_again_under_its_own_id(self, partner: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(partner, receiver.url)
            await published(partner)
            await deliver_due(partner.runtime)
            event_id = receiver.got[0].id

            answer = await partner.post(f"/v2/webhooks/{webhook_id}/replay", {"event_id": event_id})
            await deliver_due(partner.runtime)

        assert answer.json() == {"replayed": 1, "next_since": None}
        assert [received.id for received in receiver.got] == [event_id, event_id]
        assert receiver.got[0].body == receiver.got[1].body

    async def test_more_events_than_are_put_in_order_at_once_are_all_sent_again(
        self, partner: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(read_events, "PLACED_AT_ONCE", 2)
        webhook_id = await register(partner, ENDPOINT)
        await published(partner, 5)

        answer = await partner.post(f"/v2/webhooks/{webhook_id}/replay", {"since": "2020-01-01T00:00:00Z"})

        assert answer.json() == {"replayed": 5, "next_since": None}

    async def test_everything_since_a_time_is_sent_again_in_order(self, partner: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(partner, receiver.url, quote=True, policy=False)
            first, second = await published(partner, 2)
            since = await partner.runtime.database.now()
            await change(partner, first)
            await change(partner, second)
            await change(partner, first)
            await deliver_due(partner.runtime)
            told = [received.id for received in receiver.got]
            receiver.got.clear()

            answer = await partner.post(f"/v2/webhooks/{webhook_id}/replay", {"since": since.isoformat()})
            await deliver_due(partner.runtime)

        assert answer.json()["replayed"] == 3
        assert {received.id for received in receiver.got} == set(told[2:])
        for identifier in (first, second):
            sequences = [
                received.json["data"]["sequence"]
                for received in receiver.got
                if received.json["data"]["quote_identifier"] == identifier
            ]
            assert sequences == sorted(sequences)

    async def test_what_still_waits_is_tried_at_once_and_not_twice(self, partner: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(partner, receiver.url)
            await partner.post(f"/v2/demo/webhooks/{webhook_id}/fail", {"times": 1})
            await published(partner)
            await deliver_due(partner.runtime)
            (waiting,) = await deliveries_to(partner, webhook_id)

            await partner.post(f"/v2/webhooks/{webhook_id}/replay", {"event_id": waiting["event_id"]})
            await deliver_due(partner.runtime)

            (delivered,) = await deliveries_to(partner, webhook_id)
        assert waiting["status"] == "pending"
        assert delivered["status"] == "delivered"
        assert [attempt["status_code"] for attempt in delivered["attempts"]] == [503, 200]
        assert len(receiver.got) == 1

    async def test_a_webhook_that_came_late_gets_what_happened_before_it(self, partner: Service) -> None:
        await published(partner, 3)
        async with receiving() as receiver:
            webhook_id = await register(partner, receiver.url)

            answer = await partner.post(
                f"/v2/webhooks/{webhook_id}/replay", {"since": "2020-01-01T00:00:00+02:00"}
            )
            await deliver_due(partner.runtime)

        assert answer.json()["replayed"] == 3
        assert len(receiver.got) == 3

    @pytest.mark.parametrize("since", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
    async def test_a_moment_that_does_not_exist_in_utc_is_refused(self, partner: Service, since: str) -> None:
        await published(partner)
        webhook_id = await register(partner, ENDPOINT)
        before = await deliveries_to(partner, webhook_id)

        answer = await partner.post(f"/v2/webhooks/{webhook_id}/replay", {"since": since})

        assert answer.status_code == 400
        assert [(problem["path"], problem["code"]) for problem in answer.json()["errors"]] == [
            ("since", "not_a_time")
        ]
        assert await deliveries_to(partner, webhook_id) == before

    async def test_since_follows_the_webhook_s_levels(self, partner: Service) -> None:
        await published(partner)
        webhook_id = await register(partner, ENDPOINT, quote=False, policy=True)

        answer = await partner.post(f"/v2/webhooks/{webhook_id}/replay", {"since": "2020-01-01T00:00:00Z"})

        assert answer.json()["replayed"] == 0

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"event_id": str(uuid.UUID(int=1)), "since": "2026-01-01T00:00:00Z"},
            {"event_id": "not-an-id"},
            {"since": "yesterday"},
            {"since": "2026-01-01T00:00:00"},
        ],
    )
    async def test_a_wrong_body_is_refused(self, partner: Service, body: dict[str, str]) -> None:
        webhook_id = await register(partner, ENDPOINT)

        answer = await partner.post(f"/v2/webhooks/{webhook_id}/replay", body)

        assert answer.status_code == 400
        assert await rows_of(partner, "deliveries") == 0

    async def test_the_same_key_replays_once(self, partner: Service) -> None:
        await published(partner)
        webhook_id = await register(partner, ENDPOINT)
        path, body = f"/v2/webhooks/{webhook_id}/replay", {"since": "2020-01-01T00:00:00Z"}

        first = await partner.post(path, body, Idempotency_Key="r")
        again = await partner.post(path, body, Idempotency_Key="r")

        assert first.json() == again.json()
        assert again.headers["idempotent-replayed"] == "true"
        assert await rows_of(partner, "deliveries") == 1


class TestPinging:
    async def test_a_ping_is_delivered_and_shown_with_its_attempt(self, partner: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(partner, receiver.url)

            answer = await partner.post(f"/v2/webhooks/{webhook_id}/ping")
            await deliver_due(partner.runtime)

            (delivery,) = await deliveries_to(partner, webhook_id)
        (received,) = receiver.got
        assert received.type == "webhook.ping"
        assert received.json["data"] == {"webhook_id": webhook_id}
        assert received.id == answer.json()["event_id"] == delivery["event_id"]
        assert (delivery["type"], delivery["status"], delivery["quote_identifier"]) == (
            "webhook.ping",
            "delivered",
            None,
        )
        (attempt,) = delivery["attempts"]
        assert (attempt["number"], attempt["status_code"], attempt["error"]) == (1, 200, None)
        assert attempt["answer"] == "thank you"
        assert attempt["duration_ms"] >= 0

    async def test_a_ping_is_no_event_of_the_feed(self, partner: Service) -> None:
        webhook_id = await register(partner, ENDPOINT)
        await partner.post(f"/v2/webhooks/{webhook_id}/ping")

        assert (await partner.get("/v2/events")).json()["events"] == []

    async def test_the_same_key_pings_once(self, partner: Service) -> None:
        webhook_id = await register(partner, ENDPOINT)

        first = await partner.post(f"/v2/webhooks/{webhook_id}/ping", Idempotency_Key="p")
        again = await partner.post(f"/v2/webhooks/{webhook_id}/ping", Idempotency_Key="p")

        assert first.json() == again.json()
        assert again.headers["idempotent-replayed"] == "true"
        assert await rows_of(partner, "deliveries") == 1


class TestDeliveriesShown:
    async def test_they_come_newest_first_in_pages(self, partner: Service) -> None:
        webhook_id = await register(partner, ENDPOINT)
        quotes = await published(partner, 5)

        pages, path = [], f"/v2/webhooks/{webhook_id}/deliveries?limit=2"
        cursor = ""
        while True:
            page = (await partner.get(f"{path}{cursor}")).json()
            pages.append([delivery["quote_identifier"] for delivery in page["deliveries"]])
            if page["next_cursor"] is None:
                break
            cursor = f"&cursor={page['next_cursor']}"

        assert pages == [quotes[4:2:-1], quotes[2:0:-1], quotes[:1]]

    @pytest.mark.parametrize(
        "query",
        [
            "limit=0",
            "limit=101",
            "limit=x",
            "limit=0000000019",
            "limit=" + "9" * 5_000,
            "limit=1&limit=1",
            "cursor=x",
            "cursor=-1",
            "cursor=" + "9" * 5_000,
            "cursor=1&cursor=1",
            "limit=",
        ],
    )
    async def test_a_wrong_query_is_refused(self, partner: Service, query: str) -> None:
        webhook_id = await register(partner, ENDPOINT)

        answer = await partner.get(f"/v2/webhooks/{webhook_id}/deliveries?{query}")

        assert answer.status_code == 400
        assert answer.json()["errors"][0]["path"] == query.partition("=")[0]


class TestFailing:
    async def test_the_next_tries_fail_and_then_it_goes_through(self, partner: Service) -> None:
        async with receiving() as receiver:
            webhook_id = await register(partner, receiver.url)

            answer = await partner.post(f"/v2/demo/webhooks/{webhook_id}/fail", {"times": 2})
            (quote,) = await new_quotes(partner)
            await publish(partner, quote)
            for _ in range(3):
                await partner.post("/v2/demo/clock", {"advance_days": 1})

            (delivery,) = await deliveries_to(partner, webhook_id)
        assert answer.json() == {"id": webhook_id, "times": 2}
        assert [attempt["status_code"] for attempt in delivery["attempts"]] == [503, 503, 200]
        assert len(receiver.got) == 1

    @pytest.mark.parametrize("times", [-1, 10_001, "1", None])
    async def test_a_wrong_number_is_refused(self, partner: Service, times: object) -> None:
        webhook_id = await register(partner, ENDPOINT)

        answer = await partner.post(f"/v2/demo/webhooks/{webhook_id}/fail", {"times": times})

        assert answer.status_code == 400
