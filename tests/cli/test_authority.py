"""`bindery authority`: how far underwriters decide alone, as an operator says it on the command line."""

import pytest

from support.processes import Program
from support.service import SECRET, Service
from support.underwriters import an_underwriter

UMA = "uma@example.com"


@pytest.fixture
def operator(program: Program, service: Service) -> Program:
    """The command line on the database of a service."""
    assert service.partner
    program.variables["BINDERY_SECRET_KEY"] = SECRET
    return program


LETTER = ("--limit", "3000000", "--premium", "20000", "--deviation", "15")


async def test_a_letter_is_set_shown_replaced_and_taken_away(operator: Program, service: Service) -> None:
    none = operator.run("authority", "show").good()
    await an_underwriter(service, "Uma", email=UMA)

    bare = operator.run("authority", "show").good()
    said = operator.run("authority", "set", "UMA@example.com", "--product", "CYB", *LETTER).good()
    again = operator.run(
        "authority", "set", UMA, "--product", "CYB", *LETTER, "--may-cancel", "--may-set-by-hand"
    ).good()
    head, line = operator.run("authority", "show", UMA).good().splitlines()
    (listed,) = operator.run("authority", "show", "--json").json()
    gone = operator.run("authority", "remove", UMA, "--product", "CYB").good()

    assert none == "No underwriters yet: bindery user add EMAIL --role underwriter\n"
    assert bare.splitlines()[1].split() == [UMA, "no", "letter"]
    assert said == (
        f"{UMA} may decide CYB up to a limit of $3,000,000 and a premium of $20,000, 15 % off the tariff.\n"
    )
    assert again.endswith("15 % off the tariff, and cancel and set premiums by hand.\n")
    assert head.split() == ["EMAIL", "PRODUCT", "LIMIT", "PREMIUM", "DEVIATION", "CANCEL", "BY", "HAND"]
    assert line.split() == [UMA, "CYB", "$3,000,000", "$20,000", "15", "%", "yes", "yes"]
    assert listed["letters"] == [
        {
            "product": "CYB",
            "aggregate_limit": 3_000_000,
            "premium": 20_000,
            "deviation": 15,
            "may_cancel": True,
            "may_set_by_hand": True,
        }
    ]
    assert gone == f"The letter is taken away. {UMA} has no letter left and is not bounded any more.\n"


async def test_what_cannot_be_a_letter_is_refused_in_a_sentence(operator: Program, service: Service) -> None:
    await an_underwriter(service, "Uma", email=UMA)

    unknown = operator.run("authority", "set", "nobody@example.com", "--product", "CYB", *LETTER)
    far = operator.run(
        "authority", "set", UMA, "--product", "CYB", "--limit", "-1", "--premium", "1", "--deviation", "1001"
    )
    absent = operator.run("authority", "remove", UMA, "--product", "TEO")
    nobody = operator.run("authority", "show", "nobody@example.com")

    assert "nobody@example.com is unknown" in unknown.complaint
    assert "limit: must be from $0 to $1,000,000,000 (and 1 more)" in far.complaint
    assert f"{UMA} has no letter of authority for TEO." in absent.complaint
    assert "nobody@example.com is no underwriter." in nobody.complaint
    assert await service.count("authority_letters") == 0
