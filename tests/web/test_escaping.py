"""What a page shows is escaped, as Jinja would."""

from hypothesis import given
from hypothesis import strategies as st
from jinja2 import DictLoader, Environment
from markupsafe import Markup, escape

from bindery.web.frame.render import PageEnvironment, escaped

TEXTS = st.text(alphabet=st.sampled_from("ab&<>\"' é—")) | st.text()
VALUES = TEXTS | TEXTS.map(Markup) | st.integers() | st.none() | st.booleans()
TEMPLATES = {
    "page": "{% from 'part' import shown %}{{ value }}<b title=\"{{ value }}\">{{ shown(value) }}</b>"
    "{{ value | string | upper }}{{ '<i>' | safe }}{{ 'a' ~ value }}",
    "part": "{% macro shown(value) %}<i>{{ value }}</i>{% endmacro %}",
}


class Loud:
    """Something that says itself how it stands in a page."""

    def __html__(self) -> str:
        return "<em>loud</em>"


class Named(str):
    """A text of another type."""

    __slots__ = ()


@given(VALUES)
def test_a_value_stands_in_a_page_as_jinja_writes_it(value: object) -> None:
    assert escaped(value) == str(escape(value))
    ours, plain = (
        kind(autoescape=True, loader=DictLoader(TEMPLATES)).get_template("page").render(value=value)
        for kind in (PageEnvironment, Environment)
    )
    assert ours == plain


def test_what_is_more_than_a_text_is_left_to_jinja() -> None:
    assert escaped(Loud()) == "<em>loud</em>"
    assert escaped(Named("<b>")) == "&lt;b&gt;"
