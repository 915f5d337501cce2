"""The policies of a company: those that cover something now or soon, and those that have ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bindery.contract.documents import ABOUT, DocumentType
from bindery.contract.quote import QuoteBody
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.documents.notices import NOTICES
from bindery.domain.policy.kept_change import KeptChange
from bindery.domain.policy.policy import payment_due
from bindery.domain.products import RetentionBasis, record_of
from bindery.web.company.options_table import said_once
from bindery.web.shown.coverages import coverages_asked_for
from bindery.web.shown.ended import canceled_ahead, ending
from bindery.web.shown.option import ShownDocument, ShownOption
from bindery.web.shown.policy_changes import change_in_words
from bindery.web.shown.words import Times, cents, day, money, product_name

D = DocumentType
AT_HAND: Final[Mapping[DocumentType, str]] = {
    D.POLICY: "Policy",
    D.BINDER: "Binder",
    D.CERTIFICATE: "Certificate",
    D.BILLING_STATEMENT: "Bill",
}
"""What people reach for first, in this order; the binder only until there is a policy."""

AFTER_THE_END: Final[Mapping[DocumentType, str]] = {
    D.POLICY: "Policy",
    D.BINDER: "Binder",
    **{kind: about.name for kind, about in ABOUT.items() if kind in NOTICES},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPolicy:
    title: str
    option: ShownOption
    facts: tuple[tuple[str, str], ...]
    coverages: tuple[tuple[str, str], ...]
    papers: tuple[ShownDocument, ...]
    holders: ShownDocument | None
    """Where certificates for holders are issued, or those that were."""
    notice: str
    """A cancellation that was asked for, or that has not come yet."""
    checked: str
    changed: str
    changes: str
    """Where its changes are, if there are any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedPolicy:
    option: ShownOption
    limit: str
    premium: str
    papers: tuple[ShownDocument, ...]


def is_cover(body: QuoteBody, times: Times) -> bool:
    """Whether it is a policy or a binder that covers something now or will."""
    return body.quote_status is QuoteStatus.POLICY_ACTIVE or canceled_ahead(body, times.today) is not None


def shown_policy(
    option: ShownOption,
    body: QuoteBody,
    times: Times,
    *,
    checked: str,
    may_act: bool,
    has_holders: bool,
    changed: KeptChange | None = None,
) -> ShownPolicy:
    """Show a policy; `has_holders` is one with certificates for holders, `changed` its newest change."""
    dates = body.dates
    due = "" if body.cancellation is not None else f", due {day(payment_due(dates.effective))}"
    facts = (
        (option.bound_as, option.policy_number),
        ("Effective and expiration", f"{day(dates.effective)} \N{EN DASH} {day(dates.expiration)}"),
        ("Limit, retention", f"{money(body.aggregate_limit)}, {money(retention_of(body))}"),
        ("Total", f"{cents(body.total)}{due}"),
    )
    return ShownPolicy(
        title=f"{product_name(body.insurance_product)} {option.bound_as.lower()}",
        option=option,
        facts=facts,
        coverages=tuple(said_once(row) for row in coverages_asked_for([body])),
        papers=_papers(body, AT_HAND),
        holders=_holders(body, may_act=may_act, has_holders=has_holders),
        notice=option.cancellation or ending(body, times.today),
        checked=checked,
        changed=change_in_words(changed, times) if changed is not None else "",
        changes=f"/policy/{option.quote_id}/changes" if changed is not None else "",
    )


def ended_policy(option: ShownOption, body: QuoteBody, *, has_holders: bool) -> EndedPolicy:
    holders = _holders(body, may_act=False, has_holders=has_holders)
    return EndedPolicy(
        option=option,
        limit=money(body.aggregate_limit),
        premium=money(body.premium),
        papers=(*_papers(body, AFTER_THE_END), *([holders] if holders else [])),
    )


def retention_of(body: QuoteBody) -> int | None:
    is_per_claim = record_of(body.insurance_product).retention is RetentionBasis.PER_CLAIM
    return body.per_claim_retention if is_per_claim else body.aggregate_retention


def _papers(body: QuoteBody, wanted: Mapping[DocumentType, str]) -> tuple[ShownDocument, ...]:
    there = [kind for kind in wanted if kind in body.available_documents]
    if D.POLICY in there and D.BINDER in there:
        there.remove(D.BINDER)
    return tuple(
        ShownDocument(f"/quote/{body.quote_identifier}/document/{kind}", wanted[kind]) for kind in there
    )


def _holders(body: QuoteBody, *, may_act: bool, has_holders: bool) -> ShownDocument | None:
    address = f"/policy/{body.quote_identifier}/certificates"
    if may_act and D.CERTIFICATE in body.available_documents:
        return ShownDocument(address, "Certificate for a holder")
    return ShownDocument(address, "Certificates for holders") if has_holders else None
