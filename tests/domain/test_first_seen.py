from datetime import date

from bindery.domain.scan.checks import finding_of
from bindery.domain.scan.scan import FirstSeen, known_before

LAST_YEAR = date(2025, 11, 3)
YEAR_BEFORE = date(2024, 11, 4)


def test_a_finding_is_known_since_the_first_scan_of_those_that_all_had_it() -> None:
    old = finding_of("MAIL_SPF_PERMISSIVE", host="a.example", evidence="v=spf1 +all")
    newer = finding_of("HTTP_HSTS", host="a.example", evidence="no header")
    elsewhere = finding_of("HTTP_HSTS", host="b.example", evidence="no header")
    settled = finding_of("DNS_CAA", host="a.example", evidence="no CAA record")

    known = known_before(
        (old, newer, elsewhere),
        earlier=(old, newer, settled),
        since=(FirstSeen(old.check_id, old.host, YEAR_BEFORE),),
        on=LAST_YEAR,
    )

    assert known == (
        FirstSeen("MAIL_SPF_PERMISSIVE", "a.example", YEAR_BEFORE),
        FirstSeen("HTTP_HSTS", "a.example", LAST_YEAR),
    )
