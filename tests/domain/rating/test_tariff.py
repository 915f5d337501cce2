import re

import pytest

from bindery.domain.rating.tariff import TARIFFS, read_tariff
from domain.rating.rating_cases import CYB, TARIFF, price, risk_of
from domain.rating.tariff_text import TEXT, changed
from support.tables import each_row


def test_editions_have_names_and_days_of_their_own() -> None:
    tariffs = TARIFFS.all

    assert len({tariff.edition for tariff in tariffs}) == len(tariffs)
    assert len({tariff.effective_from for tariff in tariffs}) == len(tariffs)


def test_comments_spacing_and_order_do_not_touch_the_fingerprint() -> None:
    rearranged = "# another remark\n" + TEXT.replace(
        'edition = "2026.1"\neffective_from = 2026-01-01',
        'effective_from   =  2026-01-01\nedition = "2026.1"',
    )

    assert rearranged.count("effective_from   =") == 1
    assert read_tariff(rearranged).fingerprint == TARIFF.fingerprint
    assert re.fullmatch("[0-9a-f]{64}", TARIFF.fingerprint)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('edition = "2026.1"', 'edition = "2026.2"'),
        ("2026-01-01", "2026-01-02"),
        ('"0.340"', '"0.341"'),
        ('no = "1.15"', 'no = "1.16"'),
    ],
)
def test_any_change_of_content_moves_the_fingerprint(old: str, new: str) -> None:
    assert read_tariff(changed(old, new)).fingerprint != TARIFF.fingerprint


def test_a_worksheet_carries_the_tariff_it_was_made_by() -> None:
    worksheet = price(risk_of(CYB))

    assert (worksheet.tariff_edition, worksheet.tariff_fingerprint) == ("2026.1", TARIFF.fingerprint)


@each_row(
    ("old", "new", "within", "fault"),
    [
        (
            'per_claim_weight = "0.65"',
            "per_claim_weight = 0.65",
            "limits",
            "limits.per_claim_weight: 0.65 is not of type str",
        ),
        (
            'per_claim_weight = "0.65"',
            'per_claim_weight = "two"',
            "limits",
            "limits.per_claim_weight: 'two' is not a decimal",
        ),
        (
            'per_claim_weight = "0.65"',
            'per_claim_weight = "NaN"',
            "limits",
            "limits.per_claim_weight: 'NaN' is not a factor",
        ),
        (
            'per_claim_weight = "0.65"',
            'per_claim_weight = "-1"',
            "limits",
            "limits.per_claim_weight: '-1' is not a factor",
        ),
        ('per_claim_weight = "0.65"', "", "limits", "limits: empty"),
        ('cyber_share = "0.85"', "", "technology", "technology.cyber_share: missing"),
        (
            'cyber_share = "0.85"',
            'cyber_share = "0.85"\nspare = 1',
            "technology",
            "technology: unknown spare",
        ),
        ("cyber_hazard_group = 4", "cyber_hazard_group = true", "technology", "True is not of type int"),
        (
            "100_000 = 720",
            "100_000 = 0",
            "cyber.base",
            "cyber.base: a curve needs two points or more, all above zero",
        ),
        ("250_000 = 880", "50_000 = 880", "cyber.base", "cyber.base: revenues are not in rising order"),
        ('250_000 = "0.500"', '100000 = "0.500"', "cyber.limits", "cyber.limits: the same number twice"),
        (
            '250_000 = "0.500"',
            'some = "0.500"',
            "cyber.limits",
            "cyber.limits: not every key is a whole number",
        ),
        (
            'kind = "yes_no"',
            'kind = "maybe"',
            "cyber.controls",
            "cyber.controls.rows[0]: unknown kind 'maybe'",
        ),
        ('no = "1.15"', 'nope = "1.15"', "cyber.controls", "cyber.controls.rows[0].no: missing"),
        ("otherwise =", "otherwize =", "cyber.controls", "cyber.controls.rows[5]: unknown otherwize"),
        ("only_when_no", "only_when_not", "professional.modifiers", "rows[3]: unknown only_when_not"),
        ("[minimum_premiums.MPL]", "[minimum_premiums.XYZ]", "", "minimum_premiums: unknown XYZ"),
        ("effective_from = 2026-01-01", 'effective_from = "2026-01-01"', "", "is not of type date"),
    ],
)
def test_a_file_that_is_not_a_tariff_is_refused_with_the_place(
    old: str, new: str, within: str, fault: str
) -> None:
    with pytest.raises(ValueError, match=re.escape(fault)):
        read_tariff(changed(old, new, within=within))
