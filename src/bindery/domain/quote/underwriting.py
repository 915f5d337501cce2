"""The assessment of one option: its terms, price and coverages, and the reasons for a person to see it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

import msgspec

from bindery.base.errors import ChangedMeanwhile
from bindery.base.numbers import in_dollars
from bindery.contract.event_details import EventReason
from bindery.contract.quote import AmendmentBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.applicant.risk import OptionAsk, Terms
from bindery.domain.coverages.edition import Coverage, CoverageEdition, coverages_for
from bindery.domain.quote.lifecycle import WITHOUT_PREMIUM, Trigger
from bindery.domain.quote.quote import Quote
from bindery.domain.rating.option import SettledTerms, rate, settle_terms
from bindery.domain.rating.surcharges import Surcharge, Surcharges, surcharges_for
from bindery.domain.rating.tariff import Tariff
from bindery.domain.rating.worksheet import Worksheet, worksheet_to_plain
from bindery.domain.scan.scan import ScanResult
from bindery.domain.screening.case import Applicant, Reason
from bindery.domain.screening.outside_view import notes_for
from bindery.domain.screening.rules import PIPELINE_ORDER, case_of, screen
from bindery.domain.submission.value import Correction

TRIGGER_OF: Final[Mapping[QuoteStatus, Trigger]] = {
    QuoteStatus.AUTHORITY_FAILED: Trigger.EXCEED_AUTHORITY,
    QuoteStatus.MISSING_QUICK_SCAN: Trigger.MISS_DOMAIN,
    QuoteStatus.QUICK_SCAN_ERROR: Trigger.FAIL_SCAN,
    QuoteStatus.COLLECTION_ISSUE: Trigger.COLLECT_NOTHING,
    QuoteStatus.CALC_FAILED: Trigger.FAIL_PRICING,
    QuoteStatus.RED_FLAGS_FOUND: Trigger.FIND_RED_FLAGS,
    QuoteStatus.BROKER_CONFLICT_REFERRAL: Trigger.FIND_BROKER_CONFLICT,
    QuoteStatus.AQ_NOT_APPROVED: Trigger.FAIL_SCREENING,
}


class Price(msgspec.Struct, frozen=True, kw_only=True):
    premium: int
    worksheet: Worksheet
    coverages: tuple[Coverage, ...]
    surcharges: Surcharges
    filing_effective_from: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    terms: Terms
    corrections: tuple[Correction, ...]
    price: Price | None
    reasons: tuple[Reason, ...]
    notes: tuple[str, ...]

    @property
    def stops_at(self) -> QuoteStatus | None:
        """Return the first status at which a reason stops the option; None where it may be published."""
        statuses = {reason.status for reason in self.reasons}
        return next((status for status in PIPELINE_ORDER if status in statuses), None)


def price_option(
    tariff: Tariff,
    edition: CoverageEdition,
    applicant: Applicant,
    terms: Terms,
    *,
    premium: int | None = None,
    restricted_ransomware: bool = False,
) -> Price:
    """Price an option and resolve its coverages; an underwriter's `premium` replaces the tariff's.

    Raises:
        LookupError: the tariff or the state charges do not cover the risk.
    """
    risk = applicant.risk
    worksheet = rate(tariff, risk, terms, hazard_group=applicant.industry.hazard_group)
    charged = worksheet.premium if premium is None else premium
    return Price(
        premium=charged,
        worksheet=worksheet,
        coverages=coverages_for(edition, risk, terms, restricted_ransomware=restricted_ransomware),
        surcharges=surcharges_for(risk.state, risk.term.effective, charged),
        filing_effective_from=tariff.effective_from,
    )


@dataclass(frozen=True, slots=True)
class RatedOption:
    settled: SettledTerms
    price: Price | None


def rate_option(
    tariff: Tariff,
    edition: CoverageEdition,
    applicant: Applicant,
    ask: OptionAsk,
    *,
    breaks_pricing: bool = False,
) -> RatedOption:
    """Settle the terms and price them; without a price the screening says so."""
    risk = applicant.risk
    settled = settle_terms(tariff, risk.revenue, risk.product, ask)
    price = None
    if not breaks_pricing:
        try:
            price = price_option(tariff, edition, applicant, settled.terms)
        except LookupError:
            price = None
    return RatedOption(settled, price)


def screen_option(
    rated: RatedOption,
    applicant: Applicant,
    ask: OptionAsk,
    *,
    scan: ScanResult | None,
    broker_conflict: bool = False,
    renewal_held: bool = False,
    outside_binder: str = "",
) -> Assessment:
    """Screen an option as it was rated; collect every reason, not the first."""
    settled, price = rated.settled, rated.price
    case = case_of(
        applicant,
        ask,
        settled,
        scan=scan,
        broker_conflict=broker_conflict,
        pricing_failed=price is None,
        renewal_held=renewal_held,
        outside_binder=outside_binder,
    )
    return Assessment(
        terms=settled.terms,
        corrections=settled.corrections,
        price=price,
        reasons=screen(case),
        notes=notes_for(case),
    )


class BookedChange(msgspec.Struct, frozen=True, kw_only=True):
    """A change during the term: its premium for the days left, and that of the whole term from then on."""

    effective: date
    premium: int
    term_premium: int


class AssessmentRecord(msgspec.Struct, frozen=True, kw_only=True):
    """An assessment as it is stored. Whoever reads one shares it with others, so nothing in it changes."""

    corrections: Sequence[Correction]
    reasons: Sequence[Mapping[str, str]]
    notes: Sequence[str] = ()
    override: Mapping[str, Any] | None = None
    offered: Mapping[str, str] | None = None
    amendments: Sequence[AmendmentBody] = ()
    rated_premium: int | None = None
    worksheet: Mapping[str, Any] | None = None
    coverages: Sequence[Coverage] = ()
    surcharges: Sequence[Surcharge] = ()
    surcharges_effective_from: date | None = None
    surcharges_effective_until: date | None = None
    filing_effective_from: date | None = None
    changes: Sequence[BookedChange] = ()
    """Changes of the policy, in their order; the worksheet and the coverages are those of the last one."""


_decode_record = msgspec.json.Decoder(AssessmentRecord).decode


@lru_cache(maxsize=64)
def from_record(text: str) -> AssessmentRecord:
    """Read a stored assessment; a page asks for that of one option up to ten times."""
    return _decode_record(text)


def to_record(assessment: Assessment) -> str:
    plain = {
        "corrections": assessment.corrections,
        "reasons": list(map(_said, assessment.reasons)),
        "notes": assessment.notes,
        **(_price_fields(assessment.price) if assessment.price else {}),
    }
    return msgspec.json.encode(plain).decode()


def record_of_failure(reason: Reason) -> str:
    return msgspec.json.encode(AssessmentRecord(corrections=[], reasons=[_said(reason)])).decode()


def reasons_of(quote: Quote) -> list[EventReason]:
    assert quote.assessment is not None, "a referral was assessed"
    reasons = from_record(quote.assessment).reasons
    return [EventReason(code=reason["code"], text=reason["text"]) for reason in reasons]


def _said(reason: Reason) -> dict[str, str]:
    return {"code": reason.code, "text": reason.text, "recommendation": reason.recommendation}


def reprice_record(
    record: AssessmentRecord,
    price: Price,
    *,
    override: Mapping[str, Any] | None,
    booked: BookedChange | None = None,
) -> str:
    changes = [*record.changes, *([] if booked is None else [booked])]
    plain = {
        **msgspec.structs.asdict(record),
        **_price_fields(price),
        "override": override,
        "changes": changes,
    }
    return msgspec.json.encode(plain).decode()


def add_reason(record: str, reason: Reason) -> str:
    plain = msgspec.structs.asdict(from_record(record))
    return msgspec.json.encode({**plain, "reasons": [_said(reason), *plain["reasons"]]}).decode()


def add_corrections(record: str, corrections: Sequence[Correction]) -> str:
    plain = msgspec.structs.asdict(from_record(record))
    return msgspec.json.encode({**plain, "corrections": [*plain["corrections"], *corrections]}).decode()


def add_amendment(record: str, amendment: AmendmentBody) -> str:
    before = from_record(record)
    return msgspec.json.encode(
        msgspec.structs.replace(before, amendments=[*before.amendments, amendment])
    ).decode()


def _price_fields(price: Price) -> dict[str, Any]:
    return {
        "rated_premium": price.worksheet.premium,
        "worksheet": worksheet_to_plain(price.worksheet),
        "coverages": price.coverages,
        "surcharges": price.surcharges.items,
        "surcharges_effective_from": price.surcharges.effective_from,
        "surcharges_effective_until": price.surcharges.effective_until,
        "filing_effective_from": price.filing_effective_from,
    }


NOT_ASSESSED: Final = AssessmentRecord(corrections=[], reasons=[])


def has_price(quote: Quote) -> bool:
    """Whether partners see a price: a published one, never the calculation for a referral."""
    return quote.premium is not None and quote.status not in WITHOUT_PREMIUM and quote.expires_on is not None


def total_of(quote: Quote, record: AssessmentRecord | None = None) -> Decimal:
    if record is None:
        record = from_record(quote.assessment) if quote.assessment is not None else NOT_ASSESSED
    return sum((surcharge.price for surcharge in record.surcharges), start=Decimal(quote.premium or 0))


def check_as_shown(premium: int | None, shown: int | None) -> None:
    """Refuse to offer at another premium than the page showed; a page without a premium shows 0."""
    if shown is not None and premium != shown:
        seen = in_dollars(shown) if shown else "none"
        raise ChangedMeanwhile(f"The premium is now {in_dollars(premium or 0)}; the page showed {seen}.")
