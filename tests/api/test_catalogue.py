"""What may be asked for: industries, products, what is still unanswered, and a price range."""

import re
from typing import Any

import pytest

from support.binding import quoted
from support.intake import PROFESSIONAL_ANSWERS, changed, nothing_written, professional, technology
from support.service import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

BAKERY = {"name": "Harborlight Bakery LLC", "revenue": 2_500_000, "state": "PA", "industry": "311811"}


async def found(service: Service, query: str) -> list[dict[str, Any]]:
    answer = await service.get(f"/v2/industries?{query}")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["industries"]
    return rows


class TestIndustries:
    async def test_words_and_beginnings_of_words_find_titles(self, shared: Service) -> None:
        codes = {row["code"]: row["title"] for row in await found(shared, "q=Retail%20BAKER")}

        assert codes == {"311811": "Retail Bakeries"}

    async def test_a_code_or_its_beginning_is_found_with_what_it_means(self, shared: Service) -> None:
        (bakery,) = await found(shared, "q=311811")

        assert bakery["appetite"] == "quote"
        assert 1 <= bakery["hazard_group"] <= 5
        assert bakery["reason"]
        rows = await found(shared, "q=3118&limit=100")
        assert "311811" in {row["code"] for row in rows}
        assert all(row["code"].startswith("3118") for row in rows)
        answer = await shared.get("/v2/industries?q=5&limit=100")
        assert {row["appetite"] for row in answer.json()["industries"]} > {"quote"}
        assert answer.json()["more"] is True

    async def test_what_nobody_does_is_not_found(self, shared: Service) -> None:
        assert await found(shared, "q=unicorn%20herding") == await found(shared, "q=%21%21") == []

    @pytest.mark.parametrize(
        ("query", "path"),
        [
            ("", "q"),
            ("q=", "q"),
            ("q=" + "x" * 101, "q"),
            ("q=a&limit=101", "limit"),
            ("q=a&limit=0", "limit"),
            ("q=a&sort=1", "sort"),
        ],
    )
    async def test_a_wrong_query_is_refused_by_name(self, shared: Service, query: str, path: str) -> None:
        answer = await shared.get(f"/v2/industries?{query}")

        assert answer.status_code == 400
        assert [problem["path"] for problem in answer.json()["errors"]] == [path]


class TestProducts:
    async def test_a_product_says_what_may_be_asked_for(self, shared: Service) -> None:
        body = (await shared.get("/v2/products/MPL")).json()

        assert body["insurance_product"] == "MPL"
        assert len(body["aggregate_limits"]) == 18
        assert body["per_claim_retentions"][0] == 500
        assert body["authority"] == {"aggregate_limit": 2_000_000, "revenue": 50_000_000}
        assert body["terms"] == {
            "shortest_months": 6,
            "longest_months": 18,
            "open_days": 60,
            "bind_days_back": 7,
            "bind_days_ahead": 30,
        }
        assert body["retention"] == "per_claim"
        minimums = {band["revenue_from"]: band["minimum"] for band in body["retention_bands"]}
        assert (minimums[1_000_000], minimums[100_000_000]) == (1_000, 50_000)
        assert body["retroactive_date"] == "mpl_retroactive_date"

    async def test_its_coverages_are_those_that_quotes_show(self, shared: Service) -> None:
        body = (await shared.get("/v2/products/CYB")).json()
        quote = (await quoted(shared))[0]

        named = {row["coverage_name"] for row in body["coverages"]}
        assert {row["coverage_name"] for row in quote["coverages"]} <= named
        assert body["per_claim_retentions"] == []
        assert body["authority"]["revenue"] is None

    async def test_there_is_no_other_product(self, shared: Service) -> None:
        assert (await shared.get("/v2/products/XYZ")).status_code == 404


