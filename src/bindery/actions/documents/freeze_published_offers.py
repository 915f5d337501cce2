import uuid
from collections.abc import Mapping, Sequence

from bindery.actions.documents.gather_facts import freeze_offers
from bindery.actions.documents.write_mails import write_offer_mail
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.policy import Policy
from bindery.domain.policy.renewal import reminders_due
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.submission.submissions import StoredSubmission


async def freeze_published_offers(
    tx: Tx,
    rules: BusinessRules,
    opened: Mapping[uuid.UUID, tuple[StoredSubmission, Sequence[Quote]]],
    expiring: Mapping[uuid.UUID, Policy],
) -> None:
    """Write down what comes with offers that were opened just now; both are by the id of the submission.

    What their documents show is frozen. A renewal is noted with the policy that it renews, and its broker is
    written to.
    """
    await freeze_offers(tx, rules, opened)
    for submission_id, policy in expiring.items():
        _, options = opened.get(submission_id, (None, ()))
        for quote in options:
            await policies.record_renewal(
                tx,
                policy.quote_id,
                renewal_quote_id=quote.quote_id,
                # An offer that comes late stands for the reminders that should have gone out before it.
                reminders_sent=reminders_due(policy.term.expiration, tx.today),
            )
            await write_offer_mail(tx, rules, quote, policy)
