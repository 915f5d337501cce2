"""The people who sign in to the platform."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from bindery.actions.access.change_user import UserChange, add_invited_user, add_user, change_user
from bindery.actions.access.invite_user import Invitation, invite_user, take_back_invitation
from bindery.cli import common
from bindery.cli.stored import read, show_records, with_runtime
from bindery.domain.access.users import Role, User
from bindery.runtime import Runtime
from bindery.storage.access import users
from bindery.storage.access.users import UserRecord
from bindery.storage.database import Reader

app = typer.Typer(no_args_is_help=True)

FromStdin = Annotated[
    bool, typer.Option("--password-stdin", help="Read the password from standard input instead of asking.")
]


@app.command(
    "add",
    help="Add a user and invite the user to choose a password: by mail, or by the link that is printed where "
    "no mail goes out. With --password-stdin the password is set here.",
)
def add(
    email: str,
    *,
    role: Annotated[Role, typer.Option(help="What the user does here.")],
    name: Annotated[str | None, common.optional("The user's name.")] = None,
    partner: Annotated[
        str | None, common.optional("The partner of a broker.", "--partner", metavar="NAME")
    ] = None,
    password_stdin: FromStdin = False,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    settings = common.at_kept_address(common.settings_for(data))
    password = _password(from_stdin=True) if password_stdin else None
    name = name or email.partition("@")[0]

    async def work() -> tuple[User, Invitation | None]:
        async with common.ready_runtime(settings) as runtime:
            if password is None:
                return await add_invited_user(
                    runtime, email=email, name=name, role=role, partner=partner, by=common.doer()
                )
            user = await add_user(
                runtime,
                email=email,
                name=name,
                role=role,
                partner=partner,
                password=password,
                by=common.doer(),
            )
            return user, None

    user, invitation = common.run(work())
    shown = {"email": user.email, "name": user.name, "role": user.role}
    if invitation is None:
        sentence = f"{user.email} can sign in as {user.role} at {settings.platform_url}/sign-in."
        common.show_result(shown, sentence, as_json=as_json)
    else:
        _show_invitation(invitation, shown, as_json=as_json)


@app.command("invite", help="Invite a user who has no password yet, once more; earlier links work no more.")
def invite(
    email: str,
    *,
    take_back: Annotated[
        bool, typer.Option("--take-back", help="Void the invitation instead of sending another.")
    ] = False,
    data: common.DataOption = None,
    as_json: common.JsonOption = False,
) -> None:
    async def work(runtime: Runtime) -> Invitation | bool:
        async with runtime.database.reading() as tx:
            found = await _require(tx, email)
        if take_back:
            return await take_back_invitation(runtime.database, found.user_id, by=common.doer())
        return await invite_user(runtime, found.user_id, by=common.doer())

    done = with_runtime(data, work)
    if isinstance(done, Invitation):
        _show_invitation(done, {"email": done.email}, as_json=as_json)
    else:
        said = "is taken back: its link works no more" if done else "was none that works any more"
        common.show_result(
            {"taken_back": done}, f"The invitation of {email.lower()} {said}.", as_json=as_json
        )


def _show_invitation(invitation: Invitation, shown: Mapping[str, object], *, as_json: bool) -> None:
    until = f"{invitation.expires_at:%Y-%m-%d %H:%M} UTC"
    if as_json:
        common.print_json({**shown, "link": invitation.address or None, "expires_at": invitation.expires_at})
    elif invitation.address:
        common.say(f"{invitation.email} chooses a password with this link, which works once, until {until}:")
        common.show_line(invitation.address)
    else:
        common.say(f"{invitation.email} is invited by mail; the link works once, until {until}.")


@app.command("list", help="List the users by role and address.")
def list_users(*, data: common.DataOption = None, as_json: common.JsonOption = False) -> None:
    show_records(
        read(data, users.list_users),
        {
            "EMAIL": lambda record: record.email,
            "NAME": lambda record: record.name,
            "ROLE": lambda record: record.role,
            "PARTNER": lambda record: record.partner_name or "",
            "ADDED": lambda record: f"{record.created_at:%Y-%m-%d}",
            "LAST SEEN": lambda record: f"{record.seen_at:%Y-%m-%d %H:%M}" if record.seen_at else "",
            "TWO-STEP": lambda record: "on" if record.two_step_since else "",
            "STATE": lambda record: "disabled" if record.disabled_at else "",
        },
        nothing="No users yet: bindery user add EMAIL --role operator",
        as_json=as_json,
    )


@app.command("disable", help="Keep a user from signing in, and sign the user out everywhere.")
def disable(email: str, *, data: common.DataOption = None) -> None:
    is_new = _change(data, email, UserChange.DISABLE)
    common.say(f"{email.lower()} is disabled{'' if is_new else ' already'}.")


@app.command("enable", help="Let a disabled user sign in again, with the same password as before.")
def enable(email: str, *, data: common.DataOption = None) -> None:
    is_new = _change(data, email, UserChange.ENABLE)
    common.say(f"{email.lower()} is enabled {'again' if is_new else 'already'}.")


@app.command(
    "reset",
    help="Set a new password for a user, and sign the user out everywhere. A disabled user is refused: "
    "enable the account first.",
)
def reset(email: str, *, password_stdin: FromStdin = False, data: common.DataOption = None) -> None:
    password = _password(from_stdin=password_stdin)

    async def work(runtime: Runtime) -> None:
        async with runtime.database.reading() as tx:
            found = await _require(tx, email)
        if found.disabled_at is not None:
            common.refuse(
                f"{found.email} has been disabled since {found.disabled_at:%Y-%m-%d}; "
                f"`bindery user enable {found.email}` enables it."
            )
        await change_user(runtime, found.user_id, UserChange.RESET, by=common.doer(), password=password)

    with_runtime(data, work)
    common.say(f"{email.lower()} has a new password.")


@app.command(
    "two-step-off",
    help="Turn off two-step sign-in for a user who has lost the phone and the recovery codes; the user is "
    "signed out everywhere and told by mail.",
)
def two_step_off(email: str, *, data: common.DataOption = None) -> None:
    async def work(runtime: Runtime) -> bool:
        async with runtime.database.reading() as tx:
            found = await _require(tx, email)
        if found.two_step_since is None:
            return False
        await change_user(runtime, found.user_id, UserChange.TWO_STEP_OFF, by=common.doer())
        return True

    was_on = with_runtime(data, work)
    common.say(f"Two-step sign-in of {email.lower()} is off{'' if was_on else ' already'}.")


def _change(data: Path | None, email: str, change: UserChange) -> bool:
    async def work(runtime: Runtime) -> bool:
        async with runtime.database.reading() as tx:
            found = await _require(tx, email)
        if (found.disabled_at is not None) == (change is UserChange.DISABLE):
            return False
        await change_user(runtime, found.user_id, change, by=common.doer())
        return True

    return with_runtime(data, work)


async def _require(tx: Reader, email: str) -> UserRecord:
    found = await users.find_record_by_email(tx, email)
    if found is None:
        common.refuse(f"There is no user {email!r}; `bindery user list` shows them.")
    return found


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    asked: str = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    return asked
