"""The answer to GET `/questions/{product}`: what is asked, and when."""

from enum import StrEnum
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from bindery.contract.vocabulary import InsuranceProduct


class QuestionType(StrEnum):
    """How a question is answered.

    `boolean`: true or false, also as text. `numeric`: a whole number, also as text. `amount`: US dollars,
    `$` and thousands separators tolerated. `date`: `yyyy-mm-dd`. `free_text`: text. `single_select`: one
    option. `multi_select`: a list of options.
    """

    BOOLEAN = "boolean"
    NUMERIC = "numeric"
    AMOUNT = "amount"
    DATE = "date"
    FREE_TEXT = "free_text"
    SINGLE_SELECT = "single_select"
    MULTI_SELECT = "multi_select"


class RevenueBound(Struct, frozen=True, kw_only=True):
    """A bound on the applicant's revenue, in US dollars."""

    at_least: Annotated[int, Meta(description="The lowest revenue in bounds.")]


class QuestionCondition(Struct, frozen=True, kw_only=True, omit_defaults=True, rename={"is_": "is"}):
    """When a question is required: exactly one of the forms below.

    Only answers to questions that are themselves required are looked at.
    """

    always: Annotated[bool | UnsetType, Meta(description="Required of everybody.")] = UNSET
    all: Annotated[list["QuestionCondition"] | UnsetType, Meta(description="All of these hold.")] = UNSET
    any: Annotated[list["QuestionCondition"] | UnsetType, Meta(description="At least one holds.")] = UNSET
    revenue: Annotated[RevenueBound | UnsetType, Meta(description="`client.revenue` is in bounds.")] = UNSET
    prior_acts_asked: Annotated[
        bool | UnsetType,
        Meta(description="`mpl_retroactive_date` is `full_prior_acts` or lies before `effective`."),
    ] = UNSET
    answer: Annotated[
        str | UnsetType,
        Meta(description="Id of an earlier question; one of the four fields below says more."),
    ] = UNSET
    is_: Annotated[bool | str | UnsetType, Meta(description="The answer is this.")] = UNSET
    any_of: Annotated[list[str] | UnsetType, Meta(description="One of these options was chosen.")] = UNSET
    none_of: Annotated[
        list[str] | UnsetType, Meta(description="It was answered, and none of these options was chosen.")
    ] = UNSET
    answered: Annotated[bool | UnsetType, Meta(description="There is an answer at all.")] = UNSET


class QuestionLimits(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The bounds of an answer; only those that the question's type knows are given."""

    min_length: Annotated[int | UnsetType, Meta(description="Characters at least.")] = UNSET
    max_length: Annotated[int | UnsetType, Meta(description="Characters at most.")] = UNSET
    minimum: Annotated[int | UnsetType, Meta(description="Smallest number.")] = UNSET
    maximum: Annotated[int | UnsetType, Meta(description="Largest number.")] = UNSET


class QuestionBody(Struct, frozen=True, kw_only=True):
    """One question."""

    id: Annotated[
        str, Meta(description="Send it with the answer, with or without the leading `Q`.", examples=["Q2134"])
    ]
    section: Annotated[
        str, Meta(description="The heading of a form that it belongs under.", examples=["Business"])
    ]
    text: Annotated[str, Meta(description="The question as it is put to a person.")]
    help: Annotated[str | None, Meta(description="A hint for the person who answers.")]
    type: QuestionType
    options: Annotated[list[str], Meta(description="The option texts, to be sent letter for letter.")]
    exclusive_options: Annotated[list[str], Meta(description="Options that stand alone when chosen.")]
    required_when: QuestionCondition
    limits: QuestionLimits


class QuestionsResponse(Struct, frozen=True, kw_only=True):
    """The questions of a product, in the order in which their conditions are evaluated."""

    edition: Annotated[str, Meta(description="The edition of the question set.", examples=["2026.1"])]
    product: InsuranceProduct
    questions: Annotated[list[QuestionBody], Meta(description="The questions.")]
    missing: Annotated[
        list[str] | None,
        Meta(
            description="Ids of required questions without an answer, for the `revenue` and the answers in "
            "the query; null if there were none."
        ),
    ] = None
