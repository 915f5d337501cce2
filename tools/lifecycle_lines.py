"""The lines of the picture of the life cycle, each with the moves it stands for."""

from collections.abc import Sequence
from dataclasses import dataclass

from bindery.contract.vocabulary import QuoteStatus as S
from bindery.domain.lifecycle import BINDABLE, IN_PIPELINE, MOVES, PASSING, Trigger
from tools.lifecycle_places import (
    DESK,
    LANE,
    OFFERS,
    OFFERS_PANEL,
    PIPELINE,
    PIPELINE_PANEL,
    PLACES,
    POLICY,
    STOPS_IN_ORDER,
)
from tools.svg import Point


@dataclass(frozen=True, slots=True)
class Drawn:
    """A line, the moves it stands for, and its words; a stem without an arrow joins another line."""

    points: Sequence[Point]
    triggers: tuple[Trigger, ...]
    sources: tuple[S, ...]
    target: S
    words: str = ""
    at: Point = (0, 0)
    anchor: str = "middle"
    main: bool = False
    arrow: bool = True


def all_lines() -> tuple[Drawn, ...]:
    """Return every line of the picture."""
    return (*_along_the_pipeline(), *_stops(), *_at_the_desk(), *_offers(), *_policy())


def _along_the_pipeline() -> list[Drawn]:
    words = ("scan", "price", "complete", "pass")
    triggers = (Trigger.SCAN, Trigger.PRICE, Trigger.COMPLETE_PRICING, Trigger.PASS_SCREENING)
    steps = []
    for trigger, source, target, said in zip(triggers, IN_PIPELINE, IN_PIPELINE[1:], words, strict=False):
        start, end = PLACES[source], PLACES[target]
        middle = (start.bottom + end.top) / 2
        points = [(PIPELINE, start.bottom), (PIPELINE, end.top)]
        steps.append(
            Drawn(points, (trigger,), (source,), target, said, (PIPELINE + 9, middle), "start", main=True)
        )
    return steps


def _stops() -> list[Drawn]:
    fork = 204
    found = []
    for move in MOVES:
        if move.target in PASSING:
            (source,) = move.sources
            start, end = PLACES[source], PLACES[move.target]
            bend = [(fork, start.y), (fork, end.y)] if start.y != end.y else []
            points = [(start.right, start.y), *bend, (end.left, end.y)]
            found.append(Drawn(points, (move.trigger,), (source,), move.target))
    return found


def _at_the_desk() -> list[Drawn]:
    referred, eligible, declined = PLACES[S.QUOTE_REFERRED], PLACES[S.ELIGIBLE], PLACES[S.QUOTE_DECLINED]
    bracket, down, up = 440, 461, 672
    refer = [
        Drawn(
            [(PLACES[s].right, PLACES[s].y), (bracket, PLACES[s].y), (bracket, referred.y - 14)],
            (Trigger.REFER,),
            (s,),
            S.QUOTE_REFERRED,
            arrow=False,
        )
        for s in STOPS_IN_ORDER
    ]
    arrow = [(bracket, referred.y - 14), (referred.left, referred.y - 14)]
    return [
        *refer,
        Drawn(arrow, (Trigger.REFER,), PASSING, S.QUOTE_REFERRED, "refer", (461, referred.y - 23)),
        Drawn(
            [
                (referred.left, referred.y + 14),
                (down, referred.y + 14),
                (down, LANE - 26),
                (eligible.right, LANE - 26),
            ],
            (Trigger.APPROVE_REFERRAL,),
            (S.QUOTE_REFERRED,),
            S.ELIGIBLE,
            "approve, as it is or on other terms",
            (322, LANE - 35),
        ),
        Drawn(
            [(DESK, referred.top), (DESK, PLACES[S.STALE].bottom)],
            (Trigger.GO_STALE,),
            (S.QUOTE_REFERRED,),
            S.STALE,
            "after 60 days",
            (DESK + 8, (referred.top + PLACES[S.STALE].bottom) / 2),
            "start",
        ),
        Drawn(
            [(referred.right, referred.y - 22), (up, referred.y - 22), (up, declined.y)],
            (Trigger.DECLINE,),
            (S.QUOTE_REFERRED,),
            S.QUOTE_DECLINED,
            arrow=False,
        ),
        Drawn(
            [
                (POLICY, PLACES[S.QUOTE_BIND_REQUESTED].top),
                (POLICY, declined.y),
                (declined.right, declined.y),
            ],
            (Trigger.DECLINE,),
            (S.QUOTE_BIND_REQUESTED,),
            S.QUOTE_DECLINED,
            "decline",
            (OFFERS, declined.y - 10),
        ),
    ]


