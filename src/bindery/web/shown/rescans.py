from dataclasses import dataclass

from bindery.domain.policy.watching import WITH_A_VIEW
from bindery.storage.policy.rescans import PastRescan
from bindery.web.shown.words import Moment, Times


@dataclass(frozen=True, slots=True)
class ShownRescan:
    at: Moment
    score: str
    said: str

    @property
    def sentence(self) -> str:
        return f"{self.at.text}: {self.said}"


def shown_rescan(rescan: PastRescan, times: Times) -> ShownRescan:
    new = "; ".join(f"{finding.title} ({finding.host})" for finding in rescan.alarming)
    if rescan.outcome not in WITH_A_VIEW:
        said = "could not be checked, tried again in 30 days"
    else:
        said = f"new and severe: {new}" if new else "nothing new"
    return ShownRescan(times.on(rescan.scanned_at), "" if rescan.score is None else str(rescan.score), said)
