"""Partners, brokers and tokens from the command line."""

from typing import Any

import httpx
import pytest

from support.processes import Program


def test_a_partner_added_twice_is_the_same_partner(program: Program) -> None:
    first = program.run("partner", "add", "Northwind Brokers", "--json").json()
    again = program.run("partner", "add", "Northwind Brokers", "--json").json()
    shown = program.run("partner", "add", "Northwind Brokers").good()

    assert first == again
    assert first["name"] == "Northwind Brokers"
    assert len(first["key"]) == 8
    assert shown == f"Partner Northwind Brokers has the key {first['key']}.\n"


def test_a_name_with_brackets_is_a_name_like_any_other(program: Program) -> None:
    shown = program.run("partner", "add", "North [bold]wind").good()

    assert shown.startswith("Partner North [bold]wind has the key ")


def test_a_broker_belongs_to_a_partner_that_exists(program: Program) -> None:
    refused = program.run("broker", "add", "ann@broker.example", "--partner", "Nobody")
    program.run("partner", "add", "Northwind").good()
    added = program.run("broker", "add", "Ann@Broker.Example", "--partner", "Northwind", "--json").json()

    assert refused.complaint == "There is no partner 'Nobody'; `bindery partner list` shows them."
    assert added == {"email": "ann@broker.example", "partner": "Northwind", "firm": None}


def test_a_brokers_firm_is_kept_until_another_is_named(program: Program) -> None:
    ann = ("broker", "add", "ann@broker.example", "--partner", "Northwind")
    program.run("partner", "add", "Northwind").good()
    program.run(*ann, "--firm", " Harbor Row Insurance Brokers ").good()
    program.run(*ann).good()
    (kept,) = program.run("broker", "list", "--json").json()
    table = program.run("broker", "list").good().splitlines()
    refused = [program.run(*ann, "--firm", firm) for firm in ("", "x" * 201, "bell\x07")]
    program.run(*ann, "--firm", "x" * 200).good()
    (changed,) = program.run("broker", "list", "--json").json()

    assert kept["firm"] == "Harbor Row Insurance Brokers"
    assert table[0].split() == ["EMAIL", "FIRM", "PARTNER", "ADDED", "REMOVED"]
    assert "Harbor Row Insurance Brokers" in table[1]
    assert {ended.complaint for ended in refused} == {
        "A firm's name has 1 to 200 characters, all of which can be seen."
    }
    assert changed["firm"] == "x" * 200


def test_a_token_is_issued_listed_and_revoked(program: Program) -> None:
    program.run("partner", "add", "Northwind").good()
    none_yet = program.run("token", "list").good()
    issued = program.run("token", "issue", "--partner", "Northwind", "--days", "30")
    (record,) = program.run("token", "list", "--json").json()
    revoked = program.run("token", "revoke", record["token_id"]).good()
    table = program.run("token", "list").good().splitlines()

    assert none_yet == "No tokens yet: bindery token issue --partner NAME\n"
    token = issued.good().removesuffix("\n")
    assert 150 <= len(token) <= 200
    assert token.count(".") == 2
    assert not set(token) & set(" \n")
    assert issued.stderr == ""
    assert (record["partner_name"], record["environment"]) == ("Northwind", "demo")
    assert record["revoked_at"] is None
    assert revoked == f"Token {record['token_id']} is revoked.\n"
    assert table[0].split() == ["JTI", "PARTNER", "ENVIRONMENT", "ISSUED", "EXPIRES", "REVOKED", "LABEL"]
    assert table[1].split()[:3] == [record["token_id"], "Northwind", "demo"]
    assert len(table[1].split()) == 7


def test_a_token_that_does_not_exist_cannot_be_revoked(program: Program) -> None:
    refused = program.run("token", "revoke", "abcdefgh")

    assert refused.complaint == "There is no token 'abcdefgh'; `bindery token list` shows them."


