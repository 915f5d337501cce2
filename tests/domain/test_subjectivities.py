"""The list of what an offer can be made subject to."""

from datetime import date

import pytest

from bindery.base.errors import InvalidRequest
from bindery.contract.codes import REFERRAL_CODES
from bindery.contract.vocabulary import ContingencyType
from bindery.domain.quote.subjectivities import SUBJECTIVITIES, chosen_subjectivities

EDITION = SUBJECTIVITIES.in_force(date(2026, 11, 18))


def test_every_row_is_suggested_by_reasons_that_exist_and_says_when_it_is_needed() -> None:
    codes = [each.code for each in EDITION.subjectivities]

    assert len(set(codes)) == len(codes)
    for each in EDITION.subjectivities:
        assert set(each.suggested_by) <= set(REFERRAL_CODES), each.code
        assert ("days" in each.blanks) == (each.days is not None), each.code
        assert not each.text.endswith(".")
        if each.days is not None:
            assert each.type is ContingencyType.POST_BIND


def test_those_that_the_reasons_suggest_come_first() -> None:
    suggested, others = EDITION.ordered(["no_mfa_anywhere"])

    assert [each.code for each in suggested] == ["mfa_remote_access", "mfa_email"]
    assert len(suggested) + len(others) == len(EDITION.subjectivities)


def test_blanks_are_filled_in_and_days_have_their_usual_number() -> None:
    drafts = chosen_subjectivities(
        EDITION,
        ["mfa_email", "loss_runs", "backups_tested"],
        {("loss_runs", "years"): "5", ("backups_tested", "days"): "45"},
    )

    assert [draft.text.partition(" of the ")[0] for draft in drafts] == [
        "Evidence within 30 days",
        "Loss runs",
        "Evidence within 45 days",
    ]
    assert "of the last 5 years" in drafts[1].text
    assert [draft.type for draft in drafts] == ["post_bind", "pre_bind", "post_bind"]


@pytest.mark.parametrize(
    ("days", "ok"), [("1", True), ("365", True), ("0", False), ("366", False), ("1e3", False)]
)
def test_days_have_bounds_on_both_sides(days: str, *, ok: bool) -> None:
    if ok:
        assert chosen_subjectivities(EDITION, ["mfa_email"], {("mfa_email", "days"): days})
        return
    with pytest.raises(InvalidRequest, match="must be from 1 to 365 days"):
        chosen_subjectivities(EDITION, ["mfa_email"], {("mfa_email", "days"): days})


def test_what_is_unknown_or_left_blank_is_said_at_once() -> None:
    with pytest.raises(InvalidRequest) as fault:
        chosen_subjectivities(EDITION, ["nonsense", "loss_runs", "incident_report"], {})

    assert [problem.path for problem in fault.value.problems] == [
        "subjectivities.nonsense",
        "subjectivities.loss_runs.years",
        "subjectivities.incident_report.event",
    ]
