"""Somebody at the keyboard of a page, whose keys and seconds are counted."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.async_api import Locator, Page

FARTHEST = 60
"""So many keys nobody presses to get to a control."""


@dataclass
class Spent:
    """What tasks of one kind took: keys beyond the words that were typed, those words, and seconds."""

    tasks: int = 0
    keys: int = 0
    letters: int = 0
    seconds: float = 0.0


@dataclass
class Hands:
    page: Page
    keys: int = 0
    letters: int = 0
    spent: dict[str, Spent] = field(default_factory=dict)

    @contextmanager
    def at(self, task: str) -> Iterator[None]:
        """Count what is pressed and typed within as a task of that kind."""
        keys, letters, began = self.keys, self.letters, time.monotonic()
        yield
        row = self.spent.setdefault(task, Spent())
        row.tasks += 1
        row.keys += self.keys - keys
        row.letters += self.letters - letters
        row.seconds += time.monotonic() - began

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.page.keyboard.press(key)
            self.keys += 1

    async def go(self, *keys: str) -> None:
        """Press keys that lead to another page, and wait for it with its scripts."""
        async with self.page.expect_navigation():
            await self.press(*keys)

    async def write(self, text: str) -> None:
        await self.page.keyboard.type(text)
        self.letters += len(text)

    async def reach(self, control: Locator, key: str = "Tab") -> None:
        """Press a key until a control has the focus."""
        for _ in range(FARTHEST):
            if await has_focus(control):
                return
            await self.press(key)
        raise AssertionError(f"{FARTHEST} times {key} do not lead to {control}")

    def table(self) -> str:
        """Return what each kind of task took on average, as a table of text."""
        rows: list[tuple[str, ...]] = [("Task", "Times", "Keys", "Letters", "Seconds")]
        for task, row in sorted(self.spent.items()):
            each = (row.keys, row.letters, row.seconds)
            rows.append((task, str(row.tasks), *(f"{amount / row.tasks:.1f}" for amount in each)))
        wide = max(len(row[0]) for row in rows)
        return "\n".join(f"{task:{wide}}" + "".join(f"{cell:>9}" for cell in rest) for task, *rest in rows)


async def has_focus(control: Locator) -> bool:
    return bool(await control.evaluate("(control) => control === document.activeElement"))
