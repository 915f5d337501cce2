"""Rules about the applicant and its business; the question set marks the options to refer or decline."""

from typing import Final

from bindery.base.numbers import in_dollars
from bindery.domain.applicant.industries import Action
from bindery.domain.questions.question import question_set
from bindery.domain.screening.case import Applicant, Reason, Recommendation, is_embargoed_domain

UNKNOWN_INDUSTRY_REVENUE: Final = 10_000_000
"""Above this, an industry that is not known is referred."""

TECHNOLOGY_WORK: Final = ("2209", "2211", "2224", "2208", "2227")
"""Services, hardware, software, needs addressed, consulting."""


def referred_industry(applicant: Applicant) -> Reason | None:
    """Refer industries that are not quoted automatically."""
    industry = applicant.industry
    if industry.action is Action.QUOTE:
        return None
    return Reason(
        "referred_industry",
        f"The industry is not quoted automatically: {industry.reason}",
        recommendation=Recommendation(industry.action),
    )


def unknown_industry(applicant: Applicant) -> Reason | None:
    """Refer larger firms whose industry was not given, or is of no known sector."""
    if applicant.industry.matched is None and applicant.risk.revenue > UNKNOWN_INDUSTRY_REVENUE:
        return Reason(
            "unknown_industry",
            f"The industry is not known and the revenue is above {in_dollars(UNKNOWN_INDUSTRY_REVENUE)}",
        )
    return None


def prohibited_activity(applicant: Applicant) -> Reason | None:
    """Refer businesses that cyber cover is not meant for."""
    text = _chosen(applicant, Action.DECLINE, "Q2244")
    return _decline("prohibited_activity", f"Activities outside the cyber appetite: {text}") if text else None


def listed_activity(applicant: Applicant) -> Reason | None:
    """Refer businesses that need a second look before cyber cover."""
    text = _chosen(applicant, Action.REFER, "Q2244")
    return Reason("listed_activity", f"Activities that need review: {text}") if text else None


def not_mainly_technology(applicant: Applicant) -> Reason | None:
    """Refer firms that do not live mainly on technology."""
    if applicant.risk.answers.no("2246"):
        return Reason("not_mainly_technology", "Revenue does not come mainly from technology")
    return None


def prohibited_technology(applicant: Applicant) -> Reason | None:
    """Refer technology that E&O cover is not meant for."""
    text = _chosen(applicant, Action.DECLINE, "2226")
    return _decline("prohibited_technology", f"Technology outside the E&O appetite: {text}") if text else None


def listed_technology(applicant: Applicant) -> Reason | None:
    """Refer technology with an unusual reach of harm."""
    text = _chosen(applicant, Action.REFER, "2226")
    return Reason("listed_technology", f"Technology that needs review: {text}") if text else None


def referred_technology_work(applicant: Applicant) -> Reason | None:
    """Refer services, products and consulting of the hazardous classes."""
    text = _chosen(applicant, Action.REFER, *TECHNOLOGY_WORK)
    return Reason("referred_technology_work", f"Technology work that needs review: {text}") if text else None


def prohibited_profession(applicant: Applicant) -> Reason | None:
    """Refer professions that have a product line of their own elsewhere."""
    text = _chosen(applicant, Action.DECLINE, "Q2412")
    return _decline("prohibited_profession", f"Professions outside the appetite: {text}") if text else None


def listed_profession(applicant: Applicant) -> Reason | None:
    """Refer side activities that change the risk of a profession."""
    text = _chosen(applicant, Action.REFER, "Q2412")
    return Reason("listed_profession", f"Activities that need review: {text}") if text else None


def referred_services(applicant: Applicant) -> Reason | None:
    """Refer professional services that are not quoted automatically."""
    text = _chosen(applicant, Action.REFER, "Q2401")
    return Reason("referred_services", f"Professional services that need review: {text}") if text else None


def _chosen(applicant: Applicant, action: Action, *question_ids: str) -> str:
    questions = question_set(applicant.risk.product, applicant.question_edition)
    options = questions.chosen_options(applicant.risk.answers, *question_ids)
    return "; ".join(option.text for option in options if option.action is action)


def _decline(code: str, text: str) -> Reason:
    return Reason(code, text, recommendation=Recommendation.DECLINE)


CYBER_RULES: Final = (prohibited_activity, listed_activity)


def sanctioned_party(applicant: Applicant) -> Reason | None:
    """Refer applicants named on the sanctions list."""
    listed = [name for name in applicant.names if applicant.sanctions.holds(name)]
    if not listed:
        return None
    return Reason(
        "sanctioned_party",
        f"The sanctions list holds the name of the applicant: {'; '.join(listed)}",
        recommendation=Recommendation.DECLINE,
    )


def embargoed_country(applicant: Applicant) -> Reason | None:
    """Refer applicants with a domain of an embargoed country."""
    embargoed = [domain for domain in applicant.domains if is_embargoed_domain(domain)]
    if not embargoed:
        return None
    return Reason(
        "embargoed_country",
        f"The applicant uses domains of an embargoed country: {', '.join(embargoed)}",
        recommendation=Recommendation.DECLINE,
    )


SANCTIONS_RULES: Final = (sanctioned_party, embargoed_country)
