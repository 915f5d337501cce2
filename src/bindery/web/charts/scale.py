"""From values to places: ticks that people count in, and days that fit below an axis."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
TICKS: Final = 4


@dataclass(frozen=True, slots=True)
class Scale:
    ticks: tuple[float, ...]
    start: float
    end: float

    def place(self, value: float) -> float:
        return self.start + (self.end - self.start) * value / self.ticks[-1]


def scale_to(most: float, *, start: float, end: float) -> Scale:
    return Scale(nice_ticks(most), start, end)


def nice_ticks(most: float) -> tuple[float, ...]:
    """Return ticks from zero to the largest value or just above it, in steps that people count in."""
    if most <= 0:
        return (0.0, 1.0)
    power = 10.0 ** math.floor(math.log10(most / TICKS))
    step = next(power * step_size for step_size in STEPS if power * step_size * TICKS >= most * (1 - 1e-9))
    return tuple(step * number for number in range(math.ceil(most / step - 1e-9) + 1))


def spread(count: int, most: int) -> Sequence[int]:
    """Return the places that get a label, the last one among them."""
    if count <= 0:
        return ()
    step = math.ceil(count / most)
    return tuple(reversed(range(count - 1, -1, -step)))
