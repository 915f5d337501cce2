class Conditions:
    """Conditions that all have to hold, and the values of their parameters in order."""

    def __init__(self) -> None:
        self.values: list[object] = []
        self._conditions: list[str] = []

    def value(self, value: object) -> str:
        """Add a value and return its parameter."""
        self.values.append(value)
        return f"${len(self.values)}"

    def where(self, condition: str, *values: object) -> None:
        """Add a condition whose `{}` stand for the values."""
        self._conditions.append(condition.format(*map(self.value, values)))

    def where_if_given(self, condition: str, value: object | None) -> None:
        if value is not None:
            self.where(condition, value)

    @property
    def clause(self) -> str:
        return f"where {' and '.join(self._conditions)}" if self._conditions else ""


def leaps(name: str, column: str, table: str, condition: str) -> str:
    """Return a recursive CTE: the distinct values of a column, found by skipping through its index."""
    return f"""
    {name} as (
        (select {column} from {table} where {condition} order by {column} limit 1)
        union all
        select (select later.{column} from {table} later
                where {condition} and later.{column} > found.{column} order by later.{column} limit 1)
        from {name} found where found.{column} is not null
    )"""
