"""Who insures, as papers name them: the carriers of the policy's binder, or the one of the form edition."""

from collections.abc import Mapping
from typing import Any

from bindery.documents.wording import read_wording, typographic
from bindery.domain.documents.facts import DocumentFacts


def issuer_names(facts: DocumentFacts) -> Mapping[str, Any]:
    names = dict(read_wording("issuer", facts.form_edition.edition))
    if facts.insurers is None:
        first = {field: names[f"insurer_{field}"] for field in ("rating", "address")}
        return names | {"insurers": [{"name": names["insurer"], "number": names["insurer_naic"], **first}]}
    insurers = [
        {
            "name": typographic(carrier.name),
            "number": carrier.number,
            "rating": typographic(carrier.rating),
            "address": [typographic(line) for line in carrier.address],
            "share": f"{carrier.share.normalize():f}",
        }
        for carrier in facts.insurers.carriers
    ]
    *others, last = (typographic(carrier.name) for carrier in facts.insurers.carriers)
    claims = typographic(facts.insurers.claims_administrator)
    return names | {
        "insurer": " and ".join([", ".join(others), last] if others else [last]),
        "insurer_address": insurers[0]["address"],
        "insurers": insurers,
        # Only of its own office does the edition know the address.
        "claims_address": names["claims_address"] if claims == names["claims_address"][0] else [claims],
    }
