"""A change of a policy as it is kept, from the request until it is issued or not."""

from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from bindery.contract.changes import ChangeReason, ChangeStatus, PolicyChangeAsk, PolicyChangeBody
from bindery.contract.quote import SurchargeBody
from bindery.domain.policy.changing import PricedChange


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptChange:
    change_id: UUID
    quote_id: UUID
    status: ChangeStatus
    effective: date
    asked: PolicyChangeAsk
    priced: PricedChange
    valid_until: date
    requested_at: datetime
    requested_by: str
    settled_at: datetime | None
    settled_by: str | None
    answer: str | None
    endorsement: int | None

    def status_on(self, today: date) -> ChangeStatus:
        """Return its status on a day: nobody marks one that was not accepted in time until another comes."""
        is_over = self.status is ChangeStatus.QUOTED and self.valid_until < today
        return ChangeStatus.EXPIRED if is_over else self.status

    def shown(self, today: date) -> PolicyChangeBody:
        priced = self.priced
        return PolicyChangeBody(
            change_id=str(self.change_id),
            quote_identifier=str(self.quote_id),
            status=self.status_on(today),
            effective=self.effective,
            changes=self.asked.changes,
            reason=self.asked.reason,
            premium_difference=priced.premium_difference,
            charges=[
                SurchargeBody(
                    title=charge.title, percentage=float(charge.percentage), price=float(charge.price)
                )
                for charge in priced.charges
            ],
            total=float(priced.total),
            premium_before=priced.premium_before,
            premium_after=priced.premium_after,
            days_left=priced.days_left,
            days=priced.days,
            valid_until=self.valid_until,
            referral_reasons=[
                ChangeReason(code=referral.code, text=referral.text) for referral in priced.referrals
            ],
            endorsement=self.endorsement,
            requested_at=self.requested_at,
            answer=self.answer,
        )
