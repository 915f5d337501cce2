"""Client, address and contacts."""

from collections.abc import Iterator
from typing import Any, Final

from bindery.conformance.expect import AtPath, same_as
from bindery.conformance.requests import CONTACT, LARGE_FIRM, TEO, submission, submit
from bindery.conformance.row import SpecRow, Value
from bindery.conformance.rows.making import GOOD, refused, taken, text_limits

CLIENT: Final = "Client"
ADDRESS: Final = "Address"
MAIN: Final = "InsuredMainContact"
MORE: Final = "AdditionalContact"
CONTACT_TEXTS: Final = ("cell_phone", "first_name", "last_name")
ROLES: Final = ("security_alerts", "policy_notices")
MOST_DOMAINS: Final = 75
LARGEST_REVENUE: Final = 5_000_000_000


def _domains(count: int) -> list[str]:
    return [f"clean.d{number}.example.com" for number in range(count)]


def _domain_of(length: int) -> str:
    labels, rest = divmod(length - len("clean.") - len(".example.com"), 64)
    assert rest, "a domain ends in a label"
    return f"clean.{('a' * 63 + '.') * labels}{'a' * rest}.example.com"


def _client() -> Iterator[SpecRow]:
    name, revenue = "Named insured. Max 400.", "Last 12 months revenue in USD. 1 to 5000000000."
    yield from text_limits("client.name", "client.name", CLIENT, longest=400)
    for field in ("name", "revenue", "broker_email", "address"):
        words = f"{field}: required."
        yield refused(f"client.{field}.missing", CLIENT, words, drop=(f"client.{field}",))
    yield refused("client.name.not-text", CLIENT, name, put={"client.name": 7})
    yield taken("client.revenue.smallest", CLIENT, revenue, put={"client.revenue": 1})
    yield taken(
        "client.revenue.largest",
        CLIENT,
        revenue,
        put={"client.revenue": LARGEST_REVENUE},
        answers=LARGE_FIRM,
    )
    for word, value in (("zero", 0), ("too-large", LARGEST_REVENUE + 1), ("fraction", 1.5), ("text", "much")):
        answers = LARGE_FIRM if word == "too-large" else None
        yield refused(
            f"client.revenue.{word}", CLIENT, revenue, put={"client.revenue": value}, answers=answers
        )
    broker = "Must belong to a broker preconfigured in the service."
    yield refused(
        "client.broker_email.unknown", CLIENT, broker, put={"client.broker_email": "no@broker.example"}
    )
    yield refused("client.broker_email.no-address", CLIENT, broker, put={"client.broker_email": "no address"})
    again = (
        "To request more quote options for the same applicant, client.company_id is sent; text or integer."
    )
    for word, is_number in (("text", False), ("number", True)):
        yield SpecRow(
            f"client.company_id.{word}",
            CLIENT,
            again,
            (GOOD, AtPath("company_id", same_as("company", "the company_id that was sent"))),
            scene="a CYB request taken",
            steps=(submit(submission(put={"client.company_id": Value("company", as_number=is_number)})),),
        )
    yield refused(
        "client.company_id.unknown",
        CLIENT,
        "An identifier issued by the service.",
        decision=True,
        put={"client.company_id": "000000000"},
    )
    yield taken("client.dba.text", CLIENT, "Doing-business-as name.", put={"client.dba": "Rowbyrow"})
    yield taken("client.dba.null", CLIENT, "dba: string or null.", put={"client.dba": None})
    yield refused("client.dba.not-text", CLIENT, "dba: string or null.", put={"client.dba": 5})
    second = "secondary_broker_email: string or null."
    yield taken(
        "client.secondary_broker_email.null", CLIENT, second, put={"client.secondary_broker_email": None}
    )
    yield taken(
        "client.secondary_broker_email.text",
        CLIENT,
        second,
        put={"client.secondary_broker_email": "second@rowbyrow.example"},
    )
    yield from _domain_rows()
    industry = "6-digit code, exactly 6 characters. Optional for TEO."
    for word, code in (("short", "31181"), ("long", "3118122"), ("letters", "31181A")):
        yield refused(f"client.industry.{word}", CLIENT, industry, put={"client.industry": code})
    yield taken("client.industry.six", CLIENT, industry, put={"client.industry": "541511"})
    yield taken("client.industry.teo", CLIENT, industry, product=TEO, put={"client.industry": "541511"})
    yield taken("client.industry.missing", CLIENT, "industry: not required.", drop=("client.industry",))


