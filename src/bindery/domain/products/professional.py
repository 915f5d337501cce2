from typing import Final

from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.policy.contingencies import signed_application
from bindery.domain.products.record import IndustryUse, Line, ProductRecord, RetentionBasis, RetroactiveRule
from bindery.domain.rating import professional as rating
from bindery.domain.screening import activities, authority, professional, sanctions
from bindery.domain.screening.authority import Authority
from bindery.domain.screening.case import Rulebook

PROFESSIONAL: Final = ProductRecord(
    product=InsuranceProduct.MPL,
    title="Miscellaneous Professional Liability",
    short_title="Professional liability",
    name="miscellaneous professional liability",
    line=Line.PROFESSIONAL,
    is_scanned=False,
    industry=IndustryUse.NOT_RATED,
    retention=RetentionBasis.PER_CLAIM,
    retroactive=RetroactiveRule(field="mpl_retroactive_date", takes_full_prior_acts=True),
    authority=Authority(limit=2_000_000, revenue=50_000_000, advise_decline_above=100_000_000),
    rulebook=Rulebook(
        applicant=(
            *sanctions.RULES,
            activities.prohibited_profession,
            activities.listed_profession,
            activities.referred_services,
            professional.professional_claims,
            professional.known_wrongful_act,
            professional.disciplinary_action,
            professional.prior_acts_without_continuous_cover,
        ),
        option=authority.RULES,
    ),
    contingencies=(signed_application,),
    formulas=(rating.PROFESSIONAL,),
)
