import structlog

from bindery.base.errors import UploadUnavailable
from bindery.outside.blobs import BlobDamaged, BlobLost
from bindery.runtime import Runtime
from bindery.storage.documents.uploads import Upload

log = structlog.get_logger()


async def read_upload(runtime: Runtime, upload: Upload) -> bytes:
    """Return the file of an upload as it came in.

    A file that is missing or damaged is an alarm, and exists nowhere else: only a backup can bring it back.

    Raises:
        UploadUnavailable: the file is missing or damaged.
    """
    about = {
        "quote_identifier": str(upload.quote_id),
        "document_id": str(upload.document_id),
        "sha256": upload.sha256,
    }
    try:
        return await runtime.blobs.get(upload.sha256)
    except BlobDamaged:
        log.error("upload_damaged", **about)  # noqa: TRY400 - a file's loss has no trace to show
        raise UploadUnavailable from None
    except BlobLost:
        log.error("upload_missing", **about)  # noqa: TRY400 - as above
        raise UploadUnavailable from None
