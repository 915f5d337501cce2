from bindery.domain.rating.worksheet import EXACT, ONE, Worksheet, rounded_premium


def multiplies_out(worksheet: Worksheet) -> bool:
    """Whether the factors, multiplied again in their order, give every amount and the premium."""
    for part in worksheet.parts:
        running = ONE
        for step in part.steps:
            running = EXACT.multiply(running, step.factor)
            if running != step.running:
                return False
    return worksheet.premium == rounded_premium(worksheet.amount, worksheet.minimum)
