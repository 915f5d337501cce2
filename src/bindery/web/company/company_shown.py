import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from typing import Any, Final

from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.lifecycle import AT_THE_DESK, BINDABLE, NOT_READY
from bindery.http.show_quote import show_quote
from bindery.storage.policy.rescans import PastRescan
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.company.renewals import shown_renewal_offer
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
from bindery.web.shown.words import STATUS_WORDS, Moment, Times, counted, day, product_name

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


_Waiting = Mapping[uuid.UUID, tuple[datetime, datetime]]


def company_page(
    seen: Sequence[QuoteRecord],
    *,
    broker: str,
    waiting: _Waiting,
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
    shown = [
        _submission(
            group,
            times,
            waiting,
            newest=groups[newest[group[0].quote.product]],
            is_current=_is_current(group, place, newest),
            may_act=may_act,
            expiring=expiring,
            only=only,
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
        sentence=_standing(seen, waiting, times, newest=_last_word(seen, shown[0])),
        is_in_progress=any(record.quote.status in NOT_READY for record in seen),
        has_earlier=len(shown) > 1,
        current=current,
        earlier=earlier,
        past=tuple(option for submission in earlier for option in submission.options if option.policy_number),
        primary=_primary(current),
        contacts=_contacts(client),
        history=history,
        checked={str(rescan.quote_id): shown_rescan(rescan, times).sentence for rescan in rescans},
        times=times,
    )


def submissions_by_quote(seen: Sequence[QuoteRecord], times: Times) -> dict[uuid.UUID, str]:
    """Return which submission each quote is of; empty if there is only one."""
    if len({record.quote.submission_id for record in seen}) == 1:
        return {}
    return {
        record.quote.quote_id: f"{_title(record)} of {times.on(record.quote.created_at).text}"
        for record in seen
    }


def _primary(current: Sequence[ShownSubmission]) -> str:
    bindable = (option for submission in current for option in submission.options if option.may_bind)
    return next((option.quote_id for option in bindable), "")


def _is_current(group: Sequence[QuoteRecord], place: int, newest: Mapping[InsuranceProduct, int]) -> bool:
    return place == newest[group[0].quote.product] or any(
        record.quote.status in {QuoteStatus.POLICY_ACTIVE, QuoteStatus.QUOTE_BIND_REQUESTED, *BINDABLE}
        for record in group
    )


def _standing(seen: Sequence[QuoteRecord], waiting: _Waiting, times: Times, *, newest: str) -> str:
    parts = [
        f"policy {record.policy_number} is {_cover(record, times)}"
        for record in seen
        if record.quote.status is QuoteStatus.POLICY_ACTIVE
    ]
    open_ = [record for record in seen if record.quote.status in BINDABLE]
    if open_:
        last = min(record.quote.expires_on for record in open_ if record.quote.expires_on is not None)
        parts.append(f"{counted(len(open_), 'option')} {_are(open_)} open until {day(last)}")
    with_desk = [
        record
        for record in seen
        if record.quote.submission_id in waiting and record.quote.status in AT_THE_DESK
    ]
    if with_desk:
        opened, due = waiting[with_desk[0].quote.submission_id]
        late = ", and the answer is late" if due < times.now else f", answer expected by {times.at(due).text}"
        have = "has" if len(with_desk) == 1 else "have"
        for_long = f"{have} been with an underwriter for {times.since(opened).text}"
        parts.append(f"{counted(len(with_desk), 'option')} {for_long}{late}")
    running = [record for record in seen if record.quote.status in NOT_READY]
    if running:
        submitted = times.since(running[0].quote.created_at).text
        parts.append(
            f"{counted(len(running), 'option')} {_are(running)} being quoted (submitted {submitted} ago)"
        )
    if not parts:
        return f"Nothing is open. {newest}"
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."


def _cover(record: QuoteRecord, times: Times) -> str:
    if record.issued_on is None:
        return "conditionally bound"
    begins = record.term.effective
    return "in force" if begins <= times.today else f"issued and begins on {day(begins)}"


def _last_word(seen: Sequence[QuoteRecord], newest: ShownSubmission) -> str:
    bound = [record for record in seen if record.policy_number is not None]
    if not bound:
        return _said_of_newest(newest)
    last = max(bound, key=lambda record: (record.is_issued, record.term.expiration))
    return unrenewed(show_quote(last)) or _said_of_newest(newest)


def _said_of_newest(submission: ShownSubmission) -> str:
    passed_over = STATUS_WORDS[QuoteStatus.QUOTE_NOT_BOUND]
    told = [option.sentence for option in submission.options if option.status is not passed_over]
    return told[0] if told else passed_over.meaning


def _are(records: Sequence[QuoteRecord]) -> str:
    return "is" if len(records) == 1 else "are"


def _submission(
    group: Sequence[QuoteRecord],
    times: Times,
    waiting: _Waiting,
    *,
    newest: Sequence[QuoteRecord],
    is_current: bool,
    may_act: bool,
    expiring: Mapping[uuid.UUID, Policy],
    only: frozenset[str],
) -> ShownSubmission:
    numbers = tuple(shown_number(record.quote.option_number) for record in group)
    # Numbers that no option has leave nothing out.
    group = [record for record in group if str(shown_number(record.quote.option_number)) in only] or group
    bodies = [show_quote(record) for record in group]
    first = group[0]
    rows = comparison(bodies, waiting.get(first.quote.submission_id), times)
    in_cells = terms_shown(rows)
    lapsed = {body.quote_identifier for body in bodies if is_lapsed(body)}
    options = tuple(
        _after_lapse(shown_option(record, body, times, may_act=may_act), record, lapsed)
        for record, body in zip(group, bodies, strict=True)
    )
    return ShownSubmission(
        submission_id=str(first.quote.submission_id),
        title=_title(first),
        numbers=numbers,
        submitted=times.at(first.quote.created_at),
        options=options,
        offer=_offer(group, expiring, times),
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


def _offer(group: Sequence[QuoteRecord], expiring: Mapping[uuid.UUID, Policy], times: Times) -> str:
    for record in group:
        policy = expiring.get(record.renews) if record.renews is not None else None
        if policy is not None and record.quote.status in BINDABLE:
            return shown_renewal_offer(policy, record.contingencies, today=times.today).sentence
    return ""


def _after_lapse(option: ShownOption, record: QuoteRecord, lapsed: Collection[str]) -> ShownOption:
    is_passed_over = record.quote.status is QuoteStatus.QUOTE_NOT_BOUND
    if is_passed_over and str(record.quote.passed_over_for) in lapsed:
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


def _title(seen: QuoteRecord) -> str:
    kind = "renewal" if seen.renews is not None else "quote"
    return f"{product_name(seen.quote.product)} {kind}"


def _contacts(client: Mapping[str, Any]) -> tuple[ShownContact, ...]:
    people = [("Insured", client.get("insured_main_contact") or {})]
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
