"""Which status code answers what, and what it says."""

from collections.abc import Iterator
from typing import Final

from bindery.conformance.expect import SOME_TEXT, AtPath, Header, Must, Status
from bindery.conformance.requests import bind, submission, submit
from bindery.conformance.row import HttpStep, SpecRow, Value
from bindery.conformance.rows.documents import download, metadata
from bindery.conformance.rows.making import REFUSED

ERRORS: Final = "Errors"
DIGITS: Final = Must("seconds", lambda value, _: isinstance(value, str) and value.isdecimal())
WORKED_ON: Final = "a request being worked on"
NO_SUCH_SHAPE: Final = "no%20such%20shape!"


def _not_ready() -> Iterator[SpecRow]:
    words = "202: quote not ready; the client polls again."
    get = HttpStep("GET", "/quotes/{quote}")
    letter = HttpStep("GET", "/quotes/quote_letter/{quote}")
    early = HttpStep(
        "POST", "/binds", json={"quote_identifier": Value("quote"), "dates": {"effective": Value("tomorrow")}}
    )
    for name, step in (("quote", get), ("document", letter), ("bind", early)):
        yield SpecRow(f"codes.202.{name}", ERRORS, words, (Status(202),), scene=WORKED_ON, steps=(step,))
        yield SpecRow(
            f"codes.202.{name}.error",
            ERRORS,
            "A schema for not-ready responses has one string field error.",
            (Status(202), AtPath("error", SOME_TEXT)),
            scene=WORKED_ON,
            steps=(step,),
            decision=True,
        )
        yield SpecRow(
            f"codes.202.{name}.retry-after",
            ERRORS,
            "Retry-After says when to ask again.",
            (Status(202), Header("Retry-After", DIGITS)),
            scene=WORKED_ON,
            steps=(step,),
            decision=True,
        )


def _not_found() -> Iterator[SpecRow]:
    for name, step in (
        ("quote", HttpStep("GET", "/quotes/{unknown}")),
        ("document", download("quote_letter", "{unknown}")),
        ("metadata", metadata("quote", "{unknown}")),
        ("bind", bind(quote_identifier=Value("unknown"), dates={"effective": Value("tomorrow")})),
    ):
        yield SpecRow(f"codes.404.{name}", ERRORS, "404: quote not found.", (Status(404),), steps=(step,))
        yield SpecRow(
            f"codes.404.{name}.message",
            ERRORS,
            "A refusal has a message and a code.",
            decision=True,
            expect=(Status(404), AtPath("message", SOME_TEXT), AtPath("code", SOME_TEXT)),
            steps=(step,),
        )
    for name, step in (
        ("quote", HttpStep("GET", f"/quotes/{NO_SUCH_SHAPE}")),
        ("document", download("quote_letter", NO_SUCH_SHAPE)),
        ("metadata", metadata("quote", NO_SUCH_SHAPE)),
        ("bind", bind(quote_identifier="no such shape!", dates={"effective": Value("tomorrow")})),
    ):
        yield SpecRow(
            f"codes.400.{name}",
            ERRORS,
            "400: request does not exist; an identifier of no possible shape.",
            (Status(400),),
            steps=(step,),
        )
    yield SpecRow(
        "codes.400.document_type",
        ERRORS,
        "document_type: one of the document types listed.",
        (Status(400),),
        scene="a published CYB quote",
        steps=(download("no_such_document"),),
    )
    yield SpecRow(
        "codes.400.packet",
        ERRORS,
        "packet_template_type: one of quote, binder, policy.",
        (Status(400),),
        scene="a published CYB quote",
        steps=(metadata("endorsement"),),
    )


def _bodies() -> Iterator[SpecRow]:
    for name, raw in (("no-json", b"{not json"), ("a-list", b"[]"), ("empty", b"")):
        yield SpecRow(
            f"codes.400.quotes.{name}",
            ERRORS,
            "400: validation error; body has message.",
            REFUSED,
            steps=(HttpStep("POST", "/quotes", raw=raw),),
        )
    two = submission(put={"client.revenue": 0, "client.address.zip": "?"})
    yield SpecRow(
        "codes.400.every-problem",
        ERRORS,
        "Every problem is named at once, with its path.",
        (Status(400), AtPath("errors[1].path", SOME_TEXT)),
        steps=(submit(two),),
        decision=True,
    )
    for path in ("client.revenue", "client.address.zip"):
        yield SpecRow(
            f"codes.400.path.{path}",
            ERRORS,
            "A problem has the path of its field.",
            (Status(400), AtPath("errors", _one_path(path))),
            steps=(submit(two),),
            decision=True,
        )
    yield SpecRow(
        "codes.405",
        ERRORS,
        "405: the path is there, the method is not.",
        (Status(405),),
        decision=True,
        steps=(HttpStep("DELETE", "/quotes/{unknown}"),),
    )
    yield SpecRow(
        "codes.bind-path",
        "Endpoints, POST /binds",
        "The defined path is /binds.",
        (Status(404),),
        decision=True,
        steps=(HttpStep("POST", "/bind", json={}),),
    )


def _one_path(path: str) -> Must:
    return Must(
        f"a list with one of {path}",
        lambda value, _: (
            isinstance(value, list)
            and any(isinstance(problem, dict) and problem.get("path") == path for problem in value)
        ),
    )


ROWS: Final = (*_not_ready(), *_not_found(), *_bodies())
