"""`bindery trigger`, `listen` and `clock` against a demo: every event, and the one who is told."""

import asyncio
import json
import re
import signal
import subprocess
from collections.abc import Iterator

import httpx
import pytest

from bindery.cli.scenes import SCENES
from bindery.contract.events import EVENT_DETAILS, PING
from support.processes import NO_TLS, Program, Running, demo_running, free_port, wait_for

IN_SHORT = frozenset({"quote.published", "signature_request.signed", "policy.renewal_offered"})
"""Events of each level, at once and after the clock was moved; `make test-long` triggers all."""


@pytest.fixture(scope="module")
def demo(server: str, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A demo service of this module's own: its clock is moved."""
    with demo_running(server, template, tmp_path_factory.mktemp("moving")) as running:
        yield running


def endpoints(demo: Running) -> list[str]:
    """Return where the demo delivers to."""
    answer = httpx.get(
        f"{demo.url}/v2/webhooks",
        headers={"Authorization": f"Bearer {demo.token}"},
        timeout=30,
        verify=NO_TLS,
    )
    return [webhook["endpoint"] for webhook in answer.json()["webhooks"]]


def test_every_event_of_the_catalogue_can_be_triggered(bare: Program) -> None:
    listed = bare.run("trigger", "--list").good()
    for_a_script = bare.run("trigger", "--list", "--json").json()

    assert list(SCENES) == list(EVENT_DETAILS)
    assert list(for_a_script) == [*EVENT_DETAILS, PING]
    assert [line.split()[0] for line in listed.splitlines()[1:]] == list(for_a_script)


@pytest.mark.parametrize(
    "event", [event if event in IN_SHORT else pytest.param(event, marks=pytest.mark.long) for event in SCENES]
)
def test_an_event_is_triggered_and_told_of(demo: Running, event: str) -> None:
    ended = demo.program.run("trigger", event, "--json")

    happened = ended.json()
    assert happened["type"] == event
    assert happened["data"]["level"] == event.partition(".")[0].replace("signature_request", "quote")
    assert ended.stderr.startswith("· Submitted Triggered Sample Company")


def test_a_person_reads_what_was_done_and_which_quote_it_is_about(demo: Running) -> None:
    ended = demo.program.run("trigger", "quote.declined")

    quote = re.search(r"quote ([0-9a-f-]{36}), quote_referred", ended.stderr)
    assert quote is not None
    assert ended.stderr.splitlines()[-1] == "· Played the underwriter: decline."
    first, said, about = ended.good().splitlines()
    assert first.startswith("✓ quote.declined  ")
    assert said == "  reason Triggered from the command line."
    assert about == f"  about quote {quote[1]}, which is quote_declined"


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT], ids=lambda by: by.name)
def test_a_listener_registers_verifies_and_takes_its_registration_back(
    demo: Running, by: signal.Signals
) -> None:
    port = free_port()
    here = f"http://127.0.0.1:{port}/"
    with demo.program.start("listen", "--port", str(port), stdout=subprocess.PIPE) as listening:
        greeting = listening.read_until("Ctrl-C stops it.")
        while_listening = endpoints(demo)
        pinged = demo.program.run("trigger", PING, "--json").json()
        demo.program.run("trigger", "quote.published").good()
        shown = listening.read_until("✓ quote.published")
        ended = listening.stop(by)

    assert f"Registered with {demo.url}/v2" in greeting
    assert here in while_listening
    assert [ping["endpoint"] for ping in pinged] == [here]
    assert f"✓ {PING}  {pinged[0]['event_id']}" in shown
    assert "✗" not in shown
    assert ended == 0
    assert endpoints(demo) == []
    assert f"The registration of {here} is removed.\n" in listening.stderr


def test_an_endpoint_that_was_registered_before_stays_so(demo: Running) -> None:
    port = free_port()
    here = f"http://127.0.0.1:{port}/"
    headers = {"Authorization": f"Bearer {demo.token}"}
    body = {"endpoint": here, "quote_level": True, "policy_level": True}
    before = httpx.post(f"{demo.url}/v2/webhooks", json=body, headers=headers, timeout=30, verify=NO_TLS)

    command = ["listen", "--port", str(port), "--json"]
    with demo.program.start(*command, stdout=subprocess.PIPE) as listening:
        # What was sent before has the signature of the secret before.
        asyncio.run(wait_for(lambda: listening.stderr, until=lambda said: here in said, seconds=120))
        demo.program.run("trigger", PING).good()
        # Others may be told something in the meantime: the ping is the last line so far.
        pinged = json.loads(listening.read_until(PING).splitlines()[-1])
        listening.stop()
    left = endpoints(demo)
    httpx.delete(
        f"{demo.url}/v2/webhooks/{before.json()['id']}", headers=headers, timeout=30, verify=NO_TLS
    ).raise_for_status()

    assert left == [here]
    assert (pinged["type"], pinged["verified"], pinged["flaw"]) == (PING, True, None)


def test_without_a_listener_there_is_nobody_to_ping(demo: Running) -> None:
    ended = demo.program.run("trigger", PING)

    assert ended.complaint == "There is no webhook to ping: `bindery listen` registers one."


def test_a_service_elsewhere_needs_to_know_the_way_here(demo: Running) -> None:
    ended = demo.program.run("listen", "--url", "https://quotes.example.com/v2")

    assert ended.complaint.startswith("https://quotes.example.com/v2 cannot deliver to this machine: ")


def test_the_clock_of_a_demo_is_shown_and_moved_over_http(demo: Running) -> None:
    url = f"{demo.url}/v2"

    before = demo.program.run("clock", "show", "--url", url, "--json").json()
    moved = demo.program.run("clock", "advance", "1", "--url", url, "--json").json()
    refused = demo.program.run("clock", "advance", "1", "--url", url, "--token", "of-nobody")

    assert moved["days_ahead"] == before["days_ahead"] + 1
    assert refused.code == 1
    assert refused.stderr.startswith("Refused (401 ")


def test_a_demo_that_runs_is_not_reset(demo: Running) -> None:
    ended = demo.program.run("clock", "reset")

    assert ended.complaint.startswith("The database of this demo is in use (")


def test_nothing_but_a_demo_is_triggered_or_asked_for_a_new_secret(program: Program) -> None:
    production = {
        "BINDERY_ENVIRONMENT": "production",
        "BINDERY_SECRET_KEY": "q7LxT2vWm9ZrB4nKc8YpD1sHf6GjA3eU",
        "BINDERY_BASE_URL": "https://api.bindery.example/v2",
    }
    program.variables.update(production)
    program.run("partner", "add", "Northwind").good()
    token = program.run("token", "issue", "--partner", "Northwind").good().strip()
    with program.serving() as service:
        there = ["--url", f"{service.url}/v2", "--token", token]
        triggered = program.run("trigger", "quote.published", *there)
        listened = program.run("listen", "--port", str(free_port()), *there)
        quotes = program.run("list", "--json", *there).json()

    assert triggered.complaint == f"{service.url}/v2 is not a demo; events can be triggered in a demo only."
    assert listened.complaint.startswith(f"{service.url}/v2 is not a demo. Pass --secret: ")
    assert quotes == []
