"""A bordereau: what is reported of a month to the carriers of a binder, its exceptions and when it is due."""

import re
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from bindery.base.errors import InvalidRequest
from bindery.domain.bordereaux.template import BordereauKind
from bindery.domain.bordereaux.values import Owner

CLAIMS: Final = "claims"
FIRST_YEAR, LAST_YEAR = 2000, 2999
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


class BordereauFormat(StrEnum):
    CSV = "csv"
    XLSX = "xlsx"
    PARQUET = "parquet"
    TOTALS = "totals"
    EXCEPTIONS = "exceptions"


ENDINGS: Final = {
    BordereauFormat.CSV: ".csv",
    BordereauFormat.XLSX: ".xlsx",
    BordereauFormat.PARQUET: ".parquet",
    BordereauFormat.TOTALS: ".totals.json",
    BordereauFormat.EXCEPTIONS: ".exceptions.csv",
}
TABLES: Final = (BordereauFormat.CSV, BordereauFormat.XLSX, BordereauFormat.PARQUET)
"""The formats that have the rows."""


@dataclass(frozen=True, slots=True)
class Month:
    """An accounting month, by the business days on which transactions are booked."""

    since: date

    @property
    def until(self) -> date:
        return self.since + timedelta(days=monthrange(self.since.year, self.since.month)[1])

    @property
    def before(self) -> "Month":
        return Month((self.since - timedelta(days=1)).replace(day=1))

    def is_over(self, today: date) -> bool:
        return today >= self.until

    def due_on(self, due_day: int) -> date:
        """Return the day of the month after, on which a binder wants its bordereaux."""
        return self.until.replace(day=due_day)

    def __str__(self) -> str:
        return f"{self.since:%Y-%m}"


def read_month(text: str) -> Month:
    """Read a month such as `2026-10`.

    Raises:
        InvalidRequest: it is not a month.
    """
    month = Month(date.min)
    if re.fullmatch(r"[0-9]{4}-(0[1-9]|1[0-2])", text) and not text.startswith("0000"):
        month = Month(date.fromisoformat(f"{text}-01"))
    if not FIRST_YEAR <= month.since.year <= LAST_YEAR:
        raise InvalidRequest(f"{text!r} is no month: write it as 2026-10.")
    return month


def read_kind(text: str) -> BordereauKind:
    """Read the kind of a bordereau.

    Raises:
        InvalidRequest: there is no such kind.
    """
    if text == CLAIMS:
        raise InvalidRequest(
            "There is no claims bordereau: claims are not kept here, but with the claims administrator of "
            "the binder. The kinds are premium and risk."
        )
    if text not in set(BordereauKind):
        raise InvalidRequest(f"{text!r} is no kind of bordereau: the kinds are premium and risk.")
    return BordereauKind(text)


class BordereauException(NamedTuple):
    """What stands in the way of sending a bordereau; without a policy it is about all of it."""

    what: str
    owner: str
    quote_id: UUID | None = None
    policy_number: str = ""
    number: int | None = None
    premium: int | None = None
    charges: Decimal | None = None


def owner_name(owner: Owner, broker_email: str) -> str:
    return broker_email if owner is Owner.BROKER else "Operations"


def stem_of(
    agreement: str, month: Month, kind: BordereauKind, template: str, *, is_draft: bool = False
) -> str:
    """Return what the names of a bordereau's files begin with."""
    whole = "_".join((_UNSAFE.sub("-", agreement), str(month), kind, template))
    return f"{whole}_DRAFT" if is_draft else whole


def draft_note(month: Month, today: date, exceptions: Sequence[BordereauException]) -> str:
    """Return why what was made is a draft; an empty text where it is final."""
    if not month.is_over(today):
        return f"DRAFT of {today}: {month} is not over."
    if exceptions:
        count = len(exceptions)
        return f"DRAFT of {today}: {count:,} {'exception is' if count == 1 else 'exceptions are'} open."
    return ""


class BordereauTotals(msgspec.Struct, frozen=True, kw_only=True):
    """What a bordereau adds up to, as its file of totals says it."""

    agreement: str
    month: str
    kind: BordereauKind
    template: str
    draft: str
    rows: int
    premium: int
    charges: Decimal
    commission: Decimal
    exceptions: int
    because: str
    sums: dict[str, Decimal]
    """Of each column that can be summed, by its name."""
    sha256: dict[str, str]
    """Of each file that has the rows."""
