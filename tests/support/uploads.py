"""Sending files, and quotes to send them for."""

import uuid
from typing import Any

import httpx

from bindery.actions.submission.process_submission import process_submission
from support.service import Service


async def processed(service: Service, body: Any = None) -> dict[str, Any]:
    """Submit, do the worker's part at once, and return the first option."""
    receipt = await service.submit(body)
    return await finished(service, receipt["quotes"][0]["quote_identifier"])


async def finished(service: Service, identifier: str) -> dict[str, Any]:
    """Do the worker's part for a submitted quote, and return it."""
    submission_id: uuid.UUID = await service.runtime.database.pool.fetchval(
        "select submission_id from quotes where quote_id = $1", uuid.UUID(identifier)
    )
    await process_submission(service.runtime, submission_id)
    return await service.ready(identifier)


async def send_file(
    service: Service,
    fields: dict[str, str],
    content: bytes | None,
    *,
    filename: str = "paper.pdf",
    content_type: str = "application/octet-stream",
    key: str | None = None,
) -> httpx.Response:
    """Send a form with one file, or with none."""
    headers = {**service.headers, **({"Idempotency-Key": key} if key is not None else {})}
    files = {"file": (filename, content, content_type)} if content is not None else {"": ("", b"")}
    if content is None:
        boundary = "no-file-here"
        parts = "".join(
            f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
            for name, value in fields.items()
        )
        return await service.http.post(
            "/v2/documents",
            content=f"{parts}--{boundary}--\r\n".encode(),
            headers={**headers, "Content-Type": f"multipart/form-data; boundary={boundary}"},
        )
    return await service.http.post("/v2/documents", data=fields, files=files, headers=headers)
