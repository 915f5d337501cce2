"""Lists of statuses in SQL, which partial indexes need as plain text, say what the lifecycle says."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from tools.source_reading import parsed

import bindery
from bindery.contract.changes import ChangeStatus
from bindery.contract.vocabulary import ContingencyStatus, QuoteStatus
from bindery.contract.webhooks import WebhookStatus
from bindery.domain.quote.lifecycle import AT_THE_DESK, BINDABLE, IN_PIPELINE, NOT_READY, TAKES_PAPERS
from bindery.domain.signing.client_link import LinkStatus
from support.source_tree import PACKAGE, texts_in

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
_SINGLE = re.compile(r"\bstatus\s*(?:=|<>|!=|\blike\b|\bwhen\b)\s*'([^']*)'", re.IGNORECASE)
_TABLE = re.compile(r"\b(quotes|webhooks|contingencies|client_links|policy_changes|pgqueuer)\b")
STATUSES = frozenset(QuoteStatus)
VOCABULARY = {
    "quotes": STATUSES,
    "webhooks": frozenset(WebhookStatus),
    "contingencies": frozenset(ContingencyStatus),
    "client_links": frozenset(LinkStatus),
    "policy_changes": frozenset(ChangeStatus),
    "pgqueuer": frozenset({"queued", "picked", "successful", "exception", "canceled", "deleted", "failed"}),
}
"""What the column `status` of each table can be; the last one is the job queue's own."""


def lists_in(sql: str) -> list[frozenset[str]]:
    """Return every list of quotes' statuses in some SQL; those of jobs and webhooks have other words."""
    found = (frozenset(re.findall(r"'([a-z_]+)'", inside)) for inside in _LIST.findall(sql))
    return [statuses for statuses in found if statuses & STATUSES]


def sources() -> Mapping[str, str]:
    files = [*STORAGE.rglob("*.py"), *STORAGE.rglob("*.sql"), *(PACKAGE / "memory").rglob("*.py")]
    return {file.name: file.read_text() for file in files}


def test_every_list_of_statuses_is_one_of_the_lifecycles() -> None:
    found = {(name, statuses) for name, sql in sources().items() for statuses in lists_in(sql)}

    assert len(found) >= 6
    assert {(name, sorted(statuses)) for name, statuses in found if statuses not in KNOWN.values()} == set()


def statements_of(name: str, source: str) -> list[str]:
    """Return the statements of a file: those of a migration, or every text of a module."""
    return source.split(";") if name.endswith(".sql") else list(texts_in(parsed(source)))


def unknown_in(name: str, source: str) -> set[str]:
    """Return what a column `status` is compared with and no table that the statement names can have.

    A piece of a statement that names no table may be about any of its file's, or about quotes.
    """
    in_file = {"quotes", *_TABLE.findall(source)}
    return {
        word
        for statement in statements_of(name, source)
        for word in compared_in(statement)
        if not any(fits(word, table) for table in _TABLE.findall(statement) or in_file)
    }


def fits(word: str, table: str) -> bool:
    """Whether a table can have a status, or with a percent sign at its end any that begins so."""
    if word.endswith("%"):
        return any(status.startswith(word[:-1]) for status in VOCABULARY[table])
    return word in VOCABULARY[table]


def compared_in(sql: str) -> set[str]:
    """Return every text that a column `status` is compared with."""
    listed = (word for inside in _LIST.findall(sql) for word in re.findall(r"'([^']*)'", inside))
    return {*_SINGLE.findall(sql), *listed}


def test_every_status_in_the_sql_exists() -> None:
    unknown = {name: unknown_in(name, sql) for name, sql in sources().items()}

    assert {name: words for name, words in unknown.items() if words} == {}


def test_the_statuses_of_every_kind_of_file_are_seen() -> None:
    seen = {
        name: {word for statement in statements_of(name, sql) for word in compared_in(statement)} & STATUSES
        for name, sql in sources().items()
    }

    assert seen["backlog.py"] == {"quote_referred", "quote_bind_requested"}
    assert seen["desk.py"] == {*AT_THE_DESK, *TAKES_PAPERS}
    assert seen["earlier.py"] == {"quote_declined"}
    assert seen["due.py"] == {*BINDABLE, "quote_referred"}
    # The check of the table, its partial indexes and its triggers.
    assert seen["0100_baseline.sql"] == STATUSES


@pytest.mark.parametrize(
    ("name", "sql", "unknown"),
    [
        ("x.sql", "create index x on quotes (a) where status = 'quote_refered'", {"quote_refered"}),
        ("x.sql", "create index x on quotes (a) where status in ('published', 'offered')", {"offered"}),
        ("x.sql", "select from webhooks w where w.status <> 'gone'", {"gone"}),
        ("x.sql", "select from quotes where status = 'active'; select from webhooks", {"active"}),
        ("x.sql", "select from webhooks where status = 'active'; select from quotes", set()),
        ("x.py", "'select case q.status when \\'refered\\' then 1 end from quotes q'", {"refered"}),
        ("x.py", "'order by o.status like \\'polcy%\\''", {"polcy%"}),
        ("x.py", "'order by o.status like \\'policy%\\''", set()),
        ("x.py", "'status = \\'queued\\''", {"queued"}),
        ("x.py", "leaps('pgq.pgqueuer', 'status = \\'queued\\'')", set()),
    ],
)
def test_a_seeded_status_that_no_named_table_has_is_found(name: str, sql: str, unknown: set[str]) -> None:
    assert unknown_in(name, sql) == unknown


def test_a_seeded_list_that_lacks_a_status_is_found() -> None:
    (seeded,) = lists_in("select from quotes where status in ('created', 'aq_created')")

    assert seeded not in KNOWN.values()
    assert lists_in("select from pgq.pgqueuer where status in ('queued', 'picked')") == []
