"""The files that make and start containers, read without an engine."""

import json
import re
from dataclasses import dataclass
from typing import Any

import yaml

from support.source_tree import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))
OURS = ("migrate", "serve", "work")
"""The services that run the image."""


@dataclass(frozen=True)
class Step:
    """One instruction of the Dockerfile, in the stage that it belongs to."""

    stage: int
    name: str
    said: str

    @property
    def words(self) -> list[str]:
        """Its words, where it is written as a list as well."""
        listed = re.search(r"\[.*\]", self.said)
        words: list[str] = json.loads(listed[0]) if listed else self.said.split()
        return words


def dockerfile() -> list[Step]:
    """Read the Dockerfile."""
    text = re.sub(r"^#.*\n", "", (ROOT / "deploy" / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    steps: list[Step] = []
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        name, _, said = line.partition(" ")
        if name:
            begun = sum(step.name == "FROM" for step in steps) + (name == "FROM")
            steps.append(Step(begun, name, said))
    return steps


def said_by(name: str, *, stage: int = 2) -> list[Step]:
    """Return the instructions of one name in a stage; the second is what runs."""
    return [step for step in dockerfile() if (step.stage, step.name) == (stage, name)]


def only(name: str) -> Step:
    """Return the one instruction of that name."""
    (step,) = said_by(name)
    return step


def environment_of(service: str) -> dict[str, str]:
    """Return the variables that a service's process finds: the image's, and those of the compose file."""
    of_image = dict(word.split("=", 1) for word in only("ENV").said.split())
    of_service: dict[str, str] = COMPOSE["services"][service]["environment"]
    return of_image | of_service


def command_of(service: str) -> list[str]:
    """Return the words after `bindery` that a service runs."""
    words: list[str] = COMPOSE["services"][service].get("command") or only("CMD").words
    return words
