"""What an underwriter should know and nobody is referred for."""

from collections.abc import Callable
from typing import Final

from bindery.domain.screening.case import Case

GATEWAY_SEEN: Final = "MAIL_MX_SEG"
VPN_PORTAL_SEEN: Final = "VPN_PORTAL"

NO_EMAIL_GATEWAY: Final = "No SEG in Place"


def gateway_not_declared(case: Case) -> str | None:
    """Note a mail gateway that the answers deny."""
    if _saw(case, GATEWAY_SEEN) and NO_EMAIL_GATEWAY in case.applicant.risk.answers.chosen("Q2302"):
        return "The scan saw an inbound e-mail gateway, but Q2302 says that none is in place"
    return None


def vpn_not_declared(case: Case) -> str | None:
    """Note a VPN portal that the answers deny."""
    if _saw(case, VPN_PORTAL_SEEN) and case.applicant.risk.answers.get("Q2315") == "No":
        return "The scan saw a VPN portal, but Q2315 says that no VPN is used"
    return None


NOTES: Final[tuple[Callable[[Case], str | None], ...]] = (gateway_not_declared, vpn_not_declared)


def notes_for(case: Case) -> tuple[str, ...]:
    """Return where the scan disagrees with an answer; nothing is changed for it."""
    return tuple(text for note in NOTES if (text := note(case)) is not None)


def _saw(case: Case, check_id: str) -> bool:
    return case.scan is not None and any(finding.check_id == check_id for finding in case.scan.findings)
