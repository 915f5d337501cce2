"""Plays rows: brings the service to where each begins, sends its requests, and judges the answer."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo

import httpx
import msgspec

from bindery.base.clock import Clock
from bindery.conformance.expect import MISSING, values_at
from bindery.conformance.receiver import Receiver
from bindery.conformance.row import (
    CLOCK,
    GIVEN,
    LEVERS,
    Auth,
    Beginning,
    Delivery,
    HttpStep,
    Part,
    PlayedAnswer,
    SpecRow,
    filled,
    json_text,
)

OK: Final = range(200, 300)
ACCEPTED: Final = 202
TOO_BUSY: Final = frozenset({429, 503})
TRIES: Final = 6
LOOK_AGAIN_S: Final = (0.05, 0.1, 0.2, 0.4, 0.7)
LONGEST_PAUSE_S: Final = 10.0


class RowVerdict(StrEnum):
    """What became of a row."""

    HELD = "held"
    NOT_HELD = "not held"
    NOT_PLAYED = "not played"


@dataclass(frozen=True, slots=True)
class PlayedRow:
    row: SpecRow
    verdict: RowVerdict
    why: str = ""
    request: str = ""
    answer: PlayedAnswer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What a run may use, and how long it waits."""

    zone: ZoneInfo
    broker: str
    within_s: float = 60
    delivered_within_s: float = 60
    has_levers: bool = True
    moves_clock: bool = False
    no_deliveries: str = ""
    """Why nothing can be delivered to the receiver; empty when it can."""


@dataclass(slots=True)
class _Place:
    """Where a scene has led: what is known, and the answers under their names."""

    known: dict[str, Any]
    answers: dict[str, PlayedAnswer] = field(default_factory=dict)
    last: str = ""


class _NoWay(Exception):
    """The service did not come to where a row begins."""


