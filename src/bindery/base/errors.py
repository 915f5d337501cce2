"""The faults a caller or the business can cause, in trade words; HTTP numbers live in `api/`."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

MOST_LISTED: Final = 100
MOST_LISTED_BYTES: Final = 256 * 1024
LONGEST_MESSAGE: Final = 512
_BYTES_AROUND: Final = 32


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a request, and where.

    `path` reads like `policy.quotes[2].aggregate_limit`; it is empty for the body as a whole.
    """

    path: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ListedProblems:
    problems: tuple[Problem, ...]
    left_out: int

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> "ListedProblems":
        """List as many as somebody reads: what is wrong with a body may fill more than the body did."""
        found = tuple(problems)
        listed: list[Problem] = []
        room = MOST_LISTED_BYTES
        for problem in map(_cut, found[:MOST_LISTED]):
            room -= len(json.dumps([problem.path, problem.code, problem.message])) + _BYTES_AROUND
            if room < 0:
                break
            listed.append(problem)
        return cls(tuple(listed), len(found) - len(listed))


def _cut(problem: Problem) -> Problem:
    if len(problem.message) <= LONGEST_MESSAGE:
        return problem
    return replace(problem, message=f"{problem.message[:LONGEST_MESSAGE]}…")


class BinderyError(Exception):
    """Any fault that is the caller's or the business's, never a bug."""

    code = "error"
    warnings: tuple[Problem, ...] = ()
    """What was sent and is not known: often what is missing, under another name."""

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class InvalidRequest(BinderyError):
    """The request breaks one or more rules; they are listed, up to a hundred of them."""

    code = "invalid_request"

    def __init__(
        self, message: str, problems: Iterable[Problem] = (), *, left_out: int = 0, code: str | None = None
    ) -> None:
        super().__init__(message, code=code)
        self.problems = tuple(problems)
        self.left_out = left_out

    @classmethod
    def at(cls, path: str, code: str, message: str) -> "InvalidRequest":
        return cls.because([Problem(path, code, message)])

    @classmethod
    def because(cls, problems: Iterable[Problem]) -> "InvalidRequest":
        listed = ListedProblems.of(problems)
        first, *others = listed.problems
        more = len(others) + listed.left_out
        unlisted = f", {listed.left_out:,} of them not listed" if listed.left_out else ""
        where = f"{first.path}: " if first.path else ""
        message = f"{where}{first.message}" + (f" (and {more:,} more{unlisted})" if more else "")
        return cls(message, listed.problems, left_out=listed.left_out)


class AlreadyBound(InvalidRequest):
    """The company has a policy of the line in that period."""

    code = "already_bound"

    def __init__(self, policy_number: str | None = None) -> None:
        cover = policy_number or "another policy of this line"
        super().__init__(f"The company is already covered in that period by {cover}; terms must not overlap.")


class MalformedIdentifier(BinderyError):
    """An identifier of a shape that nothing here has."""

    code = "malformed_identifier"


class ChangedMeanwhile(BinderyError):
    """What a person saw and decided about is not what is there any more; nothing was done."""

    code = "changed_meanwhile"


class NotFound(BinderyError):
    """Well-formed, but unknown to this partner."""

    code = "not_found"


class QuoteInProgress(BinderyError):
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
        self.status = status
        # A caller who waits for one of these must not be asked to wait for the status that the quote has.
        self.available_statuses = tuple(other for other in available_statuses if other != status)


class ChangeOpen(BinderyError):
    """Another change of the policy is open."""

    code = "change_open"


class ChangeSettled(BinderyError):
    """The change was settled otherwise."""

    code = "change_settled"


class NotIssued(WrongState):
    """There is a binder and no policy yet; the message says what is owed, and by when."""

    code = "not_issued"

    def __init__(self, message: str) -> None:
        # No other status leads there: what is owed has to come in.
        super().__init__(message, available_statuses=())


class Unpausable(BinderyError):
    """There is no renewal here that could be paused."""

    code = "cannot_pause"


class Unresumable(Unpausable):
    """There is no renewal here that could be resumed."""

    code = "cannot_resume"


class ClearanceBlocked(BinderyError):
    """Another organization was submitted with the same domain or address in the last 60 days."""

    code = "broker_of_record_block"

    def __init__(self, reasons: Mapping[str, str], *, is_own: bool) -> None:
        shared = " and ".join(reasons)
        way_out = (
            "Send its company_id in client.company_id if this is the same applicant."
            if is_own
            else "Somebody else submitted it: ask the underwriters about changing the broker of record."
        )
        super().__init__(
            f"Another organization with the same {shared} was submitted in the last 60 days. {way_out}"
        )
        self.reasons = dict(reasons)


class IdempotencyMismatch(BinderyError):
    """The idempotency key was used before with another request."""

    code = "idempotency_key_reused"


class IdempotencyInFlight(BinderyError):
    """A request with this idempotency key is still being worked on."""

    code = "idempotency_key_in_flight"


class DocumentUnavailable(BinderyError):
    """The file of a document is missing or damaged; an operator has been alarmed."""

    code = "document_unavailable"

    def __init__(self) -> None:
        super().__init__(
            "The document cannot be sent at the moment: its file is missing or damaged, and the operator "
            "has been alerted. Please ask again later."
        )


class UploadUnavailable(BinderyError):
    """The file of an upload is missing or damaged; an operator has been alarmed."""

    code = "upload_unavailable"

    def __init__(self) -> None:
        super().__init__(
            "The file cannot be sent at the moment: it is missing or damaged, and the operator has been "
            "alerted. Please ask again later, or upload it again."
        )


class Misconfigured(BinderyError):
    """The settings or the machine do not allow the service to run."""

    code = "misconfigured"


class DatabaseUnreachable(Misconfigured):
    """The database is away."""

    code = "unreachable"


class MigrationFailed(Misconfigured):
    """The database refused a step of a migration, and all of it was taken back."""

    code = "migration_failed"


class TooManyRequests(BinderyError):
    """The partner has sent as many requests of this kind as it may in a minute."""

    code = "too_many_requests"

    def __init__(self, limit: int, kind: str, retry_after_s: int) -> None:
        super().__init__(
            f"A partner may send {limit:,} {kind} a minute. Send it again in {retry_after_s} seconds."
        )
        self.retry_after_s = retry_after_s


class TooManyWaiting(BinderyError):
    """The partner holds as many long polls as it may at once."""

    code = "too_many_waiting"

    def __init__(self, most: int) -> None:
        super().__init__(
            f"At most {most} requests of a partner may wait at once. "
            "Ask without `Prefer: wait`, or once others have been answered."
        )
