import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

from bindery.base.errors import BinderyError, InvalidRequest, Problem
from bindery.contract.fields import LONGEST_BY_HAND
from bindery.contract.policy_ending import CancellationReason
from bindery.contract.vocabulary import ClosedAs, ContingencyType
from bindery.domain.applicant.risk import OptionAsk
from bindery.domain.policy.cancellation import canceled_by
from bindery.domain.policy.contingencies import Closing, ContingencyKind, DraftContingency
from bindery.domain.quote.decisions import CancelPolicy
from bindery.domain.quote.repricing import ChangedTerms
from bindery.domain.quote.subjectivities import SUBJECTIVITIES, chosen_subjectivities
from bindery.domain.text import flaws_of_lines
from bindery.web.frame.visit import Visit
from bindery.web.shown.words import american, money, refusal_in_words

ALL: Final = "all"
TICKED_AT_ONCE: Final = {ALL: frozenset({ALL}), "one": frozenset[str]()}
"""Buttons that tick all options, or the one that is looked at alone; without one, `options` are as sent."""
CLOSED_BY_HAND: Final = frozenset({ClosedAs.FULFILLED, ClosedAs.WAIVED})
HIGHEST_PREMIUM: Final = 10_000_000
SUBJECTS: Final[Mapping[str, str]] = {
    "reason": "A reason",
    "sure": "A yes",
    "send_to": "A colleague",
    "decisions": "The decision",
    "terms": "The combination of terms",
    "effective": "The day of the cancellation",
    "no_known_loss": "The statement of no known losses",
    "per_claim_limit": "The per-claim limit",
    "per_claim_retention": "The per-claim retention",
}


