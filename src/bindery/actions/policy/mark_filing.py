from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from bindery.base.errors import InvalidRequest
from bindery.base.numbers import in_dollars
from bindery.domain.access.deeds import Deed, Doer
from bindery.domain.filings.obligations import FARTHEST, ZERO, Mark, Obligation, obligations
from bindery.domain.filings.periods import FORMS, FilingPeriod, read_period
from bindery.domain.filings.rules import FilingRule, filing_rules
from bindery.storage.database import Database, Reader
from bindery.storage.operations import deeds
from bindery.storage.policy import filings

LONGEST_REFERENCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedMark:
    """What somebody says was filed; `code` chooses between the filings of a state for the same period."""

    state: str
    period: str
    filed_on: str
    reference: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class MarkFlaw:
    field: str
    text: str


class UnfitMark(InvalidRequest):
    """A mark that cannot be, with everything that is wrong with it."""

    def __init__(self, flaws: Sequence[MarkFlaw]) -> None:
        super().__init__("; ".join(f"{flaw.field} {flaw.text}" for flaw in flaws))
        self.flaws = tuple(flaws)


@dataclass(frozen=True, slots=True)
class Marked:
    """What is on file now, and whether this was the one that put it there."""

    mark: Mark
    rule: FilingRule
    is_new: bool


async def owed(tx: Reader, *, until: date) -> list[Obligation]:
    """Return everything that has to be filed until a day, with what was filed."""
    return obligations(
        filing_rules(), await filings.month_sums(tx), await filings.marks(tx), today=tx.today, until=until
    )


async def mark_filing(database: Database, asked: AskedMark, *, by: Doer) -> Marked:
    """Keep that a filing was made, with the amount that the ledger has for it; the first one stays.

    Raises:
        UnfitMark: something of it cannot be; all of it is said.
    """
    async with database.transaction() as tx:
        rule, period, filed_on = _checked(asked, tx.today)
        found = next(
            (
                one
                for one in await owed(tx, until=tx.today + FARTHEST)
                if (one.rule.state, one.rule.code, one.period) == (rule.state, rule.code, period)
            ),
            None,
        )
        mark = Mark(
            state=rule.state,
            code=rule.code,
            period=str(period),
            filed_on=filed_on,
            reference=asked.reference.strip(),
            amount=None if rule.is_report else found.amount if found is not None else ZERO,
            marked_by=by.name,
            marked_at=tx.real_now,
        )
        if await filings.add_mark(tx, mark):
            amount = "" if mark.amount is None else f", {in_dollars(mark.amount)}"
            details = f"{rule.name}, filed {filed_on}, {mark.reference}{amount}"
            await deeds.append(tx, by, Deed.FILING_MARKED, f"{rule.state} {period}", details=details)
            return Marked(mark, rule, is_new=True)
        kept = await filings.find_mark(tx, rule.state, rule.code, str(period))
        assert kept is not None, "it was in the way a moment ago, and this transaction waited for it"
        return Marked(kept, rule, is_new=False)


async def unmark_filing(database: Database, *, state: str, period: str, code: str = "", by: Doer) -> Mark:
    """Take back that a filing was made.

    Raises:
        InvalidRequest: there is no such filing, or it was not marked.
    """
    rule, read = _chosen(state, period, code)
    async with database.transaction() as tx:
        kept = await filings.find_mark(tx, rule.state, rule.code, str(read))
        if kept is None or not await filings.remove_mark(tx, kept):
            raise InvalidRequest(f"{rule.state} {read} ({rule.name}) is not marked as filed.")
        details = f"{rule.name}, filed {kept.filed_on}, {kept.reference}"
        await deeds.append(tx, by, Deed.FILING_UNMARKED, f"{rule.state} {read}", details=details)
    return kept


def _checked(asked: AskedMark, today: date) -> tuple[FilingRule, FilingPeriod, date]:
    flaws: list[MarkFlaw] = []
    filed_on = None
    try:
        filed_on = date.fromisoformat(asked.filed_on)
    except ValueError:
        flaws.append(MarkFlaw("filed_on", "must be a day such as 2026-10-01"))
    reference = asked.reference.strip()
    if not 0 < len(reference) <= LONGEST_REFERENCE or not reference.isprintable():
        text = f"must be 1 to {LONGEST_REFERENCE} characters on one line, such as the number of the receipt"
        flaws.append(MarkFlaw("reference", text))
    chosen = None
    try:
        chosen = _chosen(asked.state, asked.period, asked.code)
    except UnfitMark as fault:
        flaws = [*fault.flaws, *flaws]
    if chosen is not None and filed_on is not None:
        _, period = chosen
        if not period.is_over(today):
            text = f"is not over before {period.last}: more may be booked until then"
            flaws.append(MarkFlaw("period", text))
        elif filed_on > today:
            flaws.append(MarkFlaw("filed_on", f"must not be after today, {today}"))
        elif filed_on <= period.last:
            text = f"must be after {period.last}, the last day of {period}"
            flaws.append(MarkFlaw("filed_on", text))
    if flaws or chosen is None or filed_on is None:
        raise UnfitMark(flaws)
    return *chosen, filed_on


def _chosen(state: str, period: str, code: str) -> tuple[FilingRule, FilingPeriod]:
    rules = filing_rules().of_state(state.strip().upper())
    read = read_period(period)
    flaws: list[MarkFlaw] = []
    if not rules:
        flaws.append(MarkFlaw("state", "must be a state such as NY"))
    if read is None:
        flaws.append(MarkFlaw("period", f"must be written as {FORMS}"))
    if flaws or read is None:
        raise UnfitMark(flaws)
    fitting = [rule for rule in rules if rule.periods is read.frequency]
    if not fitting:
        by = _listed(sorted({rule.periods for rule in rules}))
        raise UnfitMark([MarkFlaw("period", f"does not fit {rules[0].state}, whose filings are {by}")])
    chosen = [rule for rule in fitting if rule.code == code] if code else fitting
    if len(chosen) != 1:
        names = _listed(f"{rule.code} ({rule.name})" for rule in fitting)
        text = f"must be one of {names}" if code else f"has to be chosen: {names}"
        raise UnfitMark([MarkFlaw("filing", text)])
    return chosen[0], read


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
