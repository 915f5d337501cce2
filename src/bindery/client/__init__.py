"""A partner's client: `Bindery` for plain code, `AsyncBindery` for asyncio, `verify_delivery` for receivers.

The bodies of requests and answers are the service's own, in `contract`.
"""

from bindery.client.asynchronous import AsyncBindery
from bindery.client.deliveries import verify_delivery
from bindery.client.errors import ApiError, NotReady, SignatureError, Unreachable
from bindery.client.plain import Bindery

__all__ = [
    "ApiError",
    "AsyncBindery",
    "Bindery",
    "NotReady",
    "SignatureError",
    "Unreachable",
    "verify_delivery",
]
