"""Both clients refuse at the first line what can never work, and show no token."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from bindery.client import AsyncBindery, Bindery
from support.source_tree import ROOT

TOKEN = "eyJ0eXAiOiJKV1QifQ.eyJzdWIiOiJhIn0.c2lnbmF0dXJl"
URL = "http://127.0.0.1:9"
NODE = Path(sys.executable).with_name("node")
BUILT = ROOT / "clients" / "typescript" / "built" / "index.js"
NO_ADDRESS = "The address of the service must begin with http:// or https://."
WRONG = [
    ("", URL, "The token is empty."),
    (" \n", URL, "The token is empty."),
    (URL, TOKEN, "The token is an address"),
    (f"{TOKEN} {TOKEN}", URL, "The token has characters that no token has."),
    (f"{TOKEN}\x00", URL, "The token has characters that no token has."),
    ("tokén", URL, "The token has characters that no token has."),
    (TOKEN, "127.0.0.1:9", NO_ADDRESS),
    (TOKEN, TOKEN, NO_ADDRESS),
    (TOKEN, "", NO_ADDRESS),
]


@pytest.mark.parametrize("client", [Bindery, AsyncBindery])
@pytest.mark.parametrize(("token", "url", "words"), WRONG)
def test_a_token_or_address_that_cannot_be_one_is_refused_without_showing_it(
    client: type[Any], token: str, url: str, words: str
) -> None:
    with pytest.raises(ValueError, match=words) as refused:
        client(token, url)

    assert "eyJ" not in str(refused.value)


def test_a_token_with_the_newline_of_its_file_is_taken() -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["authorization"])
        return httpx.Response(200, json={"webhooks": []})

    with Bindery(f"{TOKEN}\n", f" {URL}\n", transport=httpx.MockTransport(answer)) as client:
        client.list_webhooks()

    assert seen == [f"Bearer {TOKEN}"]


@pytest.mark.parametrize("quote", [None, "", 7, {"quote_identifier": "x"}])
def test_what_is_no_quote_is_named_before_anything_is_sent(quote: Any) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise AssertionError(request.url)

    with (
        Bindery(TOKEN, URL, transport=httpx.MockTransport(answer)) as client,
        pytest.raises(TypeError, match=r"A quote, a receipt or an identifier is needed\."),
    ):
        client.get_quote(quote)


def said_in_typescript(expression: str) -> str:
    """Return the message of what an expression throws."""
    program = (
        f"import {{ Bindery }} from {json.dumps(BUILT.as_uri())};\n"
        f"try {{ await ({expression}); console.log('nothing'); }} "
        "catch (thrown) { console.log(thrown.message); }"
    )
    command = [str(NODE), "--input-type=module", "--eval", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_the_typescript_client_refuses_the_same() -> None:
    for token, url, words in (WRONG[0], WRONG[2], WRONG[3], WRONG[6], WRONG[7]):
        made = f"new Bindery({json.dumps({'token': token, 'baseUrl': url})})"

        assert said_in_typescript(made).startswith(words)


@pytest.mark.parametrize("quote", ["undefined", "null", "''", "{}"])
def test_the_typescript_client_names_what_is_no_quote(quote: str) -> None:
    made = f"new Bindery({json.dumps({'token': TOKEN, 'baseUrl': URL})})"

    assert said_in_typescript(f"{made}.getQuote({quote})") == "A quote, a receipt or an identifier is needed."
