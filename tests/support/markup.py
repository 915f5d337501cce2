"""Whether the markup of a page is what it looks like: tags closed in order, nothing where it may not be."""

from html.parser import HTMLParser

VOID = frozenset({"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"})
BLOCKS = frozenset(
    {
        "article", "aside", "details", "dialog", "div", "dl", "fieldset", "figure", "footer", "form",
        "h1", "h2", "h3", "h4", "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul",
    }
)  # fmt: skip
PHRASING_ONLY = frozenset(
    {"button", "code", "dt", "em", "h1", "h2", "h3", "kbd", "label", "p", "pre", "span", "strong", "time"}
)
NEVER_INSIDE = {"form": {"form"}, "a": {"a", "button"}, "button": {"a", "button"}, "label": {"label"}}


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: set[str] = set()
        self.flaws: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.flaws.append(f"</{tag}> at {self.getpos()} closes {self.open[-1:]}")

    def _note(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self.open and tag in BLOCKS and self.open[-1] in PHRASING_ONLY:
            self.flaws.append(f"<{tag}> in <{self.open[-1]}> at {self.getpos()}")
        if NEVER_INSIDE.get(tag, set()) & set(self.open):
            self.flaws.append(f"<{tag}> in another at {self.getpos()}")
        names = [name for name, _ in attrs]
        if len(names) != len(set(names)):
            self.flaws.append(f"an attribute of <{tag}> twice at {self.getpos()}")
        for name, value in attrs:
            if name == "id" and value in self.ids:
                self.flaws.append(f"the id {value} twice")
            elif name == "id" and value:
                self.ids.add(value)


def flaws_of_markup(source: str) -> list[str]:
    """Return what is wrong with the markup of a page."""
    reader = _Reader()
    reader.feed(source)
    reader.close()
    return [*reader.flaws, *(f"<{tag}> is never closed" for tag in reader.open)]
