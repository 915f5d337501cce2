"""Where each status stands in the picture of the life cycle."""

from collections.abc import Mapping
from typing import Final

from bindery.contract.vocabulary import QuoteStatus as S
from tools.svg import Box

NODE: Final = 34

PIPELINE, STOPS, DESK, OFFERS, POLICY = 108, 322, 562, 806, 1048
"""The middle of each column."""

LANE: Final = 590
"""The height of the way that most quotes take, from approval to the policy."""


def _row(number: float) -> float:
    return 138 + 46 * number


# In the order of their rows beside the pipeline, so that no two lines cross.
STOPS_IN_ORDER: Final = (
    S.AUTHORITY_FAILED,
    S.MISSING_QUICK_SCAN,
    S.QUICK_SCAN_ERROR,
    S.COLLECTION_ISSUE,
    S.CALC_FAILED,
    S.RED_FLAGS_FOUND,
    S.BROKER_CONFLICT_REFERRAL,
    S.AQ_NOT_APPROVED,
)

PLACES: Final[Mapping[S, Box]] = {
    S.CREATED: Box(PIPELINE, _row(0), 140, NODE),
    S.AQ_CREATED: Box(PIPELINE, _row(2), 140, NODE),
    S.CALCULATING: Box(PIPELINE, _row(4), 140, NODE),
    S.CALC_COMPLETED: Box(PIPELINE, _row(6), 140, NODE),
    S.ELIGIBLE: Box(PIPELINE, LANE, 140, 76),
    **{status: Box(STOPS, _row(number), 184, NODE) for number, status in enumerate(STOPS_IN_ORDER)},
    S.QUOTE_DECLINED: Box(DESK, _row(0), 164, NODE),
    S.STALE: Box(DESK, _row(1.7), 164, NODE),
    S.QUOTE_REFERRED: Box(DESK, _row(4), 164, 64),
    S.QUOTE_NOT_BOUND: Box(OFFERS, _row(4), 164, 44),
    S.QUOTE_REVOKED: Box(OFFERS, _row(6.2), 164, NODE),
    S.PUBLISHED: Box(OFFERS, LANE - 24, 164, NODE),
    S.OFFER_EMAIL: Box(OFFERS, LANE + 24, 164, NODE),
    S.QUOTE_EXPIRED: Box(OFFERS, LANE + 130, 164, NODE),
    S.QUOTE_BIND_REQUESTED: Box(POLICY, _row(4), 172, 64),
    S.POLICY_ACTIVE: Box(POLICY, LANE, 164, 52),
    S.POLICY_CANCELED: Box(POLICY, LANE + 130, 164, NODE),
    S.POLICY_EXPIRED: Box(POLICY, LANE + 200, 164, NODE),
}
PIPELINE_PANEL: Final = Box(PIPELINE, (_row(0) - 34 + LANE + 54) / 2, 168, LANE + 54 - _row(0) + 34)
STOPS_PANEL: Final = Box(STOPS, _row(3.5), 208, 46 * 7 + 68)
OFFERS_PANEL: Final = Box(OFFERS, LANE, 204, 108)
