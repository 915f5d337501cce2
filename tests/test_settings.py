"""Settings: what is read from the environment, and what stops the start."""

from pathlib import Path

import pytest

from bindery.base.errors import Misconfigured
from bindery.settings import Settings, load_settings

NOWHERE = Path("/no/such/.env")
STRONG = "q8Zr2LxK4vNw7TsB1mYc9JhD5gFp3Ea6"
PRODUCTION = {
    "BINDERY_ENVIRONMENT": "production",
    "BINDERY_DATABASE_URL": "postgresql://bindery@db.internal/bindery",
    "BINDERY_SECRET_KEY": "a-secret-of-the-tests-0123456789-abcdefghij",
    "BINDERY_BASE_URL": "https://api.bindery.example/v2",
}


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
