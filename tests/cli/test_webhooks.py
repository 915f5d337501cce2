"""`bindery webhook`: the steps of the operators' page on the command line, noted with the account."""

import getpass
import uuid

import pytest

from support.processes import Program
from support.service import SECRET, Service


@pytest.fixture
async def webhook_id(program: Program, service: Service) -> str:
    program.variables["BINDERY_SECRET_KEY"] = SECRET
    hook = {"endpoint": "http://127.0.0.1:9/hook", "quote_level": True, "policy_level": True}
    return str((await service.post("/v2/webhooks", hook)).json()["id"])


async def test_a_webhook_is_listed_paused_resumed_and_sent_what_waits(
    program: Program, service: Service, webhook_id: str
) -> None:
    said = [
        program.run("webhook", step, webhook_id).good().strip()
        for step in ("pause", "pause", "resume", "send-waiting", "disable", "enable")
    ]
    (listed,) = program.run("webhook", "list", "--json").json()

    me = getpass.getuser()
    assert said == [
        "Paused: events are kept, and go out in order once it is resumed.",
        f"Nothing was done: {me} has paused it already.",
        "Resumed: what was kept goes out now, in order.",
        "Nothing waits for a later try: what is due is on its way.",
        "Disabled: nothing is sent to it, and the partner is told by mail.",
        "Enabled: what was held goes out now, in order.",
    ]
    assert (listed["webhook_id"], listed["status"]) == (webhook_id, "active")
    assert program.run("webhook", "pause", str(uuid.uuid4())).complaint == "There is no such webhook."
    actors = await service.runtime.database.pool.fetch(
        "select distinct actor, place from deeds where kind like 'webhook%'"
    )
    ((actor, place),) = [tuple(row) for row in actors]
    assert actor == me
    assert place.startswith("command line of ")


async def test_the_list_names_the_state_and_who_or_what_brought_it_there(
    program: Program, service: Service, webhook_id: str
) -> None:
    def listed() -> str:
        return program.run("webhook", "list").good()

    states = [listed()]
    await service.runtime.database.pool.execute("update webhooks set failing_since = now()")
    states.append(listed())
    for step in ("pause", "disable"):
        program.run("webhook", step, webhook_id).good()
        states.append(listed())

    named = ("active", "failing", f"paused by {getpass.getuser()}", "disabled: operator")
    for lines, state in zip(states, named, strict=True):
        assert f"  {state}  " in lines
