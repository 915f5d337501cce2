"""Renewals that an underwriter holds, and policies that the insurer does not renew."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from types import MappingProxyType
from typing import Final, NoReturn

import msgspec

from bindery.base.errors import InvalidRequest, Problem, WrongState
from bindery.contract.policy_ending import NonrenewalReason, RenewalState
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.editions import packaged_rows
from bindery.domain.policy.policy import Policy, RenewalRuling
from bindery.domain.policy.renewal import state_of_renewal
from bindery.domain.quote.decisions import NotRenew
from bindery.domain.quote.quote import Quote

EARLIEST_NOTICE: Final = timedelta(days=120)
"""How long before the end of a policy its insured can be told: nobody would remember an earlier notice."""

R = NonrenewalReason
NONRENEWAL_WORDS: Final[Mapping[NonrenewalReason, str]] = {
    R.LOSS_HISTORY: "Loss history",
    R.SECURITY: "Security findings that were not settled",
    R.APPETITE: "We no longer insure this kind of business",
    R.INFORMATION: "Information that we asked for was not given",
    R.OTHER: "Other",
}


def nonrenewal_in_words(reason: NonrenewalReason, text: str) -> str:
    """Return the reason as it is written to the insured: a text of one's own says it alone, or adds to it."""
    if reason is R.OTHER:
        return text
    return f"{NONRENEWAL_WORDS[reason]}: {text}" if text else NONRENEWAL_WORDS[reason]


class KeptRuling(msgspec.Struct, frozen=True, kw_only=True):
    """Who decided on a renewal, on which day and why; a hold has its words alone."""

    by: str
    on: date
    text: str = ""
    reason: NonrenewalReason | None = None

    @property
    def words(self) -> str:
        return nonrenewal_in_words(self.reason, self.text) if self.reason else self.text


read_ruling = msgspec.json.Decoder(KeptRuling).decode


@dataclass(frozen=True, slots=True)
class NonrenewalDays:
    state: str
    days: int
    source: str
    confidence: str


@cache
def nonrenewal_table() -> Mapping[str, NonrenewalDays]:
    rows = (
        msgspec.convert(row, NonrenewalDays, strict=False) for row in packaged_rows("nonrenewal_notices.csv")
    )
    return MappingProxyType({row.state: row for row in rows})


@dataclass(frozen=True, slots=True)
class NoticeWindow:
    """The first and the last day to mail a notice of nonrenewal, and how many days it takes."""

    first: date
    last: date
    days: int


def notice_window(state: str, expiration: date) -> NoticeWindow:
    table = nonrenewal_table()
    days = table.get(state, table["other"]).days
    return NoticeWindow(expiration - EARLIEST_NOTICE, expiration - timedelta(days=days), days)


def window_of_decline(policy: Policy, *, state: str, today: date) -> NoticeWindow | None:
    """Return the time for the notice of a policy whose renewal is declined; None where none is given.

    Past its last day the notice is given all the same: what is not offered ends, and the insured has to know.
    """
    is_told = policy.renewal_ruling is RenewalRuling.NOT_RENEWED
    is_running = policy.in_force and policy.is_issued and today < policy.term.expiration
    return notice_window(state, policy.term.expiration) if is_running and not is_told else None


def check_not_renewed(
    quote: Quote, policy: Policy, renewal: QuoteStatus | None, ask: NotRenew, *, state: str, today: date
) -> NoticeWindow:
    """Check that the insurer can still say that it does not renew a policy; `renewal` is what would renew it.

    Raises:
        WrongState: it is not in force, renewed already, or not renewed already.
        InvalidRequest: the notice would come too early or too late, with the first or last possible day; or
            the reason needs a text.
    """
    _check_rulable(quote, policy, renewal, today)
    if policy.renewal_ruling is RenewalRuling.NOT_RENEWED:
        _refuse(quote, f"The policy {policy.number} is not renewed already.")
    problems = []
    if ask.reason is R.OTHER and not ask.text:
        problems.append(
            Problem("text", "required", "is required with the reason other: the insured reads it")
        )
    window = notice_window(state, policy.term.expiration)
    if today < window.first:
        flaw = (
            f"The policy ends on {policy.term.expiration}. Its notice of nonrenewal can be mailed from "
            f"{window.first} on; today is {today}."
        )
        problems.append(Problem("", "too_early", flaw))
    if today > window.last:
        flaw = (
            f"Not renewing takes {window.days} days' notice, so that the notice had to be mailed by "
            f"{window.last}. Mailed today, it could end cover from {today + timedelta(days=window.days)} on, "
            f"and the policy ends on {policy.term.expiration}."
        )
        problems.append(Problem("", "too_late", flaw))
    if problems:
        raise InvalidRequest.because(problems)
    return window


def check_renewable_after_all(quote: Quote, policy: Policy, *, today: date) -> None:
    """Check that a policy which is not renewed can be renewed after all.

    Raises:
        WrongState: it is renewed anyway, or its term is over.
    """
    if policy.renewal_ruling is not RenewalRuling.NOT_RENEWED:
        _refuse(quote, "Nobody has decided against the renewal of this policy.")
    if not policy.in_force or policy.term.expiration <= today:
        _refuse(quote, "The policy is no longer in force: ask for a new quote instead.")


def check_holdable(quote: Quote, policy: Policy, renewal: QuoteStatus | None, *, today: date) -> None:
    """Check that the renewal of a policy can be held for an underwriter.

    Raises:
        WrongState: it is not in force, is not renewed at all, is renewed, or an underwriter has it already.
    """
    _check_rulable(quote, policy, renewal, today)
    if policy.renewal_ruling is RenewalRuling.NOT_RENEWED:
        _refuse(quote, f"The policy {policy.number} is not renewed: there is nothing to hold.")
    if policy.renewal_ruling is RenewalRuling.HELD:
        _refuse(quote, "The renewal is held already.")
    match _state(policy, renewal):
        case RenewalState.REFERRED:
            _refuse(quote, "The renewal is with an underwriter already.")
        case RenewalState.ENDS if renewal is not None:
            _refuse(quote, "The renewal is over: nothing came of it.")
        case _:
            pass


def check_releasable(quote: Quote, policy: Policy, renewal: QuoteStatus | None) -> None:
    """Check that a hold can be lifted.

    Raises:
        WrongState: the renewal is not held, or is on the desk by now, where it is decided.
    """
    if policy.renewal_ruling is not RenewalRuling.HELD:
        _refuse(quote, "The renewal is not held.")
    if _state(policy, renewal) is RenewalState.REFERRED:
        _refuse(quote, "The renewal is with an underwriter by now: decide on its case.")


def _check_rulable(quote: Quote, policy: Policy, renewal: QuoteStatus | None, today: date) -> None:
    if not policy.in_force or not policy.is_issued or policy.term.expiration <= today:
        why = "a binder has to be fulfilled first" if policy.is_conditional else "it is not in force"
        _refuse(quote, f"Nothing can be decided on the renewal of this policy: {why}.")
    if _state(policy, renewal) is RenewalState.BOUND:
        _refuse(quote, f"The policy {policy.number} is renewed already.")


def _state(policy: Policy, renewal: QuoteStatus | None) -> RenewalState:
    return state_of_renewal(
        renewal,
        in_force=policy.in_force,
        renewal_type=policy.renewal_type,
        is_settled=policy.renewal_settled,
    )


def _refuse(quote: Quote, because: str) -> NoReturn:
    raise WrongState(because, status=quote.status, available_statuses=[QuoteStatus.POLICY_ACTIVE])
