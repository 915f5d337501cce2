"""Internet domain names: which texts are names, and the part of a name that its owner registered."""

import re
from functools import lru_cache
from typing import Final

import idna
from publicsuffixlist import PublicSuffixList

MAX_DOMAIN_LENGTH: Final = 253
MAX_LABEL_LENGTH: Final = 63
TOO_LONG: Final = f"is longer than {MAX_DOMAIN_LENGTH} characters"

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
# Browsers read a name that ends in a number, decimal or hexadecimal, as an IPv4 address.
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_A_LABEL_PREFIX: Final = "xn--"


class NotADomain(ValueError):
    """The text is not the name of an internet domain; the message says why."""


def normalize_domain(text: str) -> str:
    """Return the domain name in lower-case A-labels without a trailing dot.

    Raises:
        NotADomain: the text is a URL, an email or IP address, a bare public suffix, or no name at all.
    """
    name = text.strip().lower().removesuffix(".")
    if not name:
        raise NotADomain("is empty")
    # Bounded before the mapping below, which takes time in proportion.
    if len(name) > MAX_DOMAIN_LENGTH:
        raise NotADomain(TOO_LONG)
    return _normalized(name)


# A name is checked first and used later, and an internationalised one takes most of a millisecond.
@lru_cache(maxsize=1024)
def _normalized(name: str) -> str:
    _check_no_address(name)
    if not name.isascii():
        name = _map_to_lower_case(name)
    labels = []
    length = -1
    for label in name.split("."):
        labels.append(_to_a_label(label))
        length += 1 + len(labels[-1])
        if length > MAX_DOMAIN_LENGTH:
            raise NotADomain(TOO_LONG)
    name = ".".join(labels)
    if len(labels) == 1:
        raise NotADomain("is a single label, not a domain name")
    if _NUMBER.fullmatch(labels[-1]):
        raise NotADomain("ends in a number, as an IP address does")
    if _is_icann_suffix(name):
        raise NotADomain("is a public suffix, under which others register domains")
    return name


def registrable_domain(name: str) -> str:
    """Return the part of a normalized name that its owner registered: `example.co.uk` of `www.example.co.uk`.

    Names under the suffix of a hosting company are apart: `a.github.io` and `b.github.io` differ.
    """
    return _suffixes().privatesuffix(name) or name


def _check_no_address(name: str) -> None:
    if "@" in name:
        raise NotADomain("is an email address, not a domain name")
    if "/" in name or "\\" in name:
        raise NotADomain("is a URL, not a domain name")
    if ":" in name or "[" in name:
        raise NotADomain("has a port or is an IP address, which is not a domain name")


def _map_to_lower_case(name: str) -> str:
    try:
        return idna.uts46_remap(name, std3_rules=True, transitional=False).removesuffix(".")
    except idna.IDNAError as error:
        raise NotADomain("has a character that no domain name has") from error


def _to_a_label(label: str) -> str:
    if not label:
        raise NotADomain("has an empty label between its dots")
    if len(label) > MAX_LABEL_LENGTH:
        raise NotADomain(f"has a label longer than {MAX_LABEL_LENGTH} characters")
    if label.isascii() and not label.startswith(_A_LABEL_PREFIX):
        if not _LABEL.fullmatch(label):
            raise NotADomain(_what_is_wrong_with(label))
        return label
    try:
        return idna.alabel(label).decode("ascii")
    except idna.IDNAError as error:
        raise NotADomain("has a label that is not valid in an internationalized name") from error


def _what_is_wrong_with(label: str) -> str:
    if "_" in label:
        return "has an underscore, which host names do not have"
    if label.startswith("-") or label.endswith("-"):
        return "has a label that starts or ends with a hyphen"
    return "has a character that no domain name has"


def _is_icann_suffix(name: str) -> bool:
    # Every ICANN suffix is in the whole list too, so the second list is read only for the rare bare suffix.
    return _suffixes().is_public(name) and _icann_suffixes().is_public(name, accept_unknown=False)


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


@lru_cache(maxsize=1)
def _icann_suffixes() -> PublicSuffixList:
    return PublicSuffixList(only_icann=True)