class TestStillToBeAnswered:
    async def test_the_form_grows_until_nothing_is_missing(self, shared: Service) -> None:
        path = "/v2/questions/MPL?revenue=2500000"
        missing = (await shared.get(path)).json()["missing"]
        while missing:
            for name in missing:
                value = PROFESSIONAL_ANSWERS[name]
                for choice in value if isinstance(value, list) else [value]:
                    path += f"&answer.{name}={str(choice).lower() if isinstance(choice, bool) else choice}"
            missing = (await shared.get(path)).json()["missing"]

        assert missing == []
        assert "answer.Q2401" in path

    async def test_an_answer_that_cannot_be_read_is_refused_by_its_name(self, shared: Service) -> None:
        answer = await shared.get("/v2/questions/CYB?revenue=1&answer.Q2134=perhaps&answer.Q9999=1")

        paths = [problem["path"] for problem in answer.json()["errors"]]
        assert answer.status_code == 400
        assert paths == ["answer.Q2134", "answer.Q9999"]

    @pytest.mark.parametrize("revenue", ["0", "5000000001", "much", ""])
    async def test_a_revenue_is_one_that_a_client_may_have(self, shared: Service, revenue: str) -> None:
        answer = await shared.get(f"/v2/questions/CYB?revenue={revenue}")

        assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, "revenue")


class TestIndication:
    @pytest.mark.parametrize("body", [changed, technology, professional])
    async def test_a_quote_lies_in_the_range(self, shared: Service, body: Any) -> None:
        asked = body(("policy.quotes", [{"aggregate_limit": 1_000_000}]))
        (quote,) = await quoted(shared, asked)
        client = quote["client"]
        ask = {"name": client["name"], "revenue": client["revenue"], "state": client["address"]["state"]}
        if quote["insurance_product"] != "TEO":
            ask["industry"] = client["industry"]

        async with nothing_written(shared):
            answer = await shared.post(
                "/v2/quotes/indication", {**ask, "insurance_product": quote["insurance_product"]}
            )

        said = answer.json()
        assert answer.status_code == 200, answer.text
        assert said["premium"]["low"] <= quote["premium"] <= said["premium"]["high"]
        assert said["total"]["low"] <= quote["total"] <= said["total"]["high"]
        assert said["premium"]["low"] < said["premium"]["high"]
        assert said["retention"] == (quote["aggregate_retention"] or quote["per_claim_retention"])
        assert "not a quote" in said["message"]

    async def test_every_state_that_the_document_allows_is_taken(self, shared: Service) -> None:
        document = (await shared.http.get("/v2/openapi.json")).json()
        schema = document["components"]["schemas"]["IndicationRequest"]["properties"]["state"]
        found = re.fullmatch(r"\^\(([A-Za-z |]+)\)\$", schema["pattern"])
        assert found is not None
        allowed = found[1].split("|")

        answers = {
            state: (await shared.post("/v2/quotes/indication", {**BAKERY, "state": state})).status_code
            for state in allowed
        }
        unknown = await shared.post("/v2/quotes/indication", {**BAKERY, "state": "Ontario"})

        assert len(allowed) == 2 * 51
        assert set(answers.values()) == {200}
        assert unknown.status_code == 400

    async def test_what_would_be_referred_is_said(self, shared: Service) -> None:
        answer = await shared.post(
            "/v2/quotes/indication",
            {**BAKERY, "insurance_product": "TEO", "aggregate_limit": 5_000_000, "revenue": 30_000_000},
        )

        codes = {reason["code"] for reason in answer.json()["referral_reasons"]}
        assert codes == {"limit_above_authority", "revenue_above_authority"}

    @pytest.mark.parametrize(
        ("change", "path"),
        [
            ({"revenue": 0}, "revenue"),
            ({"revenue": 5_000_000_001}, "revenue"),
            ({"state": "Atlantis"}, "state"),
            ({"name": ""}, "name"),
            ({"industry": "31"}, "industry"),
            ({"aggregate_limit": 123}, "aggregate_limit"),
            ({"answers": []}, "answers"),
        ],
    )
    async def test_a_wrong_body_is_refused_by_name(
        self, shared: Service, change: dict[str, Any], path: str
    ) -> None:
        answer = await shared.post("/v2/quotes/indication", {**BAKERY, **change})

        assert answer.status_code == 400
        assert [problem["path"] for problem in answer.json()["errors"]] == [path]
