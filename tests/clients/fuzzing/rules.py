"""What Schemathesis cannot read in the document: which refusals are rules, and which hosts it may name."""

import re
from http import HTTPStatus
from typing import Final

import schemathesis
from schemathesis import Case, CheckContext, HookContext, Response
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

RULES: Final = {
    # The state of things, which a document does not know.
    "already_bound": "another option of the company was bound",
    "bad_cursor": "a cursor is one that a page gave",
    "cannot_pause": "the specification answers 422 for anything that is no policy to pause",
    "cannot_resume": "as with a pause",
    "document_unavailable": "the status of the quote decides which documents there are",
    "idempotency_key_in_flight": "one key in two requests at once",
    "idempotency_key_reused": "one key with two bodies",
    "not_issued": "papers of a policy before there is one",
    "not_priced": "a quote without a premium cannot be bound",
    "no_level": "a webhook hears of one level at least",
    "one_of_two": "a replay is of an event or of a time",
    "too_many_links": "an address is sent so many links within a day",
    "too_many_uploads": "a quote takes so many files",
    "too_many_webhooks": "a partner has so many webhooks",
    "unknown_broker": "brokers are registered by the operator",
    "unknown_company": "the company has to be one of the partner's",
    "unknown_contingency": "the contingency has to be one of the quote",
    "unknown_event": "the event has to be one of the partner's",
    "unknown_program": "programs are configured",
    "unknown_webhook": "the specification answers 400 for a webhook that is not there",
    "webhook_disabled": "a webhook that failed too often has to be registered again",
    "wrong_state": "the status of the quote decides what may be done",
    # Today, and other fields of the same body.
    "above_aggregate": "the limit per claim is at most the aggregate limit",
    "before_first_tariff": "dates are judged by the first tariff",
    "after_effective": "a retroactive date is not after the effective date",
    "outside_term": "a date within the policy's term",
    "not_a_date": "a retroactive date is a day of the calendar, or the words for all prior acts",
    "term_too_long": "a term of at most 18 months",
    "term_too_short": "a term of at least 6 months",
    "too_early": "dates are judged by today",
    "too_late": "dates are judged by today",
    # Answers to the questions of the product.
    "duplicate_question": "answers to one question agree, however its id is spelled",
    "exclusive_option": "an option that excludes the others",
    "missing_answer": "the questions of the product",
    "not_an_option": "the options of the question",
    "unknown_question": "the questions of the product",
    # Text that nobody can see or that breaks lines is refused everywhere, also in fields that we do not know.
    "bad_character": "a pattern on every string would hide what the document says",
    "blank": "a text of spaces alone",
    # Lists of the world.
    "bad_endpoint": "addresses that can be delivered to",
    "bad_port": "addresses that can be delivered to",
    "bad_scheme": "addresses that can be delivered to",
    "not_a_domain": "public suffixes",
    "not_an_email": "addresses that can be delivered to",
    "not_a_state": "the states of the US, by name or by letters",
    "not_a_zip": "postal codes in use",
    "zip_outside_states": "postal codes in use",
    "unknown_host": "names that can be looked up",
    "address_refused": "endpoints within the network of the service",
    # The content of a file.
    "unsupported_file_type": "the content decides, not the declared type",
    "duplicate_field": "a list in a form arrives as one field sent several times",
    "empty_file": "generators of clients ask a file for its length where the schema has one",
    "application_none": "an attested application has to be uploaded first",
    "application_altered": "the uploaded application is compared with ours",
    "application_damaged": "the uploaded application is compared with ours",
    "application_other_quote": "the uploaded application is compared with ours",
}
RULES_OF_A_PLACE: Final = (
    # The question decides what its answer has to be.
    (re.compile(r"questions\[\d+\]\.value"), None),
    # Every limit is allowed that equals the aggregate limit, and fewer otherwise.
    (re.compile(r"policy\.quotes\[\d+\]\.per_claim_limit"), "not_allowed"),
    # 00 is for technology firms.
    (re.compile(r"client\.industry"), "wrong_format"),
    # Counted in bytes of JSON.
    (re.compile(r"client\.metadata"), "too_large"),
    # A term ends within the calendar.
    (re.compile(r"(policy\.)?dates"), "out_of_range"),
    # A decision needs the field that it is about.
    (re.compile("contingency|contingency_id|question|reason|terms|underwriter"), "required"),
)
WITH_HOST: Final = re.compile(r"https?://[^/?#]", re.IGNORECASE)
NOWHERE: Final = "http://127.0.0.1:9/"


@schemathesis.check
def valid_requests_are_refused_by_a_rule_only(ctx: CheckContext, response: Response, case: Case) -> None:
    """Accept a refusal of what the document allows when every code in it is that of a rule."""
    if not codes_of(response) <= RULES.keys():
        positive_data_acceptance(ctx, response, case)


def codes_of(response: Response) -> set[str]:
    """Return the codes of a refusal: those of its problems, or its own when it lists none."""
    if response.status_code not in {400, 415, 422}:
        return {"not a refusal"}
    body = response.json()
    if "errors" not in body:
        return {body["code"]}
    return {problem["code"] for problem in body["errors"] if not is_of_a_place(**problem)}


def is_of_a_place(path: str, code: str, message: str) -> bool:
    """Whether a code is that of a rule at this place of a body, and not everywhere."""
    return any(place.match(path) and only in {None, code} for place, only in RULES_OF_A_PLACE)


@schemathesis.check
def invalid_requests_are_refused(ctx: CheckContext, response: Response, case: Case) -> None:
    """Accept an answer to what the document forbids where only a hint is wrong, or any JSON has an answer."""
    if case.operation.label == "POST /v2/quotes/validate" and response.status_code == HTTPStatus.OK:
        # Its purpose: it lists what POST /v2/quotes would refuse.
        return
    negated = {location for location, part in case.meta.components.items() if part.mode.is_negative}
    if negated == {ParameterLocation.HEADER} and "Idempotency-Key" not in case.headers:
        # The other headers are hints, as If-None-Match and Prefer: HTTP says to ignore what cannot be read.
        return
    negative_data_rejection(ctx, response, case)


@schemathesis.hook
def before_call(context: HookContext, case: Case, kwargs: dict[str, object]) -> None:
    """Keep webhooks on this machine."""
    if case.media_type != "application/json":
        return
    endpoint = case.body.get("endpoint") if isinstance(case.body, dict) else None
    if isinstance(endpoint, str) and WITH_HOST.match(endpoint):
        case.body["endpoint"] = NOWHERE