def _domain_rows() -> Iterator[SpecRow]:
    words = "0 to 75 items, each max 255. All must be valid domains."
    yield taken("client.domains.most", CLIENT, words, put={"client.domains": _domains(MOST_DOMAINS)})
    yield refused(
        "client.domains.too-many", CLIENT, words, put={"client.domains": _domains(MOST_DOMAINS + 1)}
    )
    yield taken("client.domains.none", CLIENT, words, put={"client.domains": []})
    yield refused("client.domains.too-long", CLIENT, words, put={"client.domains": [_domain_of(256)]})
    for word, domain in (
        ("spaces", "not a domain"),
        ("address", "https://example.com/a"),
        ("dots", "a..com"),
    ):
        yield refused(f"client.domains.{word}", CLIENT, words, put={"client.domains": [domain]})
    yield refused("client.domains.no-list", CLIENT, words, put={"client.domains": "clean.example.com"})


def _address() -> Iterator[SpecRow]:
    for field, longest in (("street", 255), ("city", 50), ("street2", 255)):
        yield from text_limits(f"address.{field}", f"client.address.{field}", ADDRESS, longest=longest)
    for field in ("street", "city", "zip"):
        yield refused(
            f"address.{field}.missing", ADDRESS, f"{field}: required.", drop=(f"client.address.{field}",)
        )
    for word, code in (("plus-four", "19107-1234"), ("five", "19107")):
        yield taken(f"address.zip.{word}", ADDRESS, "US postal code.", put={"client.address.zip": code})
    for word, code in (("letters", "ABCDE"), ("short", "1910"), ("too-long", "1" * 51)):
        yield refused(
            f"address.zip.{word}", ADDRESS, "US postal code. Max 50.", put={"client.address.zip": code}
        )
    state = "A valid US state, as full name or 2-letter abbreviation; DC for Washington D.C."
    for word, name, code in (
        ("name", "Pennsylvania", "19107"),
        ("two-letters", "PA", "19107"),
        ("dc", "DC", "20001"),
    ):
        put: dict[str, Any] = {"client.address.state": name, "client.address.zip": code}
        yield taken(f"address.state.{word}", ADDRESS, state, put=put)
    for word, name in (("unknown", "ZZ"), ("abroad", "Ontario"), ("too-long", "a" * 51)):
        yield refused(f"address.state.{word}", ADDRESS, state, put={"client.address.state": name})
    yield taken("address.state.missing", ADDRESS, "state: not required.", drop=("client.address.state",))


def _contacts() -> Iterator[SpecRow]:
    at = "client.insured_main_contact"
    yield taken("contact.email-alone", MAIN, "email: required.", put={at: CONTACT})
    yield refused("contact.email.missing", MAIN, "email: required.", put={at: {"first_name": "Ann"}})
    yield refused("contact.email.empty", MAIN, "1 to 255 characters.", put={at: {"email": ""}})
    yield refused(
        "contact.email.too-long",
        MAIN,
        "1 to 255 characters.",
        put={at: {"email": f"{'a' * 60}@{'a' * 60}.{'b' * 60}.{'c' * 60}.example{'e' * 9}.com"}},
    )
    yield refused(
        "contact.more-properties",
        MAIN,
        "No properties beyond these are allowed.",
        put={at: {**CONTACT, "fax": "1"}},
    )
    for field in CONTACT_TEXTS:
        letters = "1" if field == "cell_phone" else "a"
        yield from text_limits(
            f"contact.{field}",
            f"{at}.{field}",
            MAIN,
            longest=255,
            shortest=1,
            whole={at: {**CONTACT}},
            letters=letters,
        )


def _additional_contacts() -> Iterator[SpecRow]:
    at, roles = "client.additional_contacts", "1 to 2 unique items from security_alerts, policy_notices."
    for number, allowed in enumerate((ROLES[:1], ROLES[1:], ROLES), 1):
        put: dict[str, Any] = {at: [{**CONTACT, "contact_roles": list(allowed)}]}
        yield taken(f"contacts.roles.{number}", MORE, roles, put=put)
    for word, wrong in (
        ("none", []),
        ("twice", [ROLES[0], ROLES[0]]),
        ("three", [*ROLES, "everything"]),
        ("unknown", ["everything"]),
    ):
        yield refused(f"contacts.roles.{word}", MORE, roles, put={at: [{**CONTACT, "contact_roles": wrong}]})
    yield refused("contacts.roles.missing", MORE, "contact_roles: required.", put={at: [dict(CONTACT)]})
    yield refused(
        "contacts.email.missing", MORE, "email: required.", put={at: [{"contact_roles": list(ROLES)}]}
    )
    yield taken(
        "contacts.more-properties",
        MORE,
        "Extra properties allowed.",
        put={at: [{**CONTACT, "contact_roles": list(ROLES), "desk": "A-17"}]},
    )


ROWS: Final = (*_client(), *_address(), *_contacts(), *_additional_contacts())
