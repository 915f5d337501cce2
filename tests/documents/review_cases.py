"""The companies whose documents are hard to print, A to H and renewals R, for tests and for the gallery."""

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial
from typing import Any, Final

from bindery.contract.documents import DocumentType
from bindery.contract.vocabulary import ContingencyStatus, ContingencyType, InsuranceProduct
from bindery.documents import render
from bindery.domain.documents.access import OF_THE_APPLICANT, OF_THE_BINDER, OF_THE_QUOTE
from bindery.domain.documents.facts import Binding, DocumentFacts
from bindery.domain.policy.contingencies import INSURED_ENTITIES, Contingency, ContingencyKind
from bindery.domain.questions.question import question_set
from bindery.domain.scan.checks import finding_of, scan_catalogue
from bindery.domain.scan.scan import ScanOutcome, ScanResult
from documents.cases import NOW, Body, facts_of, request_body, scan_of, submission_of
from documents.later_cases import EVENTS, completed, side_by_side
from documents.reading import text_of
from support.contingencies import numbered

D = DocumentType
P = InsuranceProduct

PLACES: Final = {
    "CA": ("Los Angeles", "90012"),
    "NY": ("New York", "10001"),
    "KY": ("Louisville", "40202"),
    "LA": ("Baton Rouge", "70801"),
    "OR": ("Portland", "97204"),
    "DC": ("Washington", "20001"),
    "FL": ("Miami", "33101"),
}
LAST_YEAR: Final = uuid.UUID("0199b2c4-7d8e-7f90-a1b2-c3d4e5f60718")
LONG_NAME: Final = (
    "The International Consolidated Amalgamated Holding and Trading Company of Greater California " * 5
)[:396] + " LLC"
SCRIPTS: Final = "Zażółć Ωмега שלום مرحبا 株式会社 한국 🚀 Inc."
DOMAINS: Final = tuple(f"name-{number:02}.division-of-the-group.example.com" for number in range(75))
CONDITIONAL: Final = Binding(
    policy_number="CYB-26-0001234-7-00", bound_on=date(2026, 11, 15), fulfil_by=date(2026, 12, 15)
)
ISSUED: Final = Binding(
    policy_number="CYB-26-0001234-7-00", bound_on=date(2026, 11, 20), issued_on=date(2026, 11, 21)
)
RENEWED: Final = Binding(
    policy_number="CYB-26-0001234-7-01",
    bound_on=date(2027, 12, 1),
    issued_on=date(2027, 12, 1),
    renewal_of="CYB-26-0001234-7-00",
)


def located(body: Body, state: str) -> None:
    city, zip_code = PLACES[state]
    body["client"]["address"] |= {"city": city, "state": state, "zip": zip_code}


def answered(body: Body, **answers: Any) -> None:
    body["questions"] = [question for question in body["questions"] if question["id"] not in answers]
    body["questions"] += [{"id": name, "value": value} for name, value in answers.items()]


def _case_a(body: Body) -> None:
    located(body, "CA")
    body["client"] |= {"name": LONG_NAME, "domains": list(DOMAINS)}
    story = ("In March an employee opened an attachment, and eleven servers were encrypted. " * 60)[:3990]
    answered(body, Q2146=True, Q2124=story, Q2147=True, Q2119=story)


def _case_b(body: Body) -> None:
    located(body, "NY")
    body["client"]["name"] = SCRIPTS
    body["client"]["insured_main_contact"] |= {"first_name": "Zoë 🚀", "last_name": "O'Brien"}
    body["policy"]["dates"] |= {"effective": "2026-12-10", "expiration": "2027-12-10"}
    body["policy"]["dates"]["teo_retroactive_date"] = "2019-05-01"
    body["policy"]["quotes"] = [
        {"aggregate_limit": limit, "aggregate_retention": retention}
        for retention in (2_500, 10_000, 25_000)
        for limit in (1_000_000, 250_000, 500_000, 2_000_000, 3_000_000)
    ]


def _case_c(body: Body) -> None:
    located(body, "KY")
    question = question_set(P.MPL, "2026.1").find("Q2401")
    assert question is not None
    services = [option.text for option in question.options]
    answered(body, Q2401=services, Q2402="Forensic beekeeping", Q2424=True, Q2414="2015-01-01", Q2415=True)
    body["policy"]["dates"]["mpl_retroactive_date"] = "full_prior_acts"


def _case_d(body: Body) -> None:
    located(body, "LA")
    body["client"]["name"] = "Bayou Code, Inc."


