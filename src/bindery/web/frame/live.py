"""The stream that notifies open pages of changes, and the count of the changes that a page missed."""

import time
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Final

from starlette.responses import PlainTextResponse, Response, StreamingResponse

from bindery.base.errors import NotFound
from bindery.domain.access.users import Role
from bindery.memory import live
from bindery.memory.live import Stream
from bindery.storage.access import users
from bindery.storage.database import UNAVAILABLE
from bindery.web.frame.case_news import KnownCase, NewsReader, case_news, others_at
from bindery.web.frame.route import BOOK
from bindery.web.frame.visit import Visit

BEAT_S: Final = 15.0
"""How often a comment is sent, so that no proxy takes the connection for dead."""
LASTS_S: Final = 600.0
"""How long a stream lasts; the browser then reconnects, and its sign-in is checked again."""
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
END: Final = "event: end\ndata:\n\n"
"""Tells the browser not to reconnect."""
NO_NEWS_FOR_YOU: Final = "There is no such page."


async def stream_live(visit: Visit) -> Response:
    return StreamingResponse(_lines(visit), media_type="text/event-stream", headers=HEADERS)


async def show_news(visit: Visit) -> Response:
    return PlainTextResponse(await _news(visit), headers=HEADERS)


async def _lines(visit: Visit) -> AsyncIterator[str]:
    room = visit.runtime.live_room
    with room.stream(visit.user) as stream:
        if stream is None:
            yield END
            return
        # Sent at once, so that the browser knows that it is heard.
        yield ": here\n\n"
        ends_at = time.monotonic() + LASTS_S
        while not room.is_closed and time.monotonic() < ends_at:
            news = await stream.wait(BEAT_S)
            if stream.is_doubtful and not await _is_still_signed_in(visit, stream):
                yield END
                return
            yield "".join(f"data: {line}\n\n" for line in news) or ": still here\n\n"


async def send_left(visit: Visit) -> Response:
    """Note that a page of a case was closed, or left for another."""
    submission_id = visit.as_id(visit.word("about").removeprefix("desk "))
    if submission_id is not None:
        await visit.runtime.presence.leave(visit.user, submission_id)
    return Response(status_code=HTTPStatus.NO_CONTENT)


async def _is_still_signed_in(visit: Visit, stream: Stream) -> bool:
    stream.is_doubtful = False
    try:
        async with visit.runtime.database.connection() as connection:
            found = await users.find_signed_in(
                connection, visit.sign_in.token_sha256, at=visit.runtime.clock.real_now()
            )
    except UNAVAILABLE:
        # Nothing can be announced in the meantime either; it is asked again with the next line.
        stream.is_doubtful = True
        return True
    return found is not None


async def _news(visit: Visit) -> str:
    """Return how much is new; of a case what it is, in a sentence."""
    topic, _, about = visit.word("about").partition(" ")
    known = KnownCase.read(visit.word("at"))
    if known is None:
        raise NotFound(NO_NEWS_FOR_YOU)
    since = known.at
    submission_id = visit.as_id(about) if topic == "desk" and visit.user.role is Role.UNDERWRITER else None
    if submission_id is not None:
        # An open page asks every minute: somebody is still there. It takes a connection of its own.
        await visit.runtime.presence.come(visit.user, submission_id)
    here = others_at(visit, submission_id) if submission_id is not None else ()
    reader = NewsReader(user_id=visit.user.user_id, actor=visit.actor, times=visit.times)
    async with visit.runtime.database.reading() as tx:
        if topic == "company" and about.isascii() and about.isdecimal() and visit.user.role in BOOK:
            # Too large a number is no company's.
            number = int(about) if len(about) < len(str(2**31)) else 0
            return str(await live.count_company_news(tx, number, since, partner_id=visit.partner_id))
        if topic == "desk" and visit.user.role is Role.UNDERWRITER:
            if submission_id is not None:
                return await case_news(tx, submission_id, known, reader, here=here) or "0"
            return str(await live.count_desk_news(tx, since))
        if topic == "ops" and visit.user.role is Role.OPERATOR:
            return str(await live.count_ops_news(tx, since))
    raise NotFound(NO_NEWS_FOR_YOU)
