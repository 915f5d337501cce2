"""Reading the parameters of the query: all that are wrong are named at once."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import StrEnum
from typing import Final, TypedDict, TypeVar

from starlette.datastructures import QueryParams
from starlette.requests import Request

from bindery.api.call import Call
from bindery.api.operation import Operation
from bindery.base.clock import flaw_of_day, read_moment
from bindery.base.errors import InvalidRequest, Problem
from bindery.base.ids import IDENTIFIER_SHAPE
from bindery.base.nearest import nearest
from bindery.base.numbers import ENDLESS, read_digits
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.submission.parts import LONGEST_SEARCHED
from bindery.http.body_words import A_TIME
from bindery.storage.access import legacy_ids
from bindery.storage.submission import submissions

METADATA: Final = "metadata."
LONGEST_NAME_SHOWN: Final = 64
NOT_A_CURSOR: Final = "is not a cursor from an earlier page"
MOST_METADATA: Final = 5
LONGEST_WORDS: Final = 100
LONGEST_EMAIL: Final = 320
MOST_ROWS: Final = 100
ROWS_UNLESS_ASKED: Final = 20
_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9:.]{8,15}([Zz]|[+-][0-9]{2}:[0-9]{2})")

Choice = TypeVar("Choice", bound=StrEnum)


class CommonFilters(TypedDict):
    partner_id: int
    statuses: tuple[QuoteStatus, ...]
    product: InsuranceProduct | None
    broker: str | None
    words: str
    metadata: tuple[tuple[str, str], ...]


def query_flaws(operation: Operation, request: Request) -> tuple[Problem, ...]:
    """Return what is wrong with the names in a query: unknown ones, and those that are given twice.

    A misspelled filter would list everything; of a parameter given twice, a proxy may have read the other.
    """
    given, known = request.query_params, operation.query_names
    made_up = operation.open_parameter
    unknown = [
        Problem(name[:LONGEST_NAME_SHOWN], "unknown_parameter", _unknown(name, known))
        for name in dict.fromkeys(given.keys())
        if name not in known and not (made_up and name.startswith(made_up)) and operation.is_versioned
    ]
    repeated = [
        Problem(row.name, "repeated_parameter", "must be given once")
        for row in operation.parameters
        if row.where == "query" and row.schema.get("type") != "array" and len(given.getlist(row.name)) > 1
    ]
    return (*unknown, *repeated)


def _unknown(name: str, known: Collection[str]) -> str:
    if not known:
        return "is not known: this operation takes no parameters in the query"
    meant = nearest(name, known)
    hint = f"did you mean {meant}?" if meant else f"the parameters are {', '.join(known)}"
    return f"is not a parameter of this operation; {hint}"


@dataclass
class Query:
    """The parameters of a query, of which all that are wrong are named at once."""

    call: Call
    problems: list[Problem] = field(default_factory=list)
    given: QueryParams = field(init=False)

    def __post_init__(self) -> None:
        self.problems += self.call.query_flaws
        flawed = {problem.path for problem in self.problems}
        sent = self.call.request.query_params.multi_items()
        self.given = QueryParams([(name, value) for name, value in sent if name not in flawed])

    def check(self) -> None:
        if self.problems:
            raise InvalidRequest.because(self.problems)

    def common(self) -> CommonFilters:
        return CommonFilters(
            partner_id=self.call.partner.partner_id,
            statuses=self.choices("quote_status", QuoteStatus),
            product=self.choice("insurance_product", InsuranceProduct),
            broker=self.text("broker_email", LONGEST_EMAIL),
            words=self.text("q", LONGEST_WORDS) or "",
            metadata=self.metadata(),
        )

    def text(self, name: str, most: int) -> str | None:
        given = self.given.get(name)
        if given is not None and not 1 <= len(given) <= most:
            self.problems.append(Problem(name, "out_of_range", f"must have 1 to {most} characters"))
            return None
        if given is not None and not given.isprintable():
            self.problems.append(Problem(name, "bad_character", "must not have control characters"))
            return None
        return given

    def number(self, name: str, *, unless_given: int, most: int) -> int:
        text = self.given.get(name)
        if text is None:
            return unless_given
        number = _plain_number(text)
        if number is None or not 1 <= number <= most:
            flaw = f"must be a whole number from 1 to {most:,}"
            self.problems.append(Problem(name, "out_of_range", flaw))
            return unless_given
        return number

    def place(self, name: str) -> int | None:
        """Return a cursor that is a number."""
        text = self.given.get(name)
        number = None if text is None else _plain_number(text)
        if text is not None and (number is None or number >= ENDLESS):
            self.problems.append(Problem(name, "bad_cursor", NOT_A_CURSOR))
            return None
        return number

    def one_of(self, name: str, allowed: Collection[str]) -> str | None:
        text = self.given.get(name)
        if text is not None and text not in allowed:
            meant = nearest(text, allowed)
            hint = f"; did you mean {meant}?" if meant else ""
            self.problems.append(Problem(name, "not_allowed", f"must be one of {', '.join(allowed)}{hint}"))
            return None
        return text

    def choices(self, name: str, allowed: type[Choice]) -> tuple[Choice, ...]:
        given = self.given.getlist(name)
        if any(value not in set(allowed) for value in given):
            self.problems.append(Problem(name, "not_allowed", f"must be one of {', '.join(allowed)}"))
            return ()
        return tuple(dict.fromkeys(map(allowed, given)))

    def choice(self, name: str, allowed: type[Choice]) -> Choice | None:
        return next(iter(self.choices(name, allowed)), None)

    def moment(self, name: str) -> datetime | None:
        given = self.given.get(name)
        moment = read_moment(given) if given and _MOMENT.fullmatch(given) else None
        if given is not None and moment is None:
            self.problems.append(not_a_time(name))
        return moment

    def day(self, name: str) -> date | None:
        given = self.given.get(name)
        day = _read_day(given) if given and len(given) == len("2026-01-01") else None
        if given is not None and day is None:
            self.problems.append(Problem(name, "not_a_date", flaw_of_day(given)))
        return day

    def metadata(self) -> tuple[tuple[str, str], ...]:
        given = [
            (name.removeprefix(METADATA), value)
            for name, value in self.given.multi_items()
            if name.startswith(METADATA)
        ]
        if len(given) > MOST_METADATA:
            self.problems.append(
                Problem("metadata", "too_many_items", f"must be asked for at most {MOST_METADATA} times")
            )
        for key, value in given:
            if not 1 <= len(key) <= LONGEST_SEARCHED or len(value) > LONGEST_SEARCHED:
                flaw = f"must have a key and a value of at most {LONGEST_SEARCHED} characters"
                self.problems.append(Problem(f"{METADATA}{key}", "out_of_range", flaw))
            elif "\0" in key or "\0" in value:
                self.problems.append(
                    Problem(f"{METADATA}{key}", "bad_character", "must not have control characters")
                )
        return tuple(given)

    async def company(self, name: str) -> tuple[int | None, bool]:
        given = self.text(name, 64)
        if given is None:
            return None, True
        if not IDENTIFIER_SHAPE.fullmatch(given):
            flaw = "must have 1 to 64 letters, digits, - and _"
            self.problems.append(Problem(name, "bad_identifier", flaw))
            return None, False
        company_id = await find_company(self.call, given)
        return company_id, company_id is not None


def not_a_time(name: str) -> Problem:
    return Problem(name, "not_a_time", A_TIME)


async def find_company(call: Call, identifier: str) -> int | None:
    async with call.runtime.database.reading() as tx:
        for company_id in await legacy_ids.company_ids_of(tx, identifier, partner_id=call.partner.partner_id):
            if await submissions.exists(tx, company_id, partner_id=call.partner.partner_id):
                return company_id
    return None


def _plain_number(text: str) -> int | None:
    """Read a number as we write it ourselves: without leading zeros."""
    number = read_digits(text)
    return number if str(number) == text else None


def _read_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
