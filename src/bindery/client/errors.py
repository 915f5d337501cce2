from collections.abc import Mapping, Sequence

import httpx
import msgspec

from bindery.contract.errors import ErrorBody, ErrorProblem, NotReadyBody


class ApiError(Exception):
    """A call that did not succeed: what the service said, and where it saw each problem.

    `status` is that of HTTP, 0 where nobody answered; `code` stays the same for the same kind of refusal.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        request_id: str = "",
        problems: Sequence[ErrorProblem] = (),
        warnings: Sequence[ErrorProblem] = (),
        reasons: Mapping[str, str] | None = None,
        available_statuses: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.problems = tuple(problems)
        self.warnings = tuple(warnings)
        self.reasons = dict(reasons or {})
        self.available_statuses = tuple(available_statuses)


class NotReady(ApiError):
    """The quote is still being worked on; `status` is 202, for nothing was refused."""

    def __init__(self, seen: NotReadyBody) -> None:
        message = f"Quote {seen.quote_identifier} is still {seen.quote_status}; ask again later."
        super().__init__(message, status=int(httpx.codes.ACCEPTED), code="not_ready")
        self.quote_status = seen.quote_status


class Unreachable(ApiError):
    """Nobody answered; what was sent under an idempotency key can be sent again under it."""

    def __init__(self, url: str, why: str) -> None:
        super().__init__(f"There is no answer from {url}: {why}.", status=0, code="unreachable")


class SignatureError(Exception):
    """A delivery that must not be trusted, and why."""


def refusal(response: httpx.Response) -> ApiError:
    """Read the error body of an answer; somebody in between may have answered without one."""
    status = response.status_code
    try:
        if status == httpx.codes.ACCEPTED:
            return NotReady(msgspec.json.decode(response.content, type=NotReadyBody))
        body = msgspec.json.decode(response.content, type=ErrorBody)
    except msgspec.MsgspecError:
        message = f"{response.url} answered {status} {response.reason_phrase}, but not as the service does."
        return ApiError(message.replace("  ", " "), status=status, code="unexpected_answer")
    return ApiError(
        body.message,
        status=status,
        code=body.code,
        request_id=body.request_id,
        problems=body.errors,
        warnings=body.warnings,
        reasons=body.reasons,
        available_statuses=body.available_statuses,
    )
