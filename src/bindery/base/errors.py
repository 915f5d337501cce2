"""The faults a caller or the business can cause, in trade words; HTTP numbers live in `api/`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a request, and where.

    `path` reads like `policy.quotes[2].aggregate_limit`; it is empty for the body as a whole.
    """

    path: str
    code: str
    message: str


class BinderyError(Exception):
    """Any fault that is the caller's or the business's, never a bug."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class InvalidRequest(BinderyError):
    """The request breaks one or more rules; all of them are listed."""

    code = "invalid_request"

    def __init__(self, message: str, problems: Iterable[Problem] = (), *, code: str | None = None) -> None:
        super().__init__(message, code=code)
        self.problems = tuple(problems)

    @classmethod
    def because(cls, problems: Iterable[Problem]) -> "InvalidRequest":
        """Word the refusal from its problems."""
        found = tuple(problems)
        first = found[0]
        where = f"{first.path}: " if first.path else ""
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        return cls(f"{where}{first.message}{more}", found)


class AlreadyBound(InvalidRequest):
    """The company has a policy of the line in that period."""

    code = "already_bound"

    def __init__(self, policy_number: str | None = None) -> None:
        cover = policy_number or "another policy of this line"
        super().__init__(f"The company is covered in that period by {cover}; the terms may not overlap.")


class MalformedIdentifier(BinderyError):
    """An identifier of a shape that nothing here has."""

    code = "malformed_identifier"


class NotFound(BinderyError):
    """Well-formed, but unknown to this partner."""

    code = "not_found"


class NotReady(BinderyError):
    """The quote is still being worked on."""

    code = "not_ready"


class Unauthorized(BinderyError):
    """No token, or one that does not open this door."""

    code = "unauthorized"


class WrongState(BinderyError):
    """The quote's status does not allow what was asked."""

    code = "wrong_state"

    def __init__(self, message: str, *, available_statuses: Iterable[str], status: str = "") -> None:
        super().__init__(message)
        # A caller who waits for one of these must not be told to wait for the status that the quote has.
        self.available_statuses = tuple(other for other in available_statuses if other != status)


class NotIssued(WrongState):
    """There is a binder and no policy yet; the message says what is owed, and by when."""

    code = "not_issued"

    def __init__(self, message: str) -> None:
        # No other status leads there: what is owed has to come in.
        super().__init__(message, available_statuses=())


class Unpausable(BinderyError):
    """There is no renewal here that could be paused."""

    code = "cannot_pause"


class ClearanceBlocked(BinderyError):
    """Another organization was submitted with the same domain or address in the last 60 days."""

    code = "broker_of_record_block"

    def __init__(self, reasons: Mapping[str, str]) -> None:
        shared = " and ".join(reasons)
        super().__init__(
            f"Another organization with the same {shared} was submitted in the last 60 days. "
            "Send its company_id in client.company_id if this is the same applicant."
        )
        self.reasons = dict(reasons)


class IdempotencyMismatch(BinderyError):
    """The idempotency key was used before with another request."""

    code = "idempotency_key_reused"


class IdempotencyInFlight(BinderyError):
    """A request with this idempotency key is still being worked on."""

    code = "idempotency_key_in_flight"


class Misconfigured(BinderyError):
    """The settings or the machine do not allow the service to run."""

    code = "misconfigured"
