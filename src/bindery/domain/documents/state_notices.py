"""What a state wants policyholders to be told about surplus lines, and how it must be printed.

The statutes fix the legends word for word. Ours give their gist, and every paper with one is marked a sample.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from bindery.domain.applicant.us_states import state_names
from bindery.domain.documents.forms import form_text
from bindery.domain.rating.surcharges import Surcharge

ANY_OTHER_STATE: Final = "other"
NO_CHARGES: Final = "no charge is on file"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateNotice:
    """The surplus lines notice of one state; `points` is its type size, `signed` whether the broker signs.

    `face` is the text on the face of a policy if that differs; `at_application`: the notice is due with the
    application.
    """

    state: str
    state_name: str
    paragraphs: tuple[str, ...]
    points: int
    bold: bool
    capitals: bool
    signed: bool
    face: str | None = None
    at_application: bool = False


def state_notice(state: str, surcharges: Sequence[Surcharge] = (), *, edition: str) -> StateNotice:
    """Return the notice of a state as of an edition of the forms; some name the taxes and fees.

    Raises:
        KeyError: there is no such state.
    """
    rows = _rows(edition)
    row = rows.get(state) or rows[ANY_OTHER_STATE]
    name = state_names()[state]
    charges = ", ".join(f"{charge.title} {_rate(charge)}" for charge in surcharges)
    text = row["text"].format(state_name=_in_a_sentence(name), charges=charges or NO_CHARGES)
    return StateNotice(
        state=state,
        state_name=name,
        paragraphs=tuple(text.splitlines()),
        points=int(row["points"]),
        bold=row["bold"] == "yes",
        capitals=row["capitals"] == "yes",
        signed=row["signed"] == "yes",
        face=row["face"] or None,
        at_application=row["at_application"] == "yes",
    )


def _in_a_sentence(name: str) -> str:
    return f"the {name}" if name.startswith("District") else name


def _rate(charge: Surcharge) -> str:
    return f"{charge.percentage.normalize():f}%" if charge.percentage else f"${charge.price:,}"


@lru_cache(maxsize=8)
def _rows(edition: str) -> Mapping[str, Mapping[str, str]]:
    rows = csv.DictReader(io.StringIO(form_text("notices/{}.csv", edition)))
    return {row["state"]: row for row in rows}
