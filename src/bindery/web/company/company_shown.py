"""Everything that a company's page shows, put together from all of its quotes."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from bindery.contract.documents import DocumentType
from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.policy.kept_change import KeptChange
from bindery.domain.policy.policy import Policy
from bindery.domain.products import record_of
from bindery.domain.quote.lifecycle import BINDABLE, NOT_READY
from bindery.domain.signing.client_link import ClientLink
from bindery.http.show_quote import show_quote
from bindery.storage.policy.rescans import PastRescan
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.company.company_standing import StandingSentence, Waiting, standing_of
from bindery.web.company.contacts import ShownContact, contacts_of
from bindery.web.company.links_shown import ShownLink, is_to_sign, shown_links
from bindery.web.company.next_step import NextStep, next_step
from bindery.web.company.policy_shown import EndedPolicy, ShownPolicy, ended_policy, is_cover, shown_policy
from bindery.web.company.progress import ProgressLine, progress_of
from bindery.web.company.selection import Selected, select
from bindery.web.company.submission_shown import (
    ShownSubmission,
    SubmissionOnPage,
    shown_submission,
    submission_on_page,
)
from bindery.web.company.submitted import Submitted, submitted_with
from bindery.web.shown.ended import unrenewed
from bindery.web.shown.history import HistoryLine
from bindery.web.shown.option import ShownOption, shown_number
from bindery.web.shown.questions import ShownBrokerQuestion, shown_questions
from bindery.web.shown.rescans import shown_rescan
from bindery.web.shown.words import STATUS_WORDS, Times, product_name

LINES_SHOWN: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyPage:
    name: str
    number: str
    address: str
    products: str
    broker: str
    standing: StandingSentence
    is_in_progress: bool
    has_earlier: bool
    policies: tuple[ShownPolicy, ...]
    current: tuple[ShownSubmission, ...]
    earlier: tuple[ShownSubmission, ...]
    ended: tuple[EndedPolicy, ...]
    selected: ShownOption
    addresses: Mapping[str, str]
    """Where each option is the selected one; by quote."""
    next: NextStep
    submission_id: str
    comparison: str
    another: str
    progress: tuple[ProgressLine, ...]
    again: str
    send: str
    links: tuple[ShownLink, ...]
    questions: tuple[ShownBrokerQuestion, ...]
    submitted: Submitted
    contacts: tuple[ShownContact, ...]
    history: tuple[HistoryLine, ...]
    times: Times

    @property
    def has_choice(self) -> bool:
        """Whether keys select one of several options."""
        return any(
            submission.table.picked is not None and not submission.is_bound for submission in self.current
        )

    @property
    def last_lines(self) -> tuple[HistoryLine, ...]:
        return self.history[:LINES_SHOWN]

    @property
    def earlier_lines(self) -> tuple[HistoryLine, ...]:
        return self.history[LINES_SHOWN:]


def company_page(
    seen: Sequence[QuoteRecord],
    *,
    broker: str,
    waiting: Waiting,
    history: tuple[HistoryLine, ...],
    times: Times,
    may_act: bool,
    expiring: Mapping[uuid.UUID, Policy],
    rescans: Sequence[PastRescan] = (),
    changed: Mapping[uuid.UUID, KeptChange] = {},
    with_holders: Collection[uuid.UUID] = (),
    links: Sequence[ClientLink] = (),
    opens: Mapping[uuid.UUID, str] = {},
    wanted: str = "",
) -> CompanyPage:
    """Put the page together from all quotes of a company; `may_act` is for its brokers.

    `expiring` are the policies that open offers renew, by their quotes; `changed` has the newest change of
    each policy; `with_holders` are those that have
    certificates for holders; `links` are those sent to the client, which the demo `opens`. `wanted` names the
    option to select.
    """
    renewals = _renewals(seen)
    submissions = _submissions(seen, times, may_act=may_act, expiring=expiring, renewals=renewals)
    selected = select(submissions, wanted)
    shown = [
        shown_submission(submission, waiting, times, picked=selected.option.quote_id)
        for submission in submissions
    ]
    number = str(seen[0].quote.company_id)
    checked = {str(rescan.quote_id): shown_rescan(rescan, times).sentence for rescan in rescans}
    another = _another(selected, seen, number) if may_act else ""
    certified = set(map(str, with_holders))
    again = f"/new?company_id={number}" if may_act else ""
    return CompanyPage(
        name=str(seen[0].client["name"]),
        number=number,
        address=f"/company/{number}{selected.addresses[selected.option.quote_id] if wanted else ''}",
        products=", ".join(dict.fromkeys(product_name(record.quote.product) for record in seen)),
        broker=broker,
        standing=standing_of(seen, waiting, times, renewals, newest=_last_word(seen, submissions[0])),
        is_in_progress=any(record.quote.status in NOT_READY for record in seen),
        has_earlier=len(shown) > 1,
        policies=tuple(
            shown_policy(
                option,
                body,
                times,
                checked=checked.get(option.quote_id, ""),
                may_act=may_act,
                has_holders=option.quote_id in certified,
                changed=changed.get(uuid.UUID(option.quote_id)),
            )
            for option, body in _bound(submissions)
            if is_cover(body, times)
        ),
        current=_those(shown, submissions, current=True),
        earlier=_those(shown, submissions, current=False),
        ended=tuple(
            ended_policy(option, body, has_holders=option.quote_id in certified)
            for option, body in _bound(submissions)
            if not is_cover(body, times)
        ),
        selected=selected.option,
        addresses={quote_id: f"/company/{number}{query}" for quote_id, query in selected.addresses.items()},
        next=next_step(
            selected.option,
            selected.body,
            times,
            offer=selected.submission.offer.sentence if selected.submission.offer else "",
            renews_by_itself=selected.submission.renews_by_itself,
            again=again if another else "",
        ),
        submission_id=str(selected.record.quote.submission_id),
        comparison=_comparison(selected),
        another=another,
        progress=progress_of(seen, waiting, times),
        again=again,
        send=_send(selected, number) if may_act else "",
        links=shown_links(
            links,
            {record.quote.quote_id: shown_number(record.quote.option_number) for record in seen},
            times,
            to_sign=frozenset(_to_sign(submissions)),
            opens=opens,
        ),
        questions=shown_questions(seen, times),
        submitted=submitted_with(selected.record, times),
        contacts=contacts_of(seen),
        history=history,
        times=times,
    )


def _renewals(seen: Sequence[QuoteRecord]) -> Mapping[uuid.UUID, QuoteBody]:
    """Return the quotes that renew policies, by their ids."""
    wanted = {record.renewed_by for record in seen}
    return {
        record.quote.quote_id: show_quote(record)
        for record in seen
        if record.quote.quote_id in wanted and record.quote.status not in NOT_READY
    }


def _submissions(
    seen: Sequence[QuoteRecord],
    times: Times,
    *,
    may_act: bool,
    expiring: Mapping[uuid.UUID, Policy],
    renewals: Mapping[uuid.UUID, QuoteBody],
) -> list[SubmissionOnPage]:
    groups = [list(group) for _, group in groupby(seen, lambda record: record.quote.submission_id)]
    newest: dict[InsuranceProduct, int] = {}
    for place, group in enumerate(groups):
        newest.setdefault(group[0].quote.product, place)
    by_quote = {record.quote.quote_id: record for record in seen}
    return [
        submission_on_page(
            group,
            times,
            newest=groups[newest[group[0].quote.product]],
            is_current=_is_current(group, place, newest),
            may_act=may_act,
            expiring=expiring,
            renewals=renewals,
            seen=by_quote,
        )
        for place, group in enumerate(groups)
    ]


def _is_current(group: Sequence[QuoteRecord], place: int, newest: Mapping[InsuranceProduct, int]) -> bool:
    return place == newest[group[0].quote.product] or any(
        record.quote.status in {QuoteStatus.POLICY_ACTIVE, QuoteStatus.QUOTE_BIND_REQUESTED, *BINDABLE}
        for record in group
    )


def _those(
    shown: Sequence[ShownSubmission], submissions: Sequence[SubmissionOnPage], *, current: bool
) -> tuple[ShownSubmission, ...]:
    return tuple(
        page for page, submission in zip(shown, submissions, strict=True) if submission.is_current is current
    )


def _bound(submissions: Sequence[SubmissionOnPage]) -> list[tuple[ShownOption, QuoteBody]]:
    return [
        (option, body)
        for submission in submissions
        for option, body in zip(submission.options, submission.bodies, strict=True)
        if body.policy_number is not None
    ]


def _comparison(selected: Selected) -> str:
    """Return where the comparison is of the options that the selected one is among."""
    is_there = DocumentType.COMPARISON in selected.body.available_documents
    several = len(selected.submission.options) > 1
    return f"/quote/{selected.option.quote_id}/document/comparison" if is_there and several else ""


def _to_sign(submissions: Sequence[SubmissionOnPage]) -> list[uuid.UUID]:
    return [
        record.quote.quote_id
        for submission in submissions
        for record, body in zip(submission.records, submission.bodies, strict=True)
        if is_to_sign(body)
    ]


def _send(selected: Selected, number: str) -> str:
    """Return where the options that the selected one is among can be sent to the client."""
    if not _to_sign([selected.submission]):
        return ""
    quote = selected.record.quote
    return f"/company/{number}/send?of={quote.submission_id}&option={quote.quote_id}"


def _another(selected: Selected, seen: Sequence[QuoteRecord], number: str) -> str:
    """Return where another option can be asked for; nowhere while the line is covered, or for a renewal."""
    line = record_of(selected.record.quote.product).line
    is_covered = any(
        record.quote.status in {QuoteStatus.POLICY_ACTIVE, QuoteStatus.QUOTE_BIND_REQUESTED}
        and record_of(record.quote.product).line is line
        for record in seen
    )
    if is_covered or selected.record.renews is not None:
        return ""
    return f"/company/{number}/another?of={selected.record.quote.submission_id}"


def _last_word(seen: Sequence[QuoteRecord], newest: SubmissionOnPage) -> str:
    bound = [record for record in seen if record.policy_number is not None]
    if not bound:
        return _said_of_newest(newest)
    last = max(bound, key=lambda record: (record.is_issued, record.term.expiration))
    return unrenewed(show_quote(last), last.today) or _said_of_newest(newest)


def _said_of_newest(submission: SubmissionOnPage) -> str:
    passed_over = STATUS_WORDS[QuoteStatus.QUOTE_NOT_BOUND]
    told = [option.sentence for option in submission.options if option.status is not passed_over]
    return told[0] if told else passed_over.meaning
