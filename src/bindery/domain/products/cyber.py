from typing import Final

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.contingencies import remote_access_mfa, signed_application
from bindery.domain.products.record import IndustryUse, Line, ProductRecord, RetentionBasis
from bindery.domain.rating import cyber
from bindery.domain.screening import activities, authority, controls, outside_view, sanctions
from bindery.domain.screening.authority import Authority
from bindery.domain.screening.case import Rulebook

CYBER: Final = ProductRecord(
    product=InsuranceProduct.CYB,
    title="Cyber Insurance",
    short_title="Cyber",
    name="cyber",
    line=Line.CYBER,
    is_scanned=True,
    industry=IndustryUse.RATED,
    retention=RetentionBasis.AGGREGATE,
    retroactive=None,
    authority=Authority(limit=3_000_000),
    rulebook=Rulebook(
        applicant=(
            *sanctions.RULES,
            outside_view.missing_domain,
            activities.referred_industry,
            activities.unknown_industry,
            *activities.CYBER_RULES,
            *controls.RULES,
        ),
        option=authority.RULES,
        scan=outside_view.SCAN_RULES,
    ),
    contingencies=(signed_application, remote_access_mfa),
    formulas=(cyber.CYBER,),
)
