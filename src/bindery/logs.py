"""Structured logs, one JSON object a line."""

import contextlib
import io
import logging
import sys
from pathlib import Path
from typing import Any, TextIO, cast

import msgspec
import structlog


def configure_logs(level: str, *, file: Path | None = None) -> None:
    """Send every log line, ours and the libraries', to the error stream or a file."""
    stream = cast("TextIO", _Undisturbed(sys.stderr if file is None else _open_unbuffered(file)))
    threshold = logging.getLevelNamesMapping()[level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, *shared, _to_json],
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
    """A stream whose lines are dropped when they cannot be written: a full disk must end no request."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self._stream.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._stream.flush()


def _open_unbuffered(file: Path) -> TextIO:
    # What a buffer kept from a full disk would be tried again, and fail again, with every line.
    return io.TextIOWrapper(file.open("ab", buffering=0), encoding="utf-8", write_through=True)


def _to_json(_logger: Any, _name: str, event: structlog.typing.EventDict) -> str:  # noqa: ANN401 - structlog's own signature
    return msgspec.json.encode(event, enc_hook=str).decode()
