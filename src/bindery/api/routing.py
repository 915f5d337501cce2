"""Finding the resource that a path names, and what can be done there."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.types import ASGIApp

from bindery.api.operation import Operation

_PARAMETER: Final = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Resource:
    """One path and what answers each of its methods; `choices` are the allowed values of its parameters."""

    path: str
    endpoints: Mapping[str, ASGIApp]
    choices: Mapping[str, frozenset[str]]

    @property
    def allowed(self) -> str:
        """Return the methods as the `Allow` header lists them."""
        more = ["HEAD"] if "GET" in self.endpoints else []
        return ", ".join(sorted([*self.endpoints, *more, "OPTIONS"]))

    def endpoint(self, method: str) -> ASGIApp | None:
        """Return what answers a method; `HEAD` is answered as `GET`, and the server leaves the body out."""
        return self.endpoints.get("GET" if method == "HEAD" else method)

    def is_named_by(self, values: Mapping[str, str]) -> bool:
        """Whether the parameters have values that such a path has."""
        return all(values[name] in allowed for name, allowed in self.choices.items())


class Resources:
    """All resources. Where several templates fit a path, the one with words where others have parameters."""

    def __init__(self, endpoints: Iterable[tuple[Operation, ASGIApp]], others: Iterable[Resource]) -> None:
        found = [*_by_path(endpoints), *others]
        self._plain = {resource.path: resource for resource in found if "{" not in resource.path}
        self._templates: dict[int, list[tuple[re.Pattern[str], Resource]]] = defaultdict(list)
        for resource in sorted(found, key=_parameters_last):
            if "{" in resource.path:
                pattern = re.compile(_PARAMETER.sub(r"(?P<\1>[^/]+)", resource.path))
                self._templates[resource.path.count("/")].append((pattern, resource))

    @property
    def plain_paths(self) -> list[str]:
        """Return the paths that have no parameters."""
        return list(self._plain)

    def find(self, path: str) -> tuple[Resource, Mapping[str, str]] | None:
        """Return the resource of a path and the values of its parameters."""
        plain = self._plain.get(path)
        if plain is not None:
            return plain, {}
        for pattern, resource in self._templates.get(path.count("/"), ()):
            if matched := pattern.fullmatch(path):
                return resource, matched.groupdict()
        return None


def _by_path(endpoints: Iterable[tuple[Operation, ASGIApp]]) -> Iterable[Resource]:
    rows: dict[str, list[tuple[Operation, ASGIApp]]] = defaultdict(list)
    for operation, endpoint in endpoints:
        rows[operation.path].append((operation, endpoint))
    for path, of_path in rows.items():
        methods = {operation.method: endpoint for operation, endpoint in of_path}
        yield Resource(path, methods, _choices([operation for operation, _ in of_path]))


def _choices(operations: Sequence[Operation]) -> dict[str, frozenset[str]]:
    return {
        parameter.name: frozenset(parameter.schema["enum"])
        for operation in operations
        for parameter in operation.parameters
        if parameter.where == "path" and "enum" in parameter.schema
    }


def _parameters_last(resource: Resource) -> list[bool]:
    return [part.startswith("{") for part in resource.path.split("/")]
