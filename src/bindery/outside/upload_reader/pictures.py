"""Reading pictures: the codes on them."""

import time
from typing import Any, BinaryIO, Final

LOOK_FOR_CODES_S: Final = 3.0
MOST_PIXELS: Final = 80_000_000
PIXELS_LOOKED_AT: Final = 4_000_000
"""A page at 200 dots an inch. Looking for codes takes far longer than twice as long on twice the pixels."""
MOST_FRAMES: Final = 20


class TooManyPixels(Exception):
    """The picture would unpack to more than is looked at."""


def read_picture(file: BinaryIO, *, kind: str) -> dict[str, Any]:
    """Return the codes on a picture or on the pages of a TIFF.

    Raises:
        TooManyPixels: it would unpack to too much.
    """
    until = time.process_time() + LOOK_FOR_CODES_S
    picture = open_picture(file, kind)
    codes = codes_in(picture)
    for number in range(1, MOST_FRAMES):
        if codes or time.process_time() > until or not _turn_to(picture, number):
            break
        codes = codes_in(picture)
    return {"codes": codes, "pictured": True}


def open_picture(file: BinaryIO, *kinds: str) -> Any:  # noqa: ANN401 - a picture of a library that is not here yet
    """Open a picture of one of these kinds without unpacking it.

    Raises:
        TooManyPixels: it would unpack to too much.
    """
    from PIL import Image  # noqa: PLC0415 - imported under the limits

    Image.MAX_IMAGE_PIXELS = MOST_PIXELS // 2  # twice that is refused by the library
    try:
        # Only these kinds: the library knows many more, and one of them starts another program.
        return Image.open(file, formats=kinds)
    except Image.DecompressionBombError:
        raise TooManyPixels from None


def _turn_to(picture: Any, number: int) -> bool:  # noqa: ANN401 - as above
    """Turn to the next page of a picture, if there is one that can be read."""
    try:
        picture.seek(number)
    except Exception:  # noqa: BLE001 - whatever follows the pages that are there
        return False
    return True


def codes_in(picture: Any) -> list[str]:  # noqa: ANN401 - as above
    """Return what the codes on a picture say."""
    import zxingcpp  # noqa: PLC0415 - as above

    gray = picture.convert("L")
    shrunk_by = (PIXELS_LOOKED_AT / (gray.width * gray.height)) ** 0.5
    if shrunk_by < 1:
        gray.thumbnail((int(gray.width * shrunk_by) + 1, int(gray.height * shrunk_by) + 1))
    found = zxingcpp.read_barcodes(gray, formats=zxingcpp.BarcodeFormats([zxingcpp.BarcodeFormat.QRCode]))
    return [code.text for code in found if code.text]
