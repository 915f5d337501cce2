"""Putting a statement together from the filters that were given."""


class Conditions:
    """Conditions that all have to hold, and the values of their parameters in order."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self._held: list[str] = []

    def value(self, value: object) -> str:
        """Add a value and return its parameter."""
        self.values.append(value)
        return f"${len(self.values)}"

    def hold(self, condition: str, *values: object) -> None:
        """Add a condition whose `{}` stand for the values."""
        self._held.append(condition.format(*map(self.value, values)))

    @property
    def where(self) -> str:
        """Return the clause; empty where nothing has to hold."""
        return f"where {' and '.join(self._held)}" if self._held else ""
