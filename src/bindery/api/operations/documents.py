"""Operations about documents: downloads, packets and uploads."""

from functools import partial
from typing import Final

from bindery.api import operation as common
from bindery.api.operation import Answer, Operation, OperationParameter
from bindery.api.routes import documents
from bindery.contract.documents import DocumentType, PacketMetadata, PacketType, UploadForm, UploadReceipt
from bindery.domain.access.caller import Quota
from bindery.http.multipart import FORM

_get: Final = partial(Operation, method="GET", tag="documents")
_post: Final = partial(Operation, method="POST", tag="documents")

OPERATIONS: Final = (
    _get(
        path="/v2/quotes/{document_type}/{identifier}",
        name="download_document",
        summary="Download a document",
        description="A PDF, made once: a version always has the same bytes, with their hash as `ETag`. When "
        "premium, terms, contingencies or dates of an open option change, its `quote_letter` and the "
        "`comparison` get a new version, which says what it replaces; so do `binder`, `billing_statement` "
        "and `security_letter` when the policy is issued, canceled or reinstated, or something is no longer "
        "owed. `Document-Version` says which version it is; `version` asks for an earlier one. "
        "The quote's `available_documents` lists what there is. Beyond the specification: `comparison` sets "
        "the options of the submission that have a price side by side; "
        "`certificate` exists while an issued policy is in force; `cancellation_notice`, "
        "`lapse_notice`, `reinstatement_notice` and `nonrenewal_notice` exist once that has happened, and "
        "stay. If it happens again, there is a new notice.",
        handler=documents.download,
        parameters=(
            OperationParameter(
                "document_type", "path", "Which document.", common.one_of(DocumentType), "quote_letter"
            ),
            common.IDENTIFIER,
            common.query_parameter(
                "version",
                "Which version; the newest when not given.",
                {"type": "integer", "format": "int64", "minimum": 1, "maximum": documents.HIGHEST_VERSION},
                1,
            ),
            common.IF_NONE_MATCH,
            common.RANGE,
        ),
        answers={
            200: Answer(
                "The document.",
                media_type=documents.PDF,
                headers=("Content-Disposition", "Document-Version"),
            ),
            202: common.NOT_READY,
            206: Answer(
                "The part of the document that was asked for.",
                media_type=documents.PDF,
                headers=("Content-Disposition", "Document-Version", "Content-Range"),
            ),
            304: Answer("The caller already has this document.", headers=("Document-Version",)),
            400: common.refusal(
                "There is no such document in the quote's status; `available_statuses` lists those that "
                "have it. Or there is no such document type, or no identifier of that shape."
            ),
            404: common.refusal(
                "There is no such quote, or it is another partner's; or nothing was scanned to report on; or "
                "there is no such version of the document (`no_such_version`), and the message names those "
                "that exist."
            ),
            416: common.refusal("The range lies outside the document.", headers=("Content-Range",)),
            503: common.refusal(
                "The document's file is missing or damaged, too many documents are being made "
                "(`too_many_documents`), or the service is unavailable at the moment; ask again after "
                "`Retry-After` seconds.",
                headers=("Retry-After",),
            ),
        },
    ),
    _get(
        path="/v2/quotes/{identifier}/documents/{packet_template_type}/metadata",
        name="packet_metadata",
        summary="List the forms of a packet",
        description="Form numbers, titles and editions, frozen when the packet was made, and the version of "
        "its documents.",
        handler=documents.packet_metadata,
        parameters=(
            common.IDENTIFIER,
            OperationParameter(
                "packet_template_type", "path", "Which packet.", common.one_of(PacketType), "quote"
            ),
            common.IF_NONE_MATCH,
        ),
        answers={
            200: Answer("The forms; an empty list while the packet does not exist.", PacketMetadata),
            400: common.refusal("There is no such packet type, or no identifier of that shape."),
            404: common.NOT_FOUND,
        },
    ),
    _post(
        path="/v2/documents",
        name="upload_document",
        summary="Upload a document",
        description="One file for a quote, and for the contingency it fulfills. An application for the "
        "signature contingency is compared with the one that was issued, and `finding` says what the "
        "comparison showed; send further files in further requests. A partner's files are read one after "
        "the other.",
        handler=documents.upload,
        quota=Quota.UPLOADS,
        takes_key=True,
        body=UploadForm,
        body_media_type=FORM,
        answers={
            200: Answer("The file is kept.", UploadReceipt),
            404: common.NOT_FOUND,
            413: common.refusal("The file exceeds 25 MB."),
            415: common.refusal("The file is not of a kind that is accepted, or the body is not a form."),
            503: common.refusal(
                "Too many uploads are waiting to be read, or the issued application is damaged; send the "
                "file again after `Retry-After` seconds.",
                headers=("Retry-After",),
            ),
        },
        links=(common.quote_link("The quote with its uploads."),),
    ),
)