def _case_e(body: Body) -> None:
    located(body, "CA")
    body["client"]["name"] = "Golden State Orchards, Inc."
    answered(body, Q2301=False)


def _case_f(body: Body) -> None:
    located(body, "OR")
    body["client"]["name"] = "Alder"
    for name in ("dba", "insured_main_contact", "additional_contacts"):
        body["client"].pop(name, None)
    body["policy"]["quotes"] = []


def everything_wrong(domains: tuple[str, ...]) -> ScanResult:
    """Return a scan that fails every check on every domain, as that of case A."""
    checks = [check for check in scan_catalogue().checks if check.source == "outside_view"]
    findings = [
        finding_of(check.id, host=host, evidence=f"Simulated: {check.title}.")
        for check in checks
        for host in domains
    ]
    found = scan_of(findings, domains)
    return replace(found, notes=tuple(f"{host}: simulated, nothing was contacted" for host in domains))


def failed_scan() -> ScanResult:
    """Return a scan that collected nothing."""
    return ScanResult(
        outcome=ScanOutcome.FAILED,
        domains=("clean.example.com",),
        scanned_at=NOW,
        scanner="bindery-simulated 1",
        notes=("clean.example.com: no answer",),
    )


def before_the_bind() -> Contingency:
    return numbered(INSURED_ENTITIES, "77")


def asked_by_an_underwriter() -> Contingency:
    return Contingency(
        contingency_id="78",
        kind=ContingencyKind.UNDERWRITER,
        type=ContingencyType.POST_BIND,
        text="The incident response plan",
    )


def closed(facts: DocumentFacts) -> DocumentFacts:
    """Return the facts once everything that was owed is there."""
    there = (replace(contingency, status=ContingencyStatus.CLOSED) for contingency in facts.contingencies)
    return replace(facts, contingencies=tuple(there))


def also_owing(facts: DocumentFacts, *more: Contingency) -> DocumentFacts:
    return replace(facts, contingencies=(*more, *facts.contingencies))


def _with_number(binding: Binding, product: P) -> Binding:
    before = binding.renewal_of
    return replace(
        binding,
        policy_number=f"{product}{binding.policy_number[3:]}",
        renewal_of=f"{product}{before[3:]}" if before else None,
    )


def _renewal(product: P, binding: Binding | None = None) -> DocumentFacts:
    """Renew a policy of one year that had other answers and a better scan."""
    clean = None if product is P.MPL else scan_of([], ["clean.example.com"])
    bound = _with_number(ISSUED, product)
    expiring = closed(facts_of(product, binding=bound, scan=clean, quote_id=LAST_YEAR))

    def later(body: Body) -> None:
        body["policy"]["dates"] |= {"effective": "2027-12-01", "expiration": "2028-12-01"}
        if product is P.TEO:
            body["policy"]["dates"]["teo_retroactive_date"] = "2024-03-01"
        if product is P.CYB:
            answered(body, Q2314=40)

    own = _with_number(binding, product) if binding else None
    return facts_of(product, later, binding=own, expiring=expiring)


@dataclass(frozen=True, kw_only=True)
class Company:
    """A company whose documents are hard to print in some way."""

    title: str
    product: P = P.CYB
    change: Callable[[Body], None] | None = None
    scan: Callable[[], ScanResult] | None = None
    owes: tuple[Contingency, ...] = ()
    is_renewal: bool = False
    broker: tuple[str | None, str | None] = ("Robin Example", "Harbor Row Insurance Brokers")

    def facts(self, binding: Binding | None = None, *, option: int = 0) -> DocumentFacts:
        """Return the facts of an offer or a conditional binder."""
        if self.is_renewal:
            return _renewal(self.product, binding)
        facts = facts_of(
            self.product,
            self.change,
            scan=self.scan() if self.scan else None,
            binding=_with_number(binding, self.product) if binding else None,
            option=option,
            broker=self.broker,
        )
        # What was owed before the bind is there once it is bound.
        owes = (one for one in self.owes if binding is None or one.type is not ContingencyType.PRE_BIND)
        return also_owing(facts, *owes)

    def documents(self) -> Iterator[tuple[D, DocumentFacts]]:
        """Return every document that the company can have, in the order in which they come."""
        asked = () if self.is_renewal else submission_of(request_body(self.product, self.change)).options
        offered = [self.facts(option=place) for place in range(len(asked) or 1)]
        for kind in (*OF_THE_QUOTE, *OF_THE_APPLICANT):
            if kind is not D.SECURITY_REPORT or offered[0].has_report:
                yield kind, offered[0]
        yield D.COMPARISON, side_by_side(offered, asked_for=len(offered))
        policy = closed(self.facts(RENEWED if self.is_renewal else ISSUED))
        # Nothing is owed for a renewal on the same answers, so that it is issued as it is bound.
        binder = policy if self.is_renewal else self.facts(CONDITIONAL)
        yield from ((kind, binder) for kind in OF_THE_BINDER)
        yield from ((kind, policy) for kind in (D.POLICY, D.CERTIFICATE))
        for kind in EVENTS:
            if kind is not D.LAPSE_NOTICE:
                yield kind, completed(kind, policy)
            elif not self.is_renewal:
                yield kind, completed(kind, binder)


