"""The due dates as a calendar that other programs subscribe to: iCalendar, RFC 5545."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Final

from bindery.domain.business_rules import A_DAY
from bindery.domain.filings.obligations import FilingStanding, Obligation
from bindery.domain.filings.rules import RuleConfidence

_LONGEST_LINE: Final = 75
_ESCAPED: Final = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})


def calendar_of(found: Iterable[Obligation], *, made_at: datetime, platform: str) -> str:
    """Return all filings with a known day; amounts stay here, since calendars are kept elsewhere.

    Its description names the states with a filing whose day is unknown.
    """
    kept = list(found)
    unknown = sorted({one.rule.state for one in kept if one.due is None and one.mark is None})
    return "".join(
        f"{line}\r\n" for text in _lines(kept, unknown, made_at, platform) for line in _folded(text)
    )


def _lines(
    found: Iterable[Obligation], unknown: list[str], made_at: datetime, platform: str
) -> Iterator[str]:
    yield from ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Bindery//Filings//EN", "X-WR-CALNAME:Filings")
    if unknown:
        states = ", ".join(unknown)
        yield f"X-WR-CALDESC:{_text(f'Not in here, for nobody knows the day: {states}')}"
    host = platform.partition("//")[2].partition("/")[0]
    for one in found:
        if one.due is None or one.is_asked_for is None:
            continue
        key = f"{one.rule.state}-{one.rule.code}-{one.period}"
        doubt = "" if one.rule.confidence is RuleConfidence.HIGH else f" ({one.rule.confidence} confidence)"
        filed = "Filed: " if one.standing is FilingStanding.FILED else ""
        said = f"To {one.rule.to}.{' Nothing was booked: a zero report.' if one.is_zero else ''}"
        yield from (
            "BEGIN:VEVENT",
            f"UID:{key}@{host}",
            f"DTSTAMP:{made_at:%Y%m%dT%H%M%SZ}",
            f"DTSTART;VALUE=DATE:{one.due:%Y%m%d}",
            f"DTEND;VALUE=DATE:{one.due + A_DAY:%Y%m%d}",
            f"SUMMARY:{_text(f'{filed}{one.rule.state} {one.period}: {one.rule.name}{doubt}')}",
            f"DESCRIPTION:{_text(' '.join(filter(None, (said, one.rule.note))))}",
            f"URL:{platform}/ops/filings/{one.rule.state}/{one.rule.code}/{one.period}",
            "TRANSP:TRANSPARENT",
            "END:VEVENT",
        )
    yield "END:VCALENDAR"


def _text(text: str) -> str:
    return text.translate(_ESCAPED)


def _folded(line: str) -> Iterator[str]:
    """Yield a line in pieces of at most 75 bytes, of which all but the first begin with a space."""
    piece = ""
    for letter in line:
        if len((piece + letter).encode()) > _LONGEST_LINE:
            yield piece
            piece = " "
        piece += letter
    yield piece
