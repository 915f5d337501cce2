"""A tariff: the numbers of one edition, read from packaged data and never changed after."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from bindery.base.numbers import in_dollars
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.editions import Editions, packaged
from bindery.domain.rating.modifiers import Bands, Classes, Curve, ModifierGroup
from bindery.domain.rating.tariff_section import TariffSection, fingerprint_of


@dataclass(frozen=True, slots=True, eq=False)
class PartRates:
    """The rates of one part of a premium; compared by identity, so that factors can be cached under it."""

    title: str
    terrorism_share: Decimal
    base: Curve
    limits: Mapping[int, Decimal]
    retentions: Mapping[int, Decimal]

    def limit(self, amount: int) -> Decimal:
        return _listed(self.limits, amount, "limit")

    def retention(self, amount: int) -> Decimal:
        return _listed(self.retentions, amount, "retention")


def _listed(factors: Mapping[int, Decimal], amount: int, kind: str) -> Decimal:
    try:
        return factors[amount]
    except KeyError:
        raise LookupError(f"The tariff has no {kind} of {in_dollars(amount)}") from None


@dataclass(frozen=True, slots=True)
class PriorActs:
    load_per_year: Decimal
    load_cap: Decimal


@dataclass(frozen=True, slots=True)
class CyberRates:
    part: PartRates
    hazard_groups: Mapping[int, Decimal]
    unscanned: Decimal
    scan_scores: Bands[Decimal]
    controls: ModifierGroup
    records: ModifierGroup
    claims: ModifierGroup


@dataclass(frozen=True, slots=True)
class ErrorsAndOmissionsRates:
    part: PartRates
    classes: Classes
    prior_acts: PriorActs
    modifiers: ModifierGroup


@dataclass(frozen=True, slots=True)
class ProfessionalRates:
    part: PartRates
    classes: Classes
    prior_acts: PriorActs
    full_prior_acts: Decimal
    retention_cap_factor: Decimal
    modifiers: ModifierGroup


@dataclass(frozen=True, slots=True)
class RetentionRules:
    minimum: Bands[int]
    default: Bands[int]


@dataclass(frozen=True, slots=True, eq=False)
class Tariff:
    """One edition; the fingerprint distinguishes two contents of the same name."""

    edition: str
    effective_from: date
    fingerprint: str
    per_claim_weight: Decimal
    short_rate_share: Decimal
    cyber_hazard_group_in_technology: int
    cyber_share_in_technology: Decimal
    default_state: Decimal
    states: Mapping[str, Decimal]
    max_retention_share: Decimal
    aggregate_retention: RetentionRules
    per_claim_retention: RetentionRules
    minimum_premiums: Mapping[InsuranceProduct, Mapping[int, int]]
    cyber: CyberRates
    errors_and_omissions: ErrorsAndOmissionsRates
    professional: ProfessionalRates


def read_tariff(text: str) -> Tariff:
    content = tomllib.loads(text)
    with TariffSection("", content) as top:
        with top.section("limits") as limits:
            per_claim_weight = limits.factor("per_claim_weight")
        with top.section("term") as term:
            short_rate_share = term.factor("short_rate_share")
        with top.section("technology") as technology:
            hazard_group = technology.amount("cyber_hazard_group")
            cyber_share = technology.factor("cyber_share")
        with top.section("states") as states:
            default_state = states.factor("default")
            state_factors = states.factors_by_name()
        with top.section("retention_rules") as rules:
            max_retention_share = rules.factor("max_share_of_limit")
            aggregate = _read_retention_rules(rules, "aggregate")
            per_claim = _read_retention_rules(rules, "per_claim")
        with top.section("minimum_premiums") as minimums:
            minimum_premiums = MappingProxyType(
                {
                    product: minimums.amounts_by_amount(product)
                    for product in InsuranceProduct
                    if product in minimums.left
                }
            )
        return Tariff(
            edition=top.text("edition"),
            effective_from=top.day("effective_from"),
            fingerprint=fingerprint_of(content),
            per_claim_weight=per_claim_weight,
            short_rate_share=short_rate_share,
            cyber_hazard_group_in_technology=hazard_group,
            cyber_share_in_technology=cyber_share,
            default_state=default_state,
            states=state_factors,
            max_retention_share=max_retention_share,
            aggregate_retention=aggregate,
            per_claim_retention=per_claim,
            minimum_premiums=minimum_premiums,
            cyber=_read_cyber(top),
            errors_and_omissions=_read_errors_and_omissions(top),
            professional=_read_professional(top),
        )


def _read_retention_rules(rules: TariffSection, name: str) -> RetentionRules:
    with rules.section(name) as section:
        return RetentionRules(section.amount_bands("minimum"), section.amount_bands("default"))


def _read_part(section: TariffSection) -> PartRates:
    return PartRates(
        title=section.text("title"),
        terrorism_share=section.factor("terrorism_share"),
        base=section.curve("base"),
        limits=section.factors_by_amount("limits"),
        retentions=section.factors_by_amount("retentions"),
    )


def _read_prior_acts(section: TariffSection) -> PriorActs:
    with section.section("prior_acts") as loads:
        return PriorActs(loads.factor("load_per_year"), loads.factor("load_cap"))


def _read_cyber(top: TariffSection) -> CyberRates:
    with top.section("cyber") as section:
        with section.section("scan") as scan:
            unscanned, scan_scores = scan.factor("unscanned"), scan.factor_bands("scores")
        return CyberRates(
            part=_read_part(section),
            hazard_groups=section.factors_by_amount("hazard_groups"),
            unscanned=unscanned,
            scan_scores=scan_scores,
            controls=section.modifier_group("controls"),
            records=section.modifier_group("records"),
            claims=section.modifier_group("claims"),
        )


def _read_errors_and_omissions(top: TariffSection) -> ErrorsAndOmissionsRates:
    with top.section("errors_and_omissions") as section:
        return ErrorsAndOmissionsRates(
            part=_read_part(section),
            classes=section.classes("classes"),
            prior_acts=_read_prior_acts(section),
            modifiers=section.modifier_group("modifiers", dearest=True),
        )


def _read_professional(top: TariffSection) -> ProfessionalRates:
    with top.section("professional") as section:
        return ProfessionalRates(
            part=_read_part(section),
            classes=section.classes("classes"),
            prior_acts=_read_prior_acts(section),
            full_prior_acts=section.factor("full_prior_acts"),
            retention_cap_factor=section.factor("retention_cap_factor"),
            modifiers=section.modifier_group("modifiers"),
        )


TARIFFS: Final = Editions("tariff", lambda: (read_tariff(text.decode()) for text in packaged("tariffs")))
tariff_in_force = TARIFFS.in_force
