"""`docs/settings.md`, written from the class that holds the settings."""

from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, get_args, get_type_hints

from bindery.settings import PREFIX, Settings

INTRODUCTION = """# Settings

Every setting is an environment variable; a `.env` file in the working folder may hold them too, and the
environment wins over the file. They are read once, when a process starts; a value that makes no sense stops
the start with one sentence that names the variable.

Production refuses to start without `BINDERY_DATABASE_URL`, a strong `BINDERY_SECRET_KEY` and an https
`BINDERY_BASE_URL`. The demo needs nothing set.

"""


def settings_page() -> str:
    hints = get_type_hints(Settings, include_extras=True)
    rows = [
        f"| `{PREFIX}{setting.name.upper()}` | {_default(setting)} | {get_args(hints[setting.name])[1]} |"
        for setting in fields(Settings)
    ]
    table = "\n".join(["| Variable | Default | Meaning |", "|---|---|---|", *rows])
    after = "\n\nWhere these are used: [operations.md](operations.md).\n"
    return INTRODUCTION + table + after


def _default(setting: "Field[Any]") -> str:
    value = setting.default
    assert value is not MISSING, "every setting has a default"
    match value:
        case None | "" | ():
            return "none"
        case bool():
            return "`yes`" if value else "`no`"
        case tuple():
            return f"`{','.join(map(str, value))}`"
        case Path() | str() | int() | float():
            return f"`{value}`"
        case _:
            raise TypeError(f"{setting.name}: a default of a kind this page cannot show: {value!r}")
