"""Documents of a quote in each state, their metadata, and uploads."""

from collections.abc import Iterator
from typing import Final

from bindery.conformance.expect import DAY, SOME_TEXT, AtPath, Begins, Status, equals, items
from bindery.conformance.requests import upload
from bindery.conformance.row import HttpStep, SpecRow
from bindery.conformance.rows.making import GOOD

DOWNLOAD: Final = "Endpoints, GET /quotes/{document_type}/{identifier}"
METADATA: Final = "Endpoints, GET /quotes/{external_identifier}/documents/{packet_template_type}/metadata"
UPLOAD: Final = "Endpoints, POST /documents"
OF_QUOTE: Final = ("quote_letter", "policy_specimen", "application", "recommendations", "security_report")
OF_BINDER: Final = ("binder", "binder_tria", "billing_statement", "security_letter")
ALL: Final = (*OF_QUOTE, *OF_BINDER, "policy")
PACKETS: Final = ("quote", "binder", "policy")


def download(kind: str, identifier: str = "{quote}") -> HttpStep:
    return HttpStep("GET", f"/quotes/{kind}/{identifier}", waits=True)


def metadata(packet: str, identifier: str = "{quote}") -> HttpStep:
    return HttpStep("GET", f"/quotes/{identifier}/documents/{packet}/metadata")


def _downloads() -> Iterator[SpecRow]:
    for state, scene, kinds in (
        ("published", "a published CYB quote", OF_QUOTE),
        ("binder", "a conditional binder", OF_BINDER),
        ("policy", "a policy", ALL),
        ("published-TEO", "a published TEO quote", OF_QUOTE),
        ("published-MPL", "a published MPL quote", OF_QUOTE[:-1]),
    ):
        for kind in kinds:
            yield SpecRow(
                f"documents.{state}.{kind}",
                DOWNLOAD,
                f"200: the document {kind}, of {scene}.",
                (GOOD, Begins()),
                scene=scene,
                steps=(download(kind),),
            )
    for kind in ("application", "recommendations"):
        yield SpecRow(
            f"documents.referred.{kind}",
            DOWNLOAD,
            f"A referred quote has its {kind}.",
            (GOOD, Begins()),
            scene="a referred quote",
            steps=(download(kind),),
            decision=True,
        )
    yield SpecRow(
        "documents.pdf",
        DOWNLOAD,
        "Documents are PDF.",
        (GOOD, Begins(b"%PDF-")),
        scene="a published CYB quote",
        steps=(download("quote_letter"),),
        decision=True,
    )
    for kind in (*OF_BINDER, "policy"):
        yield SpecRow(
            f"documents.too-early.{kind}",
            DOWNLOAD,
            f"A published quote has no {kind} yet.",
            (Status(400),),
            scene="a published CYB quote",
            steps=(download(kind),),
            decision=True,
        )
    yield SpecRow(
        "documents.too-early.conditional",
        DOWNLOAD,
        "With a conditional binder there is no policy yet.",
        (Status(400),),
        scene="a conditional binder",
        steps=(download("policy"),),
        decision=True,
    )


def _metadata() -> Iterator[SpecRow]:
    for packet in PACKETS:
        scene = "a policy" if packet != "quote" else "a published CYB quote"
        steps = (metadata(packet),)
        yield SpecRow(
            f"metadata.{packet}",
            METADATA,
            f"200: object with documents, of the packet {packet}.",
            (GOOD, AtPath("documents", items(1))),
            scene=scene,
            steps=steps,
        )
        for field, must in (("form_number", SOME_TEXT), ("title", SOME_TEXT), ("edition_date", DAY)):
            yield SpecRow(
                f"metadata.{packet}.{field}",
                "Packet document metadata",
                f"{field}: required.",
                (GOOD, AtPath(f"documents[*].{field}", must)),
                scene=scene,
                steps=steps,
            )
    for packet in PACKETS[1:]:
        yield SpecRow(
            f"metadata.{packet}.not-yet",
            METADATA,
            "documents: default empty.",
            (GOOD, AtPath("documents", equals([]))),
            scene="a published CYB quote",
            steps=(metadata(packet),),
            decision=True,
        )


def _uploads() -> Iterator[SpecRow]:
    scene = "a published CYB quote"
    yield SpecRow("uploads.signed", UPLOAD, "200: success.", (GOOD,), scene=scene, steps=(upload(),))
    yield SpecRow(
        "uploads.another",
        UPLOAD,
        "More supporting documents may be uploaded for one contingency in separate requests.",
        (GOOD,),
        scene=scene,
        steps=(upload(), upload()),
    )
    yield SpecRow(
        "uploads.name",
        UPLOAD,
        "name: not required, name of the document.",
        (GOOD,),
        scene=scene,
        steps=(upload(name="Signed application"),),
    )
    yield SpecRow(
        "uploads.no-contingency",
        UPLOAD,
        "contingency: not required.",
        (GOOD,),
        scene=scene,
        steps=(upload(drop="contingency"),),
    )
    for field in ("file", "quote_identifier"):
        yield SpecRow(
            f"uploads.{field}.missing",
            UPLOAD,
            f"{field}: required.",
            (Status(400),),
            scene=scene,
            steps=(upload(drop=field),),
        )
    yield SpecRow(
        "uploads.contingency.unknown",
        UPLOAD,
        "An unknown contingency is refused.",
        (Status(400),),
        scene=scene,
        steps=(upload(contingency="999999999"),),
        decision=True,
    )
    yield SpecRow(
        "uploads.quote.unknown",
        UPLOAD,
        "An unknown quote is not found.",
        (Status(404),),
        scene=scene,
        steps=(upload(quote_identifier="01890000-0000-7000-8000-000000000000"),),
        decision=True,
    )
    yield SpecRow(
        "uploads.json",
        UPLOAD,
        "Request: multipart/form-data.",
        (Status(415),),
        scene=scene,
        decision=True,
        steps=(HttpStep("POST", "/documents", json={"quote_identifier": "1"}),),
    )
    for field in ("document_id", "name", "content_type", "sha256"):
        yield SpecRow(
            f"uploads.receipt.{field}",
            UPLOAD,
            f"The answer has {field}.",
            (GOOD, AtPath(field, SOME_TEXT)),
            scene="a signed application",
            looks_at="upload",
            decision=True,
        )


ROWS: Final = (*_downloads(), *_metadata(), *_uploads())
