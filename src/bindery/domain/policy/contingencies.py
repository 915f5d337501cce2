from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Final

from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.contract.documents import UploadFinding
from bindery.contract.quote import SIGNED_APPLICATION
from bindery.contract.vocabulary import ClosedAs, ContingencyStatus, ContingencyType, QuoteStatus
from bindery.domain.applicant.risk import Risk
from bindery.domain.applicant.us_states import state_names
from bindery.domain.filings.rules import filing_rules
from bindery.domain.quote.lifecycle import CONTINGENT, OVER
from bindery.domain.screening.controls import MFA_REFERRAL_REVENUE


class ContingencyKind(StrEnum):
    SIGNATURE = "signature"
    EXPIRING_POLICY = "expiring_policy"
    REMOTE_ACCESS_MFA = "remote_access_mfa"
    INSURED_ENTITIES = "insured_entities"
    UNDERWRITER = "underwriter"
    AUTHORITY = "authority"
    DILIGENT_SEARCH = "diligent_search"


@dataclass(frozen=True, slots=True)
class Contingency:
    contingency_id: str
    kind: ContingencyKind
    type: ContingencyType
    text: str
    status: ContingencyStatus = ContingencyStatus.OPEN
    closed_as: ClosedAs | None = None
    closed_reason: str | None = None
    asked_again_because: str = ""
    """Why it was asked for again, in the underwriter's words."""

    @property
    def is_open(self) -> bool:
        return self.status is ContingencyStatus.OPEN

    @property
    def is_signature(self) -> bool:
        return self.kind is ContingencyKind.SIGNATURE


@dataclass(frozen=True, slots=True)
class Closing:
    """How a contingency is closed, and why."""

    closed_as: ClosedAs
    reason: str = ""


FULFILLED: Final = Closing(ClosedAs.FULFILLED)
ATTESTED: Final = Closing(ClosedAs.ATTESTED)
NOT_NEEDED: Final = Closing(ClosedAs.WAIVED, "Not needed: the bind does not reach back before its first day.")


@dataclass(frozen=True, slots=True)
class DraftContingency:
    kind: ContingencyKind
    type: ContingencyType
    text: str


SIGNATURE: Final = DraftContingency(
    ContingencyKind.SIGNATURE,
    ContingencyType.POST_BIND,
    f"{SIGNED_APPLICATION}, signed by a control-group member no more than 45 days before the bind is "
    "requested",
)
EXPIRING_POLICY: Final = DraftContingency(
    ContingencyKind.EXPIRING_POLICY,
    ContingencyType.POST_BIND,
    "A copy of the expiring policy within 30 days of the new effective date",
)
REMOTE_ACCESS_MFA: Final = DraftContingency(
    ContingencyKind.REMOTE_ACCESS_MFA,
    ContingencyType.POST_BIND,
    "Evidence within 30 days of the bind that multi-factor authentication is enforced on all remote access, "
    "including VPN",
)
INSURED_ENTITIES: Final = DraftContingency(
    ContingencyKind.INSURED_ENTITIES,
    ContingencyType.PRE_BIND,
    "A list of every subsidiary and trade name to be insured, before the bind",
)


def signed_application(_risk: Risk) -> DraftContingency | None:
    return SIGNATURE


def expiring_policy(risk: Risk) -> DraftContingency | None:
    return EXPIRING_POLICY if risk.term.reaches_back else None


def remote_access_mfa(risk: Risk) -> DraftContingency | None:
    """Ask smaller firms to put remote access behind MFA; larger ones are referred for the lack of it."""
    return REMOTE_ACCESS_MFA if risk.answers.no("Q2301") and risk.revenue < MFA_REFERRAL_REVENUE else None


def diligent_search(risk: Risk) -> DraftContingency | None:
    """Ask for the insurers that declined first, where the state wants them before a surplus lines policy."""
    count = filing_rules().search.declinations_in(risk.state)
    if not count:
        return None
    return DraftContingency(
        ContingencyKind.DILIGENT_SEARCH,
        ContingencyType.PRE_BIND,
        f"The record of the diligent search in {state_names()[risk.state]}, before the bind: {count} "
        "insurers that declined, each with its name, the date, the reason, and who declined",
    )


