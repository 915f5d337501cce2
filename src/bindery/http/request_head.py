from typing import Final

from starlette.types import Scope

from bindery.base.errors import InvalidRequest, Problem

SENT_ONCE: Final = (b"Authorization", b"Content-Type", b"Host", b"Idempotency-Key")
"""Headers of which somebody on the way may have read the other one."""


def check_head(scope: Scope) -> None:
    """Look at the headers that every operation depends on.

    Raises:
        InvalidRequest: `Host` is missing, which HTTP/1.0 alone knows, or a header was sent twice.
    """
    names = [name for name, _ in scope["headers"]]
    problems = [
        Problem(name.decode(), "repeated_header", "must be sent once")
        for name in SENT_ONCE
        if names.count(name.lower()) > 1
    ]
    if b"host" not in names and scope["http_version"] != "1.0":
        problems.append(Problem("Host", "required", "is required"))
    if problems:
        raise InvalidRequest.because(problems)
