"""The policy form without anybody's data, for reading before the bind."""

from bindery.contract.documents import DocumentType
from bindery.documents import layout
from bindery.documents.wording import policy_form
from bindery.domain.documents.facts import DocumentFacts


def paper(facts: DocumentFacts) -> layout.DocumentInput:
    """Gather what the specimen of a product's form shows."""
    form = facts.form_of(DocumentType.POLICY_SPECIMEN)
    content = {
        "frame": layout.frame(
            facts.form_of(DocumentType.POLICY_SPECIMEN),
            facts.product,
            title=f"{form.title}: specimen",
            footnote="Specimen of a policy form. It confers no cover.",
            running=form.title,
            reference="Specimen",
        ),
        "reference": [["Form", form.form_number], ["Edition", f"{form.edition_date:%B %Y}"]],
        "title": form.title,
        "form": policy_form(facts.product, facts.form_edition.edition, facts.coverage_edition.edition),
    }
    return layout.DocumentInput(form.edition_date, content)
