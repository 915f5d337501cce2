"""A submission of a company, with its options side by side."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from msgspec import structs

from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.lifecycle import BINDABLE, WERE_BOUND
from bindery.http.show_quote import show_quote
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.company.company_standing import Renewals, Waiting
from bindery.web.company.options_table import OptionsTable, options_table
from bindery.web.company.renewals import ShownRenewalOffer, shown_renewal_offer
from bindery.web.shown.ended import CHOSEN_LAPSED, is_lapsed
from bindery.web.shown.option import ShownOption, options_named, shown_number, shown_option
from bindery.web.shown.words import WAITS, Moment, Times, day, product_name


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionOnPage:
    """What is known of a submission before an option of the page is selected."""

    records: Sequence[QuoteRecord]
    bodies: Sequence[QuoteBody]
    options: Sequence[ShownOption]
    offer: ShownRenewalOffer | None
    is_current: bool
    newer: str

    @property
    def renews_by_itself(self) -> bool:
        """Whether its offer is bound on the day without anybody."""
        return self.offer is not None and self.offer.renews_by_itself


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSubmission:
    submission_id: str
    title: str
    submitted: Moment
    table: OptionsTable
    is_bound: bool
    offer: str
    reasons: tuple[str, ...]
    corrections: tuple[str, ...]
    newer: str


def submission_on_page(
    records: Sequence[QuoteRecord],
    times: Times,
    *,
    newest: Sequence[QuoteRecord],
    is_current: bool,
    may_act: bool,
    expiring: Mapping[uuid.UUID, Policy],
    renewals: Renewals,
    seen: Mapping[uuid.UUID, QuoteRecord],
) -> SubmissionOnPage:
    """Put a submission together; `newest` is the newest one of the product, `seen` are all quotes."""
    bodies = [show_quote(record) for record in records]
    return SubmissionOnPage(
        records=records,
        bodies=bodies,
        options=[
            _beside_the_chosen(
                shown_option(
                    record,
                    body,
                    times,
                    may_act=may_act,
                    renewed_by=renewals.get(record.renewed_by) if record.renewed_by else None,
                ),
                record,
                seen,
            )
            for record, body in zip(records, bodies, strict=True)
        ],
        offer=_offer(records, expiring, times),
        is_current=is_current,
        newer=_newer(records, newest),
    )


def shown_submission(
    submission: SubmissionOnPage, waiting: Waiting, times: Times, *, picked: str
) -> ShownSubmission:
    first = submission.records[0]
    table = options_table(
        submission.options, submission.bodies, waiting.get(first.quote.submission_id), times, picked=picked
    )
    return ShownSubmission(
        submission_id=str(first.quote.submission_id),
        title=title_of(submission.records),
        submitted=times.at(first.quote.created_at),
        table=table,
        is_bound=any(record.quote.status in WERE_BOUND for record in submission.records),
        offer=submission.offer.sentence if submission.offer else "",
        reasons=_reasons(submission.records, submission.bodies),
        corrections=tuple(
            dict.fromkeys(
                correction.text
                for body in submission.bodies
                for correction in body.corrections
                if correction.field not in table.terms
            )
        ),
        newer=submission.newer,
    )


def submissions_by_quote(seen: Sequence[QuoteRecord], times: Times) -> dict[uuid.UUID, str]:
    """Return which submission each quote is of; empty if there is only one."""
    if len({record.quote.submission_id for record in seen}) == 1:
        return {}
    return {
        record.quote.quote_id: f"{_kind(record)} of {times.on(record.quote.created_at).text}"
        for record in seen
    }


def _offer(
    group: Sequence[QuoteRecord], expiring: Mapping[uuid.UUID, Policy], times: Times
) -> ShownRenewalOffer | None:
    for record in group:
        policy = expiring.get(record.renews) if record.renews is not None else None
        if policy is not None and record.quote.status in BINDABLE:
            return shown_renewal_offer(policy, record.contingencies, today=times.today)
    return None


def _beside_the_chosen(
    option: ShownOption, record: QuoteRecord, seen: Mapping[uuid.UUID, QuoteRecord]
) -> ShownOption:
    """Return what became of the option that was chosen instead of one that was passed over."""
    chosen = seen.get(record.quote.passed_over_for) if record.quote.passed_over_for is not None else None
    if chosen is None or record.quote.status is not QuoteStatus.QUOTE_NOT_BOUND:
        return option
    if chosen.quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
        number = shown_number(chosen.quote.option_number)
        return structs.replace(
            option, status=WAITS, sentence=f"Waits: option {number} was asked to be bound."
        )
    if is_lapsed(show_quote(chosen)):
        return structs.replace(option, sentence=CHOSEN_LAPSED)
    return option


def _newer(group: Sequence[QuoteRecord], newest: Sequence[QuoteRecord]) -> str:
    is_revoked = any(record.quote.status is QuoteStatus.QUOTE_REVOKED for record in group)
    submission_id = newest[0].quote.submission_id
    return str(submission_id) if is_revoked and submission_id != group[0].quote.submission_id else ""


def title_of(group: Sequence[QuoteRecord]) -> str:
    """Name a submission by the policy that came of it, or the day that it would renew one from."""
    product = product_name(group[0].quote.product)
    for record in group:
        if record.quote.status in WERE_BOUND:
            first, last = record.term.effective.year, record.term.expiration.year
            years = f"{first}-{last % 100:02}" if last > first else str(first)
            return f"{product} {'policy' if record.is_issued else 'binder'} {years}"
    if group[0].renews is not None:
        return f"{product} renewal for {day(group[0].term.effective)}"
    return f"{product} quote"


def _kind(seen: QuoteRecord) -> str:
    kind = "renewal" if seen.renews is not None else "quote"
    return f"{product_name(seen.quote.product)} {kind}"


def _reasons(group: Sequence[QuoteRecord], bodies: Sequence[QuoteBody]) -> tuple[str, ...]:
    found: dict[str, dict[str, None]] = {}
    for record, body in zip(group, bodies, strict=True):
        for reason in body.referral_reasons:
            found.setdefault(reason.text, {})[str(shown_number(record.quote.option_number))] = None
    return tuple(
        text if len(numbers) == len(group) else f"{text} ({options_named(list(numbers))})"
        for text, numbers in found.items()
    )
