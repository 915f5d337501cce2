"""What one underwriter asks another to approve."""

from dataclasses import dataclass

from bindery.actions.desk.ask_colleague import AskedDecision, asked_decisions
from bindery.domain.policy.cancellation import REASON_WORDS
from bindery.domain.quote.decisions import (
    AmendOption,
    ApproveBind,
    ApproveReferral,
    CancelPolicy,
    OfferOption,
    ReinstatePolicy,
    RevokeQuote,
    reason_of,
)
from bindery.domain.quote.quote import last_step
from bindery.web.case.case_facts import CaseFacts
from bindery.web.shown.option import shown_number
from bindery.web.shown.words import day, money


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSecond:
    """A request to approve; `is_outdated` if an option was changed since, so that nothing is approved."""

    approval_id: str
    asker: str
    asked: str
    wants: tuple[str, ...]
    beyond: tuple[str, ...]
    reason: str
    is_own: bool
    is_mine: bool
    is_outdated: bool


def shown_second(facts: CaseFacts, *, user_id: int) -> ShownSecond | None:
    asked = facts.asked
    if asked is None:
        return None
    wanted = asked_decisions(asked)
    numbers = {record.quote.quote_id: shown_number(record.quote.option_number) for record in facts.seen}
    return ShownSecond(
        approval_id=str(asked.approval_id),
        asker=asked.asker,
        asked=asked.asked,
        wants=tuple(f"Option {numbers[each.quote_id]}: {_wants(each)}" for each in wanted),
        beyond=asked.beyond,
        reason=reason_of(wanted[0].decision),
        is_own=asked.asked_by == user_id,
        is_mine=asked.asked_to == user_id,
        is_outdated=any(
            last_step(facts.entries, quote_id) != step
            for quote_id, step in zip(asked.quote_ids, asked.seen_steps, strict=True)
        ),
    )


def _wants(each: AskedDecision) -> str:  # noqa: PLR0911 - one line each
    match each.decision:
        case ApproveReferral(changed=changed) | AmendOption(changed=changed):
            does = "approve" if isinstance(each.decision, ApproveReferral) else "amend"
            retention = changed.per_claim_retention or changed.aggregate_retention
            terms = f", retention {money(retention)}" if retention is not None else ""
            owed = [f", subject to “{draft.text}”" for draft in each.decision.contingencies]
            return f"{does} at {money(each.premium)}{terms}{''.join(owed)}"
        case OfferOption(ask=ask):
            retention = ask.per_claim_retention or ask.aggregate_retention
            terms = f"{money(ask.aggregate_limit)}, retention {money(retention)}"
            return f"offer {terms} at {money(each.premium)} beside it"
        case ApproveBind():
            return f"bind at {money(each.premium)}"
        case RevokeQuote():
            return "withdraw"
        case CancelPolicy(on=on, reason=reason):
            as_of = f" as of {day(on)}" if on else ""
            return f"cancel the policy{as_of}: {REASON_WORDS[reason].lower()}"
        case ReinstatePolicy():
            return "reinstate the policy"
        case _:
            return "decide"
