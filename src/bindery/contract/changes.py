"""Changes of a policy during its term: what is asked for, what it would cost, and what became of it."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Final

from msgspec import UNSET, Meta, Struct, UnsetType

from bindery.contract.binds import BindClient
from bindery.contract.fields import Lines, Moment, QuoteIdentifier, Uuid
from bindery.contract.quote import SurchargeBody
from bindery.contract.quotes import MAX_DOMAINS, Address
from bindery.contract.vocabulary import AggregateLimit, AggregateRetention, PerClaimRetention

MOST_ADDITIONAL_INSURED: Final = 25


class AdditionalInsured(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody else who is insured for what the named insured does."""

    name: Annotated[
        str, Meta(min_length=1, max_length=400, description="Name.", examples=["Example Property Trust"])
    ]
    interest: Annotated[
        Annotated[str, Meta(max_length=255)] | UnsetType | None,
        Meta(description="Why it is insured.", examples=["Landlord, as the lease requires"]),
    ] = UNSET


class PolicyChanges(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a policy is to be from a day on: each field that is given replaces what there is."""

    aggregate_limit: Annotated[
        AggregateLimit | UnsetType | None, Meta(description="The most that is paid in the term, in USD.")
    ] = UNSET
    aggregate_retention: Annotated[
        AggregateRetention | UnsetType | None, Meta(description="What the insured bears, in USD.")
    ] = UNSET
    per_claim_limit: Annotated[
        AggregateLimit | UnsetType | None,
        Meta(description="In USD; without one it stays, or follows the aggregate limit that it equals."),
    ] = UNSET
    per_claim_retention: Annotated[
        PerClaimRetention | UnsetType | None, Meta(description="Applies to MPL.")
    ] = UNSET
    name: Annotated[
        Annotated[str, Meta(min_length=1, max_length=400)] | UnsetType | None,
        Meta(description="Named insured; an underwriter decides on another name."),
    ] = UNSET
    dba: Annotated[
        Annotated[str, Meta(max_length=400)] | UnsetType | None,
        Meta(description="Another name that it does business under; empty for none."),
    ] = UNSET
    address: Annotated[Address | UnsetType | None, Meta(description="In the same state.")] = UNSET
    domains: Annotated[
        Annotated[list[Annotated[str, Meta(max_length=255)]], Meta(max_length=MAX_DOMAINS)]
        | UnsetType
        | None,
        Meta(description="All of its domains; an underwriter decides on new ones, which nobody has scanned."),
    ] = UNSET
    contacts: Annotated[
        BindClient | UnsetType | None, Meta(description="Contacts that replace those on file.")
    ] = UNSET
    additional_insured: Annotated[
        Annotated[list[AdditionalInsured], Meta(max_length=MOST_ADDITIONAL_INSURED)] | UnsetType | None,
        Meta(description="All additional insureds; empty for none."),
    ] = UNSET


class PolicyChangeAsk(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of POST `/policies/{identifier}/changes`."""

    effective: Annotated[
        date,
        Meta(description="The day from which it holds: within the term, and at most 30 days back."),
    ]
    changes: PolicyChanges
    reason: Annotated[Lines, Meta(min_length=1, max_length=1000, description="Why, for the record.")]
    no_known_loss: Annotated[
        bool | None,
        Meta(
            description="True says that the insured has signed to know of no loss since `effective`; "
            "required for more cover from a day before today."
        ),
    ] = False


class ChangeStatus(StrEnum):
    """Where a change stands.

    `quoted`: it can be accepted until `valid_until`. `referred`: it was accepted, and an underwriter decides.
    `issued`: the policy is changed. `declined`: an underwriter refused it. `withdrawn`: it was taken back, or
    the policy ended first. `expired`: nobody accepted it in time.
    """

    QUOTED = "quoted"
    REFERRED = "referred"
    ISSUED = "issued"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class ChangeReason(Struct, frozen=True, kw_only=True):
    """Why an underwriter decides on a change."""

    code: Annotated[str, Meta(description="A short name.", examples=["limit_above_authority"])]
    text: Annotated[str, Meta(description="The same in words.")]


class PolicyChangeBody(Struct, frozen=True, kw_only=True):
    """A change of a policy, and what it comes to in USD; less than zero is returned."""

    change_id: Annotated[Uuid, Meta(description="Identifies the change.")]
    quote_identifier: QuoteIdentifier
    status: ChangeStatus
    effective: Annotated[date, Meta(description="The day from which it holds.")]
    changes: Annotated[PolicyChanges, Meta(description="As it was asked for.")]
    reason: Annotated[str, Meta(description="Why it was asked for.")]
    premium_difference: Annotated[
        int, Meta(description="The difference for the days that are left, in whole dollars.")
    ]
    charges: Annotated[
        list[SurchargeBody],
        Meta(description="The taxes and fees on it, as the state charges or returns them."),
    ]
    total: Annotated[float, Meta(description="The difference with its taxes and fees.")]
    premium_before: Annotated[int, Meta(description="For the whole term, on the terms until then.")]
    premium_after: Annotated[int, Meta(description="For the whole term, on the changed terms.")]
    days_left: Annotated[int, Meta(description="From `effective` to the end of the term.")]
    days: Annotated[int, Meta(description="Of the whole term.")]
    valid_until: Annotated[date, Meta(description="The last day to accept it.")]
    referral_reasons: Annotated[
        list[ChangeReason],
        Meta(description="Why an underwriter decides once it is accepted; empty: it is issued at once."),
    ]
    endorsement: Annotated[
        int | None,
        Meta(description="The version of the document `endorsement` that says it; null until it is issued."),
    ]
    requested_at: Annotated[Moment, Meta(description="When it was asked for.")]
    answer: Annotated[
        str | None, Meta(description="The underwriter's words where one decided; otherwise null.")
    ]


class PolicyChangeList(Struct, frozen=True, kw_only=True):
    """All changes of a policy, the newest first."""

    changes: Annotated[list[PolicyChangeBody], Meta(description="The changes.")]
