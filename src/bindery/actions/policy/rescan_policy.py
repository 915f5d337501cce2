import uuid

from bindery.actions.documents.write_mails import write_alert_mail
from bindery.actions.quote.advance_quote import advance_quote, lock_quote
from bindery.actions.submission.process_submission import scan_each
from bindery.contract.event_details import AlertFinding, PolicySecurityAlert
from bindery.domain.jobs import TIMETABLE
from bindery.domain.policy.watching import compare_rescan, domain_of, is_watched
from bindery.domain.quote.lifecycle import Trigger
from bindery.domain.scan.checks import scan_catalogue
from bindery.domain.scan.scan import Finding
from bindery.runtime import Runtime
from bindery.storage.policy import policies, rescans
from bindery.storage.quote import quotes
from bindery.storage.submission import submissions
from bindery.storage.submission.submissions import StoredSubmission


async def rescan_policy(runtime: Runtime, quote_id: uuid.UUID) -> None:
    """Scan the domains of a policy again on its day, and raise an alert for what is new and severe.

    A crash between the scan and its record repeats the scan. One that fails or sees nothing is no alarm: the
    next turn tries again.
    """
    async with runtime.database.reading() as tx:
        turn = await rescans.due_on(tx, quote_id)
        if turn is None or turn > tx.today:
            return
        policy = await policies.get(tx, quote_id)
        stored = await submissions.get(tx, (await quotes.get(tx, quote_id)).submission_id)
    domains = stored.submission.domains if is_watched(policy, tx.today) else ()
    parts = await scan_each(runtime, domains, at=tx.now) if domains else ()
    async with runtime.database.transaction() as tx:
        quote = await lock_quote(tx, quote_id)
        policy = await policies.get(tx, quote_id)
        if not parts or not is_watched(policy, tx.today):
            await rescans.stop(tx, quote_id)
            return
        if not await rescans.take_turn(tx, policy, turn):
            return
        known = await rescans.last_known(tx, quote_id)
        rescan = compare_rescan(known if known is not None else _known_at_bind(stored), parts)
        await rescans.keep(tx, quote_id, rescan)
        if rescan.alarming:
            findings = [_told(finding, domains) for finding in rescan.alarming]
            said = PolicySecurityAlert(policy_number=policy.number, findings=findings)
            alerted = await advance_quote(tx, quote, Trigger.RAISE_SECURITY_ALERT, actor=TIMETABLE, said=said)
            await write_alert_mail(tx, runtime.rules, alerted, findings)


def _known_at_bind(stored: StoredSubmission) -> tuple[Finding, ...]:
    return stored.scan.findings if stored.scan is not None else ()


def _told(finding: Finding, domains: tuple[str, ...]) -> AlertFinding:
    return AlertFinding(
        code=finding.check_id,
        title=finding.title,
        severity=finding.severity,
        domain=domain_of(finding.host, domains),
        host=finding.host,
        what_to_do=scan_catalogue().check(finding.check_id).advice,
    )
