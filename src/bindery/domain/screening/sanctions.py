"""Rules about parties and countries under sanctions."""

from typing import Final

from bindery.domain.screening.case import Applicant, Reason, Recommendation, is_embargoed_domain


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


RULES: Final = (sanctioned_party, embargoed_country)
