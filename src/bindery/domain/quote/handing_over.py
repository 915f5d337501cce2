"""Who a company is with at its partner, and handing it over to a colleague."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import msgspec

from bindery.base.errors import ChangedMeanwhile, InvalidRequest, Problem
from bindery.contract.event_details import EventDetails


@dataclass(frozen=True, slots=True)
class BrokersOfCompany:
    """The broker of record and, where there is one, the secondary broker, by their addresses."""

    broker: str
    secondary: str | None = None


class HandedOver(EventDetails, frozen=True, kw_only=True):
    """What the journal keeps; partners hear nothing of it. None is no secondary broker."""

    broker: str
    secondary_broker: str | None
    broker_before: str
    secondary_broker_before: str | None


@dataclass(frozen=True, slots=True)
class AlreadyThere:
    """It was handed over so before: by a second press, or by somebody else."""


def decide_hand_over(
    now: BrokersOfCompany,
    wanted: BrokersOfCompany,
    *,
    seen: BrokersOfCompany,
    brokers: Collection[str],
    colleagues: Collection[str],
) -> HandedOver | AlreadyThere:
    """Decide on handing a company over; `seen` is with whom it was on the page that asks for it.

    Only `brokers` of the partner can have it; the secondary broker can be any of the `colleagues`.

    Raises:
        InvalidRequest: an address is nobody's there.
        ChangedMeanwhile: it went to somebody else after the page was opened.
    """
    if problems := tuple(_problems(now, wanted, brokers, colleagues)):
        raise InvalidRequest("The company was not handed over.", problems)
    if now == wanted:
        return AlreadyThere()
    if now != seen:
        also = f", with {now.secondary} as the secondary broker" if now.secondary else ""
        raise ChangedMeanwhile(f"The company is with {now.broker}{also} by now; nothing was changed.")
    return HandedOver(
        broker=wanted.broker,
        secondary_broker=wanted.secondary,
        broker_before=now.broker,
        secondary_broker_before=now.secondary,
    )


def _problems(
    now: BrokersOfCompany, wanted: BrokersOfCompany, brokers: Collection[str], colleagues: Collection[str]
) -> Iterator[Problem]:
    if wanted.broker not in brokers:
        yield Problem("broker_email", "unknown_broker", "is not a broker of your firm")
    # One who is on file may stay, even somebody outside the firm, as a request can name.
    if wanted.secondary not in {None, now.secondary, *colleagues}:
        yield Problem("secondary_broker_email", "unknown_broker", "is nobody of your firm")
    if wanted.secondary == wanted.broker:
        yield Problem("secondary_broker_email", "duplicate_items", "is the broker already")


def with_brokers(body: str, brokers: BrokersOfCompany) -> str:
    """Return a request as it would read if it came from these brokers."""
    request = msgspec.json.decode(body)
    request["client"]["broker_email"] = brokers.broker
    if brokers.secondary is None:
        request["client"].pop("secondary_broker_email", None)
    else:
        request["client"]["secondary_broker_email"] = brokers.secondary
    return msgspec.json.encode(request).decode()