class Player:
    """Plays rows against one address."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        token: str,
        means: Means,
        scenes: Mapping[str, Beginning],
        receiver: Receiver | None = None,
        endpoint: str = "",
    ) -> None:
        self._http = http
        self._token = token
        self._means = means
        self._scenes = scenes
        self._receiver = receiver
        self._endpoint = endpoint
        self._ahead = timedelta()
        self._shared: dict[str, asyncio.Task[_Place]] = {}
        self._once: dict[str, asyncio.Task[PlayedAnswer]] = {}
        self._webhooks: list[str] = []

    async def play_all(self, rows: Sequence[SpecRow], *, parallel: int) -> AsyncGenerator[PlayedRow, None]:
        """Play rows side by side, and those that move the clock one by one when the rest is done."""
        await self._read_clock()
        still = [row for row in rows if not self._moves_clock(row)]
        limit = asyncio.Semaphore(parallel)

        async def in_turn(row: SpecRow) -> PlayedRow:
            async with limit:
                return await self.play(row)

        tasks = [asyncio.ensure_future(in_turn(row)) for row in still]
        try:
            for task in asyncio.as_completed(tasks):
                yield await task
        finally:
            for task in tasks:
                task.cancel()
        for row in rows:
            if self._moves_clock(row):
                yield await self.play(row)

    async def play(self, row: SpecRow) -> PlayedRow:
        reason = self._why_not(row)
        if reason:
            return PlayedRow(row, RowVerdict.NOT_PLAYED, reason)
        try:
            place = await self._place_of(row)
            for part in row.steps:
                await self._do(part, place, must_succeed=part is not row.steps[-1])
        except _NoWay as fault:
            return PlayedRow(row, RowVerdict.NOT_HELD, str(fault))
        answer = place.answers.get(row.looks_at or "")
        if answer is None:
            return PlayedRow(
                row, RowVerdict.NOT_HELD, f"there is no answer {row.looks_at!r} to look at", place.last
            )
        flaws = [flaw for check in row.expect if (flaw := check.flaw(answer, place.known))]
        verdict = RowVerdict.NOT_HELD if flaws else RowVerdict.HELD
        return PlayedRow(row, verdict, "; ".join(flaws), _said(row, place), answer)

    async def clean_up(self) -> None:
        """Remove the webhooks that were registered."""
        for task in (*self._shared.values(), *self._once.values()):
            task.cancel()
        for webhook in self._webhooks:
            with suppress(httpx.RequestError):
                await self._http.delete(f"/webhooks/{webhook}", headers=self._bearer(Auth.GIVEN))

    def _why_not(self, row: SpecRow) -> str:
        parts = self._all_parts(row)
        steps = [part for part in parts if isinstance(part, HttpStep)]
        if not self._means.has_levers and any(step.path.startswith(LEVERS) for step in steps):
            return "the address has none of the demo's levers"
        if not self._means.moves_clock and any(step.moves_clock for step in steps):
            return "it needs days to pass: --move-clock moves the demo's clock"
        if self._means.no_deliveries and any(isinstance(part, Delivery) for part in parts):
            return self._means.no_deliveries
        return ""

    def _moves_clock(self, row: SpecRow) -> bool:
        return any(isinstance(part, HttpStep) and part.moves_clock for part in self._all_parts(row))

    def _all_parts(self, row: SpecRow) -> list[Part]:
        return [*self._parts_of(row.scene), *row.steps]

    def _parts_of(self, scene: str) -> list[Part]:
        if not scene:
            return []
        found = self._scenes[scene]
        return [*self._parts_of(found.after), *found.parts]

    async def _place_of(self, row: SpecRow) -> _Place:
        """Return where a row begins; rows that change nothing there share it."""
        if row.alone or not row.scene:
            place = await self._set(row.scene)
        else:
            if row.scene not in self._shared:
                self._shared[row.scene] = asyncio.ensure_future(self._set(row.scene))
            place = await self._shared[row.scene]
        return _Place(dict(place.known), dict(place.answers), place.last)

    async def _set(self, scene: str) -> _Place:
        given = PlayedAnswer(0, {}, msgspec.json.encode({"token": self._token}))
        place = _Place(self._first_known(), {GIVEN: given})
        for part in self._parts_of(scene):
            await self._do(part, place, must_succeed=True)
        return place

    def _first_known(self) -> dict[str, Any]:
        today = self._today()
        known: dict[str, Any] = {"broker": self._means.broker, "endpoint": self._endpoint}
        # An identifier that nothing has, and a beginning of addresses that no other place shares.
        known |= {"unknown": secrets.token_hex(16), "here": secrets.token_hex(8), "today": today.isoformat()}
        known["tomorrow"] = (today + timedelta(1)).isoformat()
        return known

    async def _do(self, part: Part, place: _Place, *, must_succeed: bool) -> None:
        place.last = _line(part, place.known)
        if isinstance(part, Delivery):
            answer = await self._delivered(part, place)
        else:
            answer = await self._answered(part, place)
            if must_succeed and answer.status not in OK:
                raise _NoWay(f"before it: {place.last} answered {answer.status}: {answer.text}")
            for name, path in part.keep.items():
                (value,) = [*values_at(path, answer.json)] or [MISSING]
                if value is not MISSING:
                    place.known[name] = value
        place.answers[part.name] = answer
        place.answers[""] = answer

    async def _delivered(self, part: Delivery, place: _Place) -> PlayedAnswer:
        if self._receiver is None:
            raise _NoWay("there is no receiver")
        within_s = self._means.delivered_within_s
        answer = await self._receiver.next(
            f"{place.known['here']}-{part.hook}", part.about.format_map(place.known), within_s=within_s
        )
        if answer is None:
            raise _NoWay(
                f"nothing was delivered to {self._endpoint} within {within_s:.0f} seconds; --listen "
                f"and --endpoint choose an address that the service can reach"
            )
        return answer

    async def _answered(self, step: HttpStep, place: _Place) -> PlayedAnswer:
        if step.once:
            key = step.path
            if key not in self._once:
                self._once[key] = asyncio.ensure_future(self._until(step, place.known))
            return await self._once[key]
        return await self._until(step, place.known)

    async def _until(self, step: HttpStep, known: Mapping[str, Any]) -> PlayedAnswer:
        """Send a request again for as long as it is worth waiting."""
        began = asyncio.get_running_loop().time()
        for look in range(1_000_000):
            answer = await self._send(step, known)
            took_s = asyncio.get_running_loop().time() - began
            waits = step.waits and answer.status == ACCEPTED
            waits = waits or (step.until is not None and bool(step.until.flaw(answer, known)))
            if not waits or took_s > self._means.within_s:
                break
            await asyncio.sleep(LOOK_AGAIN_S[min(look, len(LOOK_AGAIN_S) - 1)])
        return PlayedAnswer(answer.status, answer.headers, answer.body, took_s)

    async def _send(self, step: HttpStep, known: Mapping[str, Any]) -> PlayedAnswer:
        try:
            request = self._request(step, known)
        except KeyError as missing:
            raise _NoWay(f"before it: no answer gave {missing.args[0]}, which {step.path} needs") from None
        except ValueError as fault:
            raise _NoWay(f"{step.path} cannot be asked: {fault}") from None
        for tried in range(TRIES):
            try:
                response = await self._http.send(request)
            except httpx.RequestError as fault:
                raise _NoWay(
                    f"{request.method} {request.url.path}: {fault or type(fault).__name__}"
                ) from fault
            if response.status_code not in TOO_BUSY:
                break
            asked = response.headers.get("retry-after", "")
            await asyncio.sleep(min(float(asked) if asked.isdecimal() else 2**tried, LONGEST_PAUSE_S))
        answer = PlayedAnswer(response.status_code, dict(response.headers), response.content)
        self._notice(step, answer)
        return answer

    def _notice(self, step: HttpStep, answer: PlayedAnswer) -> None:
        """Keep what later requests depend on, whatever a row makes of it."""
        if answer.status not in OK:
            return
        said = answer.json if isinstance(answer.json, dict) else {}
        if step.moves_clock:
            self._ahead = _ahead(said) or self._ahead + timedelta(step.json["advance_days"])
        elif step.path == "/webhooks" and step.method == "POST" and isinstance(said.get("id"), str):
            self._webhooks.append(said["id"])
        elif step.path == "/settings/webhook_secret" and self._receiver is not None:
            self._receiver.secret = str(said.get("secret", ""))

    def _request(self, step: HttpStep, known: Mapping[str, Any]) -> httpx.Request:
        today = self._today()
        headers = self._bearer(step.auth)
        content: dict[str, Any] = {}
        if step.form is not None:
            # Every field as a part, so that a form without a file is still a form of parts.
            fields = filled(step.form, known, today)
            parts: list[tuple[str, Any]] = [(name, (None, str(value))) for name, value in fields.items()]
            if step.file is not None:
                parts.append(("file", (step.file.name, step.file.content)))
            content = {"files": parts}
        elif step.raw is not None or step.json is not None:
            headers["Content-Type"] = step.content_type or "application/json"
            content = {"content": step.raw if step.raw is not None else json_text(step.json, known, today)}
        return self._http.build_request(step.method, step.path.format_map(known), headers=headers, **content)

    def _bearer(self, auth: Auth) -> dict[str, str]:
        match auth:
            case Auth.GIVEN:
                return {"Authorization": f"Bearer {self._token}"}
            case Auth.WRONG:
                return {"Authorization": f"Bearer {self._token[:-8]}{'A' * 8}"}
            case Auth.NONE:
                return {}

    def _today(self) -> date:
        return (Clock.real_now() + self._ahead).astimezone(self._means.zone).date()

    async def _read_clock(self) -> None:
        if self._means.has_levers:
            answer = await self._send(HttpStep("GET", CLOCK), {})
            said = answer.json if isinstance(answer.json, dict) else {}
            self._ahead = _ahead(said) or self._ahead


def _ahead(said: Mapping[str, Any]) -> timedelta | None:
    try:
        return datetime.fromisoformat(str(said["now"])) - Clock.real_now()
    except (KeyError, ValueError, TypeError):
        return None


def _line(part: Part, known: Mapping[str, Any]) -> str:
    if isinstance(part, Delivery):
        return f"a delivery to {part.hook}"
    try:
        return f"{part.method} {part.path.format_map(known)}"
    except KeyError:
        return f"{part.method} {part.path}"


def _said(row: SpecRow, place: _Place) -> str:
    return (
        place.last if row.steps or not row.looks_at else f"the answer kept as {row.looks_at} of {row.scene}"
    )
