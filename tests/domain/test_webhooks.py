"""Signatures by Standard Webhooks, the plan of retries, and which endpoints are addresses at all."""

import base64
import random
from datetime import UTC, datetime, timedelta
from typing import ClassVar

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from bindery.base.signatures import flaw_of_delivery, read_secret, secret_text, sign, signed_headers
from bindery.domain.messages import webhooks
from bindery.domain.messages.webhooks import (
    MOST_TRIES,
    RETRY_WAITS,
    Delivered,
    EndpointGone,
    GiveUp,
    TryAgainAt,
    Verdict,
    endpoint_problems,
    is_failing_for_good,
    judge_attempt,
    new_secret,
    read_retry_after,
)

NOW = datetime(2026, 8, 15, 12, 0, tzinfo=UTC)
BODY = '{"type":"quote.published","data":{"name":"Café"}}'.encode()


def judge(status: int | None, tries: int = 1, retry_after: timedelta | None = None, seed: int = 1) -> Verdict:
    return judge_attempt(status, tries=tries, at=NOW, retry_after=retry_after, rng=random.Random(seed))


class TestSigning:
    def test_the_official_library_verifies_our_signature(self) -> None:
        secret = new_secret(random.Random(7))
        timestamp = int(datetime.now(UTC).timestamp())

        headers = signed_headers([secret], message_id="msg_1", timestamp=timestamp, body=BODY)

        assert Webhook(secret_text(secret)).verify(BODY, headers)["type"] == "quote.published"

    def test_the_signature_is_that_of_the_specification_s_own_example(self) -> None:
        secret = read_secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

        signature = sign(
            secret,
            message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
            timestamp=1614265330,
            body=b'{"test": 2432232314}',
        )

        assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    def test_either_secret_verifies_while_two_sign(self) -> None:
        new, old, other = (new_secret(random.Random(seed)) for seed in (1, 2, 3))
        timestamp = int(datetime.now(UTC).timestamp())

        headers = signed_headers([new, old], message_id="msg_1", timestamp=timestamp, body=BODY)

        assert len(headers["webhook-signature"].split(" ")) == 2
        Webhook(secret_text(new)).verify(BODY, headers)
        Webhook(secret_text(old)).verify(BODY, headers)
        with pytest.raises(WebhookVerificationError):
            Webhook(secret_text(other)).verify(BODY, headers)

    def test_a_secret_has_the_prefix_and_32_bytes(self) -> None:
        text = secret_text(new_secret(random.Random(1)))

        assert text.startswith("whsec_")
        assert len(base64.b64decode(text.removeprefix("whsec_"), validate=True)) == 32
        assert secret_text(read_secret(text)) == text

    @pytest.mark.parametrize("text", ["", "nonsense", "whsec_", "whsec_not base64!", "whsec_äöü="])
    def test_what_is_no_secret_is_refused(self, text: str) -> None:
        with pytest.raises(ValueError, match="A secret is whsec_ and base64"):
            read_secret(text)

    @pytest.mark.parametrize(("size", "is_taken"), [(23, False), (24, True)])
    def test_a_secret_has_at_least_24_bytes(self, size: int, is_taken: bool) -> None:
        text = secret_text(bytes(size))

        if is_taken:
            assert read_secret(text) == bytes(size)
        else:
            with pytest.raises(ValueError, match="at least 24 bytes"):
                read_secret(text)

    def test_a_secret_without_its_prefix_is_refused(self) -> None:
        with pytest.raises(ValueError, match="A secret is whsec_"):
            read_secret(secret_text(bytes(32)).removeprefix("whsec_"))


class TestVerifying:
    secret: ClassVar = new_secret(random.Random(5))

    def headers(self, *, at: datetime = NOW, body: bytes = BODY) -> dict[str, str]:
        return signed_headers([self.secret], message_id="m", timestamp=int(at.timestamp()), body=body)

    def test_what_we_signed_has_no_flaw(self) -> None:
        assert flaw_of_delivery(self.secret, self.headers(), BODY, now=NOW) == ""

    def test_a_changed_body_has(self) -> None:
        assert "no signature" in flaw_of_delivery(self.secret, self.headers(), BODY + b" ", now=NOW)

    def test_another_secret_does_not_match(self) -> None:
        assert "no signature" in flaw_of_delivery(b"another", self.headers(), BODY, now=NOW)

    @pytest.mark.parametrize(("seconds", "trusted"), [(-301, False), (-300, True), (300, True), (301, False)])
    def test_a_timestamp_may_be_five_minutes_off(self, seconds: int, trusted: bool) -> None:
        headers = self.headers(at=NOW + timedelta(seconds=seconds))

        assert (flaw_of_delivery(self.secret, headers, BODY, now=NOW) == "") is trusted

    @pytest.mark.parametrize("missing", ["webhook-id", "webhook-timestamp", "webhook-signature"])
    def test_every_header_is_needed(self, missing: str) -> None:
        headers = self.headers()
        del headers[missing]

        assert flaw_of_delivery(self.secret, headers, BODY, now=NOW) != ""

    def test_a_signature_outside_ascii_is_a_flaw_and_no_crash(self) -> None:
        headers = {**self.headers(), "webhook-signature": "v1,ä"}

        assert "no signature" in flaw_of_delivery(self.secret, headers, BODY, now=NOW)


