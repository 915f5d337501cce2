"""From faults in trade words to HTTP: the one place that knows the numbers."""

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
from starlette.responses import Response

from bindery.base.errors import (
    AlreadyBound,
    BinderyError,
    ChangeOpen,
    ChangeSettled,
    ClearanceBlocked,
    DocumentUnavailable,
    IdempotencyInFlight,
    IdempotencyMismatch,
    InvalidRequest,
    MalformedIdentifier,
    NotFound,
    Problem,
    TooManyRequests,
    TooManyWaiting,
    Unauthorized,
    Unpausable,
    WrongState,
)
from bindery.contract.errors import ErrorBody, ErrorProblem
from bindery.domain.documents.file_types import UnsupportedPaper
from bindery.domain.quote.authority import BeyondAuthority
from bindery.http.errors import HeadTooLarge, RangeNotSatisfiable, TooLarge, UnsupportedMediaType


class TooManyUploads(BinderyError):
    """As many uploads of the partner, or of all partners, are under way as this process takes at a time."""

    code = "too_many_uploads"

    def __init__(self) -> None:
        super().__init__(
            "Too many uploads are waiting to be read; nothing was kept. Send the file again later."
        )


class TooManyDocuments(BinderyError):
    """As many documents of the partner, or of all partners, are being made as one process makes."""

    code = "too_many_documents"

    def __init__(self) -> None:
        super().__init__("Too many documents are being made at the moment. Ask for it again later.")


class UnknownPath(BinderyError):
    """There is no such path."""

    code = "unknown_path"


class MethodNotAllowed(BinderyError):
    """The path exists, but not with this method."""

    code = "method_not_allowed"

    def __init__(self, allowed: str) -> None:
        super().__init__(f"This path takes {allowed}.")
        self.allowed = allowed


STATUS_OF: Final[Mapping[type[BinderyError], int]] = {
    InvalidRequest: 400,
    AlreadyBound: 400,
    MalformedIdentifier: 400,
    ClearanceBlocked: 400,
    WrongState: 400,
    Unauthorized: 401,
    BeyondAuthority: 403,
    NotFound: 404,
    UnknownPath: 404,
    MethodNotAllowed: 405,
    ChangeOpen: 409,
    ChangeSettled: 409,
    IdempotencyInFlight: 409,
    TooLarge: 413,
    UnsupportedMediaType: 415,
    UnsupportedPaper: 415,
    RangeNotSatisfiable: 416,
    IdempotencyMismatch: 422,
    HeadTooLarge: 431,
    Unpausable: 422,
    DocumentUnavailable: 503,
    TooManyDocuments: 503,
    TooManyUploads: 503,
    TooManyRequests: 429,
    TooManyWaiting: 429,
}


RETRY_AFTER_S: Final[Mapping[type[BinderyError], int]] = {
    IdempotencyInFlight: 1,
    TooManyWaiting: 2,
    # As long as reading one file takes at most.
    TooManyDocuments: 5,
    TooManyUploads: 10,
    # People have to find the file; asking every second does not help.
    DocumentUnavailable: 300,
}


READ_CRASHED: Final = (
    "Something went wrong on our side; nothing was changed. Quote the request_id to support."
)
WRITE_CRASHED: Final = (
    "Something went wrong on our side, and we do not know whether the request took effect. Check before you "
    "send it again; with the same Idempotency-Key it takes effect once. Quote the request_id to support."
)


def error_response(fault: BinderyError, request_id: str) -> Response:
    body = ErrorBody(
        message=_message(fault),
        code=fault.code,
        request_id=request_id,
        errors=shown_problems(fault.problems) if isinstance(fault, InvalidRequest) else [],
        errors_left_out=fault.left_out if isinstance(fault, InvalidRequest) else 0,
        warnings=shown_problems(fault.warnings),
        reasons=fault.reasons if isinstance(fault, ClearanceBlocked) else {},
        available_statuses=list(fault.available_statuses) if isinstance(fault, WrongState) else [],
    )
    status = next((STATUS_OF[kind] for kind in type(fault).__mro__ if kind in STATUS_OF), 500)
    return _respond(body, status, _headers_of(fault))


def _message(fault: BinderyError) -> str:
    """Return what is wrong, and the first field that nobody knows: often it is the one that is missing."""
    if not fault.warnings:
        return fault.message
    return f"{fault.message.removesuffix('.')}. {fault.warnings[0].message}"


def shown_problems(problems: Iterable[Problem]) -> list[ErrorProblem]:
    return [
        ErrorProblem(path=problem.path, code=problem.code, message=problem.message) for problem in problems
    ]


def crash_response(request_id: str, method: str) -> Response:
    """Answer a bug without internals; only a request that reads is known to have changed nothing."""
    message = READ_CRASHED if method in {"GET", "HEAD"} else WRITE_CRASHED
    return _respond(ErrorBody(message=message, code="internal_error", request_id=request_id), 500, {})


def unavailable_response(request_id: str) -> Response:
    """Answer an outage; a connection that breaks during the commit leaves open whether it happened."""
    message = (
        "The service is not available at the moment. Please send the request again; "
        "with an Idempotency-Key it takes effect once."
    )
    body = ErrorBody(message=message, code="unavailable", request_id=request_id)
    return _respond(body, 503, {"Retry-After": "2"})


def _headers_of(fault: BinderyError) -> dict[str, str]:
    match fault:
        case Unauthorized():
            # RFC 6750: a caller without a token is asked for one, and not notified of a wrong one.
            is_missing = fault.code == "missing_token"
            return {"WWW-Authenticate": "Bearer" if is_missing else 'Bearer error="invalid_token"'}
        case TooManyRequests():
            return {"Retry-After": str(fault.retry_after_s)}
        case MethodNotAllowed():
            return {"Allow": fault.allowed}
        case RangeNotSatisfiable():
            return {"Content-Range": f"bytes */{fault.size}"}
        case _ if type(fault) in RETRY_AFTER_S:
            return {"Retry-After": str(RETRY_AFTER_S[type(fault)])}
        case _:
            return {}


def _respond(body: ErrorBody, status: int, headers: dict[str, str]) -> Response:
    return Response(msgspec.json.encode(body), status, headers, media_type="application/json")
