"""Settings: what is read from the environment, and what stops the start."""

from pathlib import Path

import pytest

from bindery.base.errors import Misconfigured
from bindery.own_database import database_dsn
from bindery.runtime import missing_in_production
from bindery.setting_sources import Source, sources_of, unknown_variables
from bindery.settings import Settings, load_settings

NOWHERE = Path("/no/such/.env")
STRONG = "q8Zr2LxK4vNw7TsB1mYc9JhD5gFp3Ea6"
PRODUCTION = {
    "BINDERY_ENVIRONMENT": "production",
    "BINDERY_DATABASE_URL": "postgresql://bindery@db.internal/bindery",
    "BINDERY_SECRET_KEY": "a-secret-of-the-tests-0123456789-abcdefghij",
    "BINDERY_BASE_URL": "https://api.bindery.example/v2",
}


def test_a_pooler_needs_the_address_of_the_server_behind_it() -> None:
    pooler = "postgresql://bindery@pooler.internal:6432/bindery"
    direct = "postgresql://bindery@db.internal/bindery"

    with pytest.raises(
        Misconfigured, match="BINDERY_DATABASE_DIRECT_URL is required with BINDERY_DATABASE_POOLED"
    ):
        load(database_url=pooler, database_pooled="yes")
    with pytest.raises(Misconfigured, match="BINDERY_DATABASE_URL is required with BINDERY_DATABASE_POOLED"):
        load(database_direct_url=direct, database_pooled="yes")
    with pytest.raises(Misconfigured, match="goes with BINDERY_DATABASE_POOLED=yes, which is not set"):
        load(database_url=pooler, database_direct_url=direct)

    settings = load(database_url=pooler, database_pooled="yes", database_direct_url=direct)
    assert database_dsn(settings) == direct


def load(**given: str) -> Settings:
    return load_settings(
        {f"BINDERY_{name.upper()}": value for name, value in given.items()}, env_file=NOWHERE
    )


def load_in_production(**given: str) -> Settings:
    named = {f"BINDERY_{name.upper()}": value for name, value in given.items()}
    return load_settings({**PRODUCTION, **named}, env_file=NOWHERE)


def test_endpoints_may_be_on_the_two_https_ports_unless_others_are_set() -> None:
    assert load_in_production().webhook_ports == (443, 8443)
    assert load_in_production(webhook_ports=" 443, 1 ,65535").webhook_ports == (443, 1, 65_535)


@pytest.mark.parametrize("ports", ["0", "65536", "443,", "https", "-1", "44 3", "٤٤٣", "9" * 5_000])
def test_what_is_no_port_stops_the_start(ports: str) -> None:
    with pytest.raises(Misconfigured, match="BINDERY_WEBHOOK_PORTS must list port numbers"):
        load(webhook_ports=ports)


def test_a_strong_metrics_token_is_taken() -> None:
    assert load_in_production(metrics_token=STRONG).metrics_token == STRONG


@pytest.mark.parametrize("token", [STRONG[:-1], "ab" * 16])
def test_a_weak_metrics_token_stops_the_start(token: str) -> None:
    with pytest.raises(Misconfigured, match="BINDERY_METRICS_TOKEN is weak"):
        load_in_production(metrics_token=token)


@pytest.mark.parametrize(
    "url",
    ["smtp://mail.example", "smtp://me:pw@mail.example:587", "smtps://mail.example:465", "smtp://[::1]:25"],
)
def test_a_mail_server_is_taken(url: str) -> None:
    assert load_in_production(smtp_url=url).smtp_url == url


@pytest.mark.parametrize(
    "url", ["mail.example:587", "http://mail.example", "smtp://", "smtp://me:pw@", "smtp://mail.example:0",
            "smtp://mail.example:70000", "smtp://mail.example:port"]
)  # fmt: skip
def test_what_is_no_mail_server_stops_the_start(url: str) -> None:
    with pytest.raises(Misconfigured, match="BINDERY_SMTP_URL must be smtp://host or smtps://host"):
        load(smtp_url=url)


