"""The bind form: what it is filled in with, and the request that it stands for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from msgspec import UNSET

from bindery.base.errors import Problem
from bindery.contract.binds import BindClient, BindRequest
from bindery.contract.quotes import InsuredMainContact, PolicyDates
from bindery.domain.applicant.risk import FULL_PRIOR_ACTS
from bindery.domain.products import record_of
from bindery.storage.quote.quote_view import QuoteRecord
from bindery.web.bind.bind_problems import RETROACTIVE

ATTESTATION: Final = "app_attestation"
STATEMENTS: Final = (
    ("same", "It is the application that this quote was obtained with."),
    ("signed", "A member of the insured's control group signed and dated it, and nothing is left blank."),
    ("unchanged", "Nothing on it was changed."),
)
CONTACT: Final = ("email", "first_name", "last_name", "cell_phone")
SHOWN_FIELDS: Final = ("effective", "expiration", *CONTACT)
PRIOR_ACTS: Final = "prior_acts"
"""The choice between a retroactive date and full prior acts, for products that have both."""
LONGEST_TEXT: Final = 255


@dataclass(frozen=True, slots=True)
class ReadBind:
    """The request of a form, and what of the form cannot be read.

    For a day that cannot be read the request has the quoted one, so that everything else can be judged.
    """

    request: BindRequest
    problems: tuple[Problem, ...]

    def further(self, found: list[Problem]) -> list[Problem]:
        """Return the problems that are not due to a day that cannot be read."""
        unread = {problem.path for problem in self.problems}
        is_period_read = not unread & {"dates.effective", "dates.expiration"}
        return [
            problem
            for problem in found
            if problem.path not in unread and (is_period_read or not problem.path.startswith("dates."))
        ]


def as_quoted(seen: QuoteRecord) -> dict[str, str]:
    term = seen.term
    contact = seen.client.get("insured_main_contact") or {}
    asked = term.retroactive.isoformat() if isinstance(term.retroactive, date) else ""
    rule = record_of(seen.quote.product).retroactive
    return {
        "effective": term.effective.isoformat(),
        "expiration": term.expiration.isoformat(),
        **{other.field: asked if other == rule else "" for other in RETROACTIVE},
        PRIOR_ACTS: FULL_PRIOR_ACTS if term.retroactive == FULL_PRIOR_ACTS else "",
        **{name: str(contact.get(name) or "") for name in CONTACT},
    }


def stated_in(form: Mapping[str, str]) -> frozenset[str]:
    """Return the statements that are checked: check boxes of one name, joined by spaces."""
    stated = frozenset(form.get(ATTESTATION, "").split())
    return frozenset(name for name, _ in STATEMENTS) if "true" in stated else stated


def read_bind(seen: QuoteRecord, form: Mapping[str, str]) -> ReadBind:
    problems: list[Problem] = []

    def read(name: str) -> date | None:
        text = form.get(name, "")
        try:
            return date.fromisoformat(text) if text else None
        except ValueError:
            problems.append(Problem(f"dates.{name}", "bad_date", "must be a date"))
            return None

    effective = read("effective")
    if effective is None and not problems:
        problems.append(Problem("dates.effective", "required", "is required"))
    expiration = read("expiration")
    reach: dict[str, str | date | None] = {}
    rule = record_of(seen.quote.product).retroactive
    if rule is not None:
        reach[rule.field] = typed = read(rule.field)
        if rule.takes_full_prior_acts:
            problems += _unclear_reach(seen, form, rule.field)
            as_text = typed.isoformat() if typed is not None else ""
            reach[rule.field] = FULL_PRIOR_ACTS if form.get(PRIOR_ACTS) else as_text
    problems += [
        Problem(
            f"client.insured_main_contact.{name}", "too_long", f"must have at most {LONGEST_TEXT} letters"
        )
        for name in CONTACT
        if len(form.get(name, "")) > LONGEST_TEXT
    ]
    request = BindRequest(
        quote_identifier=str(seen.quote.quote_id),
        dates=PolicyDates(
            effective=effective or seen.term.effective,
            expiration=expiration or UNSET,
            **{name: value or UNSET for name, value in reach.items()},  # type: ignore[arg-type] # by its rule
        ),
        app_attestation=stated_in(form) >= {name for name, _ in STATEMENTS},
        client=_changed_contact(seen, form),
    )
    return ReadBind(request, tuple(problems))


def _changed_contact(seen: QuoteRecord, form: Mapping[str, str]) -> BindClient | None:
    given = {name: form.get(name, "") for name in CONTACT}
    kept = as_quoted(seen)
    if all(given[name] == kept[name] for name in CONTACT):
        return None
    return BindClient(
        insured_main_contact=InsuredMainContact(
            email=given["email"],
            first_name=given["first_name"] or UNSET,
            last_name=given["last_name"] or UNSET,
            cell_phone=given["cell_phone"] or UNSET,
        )
    )


def _unclear_reach(seen: QuoteRecord, form: Mapping[str, str], field: str) -> Iterator[Problem]:
    """Report a choice between a date and full prior acts that can be read in two ways."""
    is_full, typed = bool(form.get(PRIOR_ACTS)), form.get(field)
    if is_full and typed:
        yield Problem(f"dates.{field}", "two_dates", "must be empty for full prior acts")
    if not is_full and not typed and seen.term.retroactive == FULL_PRIOR_ACTS:
        yield Problem(f"dates.{field}", "required", "is required: full prior acts were quoted")
