"""`bindery questions`: what is asked for a product, and what is still unanswered."""

from typing import Annotated, Final

import typer
from rich.text import Text

from bindery.cli.common import console, counted, optional, pairs_of, plain_table, print_json, refuse, say
from bindery.cli.connection import Service, service_command
from bindery.contract.questions import QuestionBody, QuestionCondition, QuestionsResponse
from bindery.contract.vocabulary import InsuranceProduct

ALWAYS: Final = "always"
ON_CONDITION: Final = "on condition"


@service_command
async def questions(
    service: Service,
    product: Annotated[InsuranceProduct, typer.Argument(metavar="CYB|TEO|MPL", help="The product.")],
    *,
    revenue: Annotated[int | None, optional("The applicant's revenue.", min=1, metavar="USD")] = None,
    answer: Annotated[
        list[str] | None,
        optional("An answer; may be repeated, also for several options of one question.", metavar="ID=VALUE"),
    ] = None,
    missing: Annotated[bool, typer.Option("--missing", help="Only what still has to be answered.")] = False,
) -> None:
    """Show a product's questions; with a revenue or answers, which of them are still unanswered.

    Example: bindery questions CYB --revenue 2500000 --answer Q2134=true --missing
    """
    answers: dict[str, list[str]] = {}
    for name, value in pairs_of("--answer", "ID=VALUE", answer or ()):
        answers.setdefault(f"answer.{name}", []).append(value)
    given: dict[str, int | list[str]] = {**answers} if revenue is None else {"revenue": revenue, **answers}
    if missing and not given:
        refuse("--missing needs --revenue or --answer: what is missing depends on them.")
    async with service.client() as bindery:
        found = await bindery.get_questions(product, given)
    shown = [question for question in found.questions if not missing or question.id in (found.missing or ())]
    if service.as_json:
        print_json({"edition": found.edition, "missing": found.missing, "questions": shown})
    else:
        _show(found, shown)


def _show(found: QuestionsResponse, shown: list[QuestionBody]) -> None:
    table = plain_table("ID", "ANSWER", "ASKED", "QUESTION")
    for column in table.columns[:3]:
        column.no_wrap = True
    for question in shown:
        text = Text(question.text)
        for option in question.options:
            text.append(f"\n· {option}", style="dim")
        table.add_row(Text(question.id), question.type, _asked(question, found.missing), text)
    if shown:
        console.print(table)
        say("")
    left = "" if found.missing is None else f", {len(found.missing):,} still to answer"
    say(f"{found.product} edition {found.edition}: {counted(len(found.questions), 'question')}{left}.")


def _asked(question: QuestionBody, missing: list[str] | None) -> Text:
    if missing is not None and question.id in missing:
        return Text("missing", "bold yellow")
    condition: QuestionCondition = question.required_when
    return Text(ALWAYS if condition.always is True else ON_CONDITION, "dim")