def test_a_time_stamp_server_is_taken_over_https_and_in_the_demo_over_http() -> None:
    assert load(timestamp_url="http://127.0.0.1:9/stamp").timestamp_url == "http://127.0.0.1:9/stamp"
    url = "https://stamp.example/tsr"
    assert load_in_production(timestamp_url=url).timestamp_url == url
    for weak in ("http://stamp.example", "https://me:pw@stamp.example"):
        with pytest.raises(
            Misconfigured, match="BINDERY_TIMESTAMP_URL must be an https address in production"
        ):
            load_in_production(timestamp_url=weak)
    for wrong in ("stamp.example", "ftp://stamp.example", "https://"):
        with pytest.raises(Misconfigured, match="BINDERY_TIMESTAMP_URL must be an http or https address"):
            load(timestamp_url=wrong)


def test_a_key_that_seals_is_a_file() -> None:
    assert load(seal_key_file="/etc/bindery/seal.pem").seal_key_file == Path("/etc/bindery/seal.pem")


def test_each_setting_says_where_it_comes_from(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("BINDERY_POOL_SIZE=20\nBINDERY_LOG_LEVEL=debug\nBINDERY_PRESSES=\n")
    given = {"BINDERY_LOG_LEVEL": "warning", "BINDERY_DATA_DIR": "/srv/bindery", "BINDERY_LONG_POLLS": "20"}
    settings = load_settings(given, data_dir=tmp_path, env_file=file)

    sources = sources_of(settings, given, env_file=file)

    assert sources["pool_size"] is Source.FILE
    assert sources["log_level"] is Source.ENVIRONMENT
    assert sources["long_polls"] is Source.ENVIRONMENT
    assert sources["data_dir"] is Source.COMMAND
    assert sources["presses"] is sources["business_zone"] is Source.DEFAULT


def test_what_a_file_says_since_the_start_is_not_where_a_setting_comes_from(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    settings = load_settings({}, env_file=file)
    file.write_text("BINDERY_POOL_SIZE=20\nBINDERY_METRICS_PORT=none\n")

    sources = sources_of(settings, {}, env_file=file)

    assert set(sources.values()) == {Source.DEFAULT}


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("environment", "staging", "BINDERY_ENVIRONMENT must be demo or production"),
        ("pool_size", "1", "BINDERY_POOL_SIZE must be a whole number from 2 to 200"),
        ("pool_size", "201", "BINDERY_POOL_SIZE must be a whole number from 2 to 200"),
        ("desk_answer_hours", "٤", "BINDERY_DESK_ANSWER_HOURS must be a whole number from 1 to 240"),
        ("business_zone", "Mars/Olympus", "BINDERY_BUSINESS_ZONE is not a known time zone: 'Mars/Olympus'"),
        ("price_explanation", "all", "BINDERY_PRICE_EXPLANATION must be none, short or full"),
        ("brokers_see_underwriters", "maybe", "BINDERY_BROKERS_SEE_UNDERWRITERS must be yes or no"),
        ("log_level", "loud", "BINDERY_LOG_LEVEL must be debug, info, warning or error"),
        ("sanctions_file", "/no/such/list", "BINDERY_SANCTIONS_FILE is not a file: /no/such/list"),
    ],
)
def test_a_wrong_value_stops_the_start_with_what_it_must_be(name: str, value: str, sentence: str) -> None:
    with pytest.raises(Misconfigured) as stopped:
        load(**{name: value})

    assert sentence in str(stopped.value)


def test_lists_and_numbers_are_read() -> None:
    read = load(programs=" ACCOUNTANTS, ,FRANCHISE-7 ", pool_size="200", desk_answer_hours="1")

    assert (read.programs, read.pool_size, read.desk_answer_hours) == (("ACCOUNTANTS", "FRANCHISE-7"), 200, 1)


@pytest.mark.parametrize(
    ("text", "is_on"),
    [("yes", True), ("True", True), ("on", True), ("1", True), ("no", False), ("FALSE", False), ("0", False)],
)
def test_a_switch_is_read(text: str, is_on: bool) -> None:
    assert load(brokers_see_underwriters=text).brokers_see_underwriters is is_on


def test_trusted_proxies_are_addresses_or_networks() -> None:
    assert load_in_production().trusted_proxies == ("127.0.0.1",)
    chosen = load_in_production(trusted_proxies="10.0.0.0/8, 192.0.2.1,2001:db8::/32").trusted_proxies
    assert chosen == ("10.0.0.0/8", "192.0.2.1/32", "2001:db8::/32")
    with pytest.raises(Misconfigured, match="BINDERY_TRUSTED_PROXIES must be addresses or networks"):
        load(trusted_proxies="proxy.internal")