@pytest.mark.long
def test_a_revoked_token_is_refused_from_that_moment_on_by_a_running_service(program: Program) -> None:
    program.run("partner", "add", "Northwind").good()
    token = program.run("token", "issue", "--partner", "Northwind").good().strip()
    (record,) = program.run("token", "list", "--json").json()
    headers = {"Authorization": f"Bearer {token}"}

    with program.serving() as running:
        before = httpx.get(f"{running.url}/v2/questions/CYB", headers=headers)
        program.run("token", "revoke", record["token_id"]).good()
        after = httpx.get(f"{running.url}/v2/questions/CYB", headers=headers)

    assert before.status_code == 200
    assert after.status_code == 401


@pytest.mark.long
def test_a_demo_token_opens_nothing_in_production(program: Program) -> None:
    secret: dict[str, Any] = {"BINDERY_SECRET_KEY": "q7LxT2vWm9ZrB4nKc8YpD1sHf6GjA3eU"}
    production = {
        **secret,
        "BINDERY_ENVIRONMENT": "production",
        "BINDERY_BASE_URL": "https://api.bindery.example/v2",
    }
    program.run("partner", "add", "Northwind").good()
    demo_token = program.run("token", "issue", "--partner", "Northwind", **secret).good().strip()
    live_token = program.run("token", "issue", "--partner", "Northwind", **production).good().strip()

    with program.serving(**production) as running:
        answers = {
            name: httpx.get(
                f"{running.url}/v2/questions/CYB", headers={"Authorization": f"Bearer {token}"}
            ).status_code
            for name, token in (("demo", demo_token), ("production", live_token))
        }
        clock = httpx.get(
            f"{running.url}/v2/demo/clock", headers={"Authorization": f"Bearer {live_token}"}
        ).status_code

    assert answers == {"demo": 401, "production": 200}
    assert clock == 404


def test_a_partners_contact_is_kept_and_must_be_an_address(program: Program) -> None:
    refused = program.run("partner", "add", "Northwind", "--contact", "nobody")
    endless = program.run("partner", "add", "x" * 201)
    added = program.run("partner", "add", "Northwind", "--contact", "ops@northwind.example", "--json").json()
    again = program.run("partner", "add", "Northwind", "--json").json()

    assert refused.complaint == "'nobody' is not an email address."
    assert endless.complaint == "name: must have at most 200 characters"
    assert added == again


def test_partners_and_brokers_are_listed(program: Program) -> None:
    none = (program.run("partner", "list").good(), program.run("broker", "list").good())
    program.run("partner", "add", "Northwind", "--contact", "ops@northwind.example").good()
    program.run("partner", "add", "Harbor").good()
    program.run("broker", "add", "Ann@Broker.example", "--partner", "Northwind").good()
    program.run("token", "issue", "--partner", "Northwind").good()

    table = program.run("partner", "list").good().splitlines()
    partners = program.run("partner", "list", "--json").json()
    brokers = program.run("broker", "list", "--json").json()
    of_one = program.run("broker", "list", "--partner", "Harbor", "--json").json()
    refused = program.run("broker", "list", "--partner", "Nobody")

    assert none == (
        "No partners yet: bindery partner add NAME\n",
        "No brokers yet: bindery broker add EMAIL --partner NAME\n",
    )
    assert table[0].split() == ["NAME", "KEY", "CONTACT", "ADDED", "BROKERS", "TOKENS"]
    assert [line.split()[0] for line in table[1:]] == ["Harbor", "Northwind"]
    assert [(row["name"], row["contact"], row["brokers"], row["tokens"]) for row in partners] == [
        ("Harbor", None, 0, 0),
        ("Northwind", "ops@northwind.example", 1, 1),
    ]
    assert [(row["email"], row["partner_name"]) for row in brokers] == [("ann@broker.example", "Northwind")]
    assert of_one == []
    assert refused.complaint == "There is no partner 'Nobody'; `bindery partner list` shows them."


def test_a_demo_issues_a_token_that_has_expired_to_try_the_refusal(program: Program) -> None:
    program.run("partner", "add", "Northwind").good()
    program.run("token", "issue", "--partner", "Northwind", "--days", "0").good()
    (record,) = program.run("token", "list", "--json").json()

    assert record["expires_at"] == record["issued_at"]
