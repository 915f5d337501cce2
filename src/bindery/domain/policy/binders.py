"""Binders: under whose authority a policy is written, within which clauses and up to which premium."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum

from bindery.base.numbers import in_dollars, to_cents
from bindery.contract.vocabulary import ContingencyType, InsuranceProduct
from bindery.domain.applicant.risk import Term, whole_months
from bindery.domain.policy.contingencies import ContingencyKind, DraftContingency
from bindery.domain.rating.surcharges import charge_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class CarrierOnFile:
    """An insurer; `number` is its NAIC number, or the alien insurer's."""

    name: str
    number: str
    address: tuple[str, ...]
    domicile: str
    rating: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier(CarrierOnFile):
    """An insurer with its part of a binder, in percent."""

    share: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class BinderSection:
    """What a binder lets us write of a product; None is no bound."""

    name: str
    product: InsuranceProduct
    risk_code: str
    risk_class: str
    limit: int
    revenue: int | None
    states: frozenset[str]
    sectors_excluded: frozenset[str]
    term_months: int
    days_ahead: int
    commission: Decimal
    deviation: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Binder:
    """A binding authority agreement; `expiry` is the first day without authority."""

    agreement: str
    coverholder: str
    pin: str
    inception: date
    expiry: date
    premium_limit: int
    notify_at: tuple[int, ...]
    claims_administrator: str
    bordereau_due_day: int
    carriers: tuple[Carrier, ...]
    sections: tuple[BinderSection, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BinderUse:
    """How much of a binder's premium limit is booked; `notify_at` are the percentages that it tells at."""

    agreement: str
    premium_limit: int
    premium_booked: int
    notify_at: tuple[int, ...]

    @property
    def left(self) -> int:
        return self.premium_limit - self.premium_booked

    def passed(self, *, more: int = 0) -> int | None:
        """Return the highest mark that is reached, with so much more premium."""
        reached = (self.premium_booked + more) * 100
        return max((mark for mark in self.notify_at if reached >= mark * self.premium_limit), default=None)


class NoAuthorityCode(StrEnum):
    OUTSIDE_BINDER = "outside_binder"
    CAPACITY_EXHAUSTED = "capacity_exhausted"


@dataclass(frozen=True, slots=True)
class NoAuthority:
    """Why nobody may write a policy on the carriers' behalf."""

    code: NoAuthorityCode
    text: str

    @property
    def contingency(self) -> DraftContingency:
        return DraftContingency(
            ContingencyKind.AUTHORITY,
            ContingencyType.PRE_BIND,
            f"The insurer's authority for this policy, before the bind: {self.text}",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedRisk:
    """What a binder's clauses look at."""

    product: InsuranceProduct
    state: str
    revenue: int
    sector: str
    limit: int
    premium: int
    rated_premium: int | None
    term: Term
    today: date


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSection:
    """The section that covers a product in a state on a day, with what is booked on its binder."""

    section_id: int
    agreement: str
    name: str
    max_limit: int
    max_revenue: int | None
    sectors_excluded: frozenset[str]
    term_months: int
    days_ahead: int
    commission: Decimal
    deviation: int
    premium_limit: int
    premium_booked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionInForce(FoundSection):
    """A section of a binder that has not ended, with the days and the states of its authority."""

    product: InsuranceProduct
    states: frozenset[str]
    inception: date
    expiry: date

    def covers(self, risk: AskedRisk) -> bool:
        is_in_force = self.inception <= risk.term.effective < self.expiry
        return is_in_force and risk.product is self.product and risk.state in self.states


def section_of(sections: Sequence[SectionInForce], risk: AskedRisk) -> SectionInForce | None:
    return next((section for section in sections if section.covers(risk)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionWithRoom:
    """A section that policies can be written on: its binder is in force and its premium limit not spent."""

    max_limit: int
    states: frozenset[str]


def capacity_of(
    sections: Sequence[SectionWithRoom] | None, limits: Collection[int], *, authority: int
) -> list[tuple[int, list[str]]]:
    """Return the largest limits that are written automatically, each with its states; the largest first.

    Without any binder on file, which is None, nobody's authority bounds a product but its own.
    """
    found = (
        [SectionWithRoom(max_limit=authority, states=frozenset(charge_rules()))]
        if sections is None
        else sections
    )
    states: dict[int, set[str]] = {}
    for section in found:
        bound = min(section.max_limit, authority)
        if offered := max((limit for limit in limits if limit <= bound), default=None):
            states.setdefault(offered, set()).update(section.states)
    return [(limit, sorted(states[limit])) for limit in sorted(states, reverse=True)]


def broken_clauses(section: FoundSection, risk: AskedRisk) -> Iterator[str]:
    """Return the clauses of a section that a policy would break, in words."""
    if risk.limit > section.max_limit:
        yield f"its limit of {in_dollars(risk.limit)} is above {in_dollars(section.max_limit)}"
    if section.max_revenue is not None and risk.revenue > section.max_revenue:
        yield f"the revenue of {in_dollars(risk.revenue)} is above {in_dollars(section.max_revenue)}"
    if risk.sector in section.sectors_excluded:
        yield f"industries of the sector {risk.sector} are excluded"
    last_day = risk.term.expiration - timedelta(days=1)
    if whole_months(risk.term.effective, last_day) >= section.term_months:
        yield f"its term until {risk.term.expiration} is longer than {section.term_months} months"
    ahead = (risk.term.effective - risk.today).days
    if ahead > section.days_ahead:
        yield f"it begins {ahead} days ahead, more than {section.days_ahead}"
    if risk.rated_premium:
        off = abs(risk.premium - risk.rated_premium) * 100 / Decimal(risk.rated_premium)
        if off > section.deviation:
            yield f"its premium is {off:.0f} % off the tariff, more than {section.deviation} %"


def no_section(risk: AskedRisk) -> NoAuthority:
    return NoAuthority(
        NoAuthorityCode.OUTSIDE_BINDER,
        f"No binder covers {risk.product} in {risk.state} from {risk.term.effective}.",
    )


def outside(section: FoundSection, clauses: tuple[str, ...]) -> NoAuthority:
    where = f"section {section.name} of binder {section.agreement}"
    return NoAuthority(NoAuthorityCode.OUTSIDE_BINDER, f"Outside {where}: {'; '.join(clauses)}.")


def exhausted(section: FoundSection, premium: int, *, by: str = "policy") -> NoAuthority:
    left = max(0, section.premium_limit - section.premium_booked)
    return NoAuthority(
        NoAuthorityCode.CAPACITY_EXHAUSTED,
        f"Binder {section.agreement} has {in_dollars(left)} left of its premium limit of "
        f"{in_dollars(section.premium_limit)}, and the {by} takes {in_dollars(premium)}.",
    )


def commission_of(premium: int, rate: Decimal) -> Decimal:
    """Return what we keep of a premium, or give back of one that is returned."""
    return to_cents(premium * rate / 100)
