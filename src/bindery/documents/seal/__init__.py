"""Sealing a finished PDF, so that any later change shows, and looking at the seal of one.

pyHanko takes half a second of processor time to import, and 30 MB: presses import it with their first seal,
and the command line to verify one.
"""

import logging

from bindery.documents.seal.sealing import seal_pdf
from bindery.documents.seal.stamping import stamp_request, with_stamp
from bindery.documents.seal.verifying import verify_seal

__all__ = ["seal_pdf", "stamp_request", "verify_seal", "with_stamp"]

# What they find wrong with a file is in the report; nobody reads it a second time on the error stream.
for _name in ("pyhanko", "pyhanko_certvalidator"):
    logging.getLogger(_name).propagate = False
    logging.getLogger(_name).addHandler(logging.NullHandler())
