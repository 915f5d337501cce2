"""The policy form without anybody's data, for reading before the bind."""

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import InsuranceProduct
from bindery.documents import layout
from bindery.documents.wording import policy_form
from bindery.domain.forms import form_of


def paper(product: InsuranceProduct) -> layout.Paper:
    """Gather what the specimen of a product's form shows."""
    form = form_of(DocumentType.POLICY_SPECIMEN, product)
    content = {
        "frame": layout.frame(
            DocumentType.POLICY_SPECIMEN,
            product,
            title=f"{form.title}: specimen",
            footnote="Specimen of a policy form. It confers no cover.",
            running=form.title,
            reference="Specimen",
        ),
        "reference": [["Form", form.form_number], ["Edition", f"{form.edition_date:%B %Y}"]],
        "title": form.title,
        "form": policy_form(product),
    }
    return layout.Paper(form.edition_date, content)
