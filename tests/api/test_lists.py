"""Lists of quotes, policies and companies: in a stable order, filtered, a partner's own and nobody else's."""

import uuid
from datetime import timedelta
from typing import Any
from urllib.parse import quote as quoted_text

import pytest
import pytest_asyncio

from bindery.domain.quote.legacy import LegacyRow
from bindery.storage.access import legacy_ids
from bindery.storage.lists import quote_list
from support.binding import bind, decide, issue, quoted, today
from support.intake import changed, professional
from support.service import Service
from support.telling import move_clock, new_quotes, publish

pytestmark = pytest.mark.asyncio(loop_scope="module")

LISTS = ("quotes", "policies", "companies")


@pytest_asyncio.fixture(loop_scope="module")
async def partner(shared: Service) -> Service:
    """A partner of their own on the module's service."""
    return await shared.new_partner(f"partner-{uuid.uuid4().hex}")


async def page(service: Service, name: str, query: str = "") -> dict[str, Any]:
    answer = await service.get(f"/v2/{name}{query}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def ids(service: Service, query: str = "") -> list[str]:
    """The identifiers of one page of quotes."""
    return [row["quote_identifier"] for row in (await page(service, "quotes", query))["quotes"]]


async def walked(service: Service, name: str, query: str = "", limit: int = 2) -> list[dict[str, Any]]:
    """All rows of a list, page by page."""
    rows: list[dict[str, Any]] = []
    cursor = ""
    for _ in range(100):
        found = await page(service, name, f"?limit={limit}{query}{cursor}")
        assert len(found[name]) <= limit
        rows += found[name]
        if found["next_cursor"] is None:
            return rows
        cursor = f"&cursor={found['next_cursor']}"
    raise AssertionError("the list has no end")


class TestQuotes:
    async def test_a_quote_is_listed_with_its_price_and_the_partners_own_metadata(
        self, partner: Service
    ) -> None:
        (first, _) = await quoted(partner, changed(("client.metadata", {"crm": "A-17"})))

        listed = (await page(partner, "quotes"))["quotes"][0]

        shown = {name: first[name] for name in listed if name in first and name != "dates"}
        assert {name: listed[name] for name in shown} == shown
        assert listed["dates"] == {name: first["dates"][name] for name in ("effective", "expiration")}
        assert listed["name"] == first["client"]["name"]
        assert listed["broker_email"] == "broker@example.com"
        assert listed["metadata"] == {"crm": "A-17"}
        assert listed["total"] == first["total"]
        assert listed["created_at"].endswith("Z")
        assert listed["renews"] is None

    async def test_what_is_worked_on_or_referred_has_no_price(self, partner: Service) -> None:
        await quoted(partner, changed(("policy.quotes", [{"aggregate_limit": 10_000_000}])))
        await new_quotes(partner)

        waiting, referred = (await page(partner, "quotes"))["quotes"]

        assert (waiting["quote_status"], waiting["premium"], waiting["total"]) == ("created", None, None)
        assert (referred["quote_status"], referred["premium"]) == ("quote_referred", None)

    async def test_the_newest_submission_comes_first_and_its_options_in_order(self, partner: Service) -> None:
        first, second = await new_quotes(partner, 3), await new_quotes(partner, 2)

        assert await ids(partner) == [*second, *first]
        assert [row["quote_identifier"] for row in await walked(partner, "quotes")] == [*second, *first]
        assert [row["quote_identifier"] for row in await walked(partner, "quotes", limit=1)] == [
            *second,
            *first,
        ]

    async def test_pages_hold_while_quotes_are_added_and_change(self, partner: Service) -> None:
        made = await new_quotes(partner, 3)
        before = await page(partner, "quotes", "?limit=2")
        await new_quotes(partner, 3)
        await publish(partner, made[2])

        after = await page(partner, "quotes", f"?limit=2&cursor={before['next_cursor']}")

        assert [row["quote_identifier"] for row in before["quotes"]] == made[:2]
        assert [row["quote_identifier"] for row in after["quotes"]] == made[2:]
        assert after["next_cursor"] is None

    async def test_filters_narrow_the_list_and_each_other(self, partner: Service) -> None:
        first, second = await new_quotes(partner, 2)
        await publish(partner, first)
        mpl = (await partner.submit(professional(("client.name", "Quay Consulting"))))["quotes"]
        others = [row["quote_identifier"] for row in mpl]
        company = (await page(partner, "quotes", "?quote_status=published"))["quotes"][0]["company_id"]

        assert await ids(partner, "?quote_status=published") == [first]
        assert await ids(partner, "?quote_status=published&quote_status=created") == [*others, first, second]
        assert await ids(partner, "?insurance_product=MPL") == others
        assert await ids(partner, "?insurance_product=MPL&quote_status=published") == []
        assert await ids(partner, f"?company_id={company}") == [first, second]
        assert await ids(partner, f"?company_id={company}&quote_status=created") == [second]
        assert await ids(partner, "?company_id=999999999") == []
        assert await ids(partner, "?q=quay") == others
        assert await ids(partner, "?q=consult%20QU") == others
        assert await ids(partner, "?q=quay&insurance_product=CYB") == []
        assert await ids(partner, "?q=%26%7C%21") == []
        assert await ids(partner, "?broker_email=BROKER@example.com") == [*others, first, second]
        assert await ids(partner, "?broker_email=nobody@example.com") == []
        assert await ids(partner, "?broker_email=broker@example.com&quote_status=published") == [first]

    async def test_every_way_through_the_list_goes_on_where_the_page_before_ended(
        self, partner: Service
    ) -> None:
        body = changed(("client.metadata", {"crm": "A-17"}))
        for _ in range(3):
            receipt = await partner.submit(body)
            body["client"]["company_id"] = receipt["company_id"]
        whole = await ids(partner)

        for query in (
            "",
            "&quote_status=created",
            "&insurance_product=CYB&quote_status=created&quote_status=published",
            f"&company_id={receipt['company_id']}",
            "&q=harborlight",
            "&broker_email=broker@example.com",
            "&metadata.crm=A-17",
            "&metadata.crm=A-17&quote_status=created",
            "&updated_after=2020-01-01T00:00:00Z",
        ):
            found = [row["quote_identifier"] for row in await walked(partner, "quotes", query, limit=1)]
            assert found == whole, query

    async def test_times_of_creation_and_change_are_bounds_that_do_not_count_themselves(
        self, partner: Service
    ) -> None:
        (old,) = await new_quotes(partner)
        await move_clock(partner, timedelta(hours=1))
        (new,) = await new_quotes(partner)
        rows = {row["quote_identifier"]: row for row in (await page(partner, "quotes"))["quotes"]}
        await move_clock(partner, timedelta(hours=1))
        await publish(partner, old)

        at = rows[old]["created_at"]
        assert await ids(partner, f"?created_after={at}") == [new]
        assert await ids(partner, f"?created_before={rows[new]['created_at']}") == [old]
        assert await ids(partner, f"?created_after={at}&created_before={rows[new]['created_at']}") == []
        assert await ids(partner, f"?updated_after={rows[new]['updated_at']}") == [old]

    async def test_metadata_finds_texts_numbers_and_booleans(self, partner: Service) -> None:
        notes = {"crm": "A 17/é", "count": 7, "vip": True, "nested": {"a": 1}, "long": "x" * 256}
        (first,) = await new_quotes(partner, metadata=notes)
        await new_quotes(partner, metadata={"crm": "B"})
        await new_quotes(partner)

        assert await ids(partner, f"?metadata.crm={quoted_text('A 17/é')}") == [first]
        assert await ids(partner, "?metadata.count=7&metadata.vip=true") == [first]
        assert await ids(partner, "?metadata.count=7&metadata.crm=B") == []
        assert await ids(partner, "?metadata.nested=%7B%22a%22%3A1%7D") == []
        assert await ids(partner, "?metadata.crm=C") == await ids(partner, "?metadata.none=C") == []

    async def test_a_filter_that_finds_little_gives_short_pages_that_go_on(
        self, partner: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(quote_list, "MOST_LOOKED_AT", 3)
        (oldest,) = await new_quotes(partner, metadata={"crm": "A"})
        for _ in range(7):
            await new_quotes(partner, metadata={"crm": "B"})
        await publish(partner, oldest)
        query = "&broker_email=broker@example.com&quote_status=published"

        first = await page(partner, "quotes", f"?limit=2{query}")
        rows = await walked(partner, "quotes", query)

        assert first["quotes"] == []
        assert first["next_cursor"] is not None
        assert [row["quote_identifier"] for row in rows] == [oldest]

    async def test_an_old_id_names_the_company(self, partner: Service) -> None:
        receipt = await partner.submit()
        row = LegacyRow("company", "client-7", receipt["company_id"])
        async with partner.runtime.database.transaction() as tx:
            await legacy_ids.import_ids(tx, partner.partner.partner_id, [row])

        assert len(await ids(partner, "?company_id=client-7")) == len(receipt["quotes"])
        assert (await partner.get("/v2/companies/client-7")).json()["company_id"] == receipt["company_id"]


class TestPolicies:
    async def test_policies_are_listed_the_newest_bind_first(self, partner: Service) -> None:
        policy = await issue(partner, (await quoted(partner, changed(("client.metadata", {"crm": 1}))))[0])
        binder = await bind(partner, (await quoted(partner, professional(("client.name", "Quay"))))[0])

        rows = (await page(partner, "policies"))["policies"]

        assert [row["policy_number"] for row in rows] == [binder["policy_number"], policy["policy_number"]]
        assert [row["conditional"] for row in rows] == [True, False]
        assert rows[0]["fulfil_by"] == binder["binder"]["fulfil_by"]
        assert rows[1]["fulfil_by"] is rows[1]["ended_on"] is rows[1]["renews"] is None
        assert rows[1]["total"] == policy["total"]
        assert rows[1]["bound_on"] == (await today(partner)).isoformat()
        assert rows[1]["renewal_type"] == "auto"
        assert (rows[1]["renewal_state"], rows[1]["renewal_stopped_by"]) == ("not_due", None)
        assert rows[1]["metadata"] == {"crm": 1}
        assert await walked(partner, "policies", limit=1) == rows
        for query, expected in (
            ("insurance_product=MPL", [0]),
            ("quote_status=policy_active", [0, 1]),
            ("quote_status=policy_canceled", []),
            (f"company_id={policy['company_id']}", [1]),
            ("company_id=999999999", []),
            ("q=quay", [0]),
            ("metadata.crm=1", [1]),
            ("broker_email=broker@example.com", [0, 1]),
            (f"expires_after={policy['dates']['expiration']}", []),
            ("expires_after=2020-01-01", [0, 1]),
            (f"expires_before={policy['dates']['expiration']}", []),
            ("expires_before=2040-01-01", [0, 1]),
        ):
            found = (await page(partner, "policies", f"?{query}"))["policies"]
            assert found == [rows[number] for number in expected], query

    async def test_what_was_never_bound_is_no_policy(self, partner: Service) -> None:
        await quoted(partner)

        assert await page(partner, "policies") == {"policies": [], "next_cursor": None}


class TestCompanies:
    async def test_companies_are_listed_by_what_was_submitted_last(self, partner: Service) -> None:
        first = await partner.submit(changed(("client.metadata", {"crm": "A"})))
        second = await partner.submit(professional(("client.name", "Quay Consulting")))

        rows = (await page(partner, "companies"))["companies"]

        assert [row["company_id"] for row in rows] == [second["company_id"], first["company_id"]]
        assert {name: value for name, value in rows[0].items() if name != "created_at"} == {
            "company_id": second["company_id"],
            "name": "Quay Consulting",
            "broker_email": "broker@example.com",
            "insurance_products": ["MPL"],
            "quote_statuses": ["created"],
        }
        assert await walked(partner, "companies", limit=1) == rows
        for query, expected in (
            ("insurance_product=MPL", [0]),
            ("quote_status=created", [0, 1]),
            ("quote_status=published", []),
            ("q=quay", [0]),
            ("metadata.crm=A", [1]),
            ("metadata.crm=B", []),
            ("broker_email=broker@example.com", [0, 1]),
            ("created_after=2020-01-01T00:00:00Z", [0, 1]),
            ("created_before=2020-01-01T00:00:00Z", []),
        ):
            found = (await page(partner, "companies", f"?{query}"))["companies"]
            assert found == [rows[number] for number in expected], query

    async def test_options_stand_side_by_side_with_what_they_cost_more(self, partner: Service) -> None:
        options = [{"aggregate_limit": 1_000_000}, {"aggregate_limit": 2_000_000}]
        cheap, dear = await quoted(partner, changed(("policy.quotes", options)))

        answer = await partner.get(f"/v2/companies/{cheap['company_id']}")
        (submission,) = answer.json()["submissions"]

        assert answer.json()["client"] == cheap["client"]
        assert answer.json()["older_quotes"] is False
        assert submission["revenue"] == cheap["client"]["revenue"]
        assert [row["quote_identifier"] for row in submission["options"]] == [
            cheap["quote_identifier"],
            dear["quote_identifier"],
        ]
        assert [row["premium_difference"] for row in submission["options"]] == [
            0,
            dear["premium"] - cheap["premium"],
        ]
        assert submission["options"][1]["total_difference"] == round(dear["total"] - cheap["total"], 2)
        assert [row["counter_offer"] for row in submission["options"]] == [False, False]
        again = await partner.get(
            f"/v2/companies/{cheap['company_id']}", If_None_Match=answer.headers["etag"]
        )
        assert again.status_code == 304

    async def test_what_took_the_place_of_what_is_told(self, partner: Service) -> None:
        options = [{"aggregate_limit": 1_000_000}, {"aggregate_limit": 2_000_000}]
        old = await quoted(partner, changed(("policy.quotes", options)))
        company = old[0]["company_id"]
        again = changed(
            ("policy.quotes", options[::-1]), ("client.company_id", company), ("client.revenue", 2_600_000)
        )
        new = await quoted(partner, again)
        await issue(partner, new[1])

        newest, oldest = (await partner.get(f"/v2/companies/{company}")).json()["submissions"]

        assert newest["options"][0]["superseded_by"] == {
            "quote_identifier": new[1]["quote_identifier"],
            "because": "other_option_bound",
        }
        assert newest["options"][1]["superseded_by"] is None
        # Each is followed by the option of the same limit, though they were asked for in another order.
        assert [row["superseded_by"] for row in oldest["options"]] == [
            {"quote_identifier": new[number]["quote_identifier"], "because": "submission_changed"}
            for number in (1, 0)
        ]
        assert newest["options"][1]["change_from_superseded"] == round(new[1]["total"] - old[0]["total"], 2)
        assert oldest["options"][0]["change_from_superseded"] is None

    async def test_a_price_that_an_underwriter_set_is_a_counter_offer(self, partner: Service) -> None:
        (quote,) = await quoted(partner, changed(("policy.quotes", [{"aggregate_limit": 10_000_000}])))
        await decide(partner, quote, "approve", reason="Fine.", terms={"premium": 50_000})

        body = (await partner.get(f"/v2/companies/{quote['company_id']}")).json()

        (option,) = body["submissions"][0]["options"]
        assert (option["counter_offer"], option["premium"]) == (True, 50_000)


class TestRefusals:
    async def test_what_no_list_takes_is_refused_by_name(
        self, shared: Service, subtests: pytest.Subtests
    ) -> None:
        for query, path, code in [
            ("limit=0", "limit", "out_of_range"),
            ("limit=101", "limit", "out_of_range"),
            ("cursor=", "cursor", "bad_cursor"),
            ("cursor=17", "cursor", "bad_cursor"),
            ("cursor=!!!!", "cursor", "bad_cursor"),
            ("cursor=cQAGRWu2kP4AAA", "cursor", "bad_cursor"),
            ("cursor=" + "A" * 36, "cursor", "bad_cursor"),
            ("cursor=" + "A" * 5_000, "cursor", "bad_cursor"),
            ("cursor=a&cursor=a", "cursor", "repeated_parameter"),
            ("quote_status=open", "quote_status", "not_allowed"),
            ("quote_status=published&quote_status=open", "quote_status", "not_allowed"),
            ("insurance_product=XYZ", "insurance_product", "not_allowed"),
            ("q=", "q", "out_of_range"),
            ("q=" + "x" * 101, "q", "out_of_range"),
            ("q=%00", "q", "bad_character"),
            ("broker_email=" + "x" * 321, "broker_email", "out_of_range"),
            ("metadata.=x", "metadata.", "out_of_range"),
            ("metadata.a=" + "x" * 256, "metadata.a", "out_of_range"),
            ("metadata.a=%00", "metadata.a", "bad_character"),
            ("&".join(f"metadata.k{number}=x" for number in range(6)), "metadata", "too_many_items"),
            ("status=published", "status", "unknown_parameter"),
        ]:
            for name in LISTS:
                with subtests.test(f"{name}?{query}"):
                    answer = await shared.get(f"/v2/{name}?{query}")

                    assert answer.status_code == 400
                    assert [(problem["path"], problem["code"]) for problem in answer.json()["errors"]] == [
                        (path, code)
                    ]

    @pytest.mark.parametrize(
        ("query", "code"),
        [
            ("created_after=2026-01-01", "not_a_time"),
            ("created_after=2026-01-01T00:00:00", "not_a_time"),
            ("created_before=soon", "not_a_time"),
            ("updated_after=2026-13-01T00:00:00Z", "not_a_time"),
            ("created_after=2026-01-01T00:00:00%00Z", "not_a_time"),
            ("created_after=0001-01-01T00:00:00%2B14:00", "not_a_time"),
            ("created_before=9999-12-31T23:59:59-14:00", "not_a_time"),
            ("updated_after=9999-12-31T23:59:59-00:01", "not_a_time"),
        ],
    )
    async def test_a_time_without_a_zone_is_refused(self, shared: Service, query: str, code: str) -> None:
        answer = await shared.get(f"/v2/quotes?{query}")

        assert answer.status_code == 400
        path = query.partition("=")[0]
        assert [(problem["path"], problem["code"]) for problem in answer.json()["errors"]] == [(path, code)]

    @pytest.mark.parametrize("name", ["quotes", "companies"])
    async def test_the_first_and_the_last_moment_of_utc_are_times(self, shared: Service, name: str) -> None:
        first, last = "0001-01-01T14:00:00%2B14:00", "9999-12-31T09:59:59-14:00"

        await page(shared, name, f"?created_after={first}&created_before={last}")

    @pytest.mark.parametrize("value", ["20260101", "2026-02-30", "2026-01-01T00:00:00Z", ""])
    async def test_a_day_is_written_as_everywhere(self, shared: Service, value: str) -> None:
        answer = await shared.get(f"/v2/policies?expires_after={value}")

        assert [problem["code"] for problem in answer.json()["errors"]] == ["not_a_date"]

    async def test_all_that_is_wrong_is_named_at_once_with_what_was_meant(self, shared: Service) -> None:
        answer = await shared.get("/v2/quotes?insurance_produkt=CYB&q=&quote_status=open")

        problems = {problem["path"]: problem["message"] for problem in answer.json()["errors"]}
        assert set(problems) == {"insurance_produkt", "q", "quote_status"}
        assert "did you mean insurance_product?" in problems["insurance_produkt"]

    async def test_the_edges_are_taken(self, shared: Service) -> None:
        for query in (
            "limit=1",
            "limit=100",
            "q=" + "x" * 100,
            "broker_email=" + "x" * 320,
            "metadata.a=" + "x" * 255,
            "&".join(f"metadata.k{number}=x" for number in range(5)),
        ):
            for name in LISTS:
                await page(shared, name, f"?{query}")

    async def test_the_cursor_of_one_list_is_refused_by_another(self, partner: Service) -> None:
        await new_quotes(partner, 2)
        await partner.submit()
        quotes = (await page(partner, "quotes", "?limit=1"))["next_cursor"]
        companies = (await page(partner, "companies", "?limit=1"))["next_cursor"]

        for name, cursor in (("quotes", companies), ("companies", quotes), ("policies", quotes)):
            answer = await partner.get(f"/v2/{name}?cursor={cursor}")
            assert answer.json()["errors"][0]["code"] == "bad_cursor"

    async def test_another_partner_sees_nothing_of_it(self, partner: Service) -> None:
        policy = await issue(partner, (await quoted(partner, changed(("client.metadata", {"crm": "A"}))))[0])
        other = await partner.new_partner(f"other-{uuid.uuid4().hex}")
        company = policy["company_id"]
        cursor = (await page(partner, "quotes", "?limit=1"))["next_cursor"]

        for name in LISTS:
            for query in ("", "?q=harborlight", "?metadata.crm=A", "?broker_email=broker@example.com"):
                assert (await page(other, name, query))[name] == []
        for query in (f"?company_id={company}", f"?cursor={cursor}", "?quote_status=policy_active"):
            assert await ids(other, query) == []
        unknown = await other.get("/v2/companies/999999999")
        theirs = await other.get(f"/v2/companies/{company}")
        assert unknown.status_code == theirs.status_code == 404
        assert unknown.json()["message"] == theirs.json()["message"]
        assert (await other.get("/v2/companies/no.dots")).status_code == 400


@pytest.mark.parametrize("path", ["/v2/quotes", "/v2/policies"])
@pytest.mark.parametrize("given", ["0.5", "x y", "x" * 65])
async def test_what_cannot_be_a_company_is_refused_by_its_name(
    partner: Service, path: str, given: str
) -> None:
    answer = await partner.get(f"{path}?company_id={quoted_text(given)}")

    assert answer.status_code == 400
    assert {problem["path"] for problem in answer.json()["errors"]} == {"company_id"}
