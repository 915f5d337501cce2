"""What is owed for the options of a case: what is the same for several of them is said once."""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from msgspec import structs

from bindery.web.shown.option import ShownOption, options_named
from bindery.web.shown.owed import ShownContingency


@dataclass(frozen=True, slots=True)
class SharedContingency:
    """A contingency as all of these options have it, each under a number of its own."""

    owed: ShownContingency
    may_change: bool
    of: tuple[tuple[ShownOption, ShownContingency], ...]


@dataclass(frozen=True, slots=True)
class OwedTogether:
    title: str
    contingencies: tuple[SharedContingency, ...]


def owed_together(options: Sequence[ShownOption], contingent: Collection[str]) -> tuple[OwedTogether, ...]:
    """Group what is owed by the options that it is owed for, what all of them have first.

    `contingent` are the ids of options whose contingencies can still change. A file belongs to one option,
    so what a file came in for stands under that option.
    """
    alike: defaultdict[tuple[ShownContingency, bool, int], list[tuple[ShownOption, ShownContingency]]]
    alike = defaultdict(list)
    for option in options:
        may_change = option.quote_id in contingent
        seen: Counter[ShownContingency] = Counter()
        for owed in option.contingencies:
            as_said = structs.replace(owed, number="", because="", to_sign="")
            # An underwriter may have asked for the same thing twice: an option has both.
            alike[as_said, may_change, seen[as_said]].append((option, owed))
            seen[as_said] += 1
    groups: defaultdict[tuple[int, ...], list[SharedContingency]] = defaultdict(list)
    for (as_said, may_change, _), of in alike.items():
        numbers = tuple(option.number for option, _ in of)
        groups[numbers].append(SharedContingency(as_said, may_change, tuple(of)))
    in_order = sorted(groups, key=lambda numbers: (len(numbers) != len(options), numbers))
    return tuple(OwedTogether(_title(numbers, len(options)), tuple(groups[numbers])) for numbers in in_order)


def _title(numbers: tuple[int, ...], all_of_them: int) -> str:
    if len(numbers) == all_of_them > 1:
        return f"All {all_of_them} options"
    named = options_named([str(number) for number in numbers])
    return f"{named[:1].upper()}{named[1:]}"
