import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from bindery.base.private_files import (
    close_folder,
    close_to_others,
    make_private_folder,
    open_private_log,
    write_private,
)


@pytest.fixture(autouse=True, params=[0o000, 0o022, 0o077])
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode_of(path: Path) -> int:
    return path.stat().st_mode & 0o7777


def make(path: Path, mode: int) -> Path:
    path.write_text("something")
    path.chmod(mode)
    return path


def make_folder(path: Path, mode: int) -> Path:
    path.mkdir()
    path.chmod(mode)
    return path


def test_a_new_folder_and_new_files_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "data"

    make_private_folder(folder)
    write_private(folder / "token", "secret")
    with open_private_log(folder / "log") as log:
        log.write("line\n")

    assert [mode_of(path) for path in (folder, folder / "token", folder / "log")] == [0o700, 0o600, 0o600]
    assert (folder / "token").read_text() == "secret"


def test_files_from_before_become_private_and_keep_or_lose_what_was_in_them(tmp_path: Path) -> None:
    token, log = make(tmp_path / "token", 0o644), make(tmp_path / "log", 0o666)

    write_private(token, "new")
    with open_private_log(log) as lines:
        lines.write(" more")

    assert [mode_of(path) for path in (token, log)] == [0o600, 0o600]
    assert (token.read_text(), log.read_text()) == ("new", "something more")


@pytest.mark.parametrize(
    ("before", "after"), [(0o644, 0o600), (0o755, 0o700), (0o640, 0o600), (0o400, 0o400), (0o600, 0o600)]
)
def test_others_lose_what_they_had_and_the_owner_nothing(tmp_path: Path, before: int, after: int) -> None:
    file = make(tmp_path / "file", before)

    assert close_to_others(file)

    assert mode_of(file) == after


def test_a_folder_is_closed_with_what_lies_in_it(tmp_path: Path) -> None:
    data = make_folder(tmp_path / "data", 0o755)
    log, files = make(data / "log", 0o644), make_folder(data / "files", 0o755)
    outside = make(tmp_path / "outside", 0o644)
    (data / "link").symlink_to(outside)

    assert list(close_folder(data)) == []

    assert [mode_of(path) for path in (data, log, files)] == [0o700, 0o600, 0o700]
    assert mode_of(outside) == 0o644


def test_only_the_way_to_what_is_anothers_stays_open_to_pass(tmp_path: Path) -> None:
    data = make_folder(tmp_path / "data", 0o755)
    home, files = make_folder(data / "postgres", 0o755), make_folder(data / "files", 0o755)

    assert list(close_folder(data, way_through=home)) == []

    assert [mode_of(path) for path in (data, home, files)] == [0o711, 0o711, 0o700]


def test_a_folder_that_is_for_everybody_is_left_alone_and_named(tmp_path: Path) -> None:
    shared = make_folder(tmp_path / "shared", 0o1777)
    theirs = make(shared / "theirs", 0o644)

    assert list(close_folder(shared)) == [shared]

    assert [mode_of(path) for path in (shared, theirs)] == [0o1777, 0o644]


def test_what_went_away_meanwhile_is_no_trouble(tmp_path: Path) -> None:
    assert close_to_others(tmp_path / "gone")


def test_what_is_for_everybody_inside_a_folder_is_left_alone_and_named(tmp_path: Path) -> None:
    data = make_folder(tmp_path / "data", 0o755)
    log, shared = make(data / "log", 0o644), make_folder(data / "shared", 0o1777)

    assert list(close_folder(data)) == [shared]

    assert [mode_of(path) for path in (data, log, shared)] == [0o700, 0o600, 0o1777]


def test_a_folder_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    beyond = make(tmp_path / "file", 0o644) / "data"

    assert list(close_folder(beyond)) == [beyond]

    assert mode_of(tmp_path / "file") == 0o644
