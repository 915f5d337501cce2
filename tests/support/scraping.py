"""What a Prometheus would read from `/metrics`."""

from dataclasses import dataclass

import httpx
from prometheus_client.parser import text_string_to_metric_families


@dataclass(frozen=True)
class Scrape:
    """The figures of one answer."""

    figures: dict[tuple[str, frozenset[tuple[str, str]]], float]
    names: frozenset[str]
    """The metrics that are described, with figures or without."""

    def get(self, name: str, **labels: str) -> float | None:
        return self.figures.get((name, frozenset(labels.items())))

    def total(self, name: str, **labels: str) -> float:
        """The sum over whatever other labels there are."""
        wanted = set(labels.items())
        return sum(
            value for (found, its), value in self.figures.items() if found == name and wanted <= set(its)
        )


def read_scrape(text: str) -> Scrape:
    families = list(text_string_to_metric_families(text))
    return Scrape(
        {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in families
            for sample in family.samples
        },
        frozenset(family.name + "_total" * (family.type == "counter") for family in families),
    )


async def scrape(http: httpx.AsyncClient) -> Scrape:
    answer = await http.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return read_scrape(answer.text)
