"""The contact sheet, which those who change the look go through: what is on it, and how it is asked for."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import sync_playwright
from tools import chromium
from tools.contact_sheet import ANYBODY, REFUSED, Ways, draw_all
from tools.platform_pictures import starts_of

from bindery.domain.access.users import Role
from support.browser import Desk

pytestmark = [pytest.mark.long, pytest.mark.asyncio(loop_scope="session")]


def draw(desk: Desk, folder: Path, who: Sequence[str], ways: Ways) -> tuple[str, list[Path]]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.browser(), args=["--no-sandbox"])
        sheet = draw_all(browser, desk.url, folder, starts=starts_of(desk.partner), who=who, ways=ways)
        browser.close()
    return sheet.read_text("utf-8"), [*folder.glob("*.png")]


def width_of(picture: Path) -> int:
    with Image.open(picture) as image:
        return image.width


@pytest.mark.parametrize("somebody", [ANYBODY, *Role])
async def test_it_shows_the_pages_and_the_refused_forms_of_those_asked_for_alone(
    desk: Desk, tmp_path: Path, somebody: str
) -> None:
    sheet, pictures = await asyncio.to_thread(draw, desk, tmp_path, [somebody], [(390, "dark")])

    assert {picture.name.split("-")[0] for picture in pictures} == {somebody}
    assert all(picture.name.endswith("-390-dark.png") for picture in pictures)
    assert {width_of(picture) for picture in pictures} == {390}
    refused = REFUSED[None if somebody == ANYBODY else Role(somebody)]
    assert refused
    for title in refused:
        assert f"<h2>{somebody} · {title}</h2>" in sheet
    assert len(pictures) > len(refused) + 2
