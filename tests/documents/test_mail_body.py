"""The two bodies of a mail: text and HTML, which say the same and load nothing."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from bindery.documents.mail_body import mail_body
from bindery.domain.messages.mails import Mail
from bindery.domain.messages.policy_mails import policy_mails
from support.mail_samples import ADDRESSEES, TODAY, facts, of_one_sort

FIGURE = re.compile(r"\$[\d,.]*\d|(?:[A-Z]{3}|B)-[\w-]+|[A-Z][a-z]+ \d{1,2}, \d{4}")


HEADS = frozenset({"style", "title", "h1"})


class Page(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._skips = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._skips += tag in HEADS

    def handle_endtag(self, tag: str) -> None:
        self._skips -= tag in HEADS

    def handle_data(self, data: str) -> None:
        if not self._skips:
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.mark.parametrize(("name", "mail"), of_one_sort().items())
def test_text_and_html_say_the_same(name: str, mail: Mail) -> None:
    body = mail_body(mail, on=TODAY)
    page = Page(body.html)

    assert FIGURE.findall(page.text) == FIGURE.findall(body.text), name
    for part in (mail.message.greeting, *mail.message.sentences, mail.message.next_step):
        assert part in body.text
        assert " ".join(part.split()) in page.text
    if mail.message.link:
        assert mail.message.link.address in body.text
        assert mail.message.link.address in [given.get("href") for tag, given in page.tags if tag == "a"]
    assert body.text.endswith("Bindery\nunderwriting@bindery.example, (555) 010-0199\n")
    assert "(555) 010-0199" in page.text


def test_html_loads_nothing_and_runs_nothing() -> None:
    for mail in of_one_sort().values():
        page = Page(mail_body(mail, on=TODAY).html)

        assert not {tag for tag, _ in page.tags} & {"img", "script", "link", "iframe", "form", "object"}
        assert not [given for _, given in page.tags if "src" in given or "background" in given]
        assert "url(" not in mail_body(mail, on=TODAY).html


def test_every_color_of_a_mail_is_one_of_the_pages() -> None:
    color = re.compile(r"#[0-9a-f]{6}\b|#[0-9a-f]{3}\b")
    sheet = files("bindery.web").joinpath("static", "app.css").read_text("utf-8").lower()
    of_pages = {_long(found) for found in color.findall(sheet)}

    for name, mail in of_one_sort().items():
        used = {_long(found) for found in color.findall(mail_body(mail, on=TODAY).html)}
        assert used - of_pages == set(), name


def _long(color: str) -> str:
    return color if len(color) == len("#rrggbb") else "#" + "".join(2 * digit for digit in color[1:])


def test_a_long_value_is_not_set_flush_right() -> None:
    html = mail_body(of_one_sort()["file"], on=TODAY).html

    assert re.search(r'align="left"[^>]*>A signed and dated application', html)
    assert re.search(r'align="right"[^>]*>signed\.pdf<', html)


def test_hostile_names_are_words_in_both() -> None:
    name = """<img src=x onerror="alert('1')"> & {{ 7 * 7 }} LLC"""
    (mail, *_) = policy_mails(facts(to=replace(ADDRESSEES, insured=name), broker_name="<b>Bob</b>"))

    body = mail_body(mail, on=TODAY)
    page = Page(body.html)

    assert name in body.text
    assert " ".join(name.split()) in page.text
    assert "img" not in {tag for tag, _ in page.tags}
    assert "Dear <b>Bob</b>," in page.text