@dataclass(frozen=True, slots=True)
class DecisionForm:
    decision: str = ""
    aggregate_retention: str = ""
    per_claim_retention: str = ""
    premium: str = ""
    percent: str = ""
    sure: str = ""
    send_to: str = ""
    reason: str = ""
    contingency_text: str = ""
    contingency_type: str = "post_bind"
    effective: str = ""
    cancel_reason: str = ""
    no_known_loss: str = ""
    options: frozenset[str] = frozenset()
    own: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """What was typed for one option alone, by its id and the name of the field."""
    subjectivities: tuple[str, ...] = ()
    """The codes of those ticked on the list."""
    blanks: Mapping[tuple[str, str], str] = field(default_factory=dict)
    answer: str = ""
    """The words of a second person."""
    closed_as: Mapping[str, str] = field(default_factory=dict)
    closed_reason: Mapping[str, str] = field(default_factory=dict)

    def check(self) -> None:
        reasons = {f"contingencies.{number}.reason": text for number, text in self.closed_reason.items()}
        check_words(reason=self.reason, contingency_text=self.contingency_text, **reasons)

    def closings_of(self, contingencies: Collection[str]) -> dict[str, Closing]:
        """Return how the form closes these contingencies of an option, as far as it says so."""
        return {
            number: Closing(ClosedAs(how), self.closed_reason.get(number, ""))
            for number, how in self.closed_as.items()
            if number in contingencies and how in CLOSED_BY_HAND
        }

    def changed(self, quote_id: str) -> ChangedTerms:
        """Return the terms of an option: its own where some were typed, otherwise those for all.

        Raises:
            InvalidRequest: a field cannot be read, or a premium and a percent are given together.
        """
        own = self.own.get(quote_id, {})
        # A premium or a percent of its own takes the place of both.
        mine = own if own.get("premium") or own.get("percent") else {"premium": "", "percent": ""}
        premium = mine.get("premium", "") if any(mine.values()) else self.premium
        percent = mine.get("percent", "") if any(mine.values()) else self.percent
        if premium.strip() and percent.strip():
            flaw = "is given beside a premium: type one of them"
            raise InvalidRequest.because([Problem("percent", "one_of_two", flaw)])
        aggregate = own.get("aggregate_retention") or self.aggregate_retention
        per_claim = own.get("per_claim_retention") or self.per_claim_retention
        return ChangedTerms(
            aggregate_retention=whole(aggregate, "aggregate_retention"),
            per_claim_retention=whole(per_claim, "per_claim_retention"),
            premium=whole(premium, "premium"),
            percent=read_percent(percent),
        )

    def is_typed(self, quote_id: str) -> bool:
        """Whether terms of an option were typed, right or wrong."""
        for_all = (self.premium, self.percent, self.aggregate_retention, self.per_claim_retention)
        return any(for_all) or any(self.own.get(quote_id, {}).values())

    @property
    def day(self) -> date | None:
        try:
            return date.fromisoformat(self.effective) if self.effective else None
        except ValueError:
            raise InvalidRequest.because([Problem("effective", "bad_date", "must be a date")]) from None

    @property
    def cancellation(self) -> CancelPolicy:
        given = self.cancel_reason or CancellationReason.INSURED_REQUEST
        if given not in set(CancellationReason):
            raise InvalidRequest.because([Problem("reason", "not_allowed", "must be one of the list")])
        reason = CancellationReason(given)
        return CancelPolicy(self.day, canceled_by(reason), reason, self.reason)

    @property
    def cancellation_or_fault(self) -> CancelPolicy | InvalidRequest:
        try:
            return self.cancellation
        except InvalidRequest as fault:
            return fault

    def contingencies(self, today: date) -> tuple[DraftContingency, ...]:
        """Return what the offer is subject to: those from the list, and the one that was written freely.

        Raises:
            InvalidRequest: something of it is unknown, or left blank.
        """
        edition = SUBJECTIVITIES.in_force(today)
        chosen = chosen_subjectivities(edition, self.subjectivities, self.blanks)
        return (*chosen, *filter(None, [self.contingency]))

    @property
    def is_subject(self) -> bool:
        return bool(self.contingency_text.strip() or self.subjectivities)

    @property
    def contingency(self) -> DraftContingency | None:
        if not self.contingency_text:
            return None
        if self.contingency_type not in set(ContingencyType):
            flaw = Problem("contingency_type", "unknown_type", "must be before or after the bind")
            raise InvalidRequest.because([flaw])
        kind = ContingencyType(self.contingency_type)
        return DraftContingency(ContingencyKind.UNDERWRITER, kind, self.contingency_text)


NOT_PLAIN: Final = frozenset(
    {"options", "own", "subjectivities", "blanks", "contingency_type", "closed_as", "closed_reason"}
)


async def read_decision(visit: Visit) -> DecisionForm:
    fields = await visit.form_fields()
    given = dict(fields)
    by_number = _by_number(given)
    ticked = frozenset(value for name, value in fields if name == "options")
    return DecisionForm(
        **{name: given.get(name, "") for name in DecisionForm.__slots__ if name not in NOT_PLAIN},
        own=_own_terms(by_number),
        subjectivities=tuple(value for name, value in fields if name == "subjectivity"),
        blanks={
            (code, blank): value
            for rest, value in by_number.get("blank", {}).items()
            for code, _, blank in [rest.partition("-")]
        },
        contingency_type=given.get("contingency_type") or "post_bind",
        options=TICKED_AT_ONCE.get(given.get("tick", ""), ticked),
        closed_as=by_number.get("closed_as", {}),
        closed_reason=by_number.get("closed_reason", {}),
    )


OWN_FIELDS: Final = ("premium", "percent", "aggregate_retention", "per_claim_retention")


