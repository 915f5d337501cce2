from bindery.domain.rating.check_tariff import check_tariff
from bindery.domain.rating.tariff import TARIFFS, read_tariff
from domain.rating.tariff_text import changed
from support.tables import each_row


def test_every_packaged_edition_is_sound() -> None:
    assert {tariff.edition: check_tariff(tariff) for tariff in TARIFFS.all} == {"2026.1": []}


SEEDED = [
    ('300_000 = "0.550"\n', "", "cyber.limits", "cyber.limits: no value for 300000"),
    ('300_000 = "0.550"', '350_000 = "0.550"', "cyber.limits", "cyber.limits: nothing can ask for 350000"),
    ('300_000 = "0.550"', '300_000 = "0.490"', "cyber.limits", "cyber.limits: 0.49 after 0.5 does not rise"),
    (
        '500_000 = "0.690"',
        '500_000 = "0.720"',
        "errors_and_omissions.limits",
        "a dollar of limit costs more toward 500000",
    ),
    ('1_000_000 = "1.000"', '1_000_000 = "1.001"', "professional.limits", "the base premium is for 1000000"),
    (
        '10_000 = "0.890"',
        '10_000 = "0.950"',
        "cyber.retentions",
        "cyber.retentions: 0.95 after 0.95 does not fall",
    ),
    ('7_500 = "0.920"\n', "", "professional.retentions", "professional.retentions: no value for 7500"),
    (
        '2_500 = "1.000"',
        '2_500 = "0.990"',
        "cyber.retentions",
        "cyber.retentions: the base premium is for 2500",
    ),
    ("250_000 = 880", "250_000 = 700", "cyber.base", "cyber.base premiums: 700 after 720 does not rise"),
    (
        "250_000 = 450",
        "250_000 = 350",
        "minimum_premiums.CYB",
        "minimum_premiums.CYB: 350 after 350 does not rise",
    ),
    ("300_000 = 1_000\n", "", "minimum_premiums.TEO", "minimum_premiums.TEO: no value for 300000"),
    (
        "0 = 2_500",
        "1 = 2_500",
        "retention_rules.aggregate.minimum",
        "retention_rules.aggregate.minimum: nothing below 1",
    ),
    (
        "10_000_000 = 5_000",
        "10_000_000 = 6_000",
        "retention_rules.aggregate.minimum",
        "6000 is not a retention that can be quoted",
    ),
    (
        "10_000_000 = 5_000",
        "4_000_000 = 5_000",
        "retention_rules.aggregate.minimum",
        "from a revenue of 4000000 the default is below the minimum",
    ),
    (
        "25_000_000 = 10_000",
        "5_000_000 = 10_000",
        "retention_rules.per_claim.minimum",
        "bands: 5000000 after 10000000 does not rise",
    ),
    ('3 = "1.00"', '3 = "0.80"', "cyber.hazard_groups", "cyber.hazard_groups: 0.8 after 0.88 does not rise"),
    ('6 = "1.90"\n', "", "cyber.hazard_groups", "cyber.hazard_groups: no value for 6"),
    (
        "cyber_hazard_group = 4",
        "cyber_hazard_group = 9",
        "technology",
        "technology: there is no hazard group 9",
    ),
    ('80 = "0.97"', '80 = "1.10"', "cyber.scan.scores", "cyber.scan.scores: 1.1 after 1 does not fall"),
    ('0 = "1.30"', '10 = "1.30"', "cyber.scan.scores", "cyber.scan.scores: nothing below 10"),
    (
        'floor = "0.70"',
        'floor = "1.10"',
        "cyber.controls",
        "cyber.controls: a floor of 1.1 does not let neutral answers through",
    ),
    (
        'cap = "1.60"',
        'cap = "0.90"',
        "errors_and_omissions.modifiers",
        "a cap of 0.9 does not let neutral answers through",
    ),
    ('"Q2301"', '"2300"', "cyber.controls", "cyber.controls: question 2300 counts twice"),
    (
        'no = "1.15"',
        'no = "0.00"',
        "cyber.controls",
        "cyber.controls question 2300: not every value is above zero",
    ),
    (
        '251 = "1.04"',
        '251 = "0.90"',
        "cyber.controls",
        "cyber.controls question 2314: the factors go up and down",
    ),
    (
        '3 = "1.00"',
        '12 = "1.00"',
        "professional.modifiers",
        "professional.modifiers question 2403 bands: 10 after 12 does not rise",
    ),
    (
        'C = "1.30"',
        'C = "0.90"',
        "errors_and_omissions.classes.factors",
        "errors_and_omissions.classes.factors: 0.9 after 1 does not rise",
    ),
    (
        'unanswered = "B"',
        'unanswered = "C"',
        "errors_and_omissions.classes",
        "class C of an unanswered question is not neutral",
    ),
    (
        'unanswered = "2"',
        'unanswered = "5"',
        "professional.classes",
        "class 5 of an unanswered question has no factor",
    ),
    (
        '"Interior design" = "2"',
        '"Interior design" = "7"',
        "",
        "professional.classes question 2401: class 7 of 'Interior design' has no factor",
    ),
    ('CA = "1.05"', 'CX = "1.05"', "states", "states: CX is not a state"),
    ('CA = "1.05"', 'CA = "0"', "states", "states: not every value is above zero"),
    (
        'per_claim_weight = "0.65"',
        'per_claim_weight = "1.65"',
        "limits",
        "limits.per_claim_weight: 1.65 is not a share",
    ),
    (
        'terrorism_share = "0.01"',
        'terrorism_share = "1.01"',
        "cyber",
        "cyber.terrorism_share: 1.01 is not a share",
    ),
    (
        'max_share_of_limit = "0.25"',
        'max_share_of_limit = "0.02"',
        "retention_rules",
        "no retention fits the smallest limit",
    ),
    (
        'retention_cap_factor = "1.03"',
        'retention_cap_factor = "0.97"',
        "professional",
        "a cap on retentions cannot make the cover cheaper",
    ),
    (
        'load_cap = "0.15"',
        'load_cap = "0.04"',
        "errors_and_omissions.prior_acts",
        "the cap is below the load of one year",
    ),
    (
        'full_prior_acts = "1.15"',
        'full_prior_acts = "1.14"',
        "professional",
        "all prior acts cost less than some of them",
    ),
]


@each_row(("old", "new", "within", "fault"), SEEDED)
def test_a_fault_in_the_numbers_is_found(old: str, new: str, within: str, fault: str) -> None:
    faults = check_tariff(read_tariff(changed(old, new, within=within)))

    assert any(fault in found for found in faults), faults


def test_limits_written_out_of_order_are_found() -> None:
    text = changed('250_000 = "0.500"\n300_000 = "0.550"', '300_000 = "0.550"\n250_000 = "0.500"')

    assert "cyber.limits: not in rising order" in check_tariff(read_tariff(text))


def test_all_faults_are_listed_and_not_the_first_alone() -> None:
    text = changed('CA = "1.05"', 'CX = "1.05"').replace("250_000 = 880", "250_000 = 700")

    assert len(check_tariff(read_tariff(text))) == 2
