from collections.abc import Mapping, Sequence

from bindery.domain.business_rules import BusinessRules
from bindery.domain.quote.clearance import Applying, Conflict, Key, conflict_over, window_start
from bindery.storage.database import Reader
from bindery.storage.submission import clearance


async def find_conflicts(tx: Reader, rules: BusinessRules, applying: Sequence[Applying]) -> list[Conflict]:
    """Return the other organizations that conflict with each submission; the demo only simulates this."""
    played = [rules.demo_outcomes.played_conflict(applicant.submission) for applicant in applying]
    taken: Mapping[Key, frozenset[int]] = {}
    if None in played:
        since = window_start(tx.today, rules.zone)
        taken = await clearance.taken_keys(tx, applying, since=since)
    return [
        conflict_over(applicant.keys, taken, applicant.partner_id) if conflict is None else conflict
        for applicant, conflict in zip(applying, played, strict=True)
    ]
