from collections.abc import Iterator
from dataclasses import dataclass, replace

from bindery.domain.applicant.risk import Term
from bindery.domain.quote.quote import Quote
from bindery.domain.quote.underwriting import AssessmentRecord, from_record
from bindery.domain.rating.option import rate
from bindery.domain.rating.tariff import TARIFFS, Tariff
from bindery.domain.rating.worksheet import Worksheet, multiplies_out, worksheet_from_plain
from bindery.domain.scan.scan import ScanResult
from bindery.domain.screening.rules import applicant_of
from bindery.domain.submission.value import Submission


@dataclass(frozen=True, slots=True)
class Difference:
    what: str
    stored: str = ""
    computed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """A price worked out again; `rated` is the tariff's, before anybody set another."""

    charged: int | None
    rated: int | None = None
    computed: int | None = None
    edition: str = ""
    fingerprint: str = ""
    multiplies_out: bool = False
    set_by: str = ""
    difference: Difference | None = None


def reproduce(quote: Quote, submission: Submission, scan: ScanResult | None, term: Term) -> Reproduction:
    """Rate the stored facts, scan and terms by the quote's own tariff edition, for its own term."""
    record = from_record(quote.assessment) if quote.assessment is not None else None
    set_by = str((record.override or {}).get("by", "")) if record else ""
    if record is None or record.worksheet is None or quote.terms is None:
        return Reproduction(charged=quote.premium, set_by=set_by, difference=_unrated(quote, record))
    stored = worksheet_from_plain(record.worksheet)
    found = Reproduction(
        charged=quote.premium,
        rated=stored.premium,
        edition=stored.tariff_edition,
        fingerprint=stored.tariff_fingerprint,
        multiplies_out=multiplies_out(stored),
        set_by=set_by,
    )
    try:
        tariff = TARIFFS.named(stored.tariff_edition)
        computed = _rate(tariff, quote, replace(submission, term=term), scan)
    except LookupError as gap:
        return replace(found, difference=Difference(str(gap)))
    differences = (*_differences(stored, computed, tariff), *_charged_otherwise(quote, record, stored))
    return replace(found, computed=computed.premium, difference=next(iter(differences), None))


def _unrated(quote: Quote, record: AssessmentRecord | None) -> Difference | None:
    if quote.premium is None or (record is not None and record.override is not None):
        return None
    return Difference("The premium has no worksheet, and nobody set it")


def _rate(tariff: Tariff, quote: Quote, submission: Submission, scan: ScanResult | None) -> Worksheet:
    assert quote.terms is not None, "what has a worksheet has terms"
    applicant = applicant_of(submission, scan=scan)
    return rate(tariff, applicant.risk, quote.terms, hazard_group=applicant.industry.hazard_group)


def _differences(stored: Worksheet, computed: Worksheet, tariff: Tariff) -> Iterator[Difference]:
    if stored.tariff_fingerprint != tariff.fingerprint:
        yield Difference(
            f"Tariff {tariff.edition} is not the one that it was rated with",
            stored.tariff_fingerprint,
            tariff.fingerprint,
        )
    if not multiplies_out(stored):
        yield Difference("The stored worksheet does not multiply out")
    if len(stored.parts) != len(computed.parts):
        yield Difference("The worksheet has other parts")
    for mine, its in zip(stored.parts, computed.parts, strict=False):
        labels = [step.label for step in mine.steps], [step.label for step in its.steps]
        if labels[0] != labels[1]:
            yield Difference(f"{mine.title} has other lines")
        for step, again in zip(mine.steps, its.steps, strict=False):
            if step.factor != again.factor:
                yield Difference(f"{mine.title}, line {step.label}", f"{step.factor:f}", f"{again.factor:f}")
    if stored.premium != computed.premium:
        yield Difference("The premium", f"{stored.premium}", f"{computed.premium}")


def _charged_otherwise(quote: Quote, record: AssessmentRecord, stored: Worksheet) -> Iterator[Difference]:
    # What a changed policy costs has parts on other terms; its last change says what the whole term would.
    charged = record.changes[-1].term_premium if record.changes else quote.premium
    if charged is not None and charged != stored.premium and record.override is None:
        what = "What is charged is not what was rated, and nobody set it"
        yield Difference(what, f"{stored.premium}", f"{charged}")
