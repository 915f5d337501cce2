import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.lifecycle import BINDABLE, NOT_READY, WERE_BOUND
from bindery.domain.submission.value import client_of
from bindery.http.show_quote import show_quote
from bindery.storage.policy.rescans import PastRescan
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.company.company_standing import Renewals, Waiting, standing_of
from bindery.web.company.renewals import ShownRenewalOffer, shown_renewal_offer
from bindery.web.shown.comparison import Row, comparison, terms_shown
from bindery.web.shown.history import HistoryLine
from bindery.web.shown.option import (
    CHOSEN_LAPSED,
    ShownOption,
    is_lapsed,
    options_named,
    shown_number,
    shown_option,
    unrenewed,
)
from bindery.web.shown.rescans import shown_rescan
from bindery.web.shown.words import STATUS_WORDS, WAITS, Moment, Times, day, product_name

OPTIONS_OF_A_SHEET: Final = 5


@dataclass(frozen=True, slots=True)
class ComparisonSheet:
    options: tuple[ShownOption, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSubmission:
    submission_id: str
    title: str
    numbers: tuple[int, ...]
    submitted: Moment
    options: tuple[ShownOption, ...]
    offer: str
    renews_by_itself: bool
    """Whether its offer is bound on the day without anybody."""
    rows: tuple[Row, ...]
    sheets: tuple[ComparisonSheet, ...]
    """How the options are printed if they do not fit on a page side by side; empty if they do."""
    reasons: tuple[str, ...]
    corrections: tuple[str, ...]
    is_current: bool
    newer: str


@dataclass(frozen=True, slots=True)
class ShownContact:
    role: str
    name: str
    email: str
    phone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyPage:
    name: str
    number: str
    products: str
    broker: str
    sentence: str
    is_in_progress: bool
    has_earlier: bool
    current: tuple[ShownSubmission, ...]
    earlier: tuple[ShownSubmission, ...]
    past: tuple[ShownOption, ...]
    primary: str
    """The option whose button stands out: the first that can be bound, of the newest submission with one."""
    contacts: tuple[ShownContact, ...]
    history: tuple[HistoryLine, ...]
    checked: Mapping[str, str]
    """When the domains of each policy were checked last, and what that showed; by quote."""
    times: Times


"""The quotes that renew policies, by their ids."""


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
    only: frozenset[str] = frozenset(),
) -> CompanyPage:
    """Put the page together from all quotes of a company; `may_act` is for its brokers.

    `expiring` are the policies that open offers renew, by their quotes. `only` are the numbers of the options
    to compare; empty for all.
    """
    groups = [list(group) for _, group in groupby(seen, lambda record: record.quote.submission_id)]
    newest: dict[InsuranceProduct, int] = {}
    for place, group in enumerate(groups):
        newest.setdefault(group[0].quote.product, place)
    by_quote = {record.quote.quote_id: record for record in seen}
    wanted = {record.renewed_by for record in seen}
    renewals = {
        record.quote.quote_id: show_quote(record)
        for record in seen
        if record.quote.quote_id in wanted and record.quote.status not in NOT_READY
    }
    shown = [
        _submission(
            group,
            times,
            waiting,
            newest=groups[newest[group[0].quote.product]],
            is_current=_is_current(group, place, newest),
            may_act=may_act,
            expiring=expiring,
            renewals=renewals,
            only=only,
            chosen=by_quote,
        )
        for place, group in enumerate(groups)
    ]
    client = seen[0].client
    current = tuple(submission for submission in shown if submission.is_current)
    earlier = tuple(submission for submission in shown if not submission.is_current)
    return CompanyPage(
        name=str(client["name"]),
        number=str(seen[0].quote.company_id),
        products=", ".join(dict.fromkeys(product_name(record.quote.product) for record in seen)),
        broker=broker,
        sentence=standing_of(seen, waiting, times, renewals, newest=_last_word(seen, shown[0])),
        is_in_progress=any(record.quote.status in NOT_READY for record in seen),
        has_earlier=len(shown) > 1,
        current=current,
        earlier=earlier,
        past=tuple(option for submission in earlier for option in submission.options if option.policy_number),
        primary=_primary(current),
        contacts=_contacts(seen),
        history=history,
        checked={str(rescan.quote_id): shown_rescan(rescan, times).sentence for rescan in rescans},
        times=times,
    )


def submissions_by_quote(seen: Sequence[QuoteRecord], times: Times) -> dict[uuid.UUID, str]:
    """Return which submission each quote is of; empty if there is only one."""
    if len({record.quote.submission_id for record in seen}) == 1:
        return {}
    return {
        record.quote.quote_id: f"{_kind(record)} of {times.on(record.quote.created_at).text}"
        for record in seen
    }


def _primary(current: Sequence[ShownSubmission]) -> str:
    bindable = (
        option
        for submission in current
        for option in submission.options
        if option.may_bind and not submission.renews_by_itself
    )
    return next((option.quote_id for option in bindable), "")


def _is_current(group: Sequence[QuoteRecord], place: int, newest: Mapping[InsuranceProduct, int]) -> bool:
    return place == newest[group[0].quote.product] or any(
        record.quote.status in {QuoteStatus.POLICY_ACTIVE, QuoteStatus.QUOTE_BIND_REQUESTED, *BINDABLE}
        for record in group
    )


