"""Deciding the options of scanned submissions: priced, screened, and offered or referred."""

import uuid
from collections.abc import Sequence
from dataclasses import replace

import structlog

from bindery.actions.documents.freeze_published_offers import freeze_published_offers
from bindery.actions.quote.advance_quote import advance_quotes
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.policy import Policy
from bindery.domain.quote.clearance import clearance_keys
from bindery.domain.quote.lifecycle import BINDABLE, IN_PIPELINE
from bindery.domain.quote.pipeline import SubmissionCase, case_of, contingencies_of, decide_option
from bindery.domain.quote.quote import Quote, Walk
from bindery.domain.scan.scan import ScanResult
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies
from bindery.storage.submission import submissions
from bindery.storage.submission.submissions import StoredSubmission

log = structlog.get_logger()


async def decide_submissions(
    tx: Tx, rules: BusinessRules, scanned: Sequence[tuple[StoredSubmission, ScanResult]]
) -> None:
    """Bring every option that is under way to an offer or to the desk, all of them in a few statements.

    Options that have left the pipeline in the meantime stay as they are.
    """
    found = {stored.submission_id: (stored, scan) for stored, scan in scanned}
    await submissions.keep_scans(tx, {key: scan for key, (_, scan) in found.items()})
    expiring = await _lock_renewed(tx, [stored for stored, _ in scanned])
    options = await submissions.lock_options(tx, list(found), IN_PIPELINE)
    conflicts = await submissions.with_other_broker(
        tx, {key: _broker_keys(rules, stored) for key, (stored, _) in found.items()}
    )
    cases = {
        key: case_of(
            stored.submission,
            scan,
            rules,
            now=tx.now,
            broker_conflict=key in conflicts,
            expiring=expiring.get(key),
        )
        for key, (stored, scan) in found.items()
    }
    await contingencies.add(
        tx,
        {
            quote.quote_id: drafts
            for key, case in cases.items()
            if (drafts := contingencies_of(case))
            for quote in options[key]
        },
    )
    walks = [_decide(cases[key], quote) for key, its_options in options.items() for quote in its_options]
    decided = await advance_quotes(tx, walks) if walks else []
    opened: dict[uuid.UUID, tuple[StoredSubmission, list[Quote]]] = {}
    for quote in decided:
        if quote.status in BINDABLE:
            stored, scan = found[quote.submission_id]
            opened.setdefault(quote.submission_id, (replace(stored, scan=scan), []))[1].append(quote)
    await freeze_published_offers(tx, rules, opened, expiring)


def _decide(case: SubmissionCase, quote: Quote) -> Walk:
    """Decide an option; a bug in pricing refers it rather than leaving it waiting forever."""
    try:
        return decide_option(case, quote)
    except Exception:
        log.exception("pricing_crashed", quote=str(quote.quote_id))
        return decide_option(replace(case, breaks_pricing=True), quote)


def _broker_keys(rules: BusinessRules, stored: StoredSubmission) -> list[tuple[str, str]]:
    # Where everybody's domain is under example.com, only the company itself tells a conflict.
    return [] if rules.demo_outcomes.shares_domains else clearance_keys(stored.submission)


async def _lock_renewed(tx: Tx, stored: Sequence[StoredSubmission]) -> dict[uuid.UUID, Policy]:
    """Find the policies that submissions renew.

    An offered renewal is shown by the policy that it renews: both rows are written, and whoever holds both
    has taken the company first.
    """
    renewals = [submission for submission in stored if submission.renews is not None]
    expiring = {}
    for renewal in sorted(renewals, key=lambda renewal: renewal.company_id):
        await submissions.lock(tx, renewal.company_id)
        assert renewal.renews is not None, "it is a renewal"
        policy = await policies.find(tx, renewal.renews)
        assert policy is not None, "what is renewed was bound"
        expiring[renewal.submission_id] = policy
    return expiring
