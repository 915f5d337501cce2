"""The headers of answers, for the OpenAPI document."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from bindery.api.operation import IF_NONE_MATCH, PREFER_WAIT, RANGE, Answer, Operation

HEADERS: Final[Mapping[str, dict[str, Any]]] = {
    "X-Request-Id": {
        "description": "Identifies the request in our logs; the caller's own if it sent a valid one.",
        "schema": {"type": "string", "pattern": "^[A-Za-z0-9._-]+$", "minLength": 1, "maxLength": 64},
        "example": "req_5f0c2a91e7b64d38",
    },
    "Cache-Control": {
        "description": "Who may cache the answer: nobody, unless the operation says otherwise.",
        "schema": {"type": "string", "enum": ["no-store", "no-cache", "private, no-cache"]},
        "example": "no-store",
    },
    "Vary": {
        "description": "Long answers are compressed for clients that send `Accept-Encoding: br, gzip`.",
        "schema": {"type": "string", "const": "Accept-Encoding"},
        "example": "Accept-Encoding",
    },
    "Retry-After": {
        "description": "Seconds to wait before asking again.",
        "schema": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 3600},
        "example": 2,
    },
    "RateLimit-Policy": {
        "description": "How many requests of this kind (`reads`, `submissions`, `writes`, `uploads`) a "
        "partner may send: `q` in each window of `w` seconds.",
        "schema": {"type": "string", "pattern": '^"[a-z]+";q=[0-9]+;w=[0-9]+$', "maxLength": 60},
        "example": '"reads";q=1200;w=60',
    },
    "RateLimit": {
        "description": "Where the partner stands: `r` more requests of this kind in the next `t` seconds.",
        "schema": {"type": "string", "pattern": '^"[a-z]+";r=[0-9]+;t=[0-9]+$', "maxLength": 60},
        "example": '"reads";r=1187;t=42',
    },
    "WWW-Authenticate": {
        "description": "`Bearer`, with `error` where a token was sent and refused.",
        "schema": {"type": "string", "enum": ["Bearer", 'Bearer error="invalid_token"']},
        "example": 'Bearer error="invalid_token"',
    },
    "ETag": {
        "description": "Changes with the content; send it as `If-None-Match`. A compressed answer has one of "
        "its own.",
        "schema": {"type": "string", "pattern": '^"[0-9a-f]+(-br|-gzip)?"$', "maxLength": 80},
        "example": '"2f1d7a0c93be4e58a6f40b7c1d925e83"',
    },
    "Preference-Applied": {
        "description": "The wait that was granted, if `Prefer` asked for one.",
        "schema": {"type": "string", "pattern": "^wait=[0-9]{1,2}$", "maxLength": 7},
        "example": "wait=20",
    },
    "Idempotent-Replayed": {
        "description": "`true` if this is the first answer to the `Idempotency-Key`, sent again.",
        "schema": {"type": "string", "const": "true"},
        "example": "true",
    },
    "Content-Disposition": {
        "description": "A name to save the document under: its type, the insured and the quote.",
        "schema": {"type": "string", "maxLength": 1000},
        "example": 'attachment; filename="quote-letter_harborlight-bakery-llc_9c0d7e55.pdf"; '
        "filename*=UTF-8''quote-letter_Harborlight%20Bakery%20LLC_9c0d7e55.pdf",
    },
    "Document-Version": {
        "description": "The version of the document, counted from 1.",
        "schema": {"type": "integer", "format": "int64", "minimum": 1, "maximum": 32767},
        "example": 2,
    },
    "Accept-Ranges": {
        "description": "Parts can be asked for with `Range`.",
        "schema": {"type": "string", "const": "bytes"},
        "example": "bytes",
    },
    "Content-Range": {
        "description": "Which part this is, and of how many bytes.",
        "schema": {"type": "string", "pattern": "^bytes ([0-9]+-[0-9]+|\\*)/[0-9]+$", "maxLength": 80},
        "example": "bytes 0-1023/48211",
    },
}

UNAUTHORIZED: Final = 401
COUNTED: Final = ("RateLimit-Policy", "RateLimit")
"""Every answer to a partner has them."""
ALWAYS: Final = ("X-Request-Id", "Cache-Control")


def headers_of(status: int, answer: Answer, row: Operation | None = None) -> dict[str, Any]:
    """Return the headers of an answer; one that many operations share has no row."""
    names = [*ALWAYS, *answer.headers, *(_of_row(status, row) if row is not None else ())]
    if status != UNAUTHORIZED and (row is None or row.needs_token):
        names += COUNTED
    if answer.is_text:
        names.append("Vary")
    return {name: {"$ref": f"#/components/headers/{name}"} for name in dict.fromkeys(names)}


def _of_row(status: int, row: Operation) -> Iterator[str]:
    if IF_NONE_MATCH in row.parameters and status in {200, 206, 304}:
        yield "ETag"
    if RANGE in row.parameters and status in {200, 206, 304}:
        yield "Accept-Ranges"
    if PREFER_WAIT in row.parameters and status in {200, 202, 304}:
        yield "Preference-Applied"
    if row.takes_key and status == 200:  # noqa: PLR2004 - HTTP
        yield "Idempotent-Replayed"
