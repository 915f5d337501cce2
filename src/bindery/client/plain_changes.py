"""Changes of policies for plain code, written by `make docs` from `asynchronous_changes.py`."""

from abc import ABC, abstractmethod
from datetime import date
from typing import TypeVar

from bindery.client import calls
from bindery.client.call import ApiCall, Body
from bindery.client.calls import Key, Quote
from bindery.contract.binds import StandingResponse
from bindery.contract.changes import PolicyChangeAsk, PolicyChangeBody, PolicyChangeList

T = TypeVar("T")


class Changes(ABC):
    """The part of the client that changes a policy during its term, or ends it."""

    def ask_for_change(
        self, quote: Quote, request: PolicyChangeAsk | Body, *, idempotency_key: Key = None
    ) -> PolicyChangeBody:
        """Ask what a change of a policy would cost; nothing is changed until it is accepted."""
        path = ("policies", quote, "changes")
        return self.send(calls.write(PolicyChangeBody, *path, body=request, key=idempotency_key))

    def list_changes(self, quote: Quote) -> PolicyChangeList:
        """List the changes of a policy, the newest first."""
        return self.send(calls.get(PolicyChangeList, "policies", quote, "changes"))

    def get_change(self, quote: Quote, change_id: str) -> PolicyChangeBody:
        """Get a change of a policy as it stands."""
        return self.send(calls.get(PolicyChangeBody, "policies", quote, "changes", change_id))

    def accept_change(self, quote: Quote, change_id: str, *, idempotency_key: Key = None) -> PolicyChangeBody:
        """Accept a change at its price: it is issued, or an underwriter decides."""
        path = ("policies", quote, "changes", change_id, "accept")
        return self.send(calls.write(PolicyChangeBody, *path, body=None, key=idempotency_key))

    def withdraw_change(
        self, quote: Quote, change_id: str, *, idempotency_key: Key = None
    ) -> PolicyChangeBody:
        """Take back a change that is not issued."""
        path = ("policies", quote, "changes", change_id, "withdraw")
        return self.send(calls.write(PolicyChangeBody, *path, body=None, key=idempotency_key))

    def request_cancellation(
        self, quote: Quote, *, effective: date, reason: str, text: str = "", idempotency_key: Key = None
    ) -> StandingResponse:
        """Ask an underwriter to cancel a policy, which stays in force until one decides."""
        return self.send(calls.request_cancellation(quote, effective, reason, text, idempotency_key))

    @abstractmethod
    def send(self, call: ApiCall[T]) -> T:
        """Send a call, and read the answer."""
