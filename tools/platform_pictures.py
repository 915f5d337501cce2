"""`python -m tools.platform_pictures`: draw the pictures of docs/platform.md from a demo with some business.

With `--all DIR` every page is drawn there instead, wide and narrow, light and dark, on one contact sheet;
`--role`, `--width` and `--scheme` leave out the others.

The demo runs in a folder of its own and is gone afterwards. Pictures are reduced to a palette, so that each
stays within the size that the repository allows.
"""

import argparse
import io
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from bindery.domain.access.users import Role
from tools import chromium
from tools.contact_sheet import ALL_WAYS, HEIGHTS, SCHEMES, WHO, draw_all
from tools.demo_book import EXAMPLES, Partner, fill

FOLDER: Final = Path(__file__).parents[1] / "docs" / "platform"
LARGEST: Final = 150_000
WITHIN_S: Final = 180.0
CASE: Final = "Quillstone Partners Inc"
COMPANY: Final = "Fernhill Veterinary Clinic"
AMENDED: Final = "Harborlight Bakery LLC"
ISSUED: Final = (AMENDED, "Ashgrove Consulting LLP", "Copperfield Software GmbH")
DAYS_TO_THE_BOOK: Final = 310
"""So many days after the policies began, all of them end within the time that the renewal book shows."""
DRAFT: Final = {
    "client": {
        "name": "Marble Lighthouse Dental Group PC",
        "revenue": 6_400_000,
        "industry": "621210",
        "domains": ["clean.example.com"],
        "address": {"street": "1200 Market Street", "city": "Philadelphia", "zip": "19107"},
    },
    "policy": {
        "quotes": [
            {"aggregate_limit": 1_000_000, "aggregate_retention": 5_000},
            {"aggregate_limit": 1_000_000, "aggregate_retention": 10_000},
            {"aggregate_limit": 2_000_000, "aggregate_retention": 5_000},
            {"aggregate_limit": 5_000_000, "aggregate_retention": 25_000},
        ]
    },
    "questions": [
        {"id": "Q2134", "value": True},
        {"id": "Q2314", "value": 58},
        {"id": "Q2244", "value": ["None of the above"]},
        {"id": "Q2159", "value": False},
        {"id": "Q2142", "value": True},
        {"id": "Q2311", "value": ["Dedicated cloud backup service (e.g. backup as a service)"]},
        {"id": "Q2313", "value": "Yes"},
        {"id": "Q2300", "value": True},
        {"id": "Q2301", "value": True},
        {"id": "Q2307", "value": "No"},
        {"id": "Q2302", "value": ["Microsoft Defender for Office 365"]},
        {"id": "Q2304", "value": ["Huntress Managed EDR"]},
        {"id": "Q2309", "value": "Managed 24/7 by in-house security team"},
        {"id": "Q2315", "value": "No"},
    ],
}
WIDE: Final = (1280, 900)
PHONE: Final = (390, 844)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.platform_pictures")
    parser.add_argument("--all", type=Path, metavar="DIR", help="draw every page on a contact sheet there")
    parser.add_argument("--role", action="append", choices=WHO, help="only their pages; may be repeated")
    parser.add_argument("--width", action="append", type=int, choices=HEIGHTS, help="only so wide")
    parser.add_argument("--scheme", action="append", choices=SCHEMES, help="only these colors")
    given = parser.parse_args()
    folder: Path | None = given.all
    FOLDER.mkdir(exist_ok=True)
    with running_demo() as (url, partner), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.browser(), args=["--no-sandbox"])
        if folder is not None:
            ways = [
                (width, scheme)
                for width, scheme in ALL_WAYS
                if width in (given.width or HEIGHTS) and scheme in (given.scheme or SCHEMES)
            ]
            who = [somebody for somebody in WHO if somebody in (given.role or WHO)]
            sheet = draw_all(browser, url, folder, starts=starts_of(partner), who=who, ways=ways)
            sys.stdout.write(f"Open {sheet}\n")
            return
        company = partner.quotes[COMPANY][0]["company_id"]
        offer = partner.quotes["Harborlight Bakery LLC"][0]["quote_identifier"]
        with signed_in(browser, url, "broker", WIDE) as page:
            draw(page, f"/company/{company}", "company")
            draw(page, f"/quote/{offer}/bind", "bind")
            draft = start_draft(page)
            for step in ("company", "questions", "options", "review"):
                draw(page, f"{draft}/{step}", f"draft-{step}")
            link = send_proposal(page, partner.quotes["Harborlight Bakery LLC"][0]["company_id"])
        with window(browser, url, WIDE) as page:
            draw(page, link, "client-proposal")
            page.get_by_role("button", name="Choose option 2").click()
            draw(page, page.url, "client-sign")
        with signed_in(browser, url, "underwriter", WIDE) as page:
            draw(page, "/desk", "queue")
            page.get_by_role("link", name=CASE).first.click()
            draw(page, page.url, "case")
            amend(partner, AMENDED)
            page.goto(f"/search?q={AMENDED}")
            page.get_by_role("link", name="Open as a case").first.click()
            page.locator("#decide").locator("xpath=..").locator("summary").first.click()
            keep(page, "amended")
        with signed_in(browser, url, "underwriter", PHONE, scheme="dark") as page:
            draw(page, "/desk", "queue-phone-dark")
        with signed_in(browser, url, "operator", WIDE) as page:
            draw(page, "/ops", "overview")
        for company in ISSUED:
            issue(partner, company)
        # Last, since it makes everything that is open expire.
        partner.post("/v2/demo/clock", {"advance_days": DAYS_TO_THE_BOOK})
        with signed_in(browser, url, "underwriter", WIDE) as page:
            draw(page, "/desk/renewals", "renewals")
        browser.close()


