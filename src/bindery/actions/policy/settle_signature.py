from bindery.actions.policy.put_in_force import issue_policy
from bindery.actions.quote.advance_quote import change_contingencies
from bindery.domain.business_rules import BusinessRules
from bindery.domain.policy.binding import fulfills_binder
from bindery.domain.policy.evidence import PageSignature
from bindery.domain.quote.quote import Quote
from bindery.storage.database import Tx
from bindery.storage.policy import policies
from bindery.storage.quote import contingencies


async def settle_signature(
    tx: Tx, rules: BusinessRules, quote: Quote, signed: PageSignature, *, actor: str
) -> None:
    """Close the signature of a conditional binder, and issue the policy if nothing else is open.

    Before the bind it stays open: the bind sees that the application was signed.
    """
    policy = await policies.find(tx, quote.quote_id)
    if policy is None or not policy.is_conditional:
        return
    owed = await contingencies.of_quote(tx, quote.quote_id)
    for contingency in owed:
        if contingency.is_signature and contingency.is_open:
            quote = await change_contingencies(
                tx, quote, close=[(contingency, signed.closing(rules.zone))], actor=actor
            )
            if fulfills_binder(contingency, policy, owed):
                await issue_policy(tx, rules, quote, actor=actor)
