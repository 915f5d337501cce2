"""How far long work is, for people who wait at a terminal."""

from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from bindery.cli import common


def progress_bar(
    before: str = "{task.description}", after: str = "{task.percentage:>3.0f}%", *, width: int = 40
) -> Progress:
    """Return a bar for people at a terminal; elsewhere it writes nothing at all."""
    return Progress(
        TextColumn(before),
        BarColumn(bar_width=width, complete_style="#0f766e", finished_style="#0f766e"),
        TextColumn(after),
        TimeElapsedColumn(),
        console=common.complaints,
        transient=True,
        disable=not common.complaints.is_terminal,
    )
