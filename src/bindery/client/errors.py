from collections.abc import Mapping, Sequence

import httpx
import msgspec

from bindery.base.errors import BinderyError
from bindery.contract.errors import ErrorBody, ErrorProblem


class ApiError(BinderyError):
    """A call that did not succeed: what the service said, and where it saw each problem.

    `status` is that of HTTP, 202 for a quote that was not ready in time, 0 where nobody answered.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        code: str,
        request_id: str = "",
        problems: Sequence[ErrorProblem] = (),
        reasons: Mapping[str, str] | None = None,
        available_statuses: Sequence[str] = (),
    ) -> None:
        super().__init__(message, code=code)
        self.status = status
        self.request_id = request_id
        self.problems = tuple(problems)
        self.reasons = dict(reasons or {})
        self.available_statuses = tuple(available_statuses)


def refusal(response: httpx.Response) -> ApiError:
    """Read the error body of an answer; somebody in between may have answered without one."""
    status = response.status_code
    try:
        body = msgspec.json.decode(response.content, type=ErrorBody)
    except msgspec.MsgspecError:
        message = f"{response.url} answered {status} {response.reason_phrase}, and not as the service does."
        return ApiError(message.replace("  ", " "), status=status, code="unexpected_answer")
    return ApiError(
        body.message,
        status=status,
        code=body.code,
        request_id=body.request_id,
        problems=body.errors,
        reasons=body.reasons,
        available_statuses=body.available_statuses,
    )
