"""Lists of statuses in SQL, which partial indexes need as plain text, say what the lifecycle says."""

import re
from collections.abc import Mapping
from pathlib import Path

import bindery
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.lifecycle import AT_THE_DESK, BINDABLE, IN_PIPELINE, NOT_READY, TAKES_PAPERS

STORAGE = Path(bindery.__file__).parent / "storage"
KNOWN = {
    "AT_THE_DESK": frozenset(AT_THE_DESK),
    "BINDABLE": frozenset(BINDABLE),
    "IN_PIPELINE": frozenset(IN_PIPELINE),
    "NOT_READY": NOT_READY,
    "TAKES_PAPERS": frozenset(TAKES_PAPERS),
    "all": frozenset(QuoteStatus),
}
_LIST = re.compile(r"\bstatus\s+(?:not\s+)?in\s*\(([^()]*)\)", re.IGNORECASE)
STATUSES = frozenset(QuoteStatus)


def lists_in(sql: str) -> list[frozenset[str]]:
    """Return every list of quotes' statuses in some SQL; those of jobs and webhooks have other words."""
    found = (frozenset(re.findall(r"'([a-z_]+)'", inside)) for inside in _LIST.findall(sql))
    return [statuses for statuses in found if statuses & STATUSES]


def sources() -> Mapping[str, str]:
    files = [*STORAGE.glob("*.py"), *(STORAGE / "migrations" / "versions").glob("*.sql")]
    return {str(file.relative_to(STORAGE)): file.read_text() for file in files}


def test_every_list_of_statuses_is_one_of_the_lifecycles() -> None:
    found = {(name, statuses) for name, sql in sources().items() for statuses in lists_in(sql)}

    assert len(found) >= 6
    assert {(name, sorted(statuses)) for name, statuses in found if statuses not in KNOWN.values()} == set()


def test_every_single_status_exists() -> None:
    named = {
        status
        for name, sql in sources().items()
        if name.startswith(("quotes", "submissions", "due"))
        for status in re.findall(r"\bstatus\s*(?:=|<>)\s*'([a-z_]+)'", sql)
    }

    assert named - {"queued", "picked", "failed"} <= STATUSES


def test_a_seeded_list_that_lacks_a_status_is_found() -> None:
    (seeded,) = lists_in("select from quotes where status in ('created', 'aq_created')")

    assert seeded not in KNOWN.values()
    assert lists_in("select from pgq.pgqueuer where status in ('queued', 'picked')") == []
