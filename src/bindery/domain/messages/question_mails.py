"""Mails about a question of an underwriter: to the brokers, and to whoever asked once a late answer came."""

from bindery.domain.messages.mail_choices import MailSwitch
from bindery.domain.messages.mails import (
    Link,
    Mail,
    MailFacts,
    MailMessage,
    in_one_line,
    insured_row,
    price_rows,
)
from bindery.domain.quote.broker_question import BrokerQuestion


def question_mail(facts: MailFacts, question: BrokerQuestion) -> Mail:
    return Mail(
        kind=f"broker_question_{question.question_id.int}",
        recipients=facts.to.brokers,
        subject=f"{facts.to.insured}: an underwriter asks",
        message=MailMessage(
            heading="A question from the underwriter",
            greeting=facts.to_broker,
            sentences=(
                f"An underwriter has a question about {facts.to.insured}: the case waits for your answer.",
            ),
            rows=(*insured_row(facts), ("The underwriter asks", in_one_line(question.text))),
            next_step="Answer on the page of the company, with a file if you have one.",
            link=facts.company_link,
        ),
        switch=MailSwitch.QUESTION,
    )


def bind_sent_back_mail(facts: MailFacts, *, reason: str) -> Mail:
    option = f"option {facts.quote.option_number + 1}"
    return Mail(
        kind=f"bind_sent_back_{facts.quote.journal.entries}",
        recipients=facts.to.brokers,
        subject=f"{facts.to.insured}: the bind of {option} was sent back",
        message=MailMessage(
            heading="The bind was sent back",
            greeting=facts.to_broker,
            sentences=(f"An underwriter sent the bind of {option} for {facts.to.insured} back, undecided.",),
            rows=(
                *insured_row(facts),
                *price_rows(facts.quote),
                ("The underwriter writes", in_one_line(reason)),
            ),
            next_step="The option is open. Change what the underwriter asks for, and ask for the bind again.",
            link=facts.company_link,
        ),
        switch=MailSwitch.QUESTION,
    )


def late_answer_mail(facts: MailFacts, question: BrokerQuestion) -> Mail:
    """Notify the underwriter who asked that the answer came after the case was decided."""
    case = f"{facts.platform}/desk/case/{question.submission_id}"
    with_file = " A file came with it." if question.document_id is not None else ""
    return Mail(
        kind=f"late_answer_{question.question_id.int}",
        recipients=(question.asked_by,),
        subject=f"{facts.to.insured}: the broker answered after the decision",
        message=MailMessage(
            heading="An answer after the decision",
            greeting="Hello,",
            sentences=(f"The broker of {facts.to.insured} answered after the case was decided.{with_file}",),
            rows=(
                *insured_row(facts),
                ("You asked", in_one_line(question.text)),
                ("The broker answers", in_one_line(question.answer) or "with a file"),
            ),
            link=Link("Open the case", case),
        ),
    )
