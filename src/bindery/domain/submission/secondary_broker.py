"""The second broker that a request names, whose company it is too."""

import msgspec


class _ClientWithSecondary(msgspec.Struct):
    secondary_broker_email: str | None = None


class _BodyWithSecondary(msgspec.Struct):
    client: _ClientWithSecondary


_decode = msgspec.json.Decoder(_BodyWithSecondary).decode


def secondary_broker_of(body: str) -> str | None:
    """Return the address of the secondary broker as a request was sent; hardly any request has it."""
    # Looking for the field is cheaper than reading JSON; its name may be spelled in escapes.
    if '"secondary_broker_email"' not in body and "\\u00" not in body:
        return None
    return _decode(body).client.secondary_broker_email