COMPANIES: Final = {
    **{str(product): Company(title=f"An ordinary company, {product}", product=product) for product in P},
    "A": Company(
        title="CYB, California: 400-letter name, 75 domains, red flags, 4,000-letter answers",
        change=_case_a,
        scan=partial(everything_wrong, DOMAINS),
        owes=(asked_by_an_underwriter(),),
    ),
    "B": Company(
        title="TEO, New York: 15 options, many scripts, retroactive date of 2019",
        product=P.TEO,
        change=_case_b,
    ),
    "C": Company(title="MPL, Kentucky: full prior acts, 27 services", product=P.MPL, change=_case_c),
    "D": Company(title="TEO, Louisiana: retroactive date, signed legend", product=P.TEO, change=_case_d),
    "E": Company(title="CYB, California: no MFA, weak scan", change=_case_e),
    "F": Company(
        title="CYB, Oregon: nothing optional",
        change=_case_f,
        scan=partial(scan_of, (), ("clean.example.com",)),
        broker=(None, None),
    ),
    "G": Company(title="CYB: the scan failed", scan=failed_scan),
    "H": Company(title="CYB: something is owed before the bind", owes=(before_the_bind(),)),
    **{
        f"R-{product}": Company(title=f"A renewal, {product}", product=product, is_renewal=True)
        for product in P
    },
}
CASES: Final[dict[str, Callable[[], DocumentFacts]]] = {
    "CYB": facts_of,
    "TEO": lambda: facts_of(P.TEO),
    "MPL": lambda: facts_of(P.MPL),
    "CYB bound": lambda: facts_of(binding=CONDITIONAL),
    "MPL bound": lambda: facts_of(P.MPL, binding=_with_number(CONDITIONAL, P.MPL)),
    **{name: COMPANIES[name].facts for name in ("A", "B", "C", "F", "H")},
    **{f"{name} bound": partial(COMPANIES[name].facts, CONDITIONAL) for name in ("A", "B")},
    "C issued": lambda: closed(COMPANIES["C"].facts(ISSUED)),
    "D": lambda: closed(COMPANIES["D"].facts(ISSUED)),
    "E": lambda: closed(COMPANIES["E"].facts(ISSUED)),
    "E quoted": COMPANIES["E"].facts,
    "G": lambda: COMPANIES["G"].facts(CONDITIONAL),
    **{f"R {product}": partial(_renewal, product) for product in P},
    **{f"R {product} issued": partial(_renewal, product, RENEWED) for product in P},
}


@cache
def case(name: str) -> DocumentFacts:
    """Return the facts of a case; made once."""
    return CASES[name]()


@cache
def made(name: str, kind: D) -> bytes:
    """Return a paper of a case; made once."""
    return render(kind, case(name))


def read(name: str, kind: D) -> str:
    """Return the text of a paper of a case on one line."""
    return text_of(made(name, kind))


def kinds_of(name: str) -> tuple[D, ...]:
    """Return the papers that a case has."""
    facts = case(name)
    has_report = facts.scan is not None and facts.scan.has_report
    with_quote = (D.QUOTE_LETTER, D.POLICY_SPECIMEN, D.APPLICATION, D.RECOMMENDATIONS)
    with_scan = (D.SECURITY_REPORT,) if has_report else ()
    if facts.binding is None:
        return (*with_quote, *with_scan)
    bound = (D.BINDER, D.BINDER_TRIA, D.BILLING_STATEMENT, D.SECURITY_LETTER)
    issued = (D.POLICY,) if facts.binding.issued_on else ()
    return (*with_quote, *with_scan, *bound, *issued)
