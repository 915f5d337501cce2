"""A bar that shows how far a command has come."""

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bindery.cli.common import complaints


def progress_bar(before: str, after: str, *, width: int) -> Progress:
    """Make a bar between two texts on the error stream, for a terminal only."""
    return Progress(
        TextColumn(before),
        BarColumn(bar_width=width, complete_style="#0f766e", finished_style="#0f766e"),
        TextColumn(after),
        TimeElapsedColumn(),
        console=complaints,
        transient=True,
        disable=not complaints.is_terminal,
    )
