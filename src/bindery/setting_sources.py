"""Where each setting of a process comes from, and variables that are named like one and are none."""

import os
from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Final

from bindery.base.errors import Misconfigured
from bindery.base.nearest import nearest
from bindery.settings import ENV_FILE, PREFIX, Settings, origin_of, read_value, variables_in_file

OF_CLIENTS: Final = frozenset({"BINDERY_URL", "BINDERY_TOKEN", "BINDERY_WEBHOOK_SECRET"})
"""Read by the clients and the examples, which may run in the same environment."""


class Source(StrEnum):
    DEFAULT = "default"
    ENVIRONMENT = "environment"
    FILE = ".env file"
    COMMAND = "command line"


def sources_of(
    settings: Settings, variables: Mapping[str, str] | None = None, *, env_file: Path = ENV_FILE
) -> dict[str, Source]:
    """Return where each setting of a process that runs comes from.

    The file counts only as far as it is in force: it may have been changed since the start.
    """
    usual, in_file = Settings(), variables_in_file(env_file)
    given = os.environ if variables is None else variables
    found = {}
    for setting in fields(Settings):
        name, value = setting.name, getattr(settings, setting.name)
        variable = PREFIX + name.upper()
        if _says(name, given.get(variable), value):
            found[name] = Source.ENVIRONMENT
        elif not given.get(variable) and _says(name, in_file.get(variable), value):
            found[name] = Source.FILE
        else:
            follows = name == "platform_url" and value == origin_of(settings.base_url)
            found[name] = Source.DEFAULT if follows or value == getattr(usual, name) else Source.COMMAND
    return found


def unknown_variables(
    variables: Mapping[str, str] | None = None, *, env_file: Path = ENV_FILE
) -> dict[str, str | None]:
    """Return the variables named like a setting that are none, each with the one likely meant."""
    known = [PREFIX + setting.name.upper() for setting in fields(Settings)]
    given = {**variables_in_file(env_file), **(os.environ if variables is None else variables)}
    return {
        name: nearest(name, known)
        for name in sorted(given)
        if name.startswith(PREFIX) and name not in {*known, *OF_CLIENTS}
    }


def _says(name: str, text: str | None, value: object) -> bool:
    try:
        return bool(text) and read_value(name, text or "") == value
    except Misconfigured:
        return False
