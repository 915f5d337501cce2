"""Signatures for plain code, written by `make docs` from `asynchronous_signatures.py`."""

from abc import ABC, abstractmethod
from typing import TypeVar

from bindery.client import calls
from bindery.client.call import ApiCall
from bindery.client.calls import Key, Quote
from bindery.contract.signature_requests import SignatureRequestBody, SignatureRequestsResponse

T = TypeVar("T")


class Signatures(ABC):
    """The part of the client that has a client of the partner's sign on a page."""

    def request_signature(
        self,
        quote: Quote,
        *,
        email: str,
        name: str | None = None,
        message: str | None = None,
        idempotency_key: Key = None,
    ) -> SignatureRequestBody:
        """Mail somebody the link to sign the application of a quote."""
        return self.send(calls.request_signature(quote, email, name, message, idempotency_key))

    def list_signature_requests(self, quote: Quote) -> SignatureRequestsResponse:
        """List the signature requests of a quote, the newest first."""
        return self.send(calls.get(SignatureRequestsResponse, "quotes", quote, calls.SIGNATURES))

    def get_signature_request(self, quote: Quote, signature_request_id: str) -> SignatureRequestBody:
        """Get a signature request: whether it was opened, signed or sent back."""
        path = ("quotes", quote, calls.SIGNATURES, signature_request_id)
        return self.send(calls.get(SignatureRequestBody, *path))

    def revoke_signature_request(self, quote: Quote, signature_request_id: str) -> SignatureRequestBody:
        """Take a signature request back: its link does not work any more."""
        path = ("quotes", quote, calls.SIGNATURES, signature_request_id)
        return self.send(calls.delete(SignatureRequestBody, *path))

    @abstractmethod
    def send(self, call: ApiCall[T]) -> T:
        """Send a call, and read the answer."""
