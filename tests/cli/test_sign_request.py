"""`bindery sign-request` against a demo in another process."""

import json
from typing import Any

from support.processes import Running
from support.service import request_body

EMAIL = "ann@harborlight.example.com"


def quoted(demo: Running, name: str = "Harborlight Bakery LLC") -> str:
    body = request_body(lambda body: body["client"].update(name=name))
    body["policy"]["quotes"] = body["policy"]["quotes"][:1]
    shown = demo.program.run("quote", "-", "--wait", "--json", stdin=json.dumps(body)).json()
    identifier: str = shown[0]["quote_identifier"]
    return identifier


def requests_of(demo: Running, quote: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = demo.program.run("sign-request", quote, "--json").json()[
        "signature_requests"
    ]
    return found


def test_a_link_is_sent_listed_and_taken_back(demo: Running) -> None:
    quote = quoted(demo)
    none = demo.program.run("sign-request", quote).good()

    sent = demo.program.run("sign-request", quote, EMAIL, "--name", "Ann", "--message", "Soon.").good()
    listed = demo.program.run("sign-request", quote).good()
    (found,) = requests_of(demo, quote)
    back = demo.program.run("sign-request", quote, "--revoke", found["signature_request_id"]).good()

    assert none == "No link was sent for this quote.\n"
    assert sent.startswith(f"The link is on its way to {EMAIL}.\n")
    assert found["url"] in sent
    assert [line.split()[0] for line in listed.splitlines()[1:]] == [found["signature_request_id"]]
    assert back.startswith("The link is taken back.\n")
    assert found["url"] not in back
    assert requests_of(demo, quote)[0]["status"] == "revoked"


def test_who_waits_hears_what_the_client_did(demo: Running) -> None:
    signing, objecting = quoted(demo, "Quick LLC (signs)"), quoted(demo, "Careful LLC (objects)")

    signed = demo.program.run("sign-request", signing, EMAIL, "--wait", "60")
    back = demo.program.run("sign-request", objecting, EMAIL, "--wait", "60")
    bound = demo.program.run("bind", signing).good()

    assert signed.good().startswith("The application is signed.\n")
    assert (back.code, back.stdout.splitlines()[0]) == (3, "The client found something wrong.")
    assert "The number of employees is wrong." in back.stdout
    assert bound.startswith("The policy is issued.\n")


def test_who_waits_too_short_and_who_asks_wrongly_is_told(demo: Running) -> None:
    quote = quoted(demo)

    late = demo.program.run("sign-request", quote, EMAIL, "--wait", "1")
    both = demo.program.run("sign-request", quote, EMAIL, "--revoke", "x")
    refused = demo.program.run("sign-request", quote, "nobody")

    assert (late.code, both.code, refused.code) == (4, 2, 1)
    assert "not both" in both.stderr
    assert "must be an email address" in refused.stderr
