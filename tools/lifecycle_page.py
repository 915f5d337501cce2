"""`docs/lifecycle.md`, written from the table of the life cycle."""

from collections.abc import Mapping
from typing import Final

from bindery.contract.vocabulary import QuoteStatus as S
from bindery.domain.quote.lifecycle import ALL_MOVES, NOT_READY, PASSING, Move

MEANINGS: Final[Mapping[S, str]] = {
    S.CREATED: "The option is recorded and waits for a worker.",
    S.AQ_CREATED: "Inside automatic authority; the scan is under way.",
    S.CALCULATING: "The scan is done; the option is being priced.",
    S.CALC_COMPLETED: "Priced; being screened.",
    S.BROKER_CONFLICT_REFERRAL: "The company is on file with another broker of the same partner.",
    S.COLLECTION_ISSUE: "The scan ran, but could collect nothing on a named domain.",
    S.RED_FLAGS_FOUND: "The scan found something severe.",
    S.CALC_FAILED: "Pricing failed; `error_occurred` is true.",
    S.AUTHORITY_FAILED: "Limit or revenue is outside automatic authority.",
    S.ELIGIBLE: "Approved, by screening or by a person; about to be published.",
    S.QUICK_SCAN_ERROR: "The scan failed after its retries.",
    S.MISSING_QUICK_SCAN: "The applicant says that it has a website, but did not name a domain.",
    S.AQ_NOT_APPROVED: "The answers or the class of business need a person.",
    S.OFFER_EMAIL: "A renewal offer, open and bindable.",
    S.STALE: "A referral that nobody decided in 60 days.",
    S.QUOTE_REFERRED: "At the desk, with all its reasons and without a premium.",
    S.PUBLISHED: "Open: valid and bindable, for 60 days.",
    S.QUOTE_DECLINED: "Declined by an underwriter; the service itself never declines.",
    S.QUOTE_EXPIRED: "Past its expiration date, or a conditional binder that nobody fulfilled in 30 days.",
    S.QUOTE_REVOKED: "The insured's facts changed, or an underwriter withdrew it.",
    S.QUOTE_BIND_REQUESTED: "A bind waits for an underwriter.",
    S.QUOTE_NOT_BOUND: "Another option of the company and line was bound, or its bind requested.",
    S.POLICY_ACTIVE: "Bound: a conditional binder or an issued policy.",
    S.POLICY_CANCELED: "Canceled by an underwriter, with date and reason.",
    S.POLICY_EXPIRED: "Its term is over.",
}

INTRODUCTION: Final = """# The life cycle of a quote

One machine carries a quote from the request to the end of its policy. Its table is
[`domain/quote/lifecycle.py`](../src/bindery/domain/quote/lifecycle.py); this page with its picture is
written from it. A status changes through one door,
[`actions/quote/advance_quote.py`](../src/bindery/actions/quote/advance_quote.py), which moves the
row and writes the journal entry in one transaction.

The table says where a trigger leads and nothing else. Whether it may be pulled is decided elsewhere, by
functions that look at the quote, the papers and the date.

"""


PASSING_NAME: Final = "needs_a_person"
"""What the picture calls the statuses that a quote passes on its way to the desk."""


def lifecycle_page() -> str:
    return f"{INTRODUCTION}{_picture()}\n\n{_statuses()}\n\n{_moves()}\n\n{_notes()}\n"


def _picture() -> str:
    """Draw the table as a diagram of states; what a quote passes on its way to the desk is one box."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for move in ALL_MOVES:
        for source in move.sources:
            arrow = (_drawn(source), _drawn(move.target))
            words = arrows.setdefault(arrow, [])
            if arrow[0] != arrow[1] and _words(move.trigger) not in words:
                words.append(_words(move.trigger))
    passed = ", ".join(PASSING)
    return "\n".join(
        [
            "```mermaid",
            "stateDiagram-v2",
            f'    state "needs a person: {passed}" as {PASSING_NAME}',
            f"    [*] --> {S.CREATED}",
            *(
                f"    {before} --> {after}: {' / '.join(words)}"
                for (before, after), words in arrows.items()
                if words
            ),
            "```",
        ]
    )


def _drawn(status: S) -> str:
    return PASSING_NAME if status in PASSING else status


def _statuses() -> str:
    rows = [f"| `{status}` | {MEANINGS[status]} | {_get_answers(status)} |" for status in S]
    return "\n".join(
        [
            f"## The {len(S)} statuses",
            "",
            "| `quote_status` | Meaning | GET answers |",
            "|---|---|---|",
            *rows,
        ]
    )


def _get_answers(status: S) -> str:
    if status in PASSING:
        return "202; left for `quote_referred` in the same transaction"
    return "202" if status in NOT_READY else "200"


def _moves() -> str:
    rows = [_move(move) for move in ALL_MOVES if not _stays(move)]
    return "\n".join(
        ["## What leads where", "", "| Trigger | From | To | Event |", "|---|---|---|---|", *rows]
    )


def _notes() -> str:
    sources: dict[tuple[str, str], list[S]] = {}
    for move in ALL_MOVES:
        if _stays(move):
            key = (move.trigger, move.notifies.type if move.notifies else "")
            sources.setdefault(key, []).extend(move.sources)
    rows = [
        f"| {_words(trigger)} | {_listed(tuple(found))} | {f'`{event}`' if event else 'none'} |"
        for (trigger, event), found in sources.items()
    ]
    return "\n".join(
        [
            "## What is journaled without a move",
            "",
            "| Trigger | In | Event |",
            "|---|---|---|",
            *rows,
        ]
    )


def _stays(move: Move) -> bool:
    return move.sources == (move.target,)


def _move(move: Move) -> str:
    event = f"`{move.notifies.type}`" if move.notifies else "none"
    return f"| {_words(move.trigger)} | {_listed(move.sources)} | `{move.target}` | {event} |"


def _words(trigger: str) -> str:
    return trigger.replace("_", " ")


def _listed(statuses: tuple[S, ...]) -> str:
    return ", ".join(f"`{status}`" for status in statuses)
