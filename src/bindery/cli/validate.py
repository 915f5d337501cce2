"""`bindery validate`: what the service would say of a request file."""

from bindery.cli import common
from bindery.cli.connection import REFUSED, Service, service_command
from bindery.contract.service import ValidateResponse


@service_command
async def validate(service: Service, file: common.RequestFile) -> int:
    """Check a request file; nothing is written.

    Example: bindery validate request.json

    Exit codes:
    0  the service would take it
    1  it would not, or it refused to look at it
    2  wrong use, or nobody answers
    """
    body = common.read_file(file)
    async with service.client() as bindery:
        found = await bindery.validate_quotes(body)
    service.show(found, show_findings)
    return 0 if found.valid else REFUSED


def show_findings(found: ValidateResponse) -> None:
    if found.valid:
        common.console.print("Valid", style="bold green", end="")
        common.say(": the service would take it.")
    else:
        count = len(found.errors) + found.errors_left_out
        common.console.print("Not valid", style="bold red", end="")
        common.say(f": {common.counted(count, 'problem')}.")
        problems = [(problem.path or "(body)", problem.message) for problem in found.errors]
        common.console.print(common.indented(common.filled(common.plain_table(), problems)))
    if found.errors_left_out:
        common.say(f"  … and {found.errors_left_out:,} more.")
    if found.missing:
        common.say(f"Answers that are missing: {', '.join(found.missing)}.")
    warnings = [(warning.path or "(body)", warning.message) for warning in found.warnings]
    common.show_list("Accepted, but not used as sent", (), warnings)
    reasons = [(reason.code, reason.text) for reason in found.referral_reasons]
    common.show_list("What would refer it to an underwriter", (), reasons)
