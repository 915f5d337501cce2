"""Years that are drawn: ledger, journal, papers, bordereaux and filings of all policies agree to the cent."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from bindery.contract.policy_ending import CancellationReason
from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.applicant.risk import Term
from bindery.domain.bordereaux.lines import LineAddress, Lines, LineTax, by_place
from bindery.domain.bordereaux.values import LINE_VALUES, TAXES
from bindery.domain.filings.obligations import FARTHEST, MonthSum, obligations
from bindery.domain.filings.periods import read_period
from bindery.domain.filings.report import ReportedCharge, ReportedTransaction, StateReport
from bindery.domain.filings.rules import filing_rules
from bindery.domain.policy.book_check import (
    KeptCharge,
    KeptEndorsement,
    KeptNotice,
    KeptPolicy,
    KeptStep,
    KeptTransaction,
    Priced,
    ToldCancellation,
    ToldStep,
    flaws_of_book,
    total_of,
)
from bindery.domain.policy.cancellation import canceled_by, decide_cancel
from bindery.domain.policy.changing import charges_on
from bindery.domain.policy.ledger import (
    Booked,
    PremiumTransaction,
    TransactionKind,
    cancellation,
    original,
    reversal,
)
from bindery.domain.quote.decisions import CancelPolicy
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import AssessmentRecord, BookedChange, from_record
from bindery.domain.rating.surcharges import Surcharge, charge_rules, surcharges_for
from support.policies import a_quote

FIRST = date(2027, 1, 1)
END = date(2029, 1, 1)
ZERO = Decimal(0)


@dataclass
class Year:
    """A policy that lives through what is drawn, as the actions let it; what books is told and printed."""

    quote: Quote
    term: Term
    state: str
    today: date
    transactions: list[PremiumTransaction] = field(default_factory=list)
    steps: list[KeptStep] = field(default_factory=list)
    notices: list[KeptNotice] = field(default_factory=list)
    endorsements: list[KeptEndorsement] = field(default_factory=list)

    @property
    def record(self) -> AssessmentRecord:
        assert self.quote.assessment is not None
        return from_record(self.quote.assessment)

    def bind(self) -> None:
        self._step(Trigger.BIND, ToldStep(premium=self.quote.premium))
        self.transactions.append(original(self.quote, self.term, None, today=self.today))

    def lapse(self) -> None:
        self._step(Trigger.LAPSE, ToldStep())
        self._reverse(TransactionKind.LAPSE, TransactionKind.ORIGINAL)
        self.quote = replace(self.quote, status=QuoteStatus.QUOTE_EXPIRED)

    def change(self, percent: int) -> None:
        if self.quote.status is not QuoteStatus.POLICY_ACTIVE or not self._is_in_term:
            return
        record = self.record
        before = record.changes[-1].term_premium if record.changes else self.quote.premium or 0
        after = before * (100 + percent) // 100
        days = (self.term.expiration - self.term.effective).days
        premium = round((after - before) * (self.term.expiration - self.today).days / days)
        charges = charges_on(self.state, record.surcharges, premium)
        summed = [
            replace(charge, price=charge.price + more.price)
            for charge, more in zip(record.surcharges, charges, strict=True)
        ]
        booked = BookedChange(effective=self.today, premium=premium, term_premium=after)
        changed = msgspec.structs.replace(record, surcharges=summed, changes=[*record.changes, booked])
        self.quote = replace(
            self.quote, premium=(self.quote.premium or 0) + premium, assessment=_text(changed)
        )
        self._step(Trigger.CHANGE_POLICY, ToldStep(premium_difference=premium))
        self.transactions.append(
            PremiumTransaction(
                quote_id=self.quote.quote_id,
                kind=TransactionKind.ENDORSEMENT,
                journal_entry=self.quote.journal.entries,
                booked_on=self.today,
                effective=self.today,
                premium=premium,
                charges=charges,
            )
        )
        number = len(self.endorsements) + 1
        self.endorsements.append(
            KeptEndorsement(number=number, premium_difference=premium, charges=_kept(charges))
        )

    def cancel(self, reason: CancellationReason) -> None:
        ask = CancelPolicy(reason=reason, canceled_by=canceled_by(reason))
        if self.quote.status is not QuoteStatus.POLICY_ACTIVE or self._ends_within(40):
            return
        decided = decide_cancel(self.quote, self.term, ask, state=self.state, today=self.today)
        self._step(Trigger.CANCEL, ToldStep(cancellation=ToldCancellation(earned=decided.earned)))
        bound = _booked(self.transactions[0], 1)
        self.transactions.append(cancellation(self.quote, decided, bound, today=self.today))
        self.notices.append(
            KeptNotice(
                on=self.today,
                effective=decided.effective,
                earned=decided.earned,
                reason_code=reason,
                charges_returned=decided.charges_returned,
                charges_due=decided.charges_due,
            )
        )
        self.quote = replace(self.quote, status=QuoteStatus.POLICY_CANCELED)

    def reinstate(self) -> None:
        if self.quote.status is not QuoteStatus.POLICY_CANCELED:
            return
        self._step(Trigger.REINSTATE, ToldStep())
        self._reverse(TransactionKind.REINSTATEMENT, TransactionKind.CANCELLATION)
        self.quote = replace(self.quote, status=QuoteStatus.POLICY_ACTIVE)

    @property
    def _is_in_term(self) -> bool:
        return self.term.effective <= self.today < self.term.expiration

    def _ends_within(self, days: int) -> bool:
        return self.today + timedelta(days=days) >= self.term.expiration

    def _step(self, trigger: Trigger, told: ToldStep) -> None:
        journal = replace(self.quote.journal, entries=self.quote.journal.entries + 1)
        self.quote = replace(self.quote, journal=journal)
        self.steps.append(KeptStep(entry=journal.entries, trigger=trigger, told=told))

    def _reverse(self, kind: TransactionKind, of: TransactionKind) -> None:
        number = max(place for place, row in enumerate(self.transactions, start=1) if row.kind is of)
        back = _booked(self.transactions[number - 1], number)
        self.transactions.append(reversal(self.quote, kind, back, today=self.today))

    @property
    def kept(self) -> KeptPolicy:
        first = self.transactions[0]
        return KeptPolicy(
            quote_id=self.quote.quote_id,
            policy_number="CYB-27-0000001-8-00",
            status=self.quote.status,
            quoted=Priced(premium=self.quote.premium or 0, charges=total_of(_kept(self.record.surcharges))),
            printed=Priced(premium=first.premium, charges=first.charges_total),
            transactions=[
                KeptTransaction(
                    number=number,
                    kind=row.kind,
                    entry=row.journal_entry,
                    booked_on=row.booked_on,
                    effective=row.effective,
                    premium=row.premium,
                    charges=row.charges_total,
                    lines=_kept(row.charges),
                    reverses=row.reverses,
                )
                for number, row in enumerate(self.transactions, start=1)
            ],
            steps=self.steps,
            notices=self.notices,
            endorsements=self.endorsements,
        )


def _kept(charges: Iterable[Surcharge]) -> tuple[KeptCharge, ...]:
    return tuple(KeptCharge(price=charge.price) for charge in charges)


def _text(record: AssessmentRecord) -> str:
    return msgspec.json.encode(record).decode()


def _booked(row: PremiumTransaction, number: int) -> Booked:
    fields: dict[str, Any] = {name: getattr(row, name) for name in PremiumTransaction.__slots__}
    return Booked(**fields, number=number)


EVENTS = st.one_of(
    st.tuples(st.just("change"), st.integers(-60, 120)),
    st.tuples(st.just("cancel"), st.sampled_from(CancellationReason)),
    st.tuples(st.just("reinstate")),
)


@st.composite
def years(draw: st.DrawFn) -> Year:
    """Draw a policy, when it was bound, and what became of it."""
    state = draw(st.sampled_from(sorted(charge_rules())))
    today = FIRST + timedelta(days=draw(st.integers(0, 364)))
    effective = today + timedelta(days=draw(st.integers(-5, 30)))
    term = Term(effective, effective.replace(year=effective.year + 1, day=min(effective.day, 28)))
    premium = draw(st.integers(300, 90_000))
    charges = surcharges_for(state, effective, premium).items
    record = AssessmentRecord(corrections=[], reasons=[], surcharges=charges)
    quote = a_quote(QuoteStatus.POLICY_ACTIVE, premium=premium, assessment=_text(record))
    year = Year(quote, term, state, today)
    year.bind()
    if draw(st.integers(0, 6)) == 0:
        year.today += timedelta(days=30)
        year.lapse()
        return year
    for days, (name, *given_) in draw(st.lists(st.tuples(st.integers(0, 90), EVENTS), max_size=6)):
        year.today += timedelta(days=days)
        getattr(year, name)(*given_)
    return year


@settings(max_examples=40)
@given(st.lists(years(), min_size=1, max_size=4))
def test_whatever_becomes_of_policies_their_books_agree_in_every_month(drawn: list[Year]) -> None:
    """The ledger of each policy is its journal and papers; of each month it is what is reported of it."""
    for year in drawn:
        assert list(flaws_of_book(year.kept)) == []
    months: dict[tuple[str, date], list[tuple[int, PremiumTransaction]]] = defaultdict(list)
    for year in drawn:
        for number, row in enumerate(year.transactions, start=1):
            months[year.state, row.booked_on.replace(day=1)].append((number, row))
    for (state, month), rows in months.items():
        booked = _sum(row.premium for _, row in rows), sum((row.charges_total for _, row in rows), ZERO)
        assert _in_bordereau(state, rows) == booked
        assert _in_report(state, month, rows) == booked
    sums = [
        _month_sum(
            state, month, [row for _, row in rows if is_new is (row.kind is TransactionKind.ORIGINAL)], is_new
        )
        for (state, month), rows in months.items()
        for is_new in (True, False)
    ]
    owed = obligations(filing_rules(), sums, [], today=END, until=END + FARTHEST)
    charges = sum((row.charges_total for year in drawn for row in year.transactions), ZERO)
    assert sum((one.amount or ZERO for one in owed), ZERO) == charges


def _in_bordereau(state: str, rows: list[tuple[int, PremiumTransaction]]) -> tuple[Decimal, Decimal]:
    lines = _lines(state, rows)
    names = [f"tax_{place}_amount" for place in range(1, TAXES + 1)]
    taxes = [cell for name in names for cell in LINE_VALUES[name].of(lines)]
    return _sum(LINE_VALUES["premium"].of(lines)), _sum(taxes)


def _sum(cells: Any) -> Decimal:
    return sum((Decimal(cell) for cell in cells if cell is not None), ZERO)


def _in_report(
    state: str, month: date, rows: list[tuple[int, PremiumTransaction]]
) -> tuple[Decimal, Decimal]:
    period = read_period(f"{month:%Y-%m}")
    assert period is not None
    report = StateReport(state, period, today=END)
    cells = [report.row(_reported(state, number, row)) for number, row in rows]
    assert _sum(row[-1] for row in cells) == report.foot()[-1]
    return Decimal(report.premium), report.charges


def _reported(state: str, number: int, row: PremiumTransaction) -> ReportedTransaction:
    return ReportedTransaction(
        state=state,
        booked_on=str(row.booked_on),
        policy_number="CYB-27-0000001-8-00",
        number=number,
        kind=row.kind,
        effective=str(row.effective),
        expiration="",
        product="CYB",
        insured="Lamplight LLC",
        premium=row.premium,
        insurers="",
        charges=tuple(ReportedCharge(charge.title, charge.price) for charge in row.charges),
    )


def _month_sum(state: str, month: date, rows: list[PremiumTransaction], is_new: bool) -> MonthSum:
    charges: dict[str, Decimal] = defaultdict(Decimal)
    for row in rows:
        for charge in row.charges:
            charges[charge.title] += charge.price
    premium = sum(row.premium for row in rows)
    return MonthSum(
        state=state, month=month, is_new=is_new, count=len(rows), premium=premium, charges=charges
    )


def _lines(state: str, rows: list[tuple[int, PremiumTransaction]]) -> Lines:
    return Lines(
        transaction_id=[number for number, _ in rows],
        quote_id=[row.quote_id for _, row in rows],
        number=[number for number, _ in rows],
        kind=[row.kind for _, row in rows],
        booked_on=[row.booked_on for _, row in rows],
        effective=[row.effective for _, row in rows],
        premium=[row.premium for _, row in rows],
        charges=[row.charges_total for _, row in rows],
        taxes=by_place(
            [LineTax(charge.title, str(charge.percentage), str(charge.price)) for charge in row.charges]
            for _, row in rows
        ),
        commission_rate=[None] * len(rows),
        commission=[None] * len(rows),
        gross_premium=[row.premium for _, row in rows],
        product=[InsuranceProduct.CYB] * len(rows),
        state=[state] * len(rows),
        section=[None] * len(rows),
        risk_code=[None] * len(rows),
        risk_class=[None] * len(rows),
        policy_number=["CYB-27-0000001-8-00"] * len(rows),
        inception=[row.effective for _, row in rows],
        expiration=[row.effective for _, row in rows],
        bound_on=[row.booked_on for _, row in rows],
        cancellation_reason=[None] * len(rows),
        is_renewal=[False] * len(rows),
        aggregate_limit=[None] * len(rows),
        aggregate_retention=[None] * len(rows),
        per_claim_limit=[None] * len(rows),
        per_claim_retention=[None] * len(rows),
        insured=["Lamplight LLC"] * len(rows),
        revenue=[1] * len(rows),
        sector=["31"] * len(rows),
        employees=[None] * len(rows),
        address=[LineAddress()] * len(rows),
        broker_email=[""] * len(rows),
        broker=[""] * len(rows),
    )
