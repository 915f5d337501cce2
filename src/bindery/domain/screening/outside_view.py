from collections.abc import Callable
from typing import Final

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.scan.scan import ScanOutcome
from bindery.domain.screening.case import Applicant, Case, Reason

LOWEST_SCORE: Final = 50

WITHOUT_A_VIEW: Final = frozenset({ScanOutcome.FAILED, ScanOutcome.NOT_APPLICABLE})


def missing_domain(applicant: Applicant) -> Reason | None:
    """Refer firms that say they have a website and name no domain to scan."""
    if applicant.risk.answers.yes("Q2134") and not applicant.has_domain:
        return Reason(
            "missing_domain",
            "The applicant has a website, but no domain was named to scan",
            status=QuoteStatus.MISSING_QUICK_SCAN,
        )
    return None


def scan_failed(case: Case) -> Reason | None:
    """Refer firms whose domains could not be scanned; a scan that is not there counts as failed."""
    if case.applicant.has_domain and (case.scan is None or case.scan.outcome in WITHOUT_A_VIEW):
        return Reason(
            "scan_failed",
            "The scan of the applicant's domains did not succeed",
            status=QuoteStatus.QUICK_SCAN_ERROR,
        )
    return None


def nothing_collected(case: Case) -> Reason | None:
    """Refer firms on whose domains a scan could collect nothing."""
    if case.scan is not None and case.scan.outcome is ScanOutcome.NOTHING_COLLECTED:
        return Reason(
            "nothing_collected",
            f"The scan could collect nothing on {', '.join(case.scan.domains)}",
            status=QuoteStatus.COLLECTION_ISSUE,
        )
    return None


def red_flags(case: Case) -> Reason | None:
    """Refer firms with a severe finding."""
    if case.scan is None or not case.scan.red_flags_exist:
        return None
    titles = dict.fromkeys(finding.title for finding in case.scan.findings if finding.red_flag)
    return Reason(
        "red_flags",
        f"The scan found severe weaknesses: {'; '.join(titles)}",
        status=QuoteStatus.RED_FLAGS_FOUND,
    )


def low_scan_score(case: Case) -> Reason | None:
    """Refer firms with a poor score."""
    score = case.scan.score if case.scan is not None else None
    if score is None or score >= LOWEST_SCORE:
        return None
    return Reason("low_scan_score", f"The scan's score of {score} is below {LOWEST_SCORE}")


SCAN_RULES: Final = (scan_failed, nothing_collected, red_flags, low_scan_score)


GATEWAY_SEEN: Final = "MAIL_MX_SEG"
VPN_PORTAL_SEEN: Final = "VPN_PORTAL"

NO_EMAIL_GATEWAY: Final = "No SEG in Place"


def gateway_not_declared(case: Case) -> str | None:
    if _saw(case, GATEWAY_SEEN) and NO_EMAIL_GATEWAY in case.applicant.risk.answers.chosen("Q2302"):
        return "The scan saw an inbound email gateway, but Q2302 says that none is in place"
    return None


def vpn_not_declared(case: Case) -> str | None:
    if _saw(case, VPN_PORTAL_SEEN) and case.applicant.risk.answers.get("Q2315") == "No":
        return "The scan saw a VPN portal, but Q2315 says that no VPN is used"
    return None


NOTES: Final[tuple[Callable[[Case], str | None], ...]] = (gateway_not_declared, vpn_not_declared)


def notes_for(case: Case) -> tuple[str, ...]:
    """Return where the scan disagrees with an answer; nothing is changed for it."""
    return tuple(text for note in NOTES if (text := note(case)) is not None)


def _saw(case: Case, check_id: str) -> bool:
    return case.scan is not None and any(finding.check_id == check_id for finding in case.scan.findings)