def _offers() -> list[Drawn]:
    referred, not_bound, revoked = (
        PLACES[S.QUOTE_REFERRED],
        PLACES[S.QUOTE_NOT_BOUND],
        PLACES[S.QUOTE_REVOKED],
    )
    published, offer, expired = PLACES[S.PUBLISHED], PLACES[S.OFFER_EMAIL], PLACES[S.QUOTE_EXPIRED]
    eligible, panel = PLACES[S.ELIGIBLE], OFFERS_PANEL
    fork, up, back = 690, 901, 922
    return [
        Drawn(
            [
                (eligible.right, offer.y),
                (fork, offer.y),
                (fork, published.y),
                (published.left, published.y),
            ],
            (Trigger.PUBLISH,),
            (S.ELIGIBLE,),
            S.PUBLISHED,
            "publish",
            (322, offer.y + 11),
            main=True,
        ),
        Drawn(
            [(fork, offer.y), (offer.left, offer.y)],
            (Trigger.OFFER_RENEWAL,),
            (S.ELIGIBLE,),
            S.OFFER_EMAIL,
            "offer renewal",
            (fork - 8, offer.y + 11),
            "end",
        ),
        Drawn(
            [(PIPELINE_PANEL.right, LANE), (672, LANE), (672, revoked.y), (revoked.left, revoked.y)],
            (Trigger.REVOKE,),
            IN_PIPELINE,
            S.QUOTE_REVOKED,
            "revoke: the facts changed, or discretion",
            (322, LANE - 9),
        ),
        Drawn(
            [
                (referred.right, referred.y + 22),
                (672, referred.y + 22),
                (672, revoked.y),
                (revoked.left, revoked.y),
            ],
            (Trigger.REVOKE,),
            (S.QUOTE_REFERRED,),
            S.QUOTE_REVOKED,
        ),
        Drawn([(770, panel.top), (770, revoked.bottom)], (Trigger.REVOKE,), BINDABLE, S.QUOTE_REVOKED),
        Drawn(
            [(referred.right, referred.y + 7), (not_bound.left, referred.y + 7)],
            (Trigger.PASS_OVER,),
            (S.QUOTE_REFERRED,),
            S.QUOTE_NOT_BOUND,
        ),
        Drawn(
            [(not_bound.left, referred.y - 8), (referred.right, referred.y - 8)],
            (Trigger.RETURN_TO_DESK,),
            (S.QUOTE_NOT_BOUND,),
            S.QUOTE_REFERRED,
            "return",
            (708, referred.y - 18),
            "end",
        ),
        Drawn(
            [(up, panel.top), (up, not_bound.y + 10), (not_bound.right, not_bound.y + 10)],
            (Trigger.PASS_OVER,),
            BINDABLE,
            S.QUOTE_NOT_BOUND,
            "another option is bound",
            (up - 8, (not_bound.bottom + revoked.top) / 2),
            "end",
        ),
        Drawn(
            [
                (not_bound.right, not_bound.y - 10),
                (back, not_bound.y - 10),
                (back, published.y),
                (published.right, published.y),
            ],
            (Trigger.REOPEN,),
            (S.QUOTE_NOT_BOUND,),
            S.PUBLISHED,
            "reopen",
            (not_bound.right + 6, not_bound.y - 20),
            "start",
        ),
        Drawn(
            [(770, panel.bottom), (770, expired.top)],
            (Trigger.EXPIRE,),
            BINDABLE,
            S.QUOTE_EXPIRED,
            "expire",
            (762, (panel.bottom + expired.top) / 2),
            "end",
        ),
    ]


def _policy() -> list[Drawn]:
    requested, active = PLACES[S.QUOTE_BIND_REQUESTED], PLACES[S.POLICY_ACTIVE]
    canceled, ended, expired = PLACES[S.POLICY_CANCELED], PLACES[S.POLICY_EXPIRED], PLACES[S.QUOTE_EXPIRED]
    bind = (Trigger.BIND,)
    beside, loop = 941, 1154
    return [
        Drawn(
            [
                (OFFERS_PANEL.right, LANE - 5),
                (beside, LANE - 5),
                (beside, requested.y),
                (requested.left, requested.y),
            ],
            (Trigger.REQUEST_BIND,),
            BINDABLE,
            S.QUOTE_BIND_REQUESTED,
            "request bind",
            (beside + 8, 455),
            "start",
        ),
        Drawn(
            [(OFFERS_PANEL.right, LANE + 14), (active.left, LANE + 14)],
            bind,
            BINDABLE,
            S.POLICY_ACTIVE,
            "bind",
            ((OFFERS_PANEL.right + active.left) / 2 - 2, LANE + 25),
            main=True,
        ),
        Drawn(
            [(POLICY, requested.bottom), (POLICY, active.top)],
            bind,
            (S.QUOTE_BIND_REQUESTED,),
            S.POLICY_ACTIVE,
            "approve the bind",
            (POLICY + 8, 455),
            "start",
        ),
        Drawn(
            [
                (active.right, active.y - 16),
                (loop, active.y - 16),
                (loop, active.y + 2),
                (active.right, active.y + 2),
            ],
            (Trigger.ISSUE,),
            (S.POLICY_ACTIVE,),
            S.POLICY_ACTIVE,
            "issue",
            (active.right + 6, active.y - 26),
            "start",
        ),
        Drawn(
            [(985, active.bottom), (985, 664), (846, 664), (846, expired.top)],
            (Trigger.LAPSE,),
            (S.POLICY_ACTIVE,),
            S.QUOTE_EXPIRED,
            "lapse after 30 days",
            (914, 655),
        ),
        Drawn(
            [(1026, active.bottom), (1026, canceled.top)],
            (Trigger.CANCEL,),
            (S.POLICY_ACTIVE,),
            S.POLICY_CANCELED,
            "cancel",
            (1018, 684),
            "end",
        ),
        Drawn(
            [(1070, canceled.top), (1070, active.bottom)],
            (Trigger.REINSTATE,),
            (S.POLICY_CANCELED,),
            S.POLICY_ACTIVE,
            "reinstate",
            (1078, 660),
            "start",
        ),
        Drawn(
            [(active.right, active.y + 16), (loop, active.y + 16), (loop, ended.y), (ended.right, ended.y)],
            (Trigger.END_TERM,),
            (S.POLICY_ACTIVE,),
            S.POLICY_EXPIRED,
            "the term ends",
            (loop - 8, (canceled.bottom + ended.top) / 2),
            "end",
        ),
    ]
