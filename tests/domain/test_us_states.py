import pytest

from bindery.domain.applicant.us_states import find_state, is_zip, state_names, state_of_zip
from support.tables import each_row


def test_there_are_fifty_states_and_the_district() -> None:
    assert len(state_names()) == 51
    assert state_names()["DC"] == "District of Columbia"
    assert state_names()["WY"] == "Wyoming"


@each_row("letters", sorted(state_names()))
def test_a_state_is_found_by_its_letters_and_by_its_name_in_any_case(letters: str) -> None:
    name = state_names()[letters]

    spellings = [letters, letters.lower(), f" {letters}\n", name, name.upper(), name.lower(), f"  {name} "]

    assert {find_state(spelling) for spelling in spellings} == {letters}


@each_row(
    "text",
    [
        "misery",
        "Kansaz",
        "06",
        "",
        " ",
        "PR",
        "Puerto Rico",
        "GU",
        "AE",
        "XX",
        "N Y",
        "New  York",
        "Calif.",
        "USA",
    ],
)
def test_nothing_else_is_a_state(text: str) -> None:
    assert find_state(text) is None


@pytest.mark.parametrize("text", ["12345", "00501", "12345-6789"])
def test_a_zip_has_five_digits_and_perhaps_four_more(text: str) -> None:
    assert is_zip(text)


@each_row(
    "text",
    [
        "1234",
        "123456",
        "12345-",
        "12345-678",
        "12345-67890",
        "12345 6789",
        "123456789",
        "1234a",
        " 12345",
        "",
        "12345\n",
        "١٢٣٤٥",
    ],
)
def test_nothing_else_is_a_zip(text: str) -> None:
    assert not is_zip(text)
    assert state_of_zip(text) is None


@each_row(
    ("zip_code", "state"),
    [
        ("00501", "NY"),
        ("10001", "NY"),
        ("19107-3615", "PA"),
        ("20001", "DC"),
        ("20190", "VA"),
        ("35203", "AL"),
        ("60601", "IL"),
        ("73301", "TX"),
        ("88510", "TX"),
        ("90012", "CA"),
        ("96813", "HI"),
        ("99501", "AK"),
    ],
)
def test_a_zip_lies_in_its_state(zip_code: str, state: str) -> None:
    assert state_of_zip(zip_code) == state


@pytest.mark.parametrize(
    ("zip_code", "state", "neighbors"),
    [
        ("06390", "NY", "CT"),
        ("20588", "MD", "DC"),
        ("20598", "VA", "DC"),
        ("73960", "TX", "OK"),
        ("83414", "WY", "ID"),
        ("96799", "AS", "HI"),
        ("96950", "MP", "GU"),
    ],
)
def test_an_office_across_the_border_lies_in_its_own_state(zip_code: str, state: str, neighbors: str) -> None:
    other = f"{zip_code[:3]}01"

    assert state_of_zip(zip_code) == state
    assert state_of_zip(f"{zip_code}-0001") == state
    assert state_of_zip(other) == neighbors


@pytest.mark.parametrize(
    ("zip_code", "place"),
    [("00901", "PR"), ("00802", "VI"), ("96910", "GU"), ("09012", "AE"), ("34002", "AA"), ("96201", "AP")],
)
def test_territories_and_the_military_have_codes_that_are_no_states(zip_code: str, place: str) -> None:
    assert state_of_zip(zip_code) == place
    assert find_state(place) is None


@pytest.mark.parametrize("zip_code", ["00000", "00100-0001", "21300", "00300"])
def test_digits_under_which_no_post_is_delivered_lie_nowhere(zip_code: str) -> None:
    assert state_of_zip(zip_code) is None


def test_every_state_has_zip_codes() -> None:
    found = {state_of_zip(f"{area:03}01") for area in range(1000)}

    assert set(state_names()) <= found
