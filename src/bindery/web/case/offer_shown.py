"""An option that an underwriter thinks of offering."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bindery.domain.quote.counter_offer import PricedOffer, choices_for, may_offer
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import from_record
from bindery.domain.rating.tariff import tariff_in_force
from bindery.domain.rating.worksheet import worksheet_from_plain
from bindery.storage.submission.submissions import StoredSubmission
from bindery.web.case.case_forms import OfferForm
from bindery.web.shown.words import money
from bindery.web.shown.worksheet import ShownWorksheet, shown_worksheet


@dataclass(frozen=True, slots=True)
class Pick:
    value: str
    text: str
    is_picked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownOffer:
    limits: tuple[Pick, ...]
    claim_limits: tuple[Pick, ...]
    retentions: tuple[Pick, ...]
    retention_field: str
    retention_label: str
    reason: str
    premium: str
    shown_premium: str
    worksheet: ShownWorksheet | None
    problems: tuple[str, ...]
    is_begun: bool


def shown_offer(
    stored: StoredSubmission,
    beside: Sequence[Quote],
    form: OfferForm,
    priced: PricedOffer | None,
    *,
    today: date,
    problems: tuple[str, ...],
    is_begun: bool,
) -> ShownOffer | None:
    """Show the form of an offer; None if no other option can be offered."""
    if not may_offer(beside, is_renewal=stored.renews is not None):
        return None
    choices = choices_for(tariff_in_force(today), stored.submission.product)
    is_per_claim = choices.retention_field == "per_claim_retention"
    record = from_record(priced.assessment) if priced else None
    worksheet = worksheet_from_plain(record.worksheet) if record and record.worksheet else None
    return ShownOffer(
        limits=_picks(choices.aggregate_limits, form.aggregate_limit),
        claim_limits=_picks(choices.per_claim_limits, form.per_claim_limit),
        retentions=_picks(
            choices.retentions, form.per_claim_retention if is_per_claim else form.aggregate_retention
        ),
        retention_field=choices.retention_field,
        retention_label="Per-claim retention" if is_per_claim else "Retention",
        reason=form.reason,
        premium=money(priced.premium) if priced else "",
        shown_premium=str(priced.premium) if priced else "",
        worksheet=shown_worksheet(worksheet, premium=priced.premium) if priced and worksheet else None,
        problems=problems,
        is_begun=is_begun,
    )


def _picks(amounts: tuple[int, ...], picked: str) -> tuple[Pick, ...]:
    return tuple(Pick(str(amount), money(amount), str(amount) == picked) for amount in amounts)
