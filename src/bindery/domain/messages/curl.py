"""A delivery as a line for the shell."""

import shlex
from collections.abc import Mapping


def curl_line(endpoint: str, *, headers: Mapping[str, str], body: bytes) -> str:
    """Return the command that sends a delivery by hand, escaped for the shell."""
    words = ["curl", "-sS", "-X", "POST", shlex.quote(endpoint)]
    for name, value in headers.items():
        words += ["-H", shlex.quote(f"{name}: {value}")]
    return " ".join([*words, "--data-raw", shlex.quote(body.decode())])
