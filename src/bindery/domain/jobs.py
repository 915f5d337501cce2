"""Jobs: what kinds there are, which come first, and when one that did not succeed is tried again."""

from datetime import timedelta
from typing import Final

PROCESS_SUBMISSION: Final = "process_submission"
FINISH_BIND: Final = "finish_bind"
FINISH_ISSUE: Final = "finish_issue"
"""The two that make the papers of a bind and tell its contacts.

There are two names, so that an issuance is not taken for the bind whose job is still under way.
"""
SEND_MAIL: Final = "send_mail"
PLAY_UNDERWRITER: Final = "play_underwriter"
"""The demo's simulated underwriter decides a requested bind."""

URGENT: Final = frozenset({FINISH_BIND, FINISH_ISSUE, SEND_MAIL, PLAY_UNDERWRITER})
"""What somebody waits for who has bound; it comes before everything else."""

TIMETABLE: Final = "timetable"
"""The lane of what the timetable found to be due: it takes turns with the partners as one of them."""

MOST_TRIES: Final = 6
"""How often a job may raise an error before it is left as failed for a person to see."""

LONGEST_PAUSE: Final = timedelta(minutes=5)
LONGEST_HOLD: Final = timedelta(seconds=15)


def lane_shared_by(kind: str) -> str | None:
    """Return the lane that all jobs of a kind share; None where each partner has a lane of its own.

    Lanes take turns: a thousand submissions of one partner delay the one of another by one.
    """
    return None if kind == PROCESS_SUBMISSION else TIMETABLE


def pause_after_error(tries: int) -> timedelta | None:
    """Return how long a job waits after it raised an error for so many times; None when that was the last."""
    if tries >= MOST_TRIES:
        return None
    return min(timedelta(seconds=2 ** (tries - 1)), LONGEST_PAUSE)


def pause_after_outage(times: int) -> timedelta:
    """Return how long a job waits that was held up for so many times by something that is away."""
    # An exponent without a bound would overflow in an outage of some weeks.
    return min(timedelta(seconds=2 ** min(times - 1, 10)), LONGEST_HOLD)
