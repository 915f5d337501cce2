"""A carrier's template: what its columns are, and every flaw of its file with its line."""

from bindery.domain.bordereaux.template import (
    LARGEST_FILE,
    MOST_COLUMNS,
    STANDARD,
    BordereauColumn,
    BordereauKind,
    Template,
    packaged_names,
    packaged_template,
    read_template,
)
from bindery.domain.bordereaux.values import CellType
from bindery.domain.rating.surcharges import charge_rules
from support.tables import each_row

HEAD = 'name = "own"\ntitle = "Own"\n'


def flaws_of(text: str) -> list[tuple[int, str]]:
    template, flaws = read_template(text.encode())
    assert template is None
    return [(flaw.line, flaw.text) for flaw in flaws]


def read(columns: str) -> Template:
    template, flaws = read_template(f"{HEAD}columns = [{columns}]".encode())
    assert template is not None, flaws
    return template


def column(text: str) -> BordereauColumn:
    (found,) = read(text).columns
    return found


def test_a_column_is_what_its_value_is() -> None:
    premium = column('{ name = " Premium ", reference = "CR1", value = "premium" }')
    insured = column('{ name = "Insured", value = "insured", required = ["NJ"], kinds = ["risk"] }')
    pin = column('{ name = "PIN", value = "pin", required = true }')
    since = column('{ name = "From", value = "period_start" }')
    ours = column('{ name = "Currency", constant = "USD" }')

    assert (premium.name, premium.reference) == ("Premium", "CR1")
    assert [each.is_summed for each in (premium, insured, pin, ours)] == [True, False, False, False]
    assert [each.is_booked for each in (premium, insured, pin, ours)] == [True, False, False, False]
    assert [each.type for each in (since, pin, ours)] == [CellType.DAY, CellType.TEXT, CellType.TEXT]
    assert insured.required == {"NJ"}
    assert insured.kinds == {BordereauKind.RISK}
    assert pin.required == {*charge_rules()}
    assert ours.required == set()
    assert ours.constant == "USD"


def test_the_same_name_may_be_in_both_kinds_once() -> None:
    template = read(
        '{ name = "A", value = "premium", kinds = ["premium"] },'
        '{ name = "a", constant = "", kinds = ["risk"] }'
    )

    assert [each.value for each in template.columns_of(BordereauKind.PREMIUM)] == ["premium"]
    assert [each.value for each in template.columns_of(BordereauKind.RISK)] == [""]
    assert template.sha256 != read('{ name = "A", value = "premium" }').sha256


def test_what_comes_with_the_program_is_found_by_its_name() -> None:
    assert packaged_names() == [STANDARD]
    found = packaged_template(STANDARD)
    assert found is not None
    assert found.name == STANDARD
    assert packaged_template("own") is None


@each_row(
    ("content", "line", "said"),
    [
        (b"\xff\xfe", 1, "is not UTF-8 text"),
        (b"#" * (LARGEST_FILE + 1), 1, "is larger than 256 kB"),
        (b'name = "own"\ntitle =\n', 2, "is not TOML: Invalid value"),
        (b'name = "own', 1, "is not TOML: "),
        (b"name = " + b"1" * 5_000, 1, "has a number that is too long"),
        (b"name = " + b"[" * 100_000, 1, "has a number that is too long, or lists that are too deep"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(content: bytes, line: int, said: str) -> None:
    template, (flaw,) = read_template(content)

    assert template is None
    assert flaw.line == line
    assert flaw.text.startswith(said)


def test_every_flaw_of_the_head_is_named_with_its_line() -> None:
    assert flaws_of('title = " "\nname = "Our Own"\nauthor = "me"\ncolumns = "all"\n') == [
        (1, "title must be a text of 1 to 200 characters"),
        (2, "name must be small letters, digits, points and hyphens, up to 39"),
        (3, "author is unknown; there are name, title, columns"),
        (4, "columns must be a list of tables"),
    ]
    missing = [
        (1, "name must be small letters, digits, points and hyphens, up to 39"),
        (1, "title must be a text of 1 to 200 characters"),
        (1, "columns must be a list of tables"),
    ]
    assert flaws_of("") == missing
    for columns in ("[]", "[1]", "{}"):
        assert flaws_of(f"{HEAD}columns = {columns}") == [(3, "columns must be a list of tables")]


LONG = "a" * 201


@each_row(
    ("row", "said"),
    [
        ('value = "premium"', "name must be a text of 1 to 200 characters on one line"),
        ('name = 1\nvalue = "premium"', "name must be a text"),
        (f'name = "{LONG}"\nvalue = "premium"', "name must be a text of 1 to 200 characters"),
        ('name = "A\\nB"\nvalue = "premium"', "name must be a text of 1 to 200 characters on one line"),
        ('name = "A"\nvalue = "premium"\nsum = true', "sum is unknown; there are reference, name, value"),
        ('name = "A"\nvalue = "premium"\nreference = ""', "reference must be a text of 1 to 200"),
        ('name = "A"', "value or constant must be there, and not both"),
        ('name = "A"\nvalue = "premium"\nconstant = "1"', "value or constant must be there, and not both"),
        ('name = "A"\nvalue = "profit"', "value 'profit' is unknown; there are period_start"),
        ('name = "A"\nvalue = ["premium"]', "value ['premium'] is unknown; there are period_start"),
        ('name = "A"\nvalue = { is = "premium" }', "value {'is': 'premium'} is unknown; there are"),
        ('name = "A"\nconstant = 1', "constant must be a text of at most 200 characters on one line"),
        ('name = "A"\nconstant = ""\nrequired = "NJ"', "required must be true, false or a list of states"),
        ('name = "A"\nconstant = ""\nrequired = ["ZZ"]', "required must be true, false or a list of states"),
        ('name = "A"\nconstant = ""\nrequired = [["NJ"]]', "required must be true, false or a list of st"),
        ('name = "A"\nconstant = ""\nkinds = "risk"', "kinds must be a list of premium, risk"),
        ('name = "A"\nconstant = ""\nkinds = []', "kinds must be a list of premium, risk"),
        ('name = "A"\nconstant = ""\nkinds = ["claims"]', "kinds must be a list of premium, risk"),
    ],
)
def test_every_flaw_of_a_column_is_named_with_the_line_of_its_column(row: str, said: str) -> None:
    text = f'{HEAD}\n[[columns]]\nname = "First"\nconstant = ""\n\n[[columns]]\n{row}\n'

    ((line, flaw),) = flaws_of(text)

    assert line == 8
    assert flaw.startswith(f"columns[1].{said}")


def test_of_columns_on_one_line_the_first_line_is_named() -> None:
    columns = '{ name = "A", constant = "" }, { name = "a", constant = "" }'

    assert flaws_of(f"{HEAD}columns = [{columns}]") == [(1, "columns[1].name is that of columns[0] too")]


def test_more_columns_than_a_sheet_is_for_are_refused() -> None:
    rows = "".join(f'  {{ name = "C{number}", constant = "" }},\n' for number in range(MOST_COLUMNS + 1))

    assert flaws_of(f"{HEAD}columns = [\n{rows}]") == [(3, "has more than 1000 columns")]