def start_draft(page: Page) -> str:
    """Drop a request on the page of a new quote and return the address of its draft."""
    page.goto("/new")
    content = json.dumps(DRAFT).encode()
    page.locator('[name="file"]').set_input_files(
        {"name": "request.json", "mimeType": "application/json", "buffer": content}
    )
    page.get_by_role("button", name="Fill in from the file").click()
    page.wait_for_url("**/review")
    return page.url.removesuffix("/review")


def send_proposal(page: Page, company_id: str) -> str:
    """Send the options of a company to its client and return the address that the demo shows."""
    page.goto(f"/company/{company_id}")
    page.get_by_role("link", name="Send to the client").first.click()
    page.get_by_label("Message").fill("Dear Ann,\nthe second fits best. Call me with any question.")
    page.get_by_role("radio", name="Recommend option 2").check()
    page.get_by_role("button", name="Send the link").click()
    return page.get_by_role("link", name="Open as the client").get_attribute("href") or ""


def starts_of(partner: Partner) -> dict[Role, tuple[str, ...]]:
    """Return a page in every state that no link leads to, by who sees it."""
    quotes = [options[0] for options in partner.quotes.values()]
    binds = tuple(f"/quote/{quote['quote_identifier']}/bind" for quote in quotes)
    companies = tuple(f"/company/{quote['company_id']}" for quote in quotes)
    journals = tuple(f"/ops/journal/{quote['quote_identifier']}" for quote in quotes)
    return {Role.BROKER: (*companies, *binds), Role.UNDERWRITER: companies, Role.OPERATOR: journals}


@contextmanager
def running_demo() -> Iterator[tuple[str, Partner]]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    program = Path(sys.executable).with_name("bindery")
    with tempfile.TemporaryDirectory() as folder:
        options = ["--data", folder]
        demo = subprocess.Popen(  # noqa: S603 - our own program
            [program, "demo", "--port", str(port), *options], stdout=subprocess.DEVNULL
        )
        try:
            url = f"http://127.0.0.1:{port}"
            with httpx.Client(base_url=url, timeout=60) as http:
                _wait_until_ready(http)
                partner = Partner(http, (Path(folder) / "demo_token").read_text())
                fill(partner)
                yield url, partner
        finally:
            demo.terminate()
            demo.wait()
            subprocess.run([program, "database", "stop", *options], check=False, stdout=subprocess.DEVNULL)  # noqa: S603


def _wait_until_ready(http: httpx.Client) -> None:
    until = time.monotonic() + WITHIN_S
    while time.monotonic() < until:
        try:
            if http.get("/readyz").is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.2)
    raise SystemExit("The demo did not start.")


@contextmanager
def signed_in(
    browser: Browser, url: str, role: str, size: tuple[int, int], *, scheme: str = "light"
) -> Iterator[Page]:
    with window(browser, url, size, scheme=scheme) as page:
        page.goto("/sign-in")
        page.locator(f'form:has(input[value="{role}"]) button').click()
        yield page


@contextmanager
def window(browser: Browser, url: str, size: tuple[int, int], *, scheme: str = "light") -> Iterator[Page]:
    width, height = size
    context = browser.new_context(
        base_url=url,
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    yield context.new_page()
    context.close()


def amend(partner: Partner, company: str) -> None:
    """Play the underwriter who lowers the premium of a company's first option."""
    quote = partner.quotes[company][0]
    asked = {
        "decision": "amend",
        "reason": "The loss runs of five years came in.",
        "terms": {"premium": int(quote["premium"] * 0.92)},
    }
    partner.post(f"/v2/demo/quotes/{quote['quote_identifier']}/review", asked)


def issue(partner: Partner, company: str) -> None:
    quote = partner.quotes[company][0]
    partner.upload(quote, EXAMPLES / "signed-application.jpg")
    partner.bind(quote, app_attestation=True)


def draw(page: Page, address: str, name: str) -> None:
    page.goto(address)
    keep(page, name)


def keep(page: Page, name: str) -> None:
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(64)
    file = FOLDER / f"{name}.png"
    picture.save(file, optimize=True)
    size = file.stat().st_size
    sys.stdout.write(f"{file.relative_to(FOLDER.parents[1])} {size:,} bytes\n")
    if size > LARGEST:
        raise SystemExit(f"{file.name} has {size:,} bytes; at most {LARGEST:,} are wanted.")


if __name__ == "__main__":
    main()
