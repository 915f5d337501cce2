"""People at the platform: a browser without JavaScript that keeps its cookie and sends forms."""

import html
import re
import uuid
from collections.abc import Sequence
from typing import Any, Self

import httpx

from bindery.actions.access.change_user import add_user
from bindery.domain.access.users import Role
from support.service import Service

PASSWORD = "correct horse battery staple"
ORIGIN = "http://127.0.0.1:8000"
"""Where the platform says it is when nobody set anything else."""


class Person:
    """Somebody with a browser."""

    def __init__(self, http: httpx.AsyncClient, email: str, *, origin: str = ORIGIN) -> None:
        self.http = http
        self.email = email
        self.origin = origin

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.http.aclose()

    async def open(self, path: str, *, status: int = 200) -> str:
        """Open a page and follow where it leads."""
        answer = await self.http.get(path, follow_redirects=True)
        assert answer.status_code == status, (answer.status_code, text_of(answer.text)[:2000])
        return answer.text

    async def send(self, path: str, *, status: int = 200, files: Any = None, **fields: Any) -> str:
        """Send a form and follow where it leads."""
        answer = await self.post(path, files=files, **fields)
        if answer.is_redirect:
            answer = await self.http.get(answer.headers["location"], follow_redirects=True)
        assert answer.status_code == status, (answer.status_code, text_of(answer.text)[:2000])
        return answer.text

    async def post(
        self, path: str, *, files: Any = None, origin: str | None = "", **fields: Any
    ) -> httpx.Response:
        """Send a form, as a page of ours would; with another origin as a page of others, or with none."""
        headers = {} if origin is None else {"Origin": origin or self.origin}
        # A browser names the type of a form without fields too.
        return await self.http.post(path, data=fields or {"empty": ""}, files=files, headers=headers)


def new_browser(service: Service, *, address: str = "127.0.0.1") -> httpx.AsyncClient:
    """Return a browser that nobody is signed in with, at an address."""
    app = service.http._transport.app  # type: ignore[attr-defined] # of the tests' own transport
    return httpx.AsyncClient(
        transport=httpx.ASGITransport(app, raise_app_exceptions=False, client=(address, 1)),
        base_url="http://service",
        timeout=60,
    )


async def sign_in_as(
    service: Service, role: Role, *, email: str | None = None, partner: str | None = None
) -> Person:
    """Add a user of a role and sign in with the password."""
    email = email or f"{role}-{uuid.uuid4().hex[:8]}@example.com"
    await add_user(
        service.runtime,
        email=email,
        name=f"Pat {role.title()}",
        role=role,
        partner=(partner or service.partner.name) if role is Role.BROKER else None,
        password=PASSWORD,
    )
    person = Person(new_browser(service), email)
    answer = await person.post("/sign-in", email=email, password=PASSWORD)
    assert answer.status_code == 303, answer.text
    return person


def text_of(page: str) -> str:
    """Return the words of a page, in order."""
    without = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", without)).split())


def fields_of(page: str, action: str) -> dict[str, Any]:
    """Return the fields of the form that goes to an address, as they are filled in."""
    found = re.search(rf'<form[^>]*action="{re.escape(action)}[^"]*"[^>]*>(.*?)</form>', page, re.DOTALL)
    assert found is not None, f"no form goes to {action}"
    body = found.group(1)
    fields: dict[str, str] = {}
    for tag in re.findall(r"<input\b[^>]*>", body):
        given = dict(re.findall(r'([\w-]+)="([^"]*)"', tag))
        if given.get("type") in {"checkbox", "radio"} and " checked" not in tag:
            continue
        if "name" in given and given.get("type") != "file":
            fields[given["name"]] = html.unescape(given.get("value", "on"))
    for name, text in re.findall(r'<textarea\b[^>]*name="(\w+)"[^>]*>(.*?)</textarea>', body, re.DOTALL):
        fields[name] = html.unescape(text)
    for name, options in re.findall(r'<select\b[^>]*name="(\w+)"[^>]*>(.*?)</select>', body, re.DOTALL):
        chosen = re.search(r'<option value="([^"]*)" selected', options) or re.search(
            r'<option value="([^"]*)"', options
        )
        fields[name] = html.unescape(chosen.group(1)) if chosen else ""
    return fields


def links_of(page: str) -> Sequence[str]:
    """Return where a page leads."""
    return [html.unescape(address) for address in re.findall(r'href="(/[^"]*)"', page)]
