"""The console of a demo's reference has the token of its visitors; nothing else shows one."""

import re
from pathlib import Path

import pytest

from bindery.settings import DEMO_TOKEN_FILE, Environment
from support.service import Service, serving

SHOWN = r'<input id="token" type="password" [^>]*value="([^"]*)"'


async def tokens_shown(service: Service) -> list[str]:
    pages = [await service.http.get(path) for path in ("/docs/reference", "/docs/reference/create_quotes")]
    first, second = (re.findall(SHOWN, page.text) for page in pages)
    assert first == second
    return first


@pytest.mark.parametrize("environment", Environment)
async def test_a_demo_fills_in_its_token_and_production_never(
    dsn: str, tmp_path: Path, environment: Environment
) -> None:
    async with serving(dsn, tmp_path, environment=environment) as service:
        before = await tokens_shown(service)
        file = service.runtime.settings.data_dir / DEMO_TOKEN_FILE
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("abc.def.ghi")

        shown = await tokens_shown(service)

        page = (await service.http.get("/docs/reference")).text
        assert before == []
        said = "for every visitor" if shown else "kept in this tab until you close it"
        assert f"{said}</small></label>" in page
        assert shown == (["abc.def.ghi"] if environment is Environment.DEMO else [])
        assert ("abc.def.ghi" in page) == (environment is Environment.DEMO)
