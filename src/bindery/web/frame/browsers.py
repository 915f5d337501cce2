"""A browser by the name that people know it by."""

import re
from typing import Final

LONGEST: Final = 60
# Most name others as well, to be served like them: whoever is named by the most comes last.
_BROWSERS: Final = (
    ("Edge", re.compile(r"Edg(?:e|A|iOS)?/(\d+)")),
    ("Opera", re.compile(r"OPR/(\d+)")),
    ("Firefox", re.compile(r"(?:Firefox|FxiOS)/(\d+)")),
    ("Chrome", re.compile(r"(?:HeadlessChrome|Chrome|CriOS)/(\d+)")),
    ("Safari", re.compile(r"Version/(\d+)[\d.]* (?:Mobile/\S+ )?Safari/")),
)
_SYSTEMS: Final = (
    ("Android", re.compile("Android")),
    ("iPhone", re.compile("iPhone")),
    ("iPad", re.compile("iPad")),
    ("Windows", re.compile("Windows")),
    ("Mac", re.compile("Mac OS X|Macintosh")),
    ("ChromeOS", re.compile("CrOS")),
    ("Linux", re.compile("Linux|X11")),
)


def browser_words(agent: str) -> str:
    """Return the browser and the system that a user agent names; others by what they say themselves."""
    browser = next(
        (f"{name} {found[1]}" for name, pattern in _BROWSERS if (found := pattern.search(agent))), ""
    )
    system = next((name for name, pattern in _SYSTEMS if pattern.search(agent)), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or agent[:LONGEST]
