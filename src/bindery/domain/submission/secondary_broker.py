"""The second broker that a request names, whose company it is too."""

from bindery.domain.submission.value import client_of


def secondary_broker_of(body: str) -> str | None:
    """Return the address of the secondary broker as it was sent; hardly any request has it."""
    # Looking for the field is cheaper than reading JSON; its name may be spelled in escapes.
    if '"secondary_broker_email"' not in body and "\\u00" not in body:
        return None
    return client_of(body).get("secondary_broker_email")
