"""A delivery as a line for the shell."""

import shlex

from bindery.domain.messages.webhooks import curl_line


def test_the_line_holds_what_is_sent_and_nothing_for_the_shell() -> None:
    body = b'{"name": "O\'Neil; $(rm -rf /)"}'

    line = curl_line("https://p.example/hook?a=1&b=2", headers={"webhook-id": "x y"}, body=body)

    assert shlex.split(line) == [
        *("curl", "-sS", "-X", "POST", "https://p.example/hook?a=1&b=2"),
        *("-H", "webhook-id: x y", "--data-raw", body.decode()),
    ]
