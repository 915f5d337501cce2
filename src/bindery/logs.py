"""Structured logs, one JSON object a line."""

import contextlib
import logging
import sys
from pathlib import Path
from typing import Any, TextIO, cast

import msgspec
import structlog

from bindery.base.private_files import open_private_log
from bindery.base.tracing import current_trace_id


def configure_logs(level: str, *, file: Path | None = None) -> None:
    """Send every log line, ours and the libraries', to the error stream or a file of this account alone."""
    stream = cast("TextIO", _Undisturbed(sys.stderr if file is None else open_private_log(file)))
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[_add_trace, *shared, _to_json],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.PrintLoggerFactory(stream),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, _to_json],
        )
    )
    logging.basicConfig(handlers=[handler], level=max(threshold, logging.WARNING), force=True)


class _Undisturbed:
    """A stream whose lines are dropped when they cannot be written: a full disk must not end a request."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()


def _add_trace(_logger: Any, _name: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:  # noqa: ANN401 - as below
    if (trace_id := current_trace_id()) is not None:
        event.setdefault("trace_id", trace_id)
    return event


def _to_json(_logger: Any, _name: str, event: structlog.typing.EventDict) -> str:  # noqa: ANN401 - structlog's own signature
    return msgspec.json.encode(event, enc_hook=str).decode()