class TestRetries:
    def test_ten_tries_go_over_three_days(self) -> None:
        assert MOST_TRIES == 10
        assert timedelta(days=2, hours=22) < sum(RETRY_WAITS, timedelta()) < timedelta(days=3)
        assert list(RETRY_WAITS) == sorted(RETRY_WAITS)

    @pytest.mark.parametrize("status", [200, 201, 204, 299])
    def test_any_success_is_a_success(self, status: int) -> None:
        assert judge(status) == Delivered()

    @pytest.mark.parametrize("status", [None, 100, 199, 300, 301, 302, 400, 401, 404, 429, 500, 503])
    def test_anything_else_is_tried_again(self, status: int | None) -> None:
        assert isinstance(judge(status), TryAgainAt)

    def test_a_redirect_is_no_success(self) -> None:
        assert isinstance(judge(307), TryAgainAt)

    @pytest.mark.parametrize("tries", range(1, MOST_TRIES))
    def test_each_wait_is_the_plan_s_give_or_take_a_tenth(self, tries: int) -> None:
        planned = RETRY_WAITS[tries - 1]

        waits = []
        for seed in range(50):
            verdict = judge(500, tries, seed=seed)
            assert isinstance(verdict, TryAgainAt)
            waits.append(verdict.at - NOW)

        assert planned * 0.9 <= min(waits) < max(waits) <= planned * 1.1

    def test_the_tenth_failure_is_the_last(self) -> None:
        assert isinstance(judge(500, tries=9), TryAgainAt)
        assert judge(500, tries=10) == GiveUp()
        assert judge(200, tries=10) == Delivered()

    def test_gone_is_gone_at_once(self) -> None:
        assert judge(410, tries=1) == EndpointGone()
        assert judge(410, tries=10) == EndpointGone()

    def test_retry_after_makes_the_wait_longer(self) -> None:
        assert judge(429, retry_after=timedelta(minutes=7)) == TryAgainAt(NOW + timedelta(minutes=7))

    def test_retry_after_does_not_make_it_shorter(self) -> None:
        verdict = judge(503, tries=4, retry_after=timedelta(seconds=1))

        assert isinstance(verdict, TryAgainAt)
        assert verdict.at - NOW >= RETRY_WAITS[3] * 0.9

    def test_nobody_makes_us_wait_longer_than_a_day(self) -> None:
        assert judge(429, retry_after=timedelta(days=400)) == TryAgainAt(NOW + timedelta(hours=24))

    def test_five_days_of_failure_are_enough(self) -> None:
        just_now = NOW - timedelta(days=5)

        assert is_failing_for_good(just_now, at=NOW)
        assert not is_failing_for_good(just_now + timedelta(seconds=1), at=NOW)


class TestRetryAfter:
    @pytest.mark.parametrize(
        ("text", "wait"),
        [
            (None, None),
            ("", None),
            ("soon", None),
            ("-5", None),
            ("1.5", None),
            ("²", None),
            ("0", timedelta()),
            (" 120 ", timedelta(minutes=2)),
            ("000000000120", timedelta(minutes=2)),
            ("99999999999999999999", timedelta(hours=24)),
            ("9" * 5_000, timedelta(hours=24)),
            ("Sat, 15 Aug 2026 12:10:00 GMT", timedelta(minutes=10)),
            ("Sat, 15 Aug 2026 11:00:00 GMT", timedelta()),
        ],
    )
    def test_it_is_read_as_seconds_or_a_date(self, text: str | None, wait: timedelta | None) -> None:
        assert read_retry_after(text, real_now=NOW) == wait


class TestEndpoints:
    @pytest.mark.parametrize(
        "endpoint",
        [
            "https://hooks.example.com/in",
            "https://hooks.example.com:8443/",
            "HTTPS://h.example",
            "https://[2001:db8::1]/",
        ],
    )
    def test_an_https_address_is_one(self, endpoint: str) -> None:
        assert endpoint_problems(endpoint, allow_http=False) == []

    @pytest.mark.parametrize(
        ("endpoint", "code"),
        [
            ("http://hooks.example.com", "bad_scheme"),
            ("ftp://hooks.example.com", "bad_scheme"),
            ("file:///etc/passwd", "bad_endpoint"),
            ("hooks.example.com/in", "bad_endpoint"),
            ("https:///no-host", "bad_endpoint"),
            ("https://host:0/", "bad_endpoint"),
            ("https://host:99999/", "bad_endpoint"),
            ("https://[::1/", "bad_endpoint"),
            ("https://user@host.example/", "bad_endpoint"),
            ("https://user:password@host.example/", "bad_endpoint"),
            ("https://host.example/#part", "bad_endpoint"),
            ("https://host.example/a b", "bad_endpoint"),
            ("https://host.example/\r\nHost: other", "bad_endpoint"),
        ],
    )
    def test_anything_else_is_refused(self, endpoint: str, code: str) -> None:
        assert [problem.code for problem in endpoint_problems(endpoint, allow_http=False)] == [code]

    def test_http_is_allowed_where_it_is_allowed(self) -> None:
        assert endpoint_problems("http://127.0.0.1:9000/", allow_http=True) == []

    @pytest.mark.parametrize(
        "address", ["h.example", "h.example:443", "h.example:8443", "[2001:db8::1]:8443"]
    )
    def test_a_port_that_is_allowed_is_taken(self, address: str) -> None:
        assert endpoint_problems(f"https://{address}/", allow_http=False, ports=(443, 8443)) == []

    @pytest.mark.parametrize("port", [1, 22, 80, 442, 444, 5432, 8442, 8444, 65_535])
    def test_any_other_port_is_refused(self, port: int) -> None:
        (problem,) = endpoint_problems(f"https://h.example:{port}/", allow_http=False, ports=(443, 8443))

        assert (problem.code, problem.message) == ("bad_port", "must be on port 443 or 8443")

    def test_the_port_follows_the_scheme(self) -> None:
        assert webhooks.host_and_port("https://h.example/x") == ("h.example", 443)
        assert webhooks.host_and_port("http://h.example/x") == ("h.example", 80)
        assert webhooks.host_and_port("https://h.example:8443/x") == ("h.example", 8443)
