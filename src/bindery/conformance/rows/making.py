"""Short ways to write rows that are alike."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bindery.conformance.expect import SOME_TEXT, AtPath, Status
from bindery.conformance.requests import CYB, MPL, TEO, submission, submit
from bindery.conformance.row import Expectation, SpecRow

TAKEN: Final[Mapping[str, str]] = {
    CYB: "a CYB request taken",
    TEO: "a TEO request taken",
    MPL: "an MPL request taken",
}
GOOD: Final = Status(200)
REFUSED: Final = (Status(400), AtPath("message", SOME_TEXT))


def taken(
    id_: str,
    section: str,
    sentence: str,
    *expect: Expectation,
    decision: bool = False,
    **change: Any,  # noqa: ANN401 - as `submission`
) -> SpecRow:
    """Return a row about a changed request that is taken."""
    return SpecRow(
        id_, section, sentence, (GOOD, *expect), steps=(submit(submission(**change)),), decision=decision
    )


def refused(
    id_: str,
    section: str,
    sentence: str,
    *,
    decision: bool = False,
    scene: str = "",
    **change: Any,  # noqa: ANN401 - as above
) -> SpecRow:
    """Return a row about a changed request that is refused, where the unchanged one is taken."""
    product = change.get("product", CYB)
    return SpecRow(
        id_,
        section,
        sentence,
        REFUSED,
        scene=scene or TAKEN[product],
        steps=(submit(submission(**change)),),
        decision=decision,
    )


def text_limits(
    name: str,
    path: str,
    section: str,
    *,
    longest: int,
    shortest: int = 0,
    whole: Mapping[str, Any] | None = None,
    letters: str = "a",
) -> Sequence[SpecRow]:
    """Return the rows about the length of a text, on both sides."""

    def put(length: int) -> Mapping[str, Any]:
        return {**(whole or {}), path: letters * length}

    sentence = f"{path}: {f'{shortest} to ' if shortest else 'max '}{longest} characters."
    rows = [
        taken(f"{name}.longest", section, sentence, put=put(longest)),
        refused(f"{name}.too-long", section, sentence, put=put(longest + 1)),
    ]
    if shortest:
        rows.append(taken(f"{name}.shortest", section, sentence, put=put(shortest)))
        rows.append(refused(f"{name}.too-short", section, sentence, put=put(shortest - 1)))
    return rows