def _own_terms(by_number: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    own: dict[str, dict[str, str]] = {}
    for name in OWN_FIELDS:
        for quote_id, typed in by_number.get(name, {}).items():
            own.setdefault(quote_id, {})[name] = typed
    return own


def _by_number(given: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the fields of single options and papers by what stands before the number in their names."""
    found: dict[str, dict[str, str]] = {}
    for field_name, value in given.items():
        name, dash, number = field_name.partition("-")
        if dash:
            found.setdefault(name, {})[number] = value
    return found


@dataclass(frozen=True, slots=True)
class OfferForm:
    aggregate_limit: str = ""
    per_claim_limit: str = ""
    aggregate_retention: str = ""
    per_claim_retention: str = ""
    reason: str = ""
    send_to: str = ""

    @classmethod
    def of(cls, ask: OptionAsk | None) -> "OfferForm":
        if ask is None:
            return cls()
        return cls(
            aggregate_limit=str(ask.aggregate_limit),
            aggregate_retention=str(ask.aggregate_retention or ""),
            per_claim_retention=str(ask.per_claim_retention or ""),
        )

    def check(self) -> None:
        check_words(reason=self.reason)

    @property
    def ask(self) -> OptionAsk:
        limit = whole(self.aggregate_limit, "aggregate_limit")
        if limit is None:
            raise InvalidRequest.because([Problem("aggregate_limit", "required", "is required")])
        return OptionAsk(
            aggregate_limit=limit,
            per_claim_limit=whole(self.per_claim_limit, "per_claim_limit"),
            aggregate_retention=whole(self.aggregate_retention, "aggregate_retention"),
            per_claim_retention=whole(self.per_claim_retention, "per_claim_retention"),
        )


async def read_offer(visit: Visit) -> OfferForm:
    given = await visit.form()
    return OfferForm(**{name: given.get(name, "") for name in OfferForm.__slots__})


def check_words(**typed: str) -> None:
    problems = [
        problem
        for name, text in typed.items()
        for problem in flaws_of_lines(text, name, longest=LONGEST_BY_HAND)
    ]
    if problems:
        raise InvalidRequest.because(problems)


def whole(text: str, name: str) -> int | None:
    """Read whole dollars; None if nothing was typed.

    Raises:
        InvalidRequest: it is not such an amount.
    """
    text = text.replace(",", "").replace("$", "").strip()
    if not text:
        return None
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(HIGHEST_PREMIUM))
    if not is_number or not 0 < int(text) <= HIGHEST_PREMIUM:
        flaw = f"must be whole dollars, from $1 to {money(HIGHEST_PREMIUM)}"
        raise InvalidRequest.because([Problem(name, "bad_amount", flaw)])
    return int(text)


_PERCENT: Final = re.compile(r"[+-]?[0-9]{1,2}(\.[0-9])?")
MOST_PERCENT: Final = 25


def read_percent(text: str) -> Decimal | None:
    """Read a percentage off the tariff; None if nothing was typed.

    Raises:
        InvalidRequest: it is no such percentage.
    """
    text = text.replace("%", "").replace("\u2212", "-").strip()
    if not text:
        return None
    percent = Decimal(text) if _PERCENT.fullmatch(text) else None
    if percent is None or abs(percent) > MOST_PERCENT:
        flaw = f"must be from -{MOST_PERCENT} to {MOST_PERCENT}, such as -7.5"
        raise InvalidRequest.because([Problem("percent", "bad_percent", flaw)])
    return percent


def sentences(fault: BinderyError | None) -> Sequence[str]:
    if isinstance(fault, InvalidRequest) and fault.problems:
        return [american(_sentence(problem)) for problem in fault.problems]
    return [american(refusal_in_words(fault))] if fault else []


def _sentence(problem: Problem) -> str:
    if not problem.path:
        return problem.message
    subject = SUBJECTS.get(problem.path) or f"The {problem.path.replace('_', ' ')}"
    if problem.path.startswith("contingencies."):
        subject = "What is needed before the bind"
    if problem.path.startswith("subjectivities."):
        code, _, blank = problem.path.removeprefix("subjectivities.").replace("_", " ").partition(".")
        subject = f"The blank “{blank}” of “{code}”"
    return f"{subject} {problem.message.removesuffix('.')}."
