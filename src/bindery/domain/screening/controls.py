"""Rules about security, incidents, claims and prior acts, from the answers."""

from typing import Final

from bindery.domain.applicant.risk import FULL_PRIOR_ACTS
from bindery.domain.screening.case import Applicant, Reason

MFA_REFERRAL_REVENUE: Final = 5_000_000
"""From here on a firm without MFA on remote access is referred; below, its cover is restricted instead."""

BACKUP_REFERRAL_REVENUE: Final = 10_000_000
EDR_REFERRAL_REVENUE: Final = 50_000_000

NO_EDR: Final = "No EDR in Place"


def remote_access_without_mfa(applicant: Applicant) -> Reason | None:
    """Refer larger firms whose remote access is not behind MFA."""
    risk = applicant.risk
    if risk.answers.no("Q2301") and risk.revenue >= MFA_REFERRAL_REVENUE:
        return Reason(
            "remote_access_without_mfa", "Remote access is not protected by multi-factor authentication"
        )
    return None


def no_mfa_anywhere(applicant: Applicant) -> Reason | None:
    """Refer firms that use MFA neither for email nor for remote access."""
    answers = applicant.risk.answers
    if answers.no("Q2300") and answers.no("Q2301"):
        return Reason(
            "no_mfa_anywhere", "Neither email nor remote access is protected by multi-factor authentication"
        )
    return None


def no_backups(applicant: Applicant) -> Reason | None:
    """Refer larger firms without offline or cloud backups."""
    risk = applicant.risk
    if risk.answers.no("Q2142") and risk.revenue >= BACKUP_REFERRAL_REVENUE:
        return Reason("no_backups", "There are no backups offline or with a cloud provider")
    return None


def no_endpoint_detection(applicant: Applicant) -> Reason | None:
    """Refer the largest firms without endpoint detection and response."""
    risk = applicant.risk
    if NO_EDR in risk.answers.chosen("Q2304") and risk.revenue >= EDR_REFERRAL_REVENUE:
        return Reason("no_endpoint_detection", "No endpoint detection and response is in place")
    return None


def many_records(applicant: Applicant) -> Reason | None:
    """Refer firms that hold data of more than 500,000 individuals."""
    if applicant.risk.answers.yes("Q2159"):
        return Reason("many_records", "Data of more than 500,000 individuals is stored or processed")
    return None


def past_cyber_event(applicant: Applicant) -> Reason | None:
    """Refer firms with a cyber event, loss or claim in the last three years."""
    if applicant.risk.answers.yes("Q2146"):
        return Reason(
            "past_cyber_event", "A cyber event, loss or claim above $10,000 happened in the last three years"
        )
    return None


def known_circumstance(applicant: Applicant) -> Reason | None:
    """Refer firms that know of a circumstance that could lead to an event or claim."""
    if applicant.risk.answers.yes("Q2147"):
        return Reason(
            "known_circumstance",
            "The applicant knows of a circumstance that could lead to a cyber event or claim",
        )
    return None


CYBER_CONTROLS: Final = (
    remote_access_without_mfa,
    no_mfa_anywhere,
    no_backups,
    no_endpoint_detection,
    many_records,
    past_cyber_event,
    known_circumstance,
)


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


PROFESSIONAL_CONDUCT: Final = (
    professional_claims,
    known_wrongful_act,
    disciplinary_action,
    prior_acts_without_continuous_cover,
)

LOSSES: Final = frozenset(
    rule.__name__
    for rule in (
        past_cyber_event,
        known_circumstance,
        professional_claims,
        known_wrongful_act,
        disciplinary_action,
    )
)
"""The codes of reasons that tell of a loss, or of what may become one."""
