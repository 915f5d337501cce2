"""Rules about claims, discipline and prior acts, from the professional question set."""

from typing import Final

from bindery.domain.applicant.risk import FULL_PRIOR_ACTS
from bindery.domain.screening.case import Applicant, Reason

NO_CLAIMS: Final = "0"


def professional_claims(applicant: Applicant) -> Reason | None:
    """Refer firms with a professional liability claim in the last five years."""
    answers = applicant.risk.answers
    if answers.is_answered("Q2416") and answers.chosen("Q2416") != (NO_CLAIMS,):
        return Reason("professional_claims", "Professional liability claims were made in the last five years")
    return None


def known_wrongful_act(applicant: Applicant) -> Reason | None:
    """Refer firms that know of an act or circumstance that could lead to a claim."""
    if applicant.risk.answers.yes("Q2419"):
        return Reason(
            "known_wrongful_act", "The applicant knows of an act or circumstance that could lead to a claim"
        )
    return None


def disciplinary_action(applicant: Applicant) -> Reason | None:
    """Refer firms under license, disciplinary or regulatory action in the last five years."""
    if applicant.risk.answers.yes("Q2421"):
        return Reason(
            "disciplinary_action",
            "A licensing, disciplinary or regulatory action was taken in the last five years",
        )
    return None


def prior_acts_without_continuous_cover(applicant: Applicant) -> Reason | None:
    """Refer full prior acts where the cover so far was not continuous."""
    risk = applicant.risk
    is_continuous = risk.answers.yes("Q2413") and risk.answers.yes("Q2415")
    if risk.term.retroactive == FULL_PRIOR_ACTS and not is_continuous:
        return Reason(
            "prior_acts_without_continuous_cover",
            "Full prior acts are requested without continuous cover in force",
        )
    return None