def _last_word(seen: Sequence[QuoteRecord], newest: ShownSubmission) -> str:
    bound = [record for record in seen if record.policy_number is not None]
    if not bound:
        return _said_of_newest(newest)
    last = max(bound, key=lambda record: (record.is_issued, record.term.expiration))
    return unrenewed(show_quote(last), last.today) or _said_of_newest(newest)


def _said_of_newest(submission: ShownSubmission) -> str:
    passed_over = STATUS_WORDS[QuoteStatus.QUOTE_NOT_BOUND]
    told = [option.sentence for option in submission.options if option.status is not passed_over]
    return told[0] if told else passed_over.meaning


def _submission(
    group: Sequence[QuoteRecord],
    times: Times,
    waiting: Waiting,
    *,
    newest: Sequence[QuoteRecord],
    is_current: bool,
    may_act: bool,
    expiring: Mapping[uuid.UUID, Policy],
    renewals: Renewals,
    only: frozenset[str],
    chosen: Mapping[uuid.UUID, QuoteRecord],
) -> ShownSubmission:
    numbers = tuple(shown_number(record.quote.option_number) for record in group)
    # Numbers that no option has leave nothing out.
    group = [record for record in group if str(shown_number(record.quote.option_number)) in only] or group
    bodies = [show_quote(record) for record in group]
    first = group[0]
    rows = comparison(bodies, waiting.get(first.quote.submission_id), times)
    in_cells = terms_shown(rows)
    options = tuple(
        _beside_the_chosen(
            shown_option(
                record,
                body,
                times,
                may_act=may_act,
                renewed_by=renewals.get(record.renewed_by) if record.renewed_by else None,
            ),
            record,
            chosen,
        )
        for record, body in zip(group, bodies, strict=True)
    )
    offer = _offer(group, expiring, times)
    return ShownSubmission(
        submission_id=str(first.quote.submission_id),
        title=_title(group),
        numbers=numbers,
        submitted=times.at(first.quote.created_at),
        options=options,
        offer=offer.sentence if offer else "",
        renews_by_itself=offer is not None and offer.renews_by_itself,
        rows=rows,
        sheets=_sheets(options, rows),
        reasons=_reasons(group, bodies),
        corrections=tuple(
            dict.fromkeys(
                correction.text
                for body in bodies
                for correction in body.corrections
                if correction.field not in in_cells
            )
        ),
        is_current=is_current,
        newer=_newer(group, newest),
    )


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
    """Say of an option that was passed over what became of the one that was chosen."""
    chosen = seen.get(record.quote.passed_over_for) if record.quote.passed_over_for is not None else None
    if chosen is None or record.quote.status is not QuoteStatus.QUOTE_NOT_BOUND:
        return option
    if chosen.quote.status is QuoteStatus.QUOTE_BIND_REQUESTED:
        number = shown_number(chosen.quote.option_number)
        return replace(option, status=WAITS, sentence=f"Waits: option {number} was asked to be bound.")
    if is_lapsed(show_quote(chosen)):
        return replace(option, sentence=CHOSEN_LAPSED)
    return option


def _sheets(options: Sequence[ShownOption], rows: Sequence[Row]) -> tuple[ComparisonSheet, ...]:
    if len(options) <= OPTIONS_OF_A_SHEET:
        return ()
    return tuple(
        ComparisonSheet(
            tuple(options[start : start + OPTIONS_OF_A_SHEET]),
            tuple(replace(row, cells=row.cells[start : start + OPTIONS_OF_A_SHEET]) for row in rows),
        )
        for start in range(0, len(options), OPTIONS_OF_A_SHEET)
    )


def _newer(group: Sequence[QuoteRecord], newest: Sequence[QuoteRecord]) -> str:
    is_revoked = any(record.quote.status is QuoteStatus.QUOTE_REVOKED for record in group)
    submission_id = newest[0].quote.submission_id
    return str(submission_id) if is_revoked and submission_id != group[0].quote.submission_id else ""


def _title(group: Sequence[QuoteRecord]) -> str:
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


def _contacts(seen: Sequence[QuoteRecord]) -> tuple[ShownContact, ...]:
    """Show the people of the policy in force, or of the newest submission.

    A bind may come with a contact of its own; the one who was asked before stays in view beside it.
    """
    in_force = next((record for record in seen if record.quote.status is QuoteStatus.POLICY_ACTIVE), seen[0])
    client = in_force.client
    main, submitted = (of.get("insured_main_contact") or {} for of in (client, client_of(in_force.body)))
    people = [("Insured", main)]
    if submitted.get("email") != main.get("email"):
        people.append(("Insured, before the bind", submitted))
    people += [
        (", ".join(str(role).replace("_", " ") for role in other.get("contact_roles", ())), other)
        for other in client.get("additional_contacts") or ()
    ]
    return tuple(
        ShownContact(
            role=role,
            name=" ".join(str(person.get(part) or "") for part in ("first_name", "last_name")).strip(),
            email=str(person.get("email", "")),
            phone=str(person.get("cell_phone") or ""),
        )
        for role, person in people
        if person.get("email")
    )


def _reasons(group: Sequence[QuoteRecord], bodies: Sequence[QuoteBody]) -> tuple[str, ...]:
    found: dict[str, dict[str, None]] = {}
    for record, body in zip(group, bodies, strict=True):
        for reason in body.referral_reasons:
            found.setdefault(reason.text, {})[str(shown_number(record.quote.option_number))] = None
    return tuple(
        text if len(numbers) == len(group) else f"{text} ({options_named(list(numbers))})"
        for text, numbers in found.items()
    )
