from typing import assert_never

from bindery.contract.webhooks import DisabledBecause
from bindery.domain.messages.mails import Mail


def disabled_mail(recipient: str, *, endpoint: str, because: DisabledBecause, docs_url: str) -> Mail:
    match because:
        case DisabledBecause.GONE:
            cause = "It answered 410 Gone, which means that it will not take any more deliveries."
        case DisabledBecause.FAILING:
            cause = "Every delivery to it has failed for five days."
        case _:
            assert_never(because)
    return Mail(
        kind="webhook_disabled",
        recipients=(recipient,),
        subject=f"Your webhook {endpoint} is disabled",
        body=(
            f"We have stopped delivering to {endpoint}.\n{cause}\n\n"
            "No event is lost: GET /v2/events has them all. To receive deliveries again, register the same "
            "endpoint with POST /v2/webhooks; what was still waiting is then sent, and POST "
            "/v2/webhooks/{id}/replay with a time in `since` sends what happened in between.\n\n"
            f"{docs_url}\n"
        ),
    )
