import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bindery.domain.applicant.domains import NotADomain, normalize_domain, registrable_domain
from support.tables import each_row

LONGEST_LABEL = "a" * 63
# Fits as it is written, not as A-labels.
LONG_ABROAD = ".".join(["абвгдежзийклмнопрстуф"] * 10)
LONGEST_NAME = f"{LONGEST_LABEL}.{LONGEST_LABEL}.{LONGEST_LABEL}.{'b' * 57}.com"


@each_row(
    ("text", "name"),
    [
        ("example.com", "example.com"),
        ("WWW.Example.COM", "www.example.com"),
        ("  example.com\n", "example.com"),
        ("example.com.", "example.com"),
        ("red-flags.anything.example.com", "red-flags.anything.example.com"),
        ("r3---sn.example.com", "r3---sn.example.com"),
        ("3m.com", "3m.com"),
        ("1.2.3.com", "1.2.3.com"),
        ("a.b", "a.b"),
        ("harborlight.unheardof", "harborlight.unheardof"),
        ("example.co.uk", "example.co.uk"),
        ("github.io", "github.io"),
        ("a.github.io", "a.github.io"),
        ("www.ck", "www.ck"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("BÜCHER.Example", "xn--bcher-kva.example"),
        ("xn--bcher-kva.example", "xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example"),
        ("straße.example", "xn--strae-oqa.example"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
        ("\uff45xample.com", "example.com"),
        ("example.com。", "example.com"),
        (f"{LONGEST_LABEL}.com", f"{LONGEST_LABEL}.com"),
        (LONGEST_NAME, LONGEST_NAME),
    ],
)
def test_a_domain_name_is_given_one_spelling(text: str, name: str) -> None:
    assert normalize_domain(text) == name


@each_row(
    ("text", "reason"),
    [
        ("", "is empty"),
        (" ", "is empty"),
        (".", "is empty"),
        ("localhost", "is a single label, not a domain name"),
        ("com", "is a single label, not a domain name"),
        ("example..com", "has an empty label between its dots"),
        (".example.com", "has an empty label between its dots"),
        ("example.com..", "has an empty label between its dots"),
        ("https://example.com", "is a URL, not a domain name"),
        ("example.com/about", "is a URL, not a domain name"),
        ("example.com\\about", "is a URL, not a domain name"),
        ("ann@example.com", "is an email address, not a domain name"),
        ("example.com:8080", "has a port or is an IP address, which is not a domain name"),
        ("::1", "has a port or is an IP address, which is not a domain name"),
        ("[2001:db8::1]", "has a port or is an IP address, which is not a domain name"),
        ("192.0.2.1", "ends in a number, as an IP address does"),
        ("127.1", "ends in a number, as an IP address does"),
        ("127.0.0.0x1", "ends in a number, as an IP address does"),
        ("example.123", "ends in a number, as an IP address does"),
        ("192.0.2.\uff11", "ends in a number, as an IP address does"),
        ("co.uk", "is a public suffix, under which others register domains"),
        ("CO.UK.", "is a public suffix, under which others register domains"),
        ("foo.ck", "is a public suffix, under which others register domains"),
        ("公司.cn", "is a public suffix, under which others register domains"),
        ("my_shop.example.com", "has an underscore, which host names do not have"),
        ("_dmarc.example.com", "has an underscore, which host names do not have"),
        ("-example.com", "has a label that starts or ends with a hyphen"),
        ("example-.com", "has a label that starts or ends with a hyphen"),
        ("exa mple.com", "has a character that no domain name has"),
        ("*.example.com", "has a character that no domain name has"),
        ("example.com?", "has a character that no domain name has"),
        ("exam\x00ple.com", "has a character that no domain name has"),
        ("exam\u200eple.com", "has a character that no domain name has"),
        ("xn--zzzz--.com", "has a label that is not valid in an internationalized name"),
        ("xn--a.com", "has a label that is not valid in an internationalized name"),
        ("❤.example", "has a label that is not valid in an internationalized name"),
        (f"{LONGEST_LABEL}a.com", "has a label longer than 63 characters"),
        (f"b{LONGEST_NAME}", "is longer than 253 characters"),
        ("ü" * 100_000, "is longer than 253 characters"),
        (f"{LONG_ABROAD}.com", "is longer than 253 characters"),
    ],
)
def test_what_is_no_domain_name_is_refused_with_its_reason(text: str, reason: str) -> None:
    with pytest.raises(NotADomain) as refusal:
        normalize_domain(text)

    assert str(refusal.value) == reason


@each_row(
    ("name", "registrable"),
    [
        ("example.com", "example.com"),
        ("www.example.com", "example.com"),
        ("a.b.c.example.com", "example.com"),
        ("shop.example.co.uk", "example.co.uk"),
        ("www.harborlight.unheardof", "harborlight.unheardof"),
        ("www.www.ck", "www.ck"),
        ("www.xn--bcher-kva.de", "xn--bcher-kva.de"),
        ("www.example.xn--55qx5d.cn", "example.xn--55qx5d.cn"),
        ("github.io", "github.io"),
        ("a.github.io", "a.github.io"),
        ("www.a.github.io", "a.github.io"),
    ],
)
def test_the_registrable_domain_is_what_its_owner_registered(name: str, registrable: str) -> None:
    assert registrable_domain(name) == registrable


def test_customers_of_a_hosting_company_are_apart() -> None:
    assert registrable_domain("a.github.io") != registrable_domain("b.github.io")


@given(st.text(max_size=80) | st.text("abyzABYZ0189ßü。.-_:@/", max_size=80))
@example("xn--.com")
@example("İ.com")
def test_any_text_is_normalized_once_and_for_all_or_refused(text: str) -> None:
    try:
        name = normalize_domain(text)
    except NotADomain:
        return

    assert normalize_domain(name) == name
    assert name.isascii()
    assert name == name.lower()
    assert len(name) <= 253
    assert name.endswith(registrable_domain(name))
