import pytest

from bindery.domain.applicant.industries import (
    DEFAULT_HAZARD_GROUP,
    Action,
    Industry,
    _hazards,
    find_industry,
    industry_titles,
)
from support.tables import each_row


def test_a_listed_code_has_its_title_and_the_hazard_of_its_longest_prefix() -> None:
    assert find_industry("541611") == Industry(
        code="541611",
        title="Administrative Management and General Management Consulting Services",
        hazard_group=3,
        action=Action.QUOTE,
        reason="Professional services",
        matched="54",
    )


@each_row(
    ("code", "group", "action", "matched"),
    [
        ("111110", 1, Action.QUOTE, "11"),
        ("221112", 5, Action.REFER, "22"),
        ("221310", 4, Action.QUOTE, "2213"),
        ("238210", 2, Action.QUOTE, "23"),
        ("336411", 4, Action.QUOTE, "3364"),
        ("441110", 4, Action.QUOTE, "441"),
        ("441330", 3, Action.QUOTE, "4413"),
        ("459991", 3, Action.REFER, "459991"),
        ("517111", 5, Action.REFER, "517"),
        ("522110", 6, Action.REFER, "5221"),
        ("522320", 6, Action.REFER, "522320"),
        ("541110", 4, Action.QUOTE, "5411"),
        ("541191", 5, Action.QUOTE, "541191"),
        ("541214", 6, Action.REFER, "541214"),
        ("541219", 4, Action.QUOTE, "5412"),
        ("611110", 6, Action.REFER, "6111"),
        ("621111", 4, Action.QUOTE, "621"),
        ("622110", 6, Action.REFER, "622"),
        ("713210", 6, Action.DECLINE, "7132"),
        ("721110", 4, Action.QUOTE, "721"),
        ("721120", 6, Action.DECLINE, "721120"),
        ("722511", 2, Action.QUOTE, "722"),
        ("811111", 1, Action.QUOTE, "8111"),
        ("921110", 6, Action.REFER, "92"),
    ],
)
def test_the_longest_prefix_decides(code: str, group: int, action: Action, matched: str) -> None:
    industry = find_industry(code)

    assert (industry.hazard_group, industry.action, industry.matched) == (group, action, matched)
    assert industry.title
    assert industry.reason


@pytest.mark.parametrize(
    ("code", "group", "matched"), [("541999", 3, "54"), ("518299", 5, "518"), ("522399", 6, "5223")]
)
def test_an_unlisted_code_is_rated_by_its_longest_known_prefix(code: str, group: int, matched: str) -> None:
    industry = find_industry(code)

    assert industry.title is None
    assert (industry.hazard_group, industry.matched) == (group, matched)


@pytest.mark.parametrize("code", [None, "", "00", "990000", "001234"])
def test_an_industry_that_is_not_given_or_not_known_is_in_the_middle_group(code: str | None) -> None:
    assert find_industry(code) == Industry(code, None, DEFAULT_HAZARD_GROUP, Action.QUOTE, None, None)
    assert DEFAULT_HAZARD_GROUP == 3


def test_all_1012_industries_have_a_title_and_a_hazard_group() -> None:
    industries = [find_industry(code) for code in industry_titles()]

    assert len(industries) == 1_012
    assert all(industry.title and industry.matched for industry in industries)
    assert {industry.hazard_group for industry in industries} == {1, 2, 3, 4, 5, 6}


def test_each_action_keeps_its_number_of_industries() -> None:
    actions = [find_industry(code).action for code in industry_titles()]

    assert {action: actions.count(action) for action in Action} == {
        Action.QUOTE: 918,
        Action.REFER: 91,
        Action.DECLINE: 3,
    }


def test_every_prefix_of_the_hazards_is_that_of_an_industry() -> None:
    unused = [
        prefix for prefix in _hazards() if not any(code.startswith(prefix) for code in industry_titles())
    ]

    assert unused == []
