"""What people call things whose names in the docs are others."""

from collections.abc import Iterator
from typing import Final

_SMALL: Final = (
    "a an and are as at be by can do does for from get how i if in is it me my of on or that the this to we "
    "what when where which who why with you your"
)
LEFT_OUT: Final = frozenset(_SMALL.split())
_GROUPS: Final = (
    ("bor", "broker of record", "broker-of-record"),
    ("mfa", "2fa", "multi-factor", "multifactor", "two-factor"),
    ("tria", "trieva", "terrorism"),
    ("sir", "deductible", "excess", "retention", "aggregate_retention"),
    ("naics", "sic", "industry", "industries"),
    ("eando", "e&o", "errors", "teo", "mpl"),
    ("coi", "certificate", "certificates"),
    ("subjectivity", "subjectivities", "contingency", "contingencies"),
    ("surplus", "e&s", "eands", "stamping", "placement"),
    ("decline", "declined", "declination", "reject", "rejected"),
    ("cancel", "cancelled", "canceled", "cancellation", "policy_cancelled", "policy_canceled"),
    ("callback", "webhook", "webhooks"),
    ("apikey", "api_key", "token", "bearer"),
    ("throttle", "throttling", "ratelimit", "rate_limit", "429", "retry-after"),
    ("signature", "esign", "esignature", "e-signature", "docusign", "signing"),
    ("turnover", "sales", "revenue"),
    ("sandbox", "demo"),
    ("edr", "endpoint"),
    ("rdp", "remote"),
    ("claim", "claims", "loss", "losses"),
    ("pdf", "document", "documents"),
)


def _same() -> Iterator[tuple[str, tuple[str, ...]]]:
    for group in _GROUPS:
        for word in group:
            yield word, tuple(other for other in group if other != word)


SAME: Final = dict(_same())
"""By each word what else it is called; a name of several words is looked for as it stands."""

OF_THE_SPECIFICATION: Final = {
    "quote_open": ("/docs/lifecycle", "Valid and bindable: the status is published."),
    "policy_cancelled": ("/docs/binding", "The policy was canceled: the status is policy_canceled."),
}
"""Names in the specification's text for what its enumerations call otherwise: where they are explained."""
