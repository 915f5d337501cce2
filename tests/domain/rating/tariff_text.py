"""The packaged tariff as text, to seed faults in."""

from importlib.resources import files

TEXT = files("bindery").joinpath("data", "tariffs", "2026.1.toml").read_text("utf-8")


def changed(old: str, new: str, *, within: str = "") -> str:
    """Change the first occurrence after a heading; a test whose text is gone fails here."""
    start = TEXT.index(f"[{within}]") if within else 0
    assert old in TEXT[start:]
    return TEXT[:start] + TEXT[start:].replace(old, new, 1)
