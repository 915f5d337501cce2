"""The policy with its declarations, form, endorsements and signatures; the form alone as a specimen."""

from collections.abc import Callable, Mapping
from typing import Final

from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.application import statements
from bindery.documents.declarations import amounts, declarations, extended_reporting_rows
from bindery.documents.plain_text import Whole
from bindery.documents.wording import endorsement, pieces, policy_form, read_wording, typographic
from bindery.domain.business_rules import long_date
from bindery.domain.documents.facts import DocumentFacts
from bindery.domain.documents.forms import Form, FormKind
from bindery.domain.products import Line, record_of

LEADS: Final = {
    FormKind.ENDORSEMENT: "This endorsement changes the policy. All other terms remain unchanged.",
    FormKind.NOTICE: "This notice belongs to the policy and does not change its terms.",
}


def policy_input(facts: DocumentFacts) -> layout.DocumentInput:
    binding = layout.binding_of(facts)
    if binding.issued_on is None:
        raise layout.MissingFacts(f"The policy {binding.policy_number} has not been issued")
    form = facts.form_of(DocumentType.POLICY_SPECIMEN)
    content = {
        **layout.basics(
            facts,
            DocumentType.POLICY,
            title=f"{record_of(facts.product).title} policy {binding.policy_number}",
            footnote=f"Policy {binding.policy_number}",
            reference=f"Policy {binding.policy_number}",
        ),
        "reference": [
            ["Policy", Whole(binding.policy_number)],
            ["Issued on", long_date(binding.issued_on)],
        ],
        "title": facts.form_of(DocumentType.POLICY).title,
        "policy_number": Whole(binding.policy_number),
        "declarations": declarations(facts),
        "forms": layout.form_rows(facts.forms.policy),
        "form_title": form.title,
        "form_foot": layout.form_foot(form),
        "form": policy_form(facts.product, facts.form_edition.edition, facts.coverage_edition.edition),
        "attachments": [
            attachment(attached, facts, amounts(facts))
            for attached in facts.forms.policy
            if attached.kind in LEADS
        ],
        "issued_on": long_date(binding.issued_on),
        "application": _application(facts),
        "professional": record_of(facts.product).line is Line.PROFESSIONAL,
    }
    return layout.DocumentInput(binding.issued_on, content)


def attachment(form: Form, facts: DocumentFacts, shown: Mapping[str, str]) -> layout.Content:
    wording = endorsement(form, facts.form_edition.edition)
    name = wording.get("schedule_of")
    return {
        "title": typographic(form.title),
        "number": Whole(form.form_number),
        "stem": Whole(form.stem),
        "lead": LEADS[form.kind],
        "signed": form.kind is FormKind.ENDORSEMENT,
        "foot": layout.form_foot(form),
        "text": [pieces(paragraph.format_map(shown)) for paragraph in wording.get("text", ())],
        "schedule": SCHEDULES[name](facts) if name else wording.get("schedule", []),
        "notice": layout.notice_content(facts) if "notice" in wording else None,
    }


def _application(facts: DocumentFacts) -> layout.Content:
    form = facts.form_of(DocumentType.APPLICATION)
    signed = facts.signed_application
    cited = {
        "title": form.title,
        "foot": layout.form_foot(form),
        "quote_identifier": Whole(signed.quote_identifier if signed else facts.quote_identifier),
        "fingerprint": Whole(signed.fingerprint if signed else facts.fingerprint),
        "relied_on": long_date(signed.relied_on) if signed else None,
        "on_file": signed.on_file if signed else facts.is_signature_on_file,
    }
    return cited if signed else cited | statements(facts)


def _professional_services(facts: DocumentFacts) -> list[list[str]]:
    return [[str(place), service] for place, service in enumerate(layout.services(facts), start=1)]


def _department(facts: DocumentFacts) -> list[list[str]]:
    departments = read_wording("departments", facts.form_edition.edition)["departments"]
    name, *where = departments[facts.insured.state]
    return [["Department", name], ["Address", where[0]], ["Telephone and web", where[1]]]


SCHEDULES: Final[Mapping[str, Callable[[DocumentFacts], list[list[str]]]]] = {
    "professional_services": _professional_services,
    "extended_reporting": extended_reporting_rows,
    "department": _department,
}


def policy_specimen_input(facts: DocumentFacts) -> layout.DocumentInput:
    form = facts.form_of(DocumentType.POLICY_SPECIMEN)
    content = {
        "frame": layout.frame(
            facts.form_of(DocumentType.POLICY_SPECIMEN),
            facts.product,
            title=f"{form.title}: specimen",
            footnote="Specimen of a policy form. It provides no coverage.",
            running=form.title,
            reference="Specimen",
        ),
        "reference": [["Form", form.form_number], ["Edition", f"{form.edition_date:%B %Y}"]],
        "title": form.title,
        "form": policy_form(facts.product, facts.form_edition.edition, facts.coverage_edition.edition),
    }
    return layout.DocumentInput(form.edition_date, content)
