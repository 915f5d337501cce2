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

    def hold_given(self, condition: str, value: object | None) -> None:
        """Add a condition on a value, unless that is None."""
        if value is not None:
            self.hold(condition, value)

    @property
    def where(self) -> str:
        """Return the clause; empty where nothing has to hold."""
        return f"where {' and '.join(self._held)}" if self._held else ""


def leaps(name: str, column: str, table: str, condition: str) -> str:
    """Return a recursive part of a statement: the values of a column, found by leaps through its index."""
    return f"""
    {name} as (
        (select {column} from {table} where {condition} order by {column} limit 1)
        union all
        select (select later.{column} from {table} later
                where {condition} and later.{column} > found.{column} order by later.{column} limit 1)
        from {name} found where found.{column} is not null
    )"""
