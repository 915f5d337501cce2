"""The people of a company."""

from collections.abc import Sequence
from dataclasses import dataclass

from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.submission.value import client_of
from bindery.storage.quote.quote_view import QuoteRecord


@dataclass(frozen=True, slots=True)
class ShownContact:
    role: str
    name: str
    email: str
    phone: str

    @property
    def dials(self) -> str:
        """Return the number as a telephone link takes it."""
        return "".join(character for character in self.phone if character.isdigit() or character in "+,;")


def contacts_of(seen: Sequence[QuoteRecord]) -> tuple[ShownContact, ...]:
    """Show the people of the policy in force, or of the newest submission.

    A bind may come with a contact of its own; the one who was asked before stays in view beside it.
    """
    in_force = next((record for record in seen if record.quote.status is QuoteStatus.POLICY_ACTIVE), seen[0])
    client = in_force.client
    main, submitted = (of.get("insured_main_contact") or {} for of in (client, client_of(in_force.body)))
    people = [("Insured", main)]
    if submitted.get("email") != main.get("email"):
        people.append(("Insured, before the bind", submitted))
    people += [
        (", ".join(str(role).replace("_", " ") for role in other.get("contact_roles", ())), other)
        for other in client.get("additional_contacts") or ()
    ]
    return tuple(
        ShownContact(
            role=role,
            name=" ".join(str(person.get(part) or "") for part in ("first_name", "last_name")).strip(),
            email=str(person.get("email", "")),
            phone=str(person.get("cell_phone") or ""),
        )
        for role, person in people
        if person.get("email")
    )
