"""Faults of a request's HTTP, whatever it asks for."""

from bindery.base.errors import BinderyError


class TooLarge(BinderyError):
    """The body is larger than this operation takes."""

    code = "too_large"


class HeadTooLarge(BinderyError):
    """The request line and the headers are too many or too long."""

    code = "head_too_large"


class UnsupportedMediaType(BinderyError):
    """The body is of a type this operation does not take."""

    code = "unsupported_media_type"


class RangeNotSatisfiable(BinderyError):
    """The requested part is outside the file."""

    code = "range_not_satisfiable"

    def __init__(self, size: int) -> None:
        super().__init__(f"The file has {size:,} bytes; the requested range lies outside it.")
        self.size = size
