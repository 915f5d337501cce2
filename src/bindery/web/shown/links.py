"""A link of the bar, of tabs, of chips or of a segment: where it leads, and whether one is there already."""

from msgspec import Struct


class ViewLink(Struct, frozen=True, kw_only=True):
    address: str
    text: str
    is_here: bool = False
    count: str = ""
    is_late: bool = False
    """Whether the count is of what is late, and so red."""
    key: str = ""
