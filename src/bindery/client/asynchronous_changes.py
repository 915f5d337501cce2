"""Changes of policies for asyncio, written by hand; `make docs` writes `plain_changes.py` from it."""

from abc import ABC, abstractmethod
from datetime import date
from typing import TypeVar

from bindery.client import calls
from bindery.client.call import ApiCall, Body
from bindery.client.calls import Key, Quote
from bindery.contract.binds import StandingResponse
from bindery.contract.changes import PolicyChangeAsk, PolicyChangeBody, PolicyChangeList

T = TypeVar("T")


class AsyncChanges(ABC):
    """The part of the client that changes a policy during its term, or ends it."""

    async def ask_for_change(
        self, quote: Quote, request: PolicyChangeAsk | Body, *, idempotency_key: Key = None
    ) -> PolicyChangeBody:
        """Ask what a change of a policy would cost; nothing is changed until it is accepted."""
        path = ("policies", quote, "changes")
        return await self.send(calls.write(PolicyChangeBody, *path, body=request, key=idempotency_key))

    async def list_changes(self, quote: Quote) -> PolicyChangeList:
        """List the changes of a policy, the newest first."""
        return await self.send(calls.get(PolicyChangeList, "policies", quote, "changes"))

    async def get_change(self, quote: Quote, change_id: str) -> PolicyChangeBody:
        """Get a change of a policy as it stands."""
        return await self.send(calls.get(PolicyChangeBody, "policies", quote, "changes", change_id))

    async def accept_change(
        self, quote: Quote, change_id: str, *, idempotency_key: Key = None
    ) -> PolicyChangeBody:
        """Accept a change at its price: it is issued, or an underwriter decides."""
        path = ("policies", quote, "changes", change_id, "accept")
        return await self.send(calls.write(PolicyChangeBody, *path, body=None, key=idempotency_key))

    async def withdraw_change(
        self, quote: Quote, change_id: str, *, idempotency_key: Key = None
    ) -> PolicyChangeBody:
        """Take back a change that is not issued."""
        path = ("policies", quote, "changes", change_id, "withdraw")
        return await self.send(calls.write(PolicyChangeBody, *path, body=None, key=idempotency_key))

    async def request_cancellation(
        self, quote: Quote, *, effective: date, reason: str, text: str = "", idempotency_key: Key = None
    ) -> StandingResponse:
        """Ask an underwriter to cancel a policy, which stays in force until one decides."""
        return await self.send(calls.request_cancellation(quote, effective, reason, text, idempotency_key))

    @abstractmethod
    async def send(self, call: ApiCall[T]) -> T:
        """Send a call, and read the answer."""