ContingencyRule = Callable[[Risk], DraftContingency | None]

NOT_AT_RENEWAL: Final = frozenset({signed_application, expiring_policy})
"""A renewal rests on answers that were signed for, and the expiring policy is our own."""


def contingencies_for(
    risk: Risk,
    rules: Iterable[ContingencyRule],
    *,
    renewal: bool = False,
    pre_bind: bool = False,
    searches: bool = False,
) -> tuple[DraftContingency, ...]:
    """Return a quote's contingencies by the rules of its product.

    `renewal` is one on unchanged answers; `pre_bind` adds the pre-bind contingency of the demo, `searches`
    the record of a diligent search where the state asks for one.
    """
    every = (*rules, diligent_search) if searches else rules
    asked = (rule for rule in every if not (renewal and rule in NOT_AT_RENEWAL))
    drafts = tuple(draft for rule in asked if (draft := rule(risk)) is not None)
    return (INSURED_ENTITIES, *drafts) if pre_bind else drafts


def in_the_way(contingencies: Iterable[Contingency]) -> tuple[Contingency, ...]:
    """Return the contingencies that send a bind to an underwriter: all open ones but the signature."""
    return tuple(owed for owed in contingencies if owed.is_open and not owed.is_signature)


def check_takes_files(status: QuoteStatus, *, was_bound: bool) -> None:
    if status not in OVER:
        return
    is_lapsed = status is QuoteStatus.QUOTE_EXPIRED and was_bound
    what_became = "its binder lapsed" if is_lapsed else OVER[status]
    raise WrongState(
        f"Nothing is needed for this option any more: {what_became}. The file was not kept.",
        status=status,
        available_statuses=CONTINGENT,
    )


def check_closing(closing: Closing, *, path: str = "reason") -> None:
    """Refuse to waive without a reason: nobody could tell later why it was not needed."""
    if closing.closed_as is ClosedAs.WAIVED and not closing.reason.strip():
        flaw = Problem(path, "required", "is required to waive a contingency: it goes on record")
        raise InvalidRequest.because([flaw])


def find_contingency(owed: Iterable[Contingency], contingency_id: str) -> Contingency:
    for contingency in owed:
        if contingency.contingency_id == contingency_id:
            return contingency
    flaw = Problem("contingency_id", "unknown_contingency", "is not a contingency of this quote")
    raise InvalidRequest.because([flaw])


TIME_TO_ANSWER: Final = timedelta(days=10)
"""How long there is at least for what an underwriter asks for after the bind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedFile:
    contingency: str
    received: datetime
    finding: UploadFinding
    asked_again_at: datetime | None = None


def first_files(files: Iterable[ReceivedFile]) -> dict[str, datetime]:
    """Return when the first file came in for each contingency.

    A damaged one does not count: nobody could look at it. Nor does one that came before an underwriter asked
    for it again.
    """
    first: dict[str, datetime] = {}
    for file in sorted(files, key=lambda file: file.received):
        is_answer = file.asked_again_at is None or file.asked_again_at < file.received
        if is_answer and file.finding is not UploadFinding.DAMAGED:
            first.setdefault(file.contingency, file.received)
    return first


def all_received_on(owed: Iterable[Contingency], first: Mapping[str, date]) -> date | None:
    """Return the day on which the last owed file came in; None while one is missing, or nothing is owed."""
    days = [first.get(contingency.contingency_id) for contingency in owed if contingency.is_open]
    known = [day for day in days if day is not None]
    return max(known) if known and len(known) == len(days) else None


def last_day_for_more(fulfil_by: date, today: date) -> date:
    """Return a binder's last day once an underwriter asks for something more, or again."""
    return max(fulfil_by, today + TIME_TO_ANSWER)