def test_the_platform_is_where_the_api_is_unless_it_is_said() -> None:
    assert load_in_production().platform_url == "https://api.bindery.example"
    assert load(base_url="http://127.0.0.1:9000/v2").platform_url == "http://127.0.0.1:9000"
    assert load_in_production(platform_url="https://desk.example").platform_url == "https://desk.example"
    assert load().platform_url == "http://127.0.0.1:8000"


def test_the_address_that_follows_another_is_no_setting_of_the_command_line() -> None:
    settings = load_in_production()

    assert sources_of(settings, PRODUCTION, env_file=NOWHERE)["platform_url"] is Source.DEFAULT


@pytest.mark.parametrize(
    "url",
    [
        "http://desk.example",
        "javascript:alert(1)",
        "desk.example",
        "https://",
        "https://desk.example:0",
        "https://desk.example:x",
        "https://somebody@desk.example",
        "https://desk.example?a=b",
    ],
)
def test_a_platform_that_nobody_can_be_sent_to_stops_production(url: str) -> None:
    with pytest.raises(
        Misconfigured, match=r"^BINDERY_PLATFORM_URL must be an https address in production\.$"
    ):
        load_in_production(platform_url=url)


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v22", "/v2/quotes"])
def test_an_address_of_the_api_without_its_version_stops_production(path: str) -> None:
    with pytest.raises(Misconfigured, match=r"^BINDERY_BASE_URL must end in /v2\.$"):
        load_in_production(base_url=f"https://api.bindery.example{path}")


@pytest.mark.parametrize("path", ["/v2", "/v2/", "/insurance/v2"])
def test_an_address_of_the_api_with_its_version_is_taken(path: str) -> None:
    url = f"https://api.bindery.example{path}"

    assert load_in_production(base_url=url).base_url == url


@pytest.mark.parametrize("networks", ["0.0.0.0/0", "::/0", "10.0.0.1, 0.0.0.0/0"])
def test_production_does_not_trust_every_proxy(networks: str) -> None:
    with pytest.raises(Misconfigured, match=r"^BINDERY_TRUSTED_PROXIES must not trust every address"):
        load_in_production(trusted_proxies=networks)

    assert load(trusted_proxies=networks).trusted_proxies
    assert load_in_production(trusted_proxies="0.0.0.0/1").trusted_proxies == ("0.0.0.0/1",)


@pytest.mark.parametrize("key", [STRONG[:-1], "ab" * 16])
def test_a_weak_former_key_stops_the_start(key: str) -> None:
    with pytest.raises(Misconfigured, match=r"^BINDERY_OLD_SECRET_KEYS has a key that is weak: "):
        load_in_production(old_secret_keys=f"{STRONG},{key}")

    assert load_in_production(old_secret_keys=STRONG).old_secret_keys == (STRONG,)


def test_a_misspelled_setting_is_found_with_the_one_that_was_meant(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text("BINDERY_POOLSIZE=20\n")
    given = {
        **PRODUCTION,
        "BINDERY_SECRETKEY": "x",
        "BINDERY_FROBNICATE": "x",
        "BINDERY_URL": "https://other.example",
        "BINDERY_TOKEN": "x",
        "HOME": "/",
    }

    assert unknown_variables(given, env_file=file) == {
        "BINDERY_FROBNICATE": None,
        "BINDERY_POOLSIZE": "BINDERY_POOL_SIZE",
        "BINDERY_SECRETKEY": "BINDERY_SECRET_KEY",
    }


def test_what_production_can_start_without_but_hardly_do_without_is_one_sentence_each(tmp_path: Path) -> None:
    bare = missing_in_production(load_in_production(data_dir=str(tmp_path)))
    given = {
        "smtp_url": "smtp://mail.example",
        "mail_from": "quotes@example.com",
        "blobs_url": "s3://files",
        "metrics_token": PRODUCTION["BINDERY_SECRET_KEY"],
    }

    assert list(bare) == [f"BINDERY_{name.upper()}" for name in given]
    assert bare["BINDERY_SMTP_URL"] == (
        "BINDERY_SMTP_URL is not set: no mail is sent: notices, alerts and offers stay in the outbox."
    )
    assert str(tmp_path) in bare["BINDERY_BLOBS_URL"]
    assert missing_in_production(load_in_production(**given)) == {}
    assert missing_in_production(load()) == {}
