"""What a page says of its keys, against what they do: each is pressed, those that it does not name too."""

from dataclasses import dataclass, field
from typing import Final

from playwright.async_api import Page, Route

EVERY_KEY: Final = (*"jkox[]./nteadcru", *"123456789")
IN_PAIRS: Final = {"Ctrl", "Enter"}
SHOWN: Final = """() => [...document.querySelectorAll("#keys li")].filter((line) => !line.hidden)
    .map((line) => [...line.querySelectorAll("kbd:not([hidden])")].map((key) => key.textContent))"""
HINTS: Final = """() => [...document.querySelectorAll("kbd")]
    .filter((key) => key.checkVisibility() && !key.closest("#keys")).map((key) => key.textContent)"""
WATCH: Final = """() => {
    window.heard = 0;
    for (const kind of ["submit", "invalid", "click"])
        document.addEventListener(kind, () => { window.heard += 1; }, true);
}"""
STATE: Final = """() => JSON.stringify([
    window.heard, [...document.querySelectorAll("*")].indexOf(document.activeElement),
    document.querySelectorAll(":checked").length, document.querySelectorAll("[open]").length])"""
LEAVE: Final = """() => {
    document.activeElement.blur();
    for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
}"""
TO_A_ROW: Final = """(needs) => [...document.querySelectorAll("main :is(tbody tr, .todo > li)")]
    .find((row) => row.checkVisibility() && row.querySelector("a[href]") && row.querySelector(needs))
    ?.querySelector("a[href]").focus()"""
TO_A_FORM: Final = """() => [...document.querySelectorAll("main :is(input, select, textarea), #step h2")]
    .find((field) => (field.form || field.matches("h2")) && field.checkVisibility())?.focus()"""


@dataclass
class Presser:
    """Somebody who presses keys on a page that leads nowhere meanwhile, and sends nothing."""

    page: Page
    led: list[str] = field(default_factory=list)

    async def stay(self, route: Route) -> None:
        if route.request.is_navigation_request():
            self.led.append(route.request.url)
            await route.fulfill(status=204)
        else:
            await route.continue_()

    async def does_something(self, key: str) -> bool:
        """Whether a key does something on the page, or at a row or in a form of it where it is for those."""
        await self.page.evaluate(LEAVE)
        if key == "Ctrl Enter":
            await self.page.evaluate(TO_A_FORM)
        elif key in {"Enter", "o", "x"}:
            await self.page.evaluate(TO_A_ROW, "[type=checkbox]" if key == "x" else "a[href]")
        before, count = await self.page.evaluate(STATE), len(self.led)
        for one in ["Control+Enter"] if key == "Ctrl Enter" else key.split():
            await self.page.keyboard.press(one)
        return bool(await self.page.evaluate(STATE) != before or len(self.led) > count)


async def flaws_of_keys(page: Page) -> list[str]:
    """Return the keys that a page shows and that do nothing, and those that it hides or names twice."""
    presser = Presser(page)
    await page.route("**/*", presser.stay)
    await page.evaluate(WATCH)
    lines: list[list[str]] = await page.evaluate(SHOWN)
    named = [key for line in lines for key in ([" ".join(line)] if "Ctrl" in line else line)]
    hints = set(await page.evaluate(HINTS)) - IN_PAIRS
    found = [f"names {key!r} twice" for key in set(named) if named.count(key) > 1]
    found += [f"hints at {key!r}, which does nothing" for key in hints - set(named)]
    for key in dict.fromkeys((*named, *EVERY_KEY)):
        works = await presser.does_something(key)
        # What is picked may bring more.
        shown = {each for line in await page.evaluate(SHOWN) for each in line} | set(named)
        if works and key not in shown:
            found.append(f"does not show {key!r}")
        if not works and key in named:
            found.append(f"shows {key!r}, which does nothing")
    await page.unroute("**/*")
    return found
