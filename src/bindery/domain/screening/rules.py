"""Which rules each product is screened by."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from inspect import getdoc
from typing import Final

from bindery.contract.vocabulary import InsuranceProduct, QuoteStatus
from bindery.domain.screening import activities, controls, option, outside_view, professional, sanctions
from bindery.domain.screening.authority import AUTHORITY_RULES, AuthorityRule, authority_reasons
from bindery.domain.screening.case import Applicant, ApplicantRule, Case, CaseRule, Reason

PIPELINE_ORDER: Final = (
    QuoteStatus.AUTHORITY_FAILED,
    QuoteStatus.MISSING_QUICK_SCAN,
    QuoteStatus.QUICK_SCAN_ERROR,
    QuoteStatus.COLLECTION_ISSUE,
    QuoteStatus.CALC_FAILED,
    QuoteStatus.RED_FLAGS_FOUND,
    QuoteStatus.BROKER_CONFLICT_REFERRAL,
    QuoteStatus.AQ_NOT_APPROVED,
)
"""The order in which a quote on its way meets what stops it; reasons are given in this order."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules of one product: about the applicant, about an option, and about the scan."""

    applicant: tuple[ApplicantRule, ...]
    option: tuple[CaseRule, ...]
    scan: tuple[CaseRule, ...] = ()


SANCTIONS: Final = (sanctions.sanctioned_party, sanctions.embargoed_country)

CYBER_ACTIVITIES: Final = (activities.prohibited_activity, activities.listed_activity)

CYBER_CONTROLS: Final = (
    controls.remote_access_without_mfa,
    controls.no_mfa_anywhere,
    controls.no_backups,
    controls.no_endpoint_detection,
    controls.many_records,
    controls.past_cyber_event,
    controls.known_circumstance,
)

OPTION: Final = (
    option.pricing_failed,
    option.broker_conflict,
    option.retention_above_share,
    option.limit_too_small,
    option.no_cover_per_claim,
)

SCAN: Final = (
    outside_view.scan_failed,
    outside_view.nothing_collected,
    outside_view.red_flags,
    outside_view.low_scan_score,
)

RULEBOOKS: Final[Mapping[InsuranceProduct, Rulebook]] = {
    InsuranceProduct.CYB: Rulebook(
        applicant=(
            *SANCTIONS,
            outside_view.missing_domain,
            activities.referred_industry,
            activities.unknown_industry,
            *CYBER_ACTIVITIES,
            *CYBER_CONTROLS,
        ),
        option=OPTION,
        scan=SCAN,
    ),
    # TEO is rated in a hazard group of its own, so that the industry says nothing about it.
    InsuranceProduct.TEO: Rulebook(
        applicant=(
            *SANCTIONS,
            outside_view.missing_domain,
            *CYBER_ACTIVITIES,
            activities.not_mainly_technology,
            activities.prohibited_technology,
            activities.listed_technology,
            activities.referred_technology_work,
            *CYBER_CONTROLS,
        ),
        option=OPTION,
        scan=SCAN,
    ),
    InsuranceProduct.MPL: Rulebook(
        applicant=(
            *SANCTIONS,
            activities.prohibited_profession,
            activities.listed_profession,
            activities.referred_services,
            professional.professional_claims,
            professional.known_wrongful_act,
            professional.disciplinary_action,
            professional.prior_acts_without_continuous_cover,
        ),
        option=OPTION,
    ),
}


def screen(case: Case) -> tuple[Reason, ...]:
    """Return every reason why a person has to look at the option; none means that it may be published."""
    scan_rules = RULEBOOKS[case.applicant.risk.product].scan
    return in_pipeline_order((*screen_before_scan(case), *_found(rule(case) for rule in scan_rules)))


def screen_before_scan(case: Case) -> tuple[Reason, ...]:
    """Return every reason that needs no scan, for an option that is referred without one."""
    risk = case.applicant.risk
    found = (
        *authority_reasons(risk.product, case.ask.aggregate_limit, risk.revenue),
        *_found(rule(case) for rule in RULEBOOKS[risk.product].option),
        *answer_reasons(case.applicant),
    )
    return in_pipeline_order(found)


def answer_reasons(applicant: Applicant) -> tuple[Reason, ...]:
    """Return every reason in what the applicant said, the same for all options."""
    rules = RULEBOOKS[applicant.risk.product].applicant
    return in_pipeline_order(_found(rule(applicant) for rule in rules))


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """One line of the catalogue of reasons."""

    code: str
    meaning: str
    products: tuple[InsuranceProduct, ...]


def rule_catalogue() -> tuple[RuleEntry, ...]:
    """List every rule with the products it applies to; a rule's name is the code of its reason."""
    products: dict[AuthorityRule | CaseRule | ApplicantRule, list[InsuranceProduct]] = {}
    for product, book in RULEBOOKS.items():
        rules: tuple[AuthorityRule | CaseRule | ApplicantRule, ...]
        rules = (*AUTHORITY_RULES[product], *book.option, *book.scan, *book.applicant)
        for rule in rules:
            products.setdefault(rule, []).append(product)
    return tuple(
        RuleEntry(rule.__name__, getdoc(rule) or "", tuple(which)) for rule, which in products.items()
    )


def all_reason_codes() -> tuple[str, ...]:
    """List the code of every reason there is, in the order of the catalogue."""
    return tuple(entry.code for entry in rule_catalogue())


def _found(reasons: Iterable[Reason | None]) -> Iterator[Reason]:
    return (reason for reason in reasons if reason is not None)


def in_pipeline_order(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    """Sort reasons by when a quote on its way meets them; those met together keep their order."""
    return tuple(sorted(reasons, key=lambda reason: PIPELINE_ORDER.index(reason.status)))
