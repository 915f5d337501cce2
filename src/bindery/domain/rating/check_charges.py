"""What can be wrong with the state charges: a state without a tax, gaps in time, impossible amounts."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from bindery.domain.applicant.us_states import state_names
from bindery.domain.rating.surcharges import ONE_DAY, ROUNDINGS, TAX, ChargeRule


def check_charges(rules: Mapping[str, Sequence[ChargeRule]]) -> list[str]:
    faults = [f"{state}: has no charges" for state in state_names() if state not in rules]
    for state, charges in rules.items():
        if state not in state_names():
            faults.append(f"{state}: is not a state")
        faults += [f"{state}: {fault}" for fault in (*_bad_amounts(charges), *_bad_periods(charges))]
    return faults


def _bad_amounts(charges: Sequence[ChargeRule]) -> Iterator[str]:
    for charge in charges:
        if charge.percentage < 0 or charge.flat < 0 or not (charge.percentage or charge.flat):
            yield f"{charge.title}: must be a percentage or an amount above zero"
        if charge.rounding not in ROUNDINGS:
            yield f"{charge.title}: the rounding {charge.rounding} is not known"


def _bad_periods(charges: Sequence[ChargeRule]) -> Iterator[str]:
    """Find charges that end before they begin, and days with no tax or with a charge twice."""
    for charge in charges:
        if charge.effective_until is not None and charge.effective_until < charge.effective_from:
            yield f"{charge.title}: ends before it begins"
    taxes = sorted((c for c in charges if c.kind == TAX), key=lambda charge: charge.effective_from)
    if not taxes:
        yield "has no tax"
    for title in dict.fromkeys(charge.title for charge in charges):
        same = sorted((c for c in charges if c.title == title), key=lambda charge: charge.effective_from)
        for earlier, later in pairwise(same):
            if earlier.effective_until is None or later.effective_from <= earlier.effective_until:
                yield f"{title}: is twice in force on {later.effective_from}"
    for earlier, later in pairwise(taxes):
        if earlier.effective_until is not None and later.effective_from > earlier.effective_until + ONE_DAY:
            yield f"no tax is in force on {earlier.effective_until + ONE_DAY}"
    if taxes and taxes[-1].effective_until is not None:
        yield f"no tax is in force after {taxes[-1].effective_until}"
