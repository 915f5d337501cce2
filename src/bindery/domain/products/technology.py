from typing import Final

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.contingencies import expiring_policy, remote_access_mfa, signed_application
from bindery.domain.products.record import IndustryUse, Line, ProductRecord, RetentionBasis, RetroactiveRule
from bindery.domain.rating import cyber, errors_and_omissions
from bindery.domain.screening import activities, authority, controls, outside_view, sanctions
from bindery.domain.screening.authority import Authority
from bindery.domain.screening.case import Rulebook

TECHNOLOGY: Final = ProductRecord(
    product=InsuranceProduct.TEO,
    title="Technology Errors & Omissions and Cyber",
    short_title="Technology E&O",
    name="technology errors and omissions",
    line=Line.CYBER,
    is_scanned=True,
    # It is rated in a hazard group of its own, so that the industry says nothing about it.
    industry=IndustryUse.NOT_ASKED,
    retention=RetentionBasis.AGGREGATE,
    retroactive=RetroactiveRule(field="teo_retroactive_date", needs_expiring_policy=True),
    authority=Authority(limit=3_000_000, revenue=25_000_000),
    rulebook=Rulebook(
        applicant=(
            *sanctions.RULES,
            outside_view.missing_domain,
            *activities.CYBER_RULES,
            activities.not_mainly_technology,
            activities.prohibited_technology,
            activities.listed_technology,
            activities.referred_technology_work,
            *controls.RULES,
        ),
        option=authority.RULES,
        scan=outside_view.SCAN_RULES,
    ),
    contingencies=(signed_application, expiring_policy, remote_access_mfa),
    formulas=(cyber.CYBER_WITHIN_TECHNOLOGY, errors_and_omissions.ERRORS_AND_OMISSIONS),
)
