"""Templates that escape what they show as Jinja does, without making a new object of a text that is safe.

Jinja wraps every value that it puts into a page in an object of its own, a thousand for a page of fifty rows.
"""

import re
from typing import Final

from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from markupsafe import Markup, escape

_SPECIAL: Final = re.compile("[&<>\"']").search


def escaped(value: object) -> str:
    if type(value) is Markup:
        return value
    if type(value) is str and not _SPECIAL(value):
        return value
    return escape(value)


class _Escaping(CodeGenerator):
    def _output_child_pre(
        self,
        node: nodes.Expr,  # noqa: ARG002 - as the base class calls it
        frame: Frame,  # noqa: ARG002
        finalize: CodeGenerator._FinalizeInfo,  # noqa: ARG002
    ) -> None:
        self.write("environment.escaped(")


class EscapingEnvironment(Environment):
    code_generator_class = _Escaping
    escaped = staticmethod(escaped)
