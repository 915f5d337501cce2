"""The numbered forms, and which of them make up a packet."""

import csv
import io
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from typing import Final

import msgspec

from bindery.contract.documents import DocumentType, PacketType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.applicant.us_states import state_names
from bindery.domain.editions import Editions, packaged
from bindery.domain.rating.surcharges import Surcharge

EDITION_DIGITS: Final = len(" 01 26")


class FormKind(StrEnum):
    LETTER = "letter"
    DECLARATIONS = "declarations"
    POLICY_FORM = "policy_form"
    APPLICATION = "application"
    BINDER = "binder"
    STATEMENT = "statement"
    REPORT = "report"
    NOTICE = "notice"
    ENDORSEMENT = "endorsement"


class FormReason(StrEnum):
    SCANNED = "scanned"
    LARGE_SOCIAL_ENGINEERING_LIMIT = "large_social_engineering_limit"
    RESTRICTED_RANSOMWARE = "restricted_ransomware"
    NEGLECTED_SOFTWARE = "neglected_software"
    NO_WRONGFUL_COLLECTION = "no_wrongful_collection"
    RETROACTIVE_DATE = "retroactive_date"
    FULL_PRIOR_ACTS = "full_prior_acts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One numbered form; its text never changes without a new edition.

    `document` is the document that carries the form as its own; a notice or endorsement has none. Without
    `states` it serves all of them. What belongs to no packet is issued when something happens.
    """

    form_number: str
    title: str
    edition_date: date
    kind: FormKind
    document: DocumentType | None = None
    packets: tuple[PacketType, ...]
    products: tuple[InsuranceProduct, ...]
    attached_when: FormReason | None = None
    states: tuple[str, ...] = ()

    @property
    def stem(self) -> str:
        """Return the number without its edition: `END 1020` of `END 1020 01 26`."""
        return self.form_number[:-EDITION_DIGITS]


@dataclass(frozen=True, slots=True)
class FormEdition:
    edition: str
    effective_from: date
    forms: tuple[Form, ...]

    def of_packet(
        self,
        packet: PacketType,
        product: InsuranceProduct,
        state: str,
        circumstances: Collection[FormReason] = (),
    ) -> tuple[Form, ...]:
        return tuple(
            form
            for form in self.forms
            if packet in form.packets
            and product in form.products
            and (form.attached_when is None or form.attached_when in circumstances)
            and (not form.states or state in form.states)
        )

    def of_document(self, document: DocumentType, product: InsuranceProduct) -> Form:
        return next(form for form in self.forms if form.document is document and product in form.products)


FORMS: Final = Editions(
    "list of forms", lambda: map(msgspec.json.Decoder(FormEdition).decode, packaged("forms"))
)


def document_of(form_number: str) -> DocumentType | None:
    """Return the document that carries a form of any edition as its own."""
    forms = (form for edition in FORMS.all for form in edition.forms)
    return next((form.document for form in forms if form.form_number == form_number), None)


def form_text(path: str, edition: str) -> str:
    """Read a text that goes with the forms; `{}` in its path stands for the edition.

    An edition brings only its changes; the other texts are those of the edition before.

    Raises:
        LookupError: there is no such edition, or no such text in it.
    """
    until = FORMS.named(edition).effective_from
    for candidate in reversed(FORMS.all):
        file = files("bindery").joinpath("data", path.format(candidate.edition))
        if candidate.effective_from <= until and file.is_file():
            return file.read_text(encoding="utf-8")
    raise LookupError(f"The forms of {edition} have no {path}")


ANY_OTHER_STATE: Final = "other"
NO_CHARGES: Final = "no charge is on file"


@dataclass(frozen=True, slots=True, kw_only=True)
class StateNotice:
    """The surplus lines notice of one state; `points` is its type size, `signed` whether the broker signs.

    `face` is the text on the face of a policy if that differs; `at_application`: the notice is due with the
    application; `acknowledged`: the applicant signs for it there.
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
    acknowledged: bool = False


def state_notice(state: str, surcharges: Sequence[Surcharge] = (), *, edition: str) -> StateNotice:
    rows = _rows(edition)
    row = rows.get(state) or rows[ANY_OTHER_STATE]
    name = state_names()[state]
    charges = ", ".join(f"{charge.title} {_rate(charge)}" for charge in surcharges)
    text = row["text"].format(
        state_name=in_a_sentence(name),
        regulator=placement_facts(state, edition=edition)["regulator"],
        charges=charges or NO_CHARGES,
    )
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
        acknowledged=row["acknowledged"] == "yes",
    )


@lru_cache(maxsize=64)
def placement_facts(state: str, *, edition: str) -> Mapping[str, str]:
    """Return what a state asks of who places surplus lines insurance there, by the names of the facts.

    Where nothing of the state's own is on file, the common text says so.
    """
    facts = _placement_facts(edition)
    name = in_a_sentence(state_names()[state])
    return {
        fact: text.replace("{state_name}", name)
        for fact, text in (facts[ANY_OTHER_STATE] | facts[state]).items()
    }


def in_a_sentence(name: str) -> str:
    return f"the {name}" if name.startswith("District") else name


def _rate(charge: Surcharge) -> str:
    return f"{charge.percentage.normalize():f}%" if charge.percentage else f"${charge.price:,}"


@lru_cache(maxsize=8)
def _placement_facts(edition: str) -> Mapping[str, dict[str, str]]:
    facts: dict[str, dict[str, str]] = {}
    for row in csv.DictReader(io.StringIO(form_text("placement/{}.csv", edition))):
        facts.setdefault(row["state"], {})[row["fact"]] = row["text"]
    return facts


@lru_cache(maxsize=8)
def _rows(edition: str) -> Mapping[str, Mapping[str, str]]:
    rows = csv.DictReader(io.StringIO(form_text("notices/{}.csv", edition)))
    return {row["state"]: row for row in rows}
