"""Five years of a small portfolio; `make soak` plays a large one with `PORTFOLIO_QUOTES=10000`."""

import os
import random
from pathlib import Path

import pytest

from support.portfolio import Portfolio
from support.press import plain_press
from support.service import serving

pytestmark = pytest.mark.long

QUOTES = int(os.environ.get("PORTFOLIO_QUOTES", "150"))


async def test_a_portfolio_keeps_its_promises_for_five_years(dsn: str, tmp_path: Path) -> None:
    with plain_press():
        async with serving(dsn, tmp_path, pool_size=8) as service:
            portfolio = Portfolio(service, size=QUOTES, rng=random.Random(20270104))

            await portfolio.live()

            renewed = await service.runtime.database.pool.fetchval(
                "select count(*) from binds where policy_number is not null and policy_number not like '%-00'"
            )

    # A portfolio to which nothing happens proves nothing.
    assert portfolio.happened["quotes"] == QUOTES
    assert renewed > QUOTES // 5
    for name in ("bind", "approve", "decline", "close_contingency", "pause", "resume", "cancel", "outage"):
        assert portfolio.happened[name] > 0, portfolio.happened
