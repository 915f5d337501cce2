import asyncio
import time
from ipaddress import ip_address

import pytest

from bindery.outside.scanner.connector import IN_ALL, PER_NETWORK, Gate, Throttle, ThrottleLimits, network_of
from bindery.outside.scanner.hosts import hosts_to_try


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("198.51.100.7", "198.51.100.0/24"),
        ("198.51.101.7", "198.51.101.0/24"),
        ("2001:db8:1:2::3", "2001:db8:1::/48"),
        ("2001:db8:2::", "2001:db8:2::/48"),
        ("::ffff:198.51.100.9", "198.51.100.0/24"),
        ("64:ff9b::198.51.100.9", "198.51.100.0/24"),
    ],
)
def test_limits_are_kept_per_24_and_per_48(address: str, network: str) -> None:
    assert network_of(ip_address(address)) == network


def test_a_network_is_knocked_at_ten_times_a_second_and_four_times_at_once() -> None:
    assert ThrottleLimits(per_s=10, at_once=4) == PER_NETWORK
    assert IN_ALL.per_s >= PER_NETWORK.per_s


async def test_a_burst_of_one_second_passes_and_the_rest_waits_for_tokens() -> None:
    gate = Gate(ThrottleLimits(per_s=50, at_once=100))
    passed_at = []

    async def knock() -> None:
        async with gate.passage():
            passed_at.append(time.monotonic() - started)

    started = time.monotonic()
    await asyncio.gather(*(knock() for _ in range(60)))

    # Fifty at once, which one in 20 ms would take a second for, and ten more at one in 20 ms.
    assert passed_at[49] < 0.9
    assert passed_at[59] >= 0.19


async def test_no_more_than_allowed_are_inside_at_once() -> None:
    throttle = Throttle(ThrottleLimits(per_s=10_000, at_once=4), ThrottleLimits(per_s=10_000, at_once=100))
    inside, most = 0, 0

    async def knock() -> None:
        nonlocal inside, most
        async with throttle.passage(ip_address("198.51.100.1")):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.01)
            inside -= 1

    await asyncio.gather(*(knock() for _ in range(20)))

    assert most == 4


async def test_a_busy_network_does_not_hold_up_another() -> None:
    throttle = Throttle(ThrottleLimits(per_s=10, at_once=1), ThrottleLimits(per_s=1_000, at_once=100))

    async with throttle.passage(ip_address("198.51.100.1")):
        async with asyncio.timeout(60), throttle.passage(ip_address("198.51.101.1")):
            pass
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05), throttle.passage(ip_address("198.51.100.2")):
                pass


async def test_all_networks_together_have_a_limit_too() -> None:
    throttle = Throttle(ThrottleLimits(per_s=10, at_once=4), ThrottleLimits(per_s=1_000, at_once=1))

    async with throttle.passage(ip_address("198.51.100.1")):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05), throttle.passage(ip_address("198.51.101.1")):
                pass


async def test_a_place_is_given_back_when_the_knock_breaks_off() -> None:
    gate = Gate(ThrottleLimits(per_s=1_000, at_once=1))

    with pytest.raises(ValueError, match="broken"):
        async with gate.passage():
            raise ValueError("broken")

    async with asyncio.timeout(60), gate.passage():
        pass


def test_only_the_listed_names_and_the_own_exchangers_are_tried() -> None:
    names = hosts_to_try("example.com", ["mx1.example.com", "mx.example.net", ""], thorough=True)

    assert names == (
        "example.com",
        "www.example.com",
        "mail.example.com",
        "autodiscover.example.com",
        "vpn.example.com",
        "remote.example.com",
        "owa.example.com",
        "ftp.example.com",
        "mx1.example.com",
    )


@pytest.mark.parametrize("exchangers", [7, 8, 30])
def test_no_more_than_fifteen_names_are_tried(exchangers: int) -> None:
    mail = [f"mx{number}.example.com" for number in range(exchangers)]

    assert len(hosts_to_try("example.com", mail, thorough=True)) == 15


def test_a_light_scan_tries_the_web_site_alone() -> None:
    assert hosts_to_try("example.com", ["mx.example.com"], thorough=False) == (
        "example.com",
        "www.example.com",
    )


@pytest.mark.parametrize(
    "exchanger", ["mx;drop.example.com", "*.example.com", "mx .example.com", "\\032.example.com"]
)
def test_an_exchanger_with_an_impossible_name_is_not_tried(exchanger: str) -> None:
    assert exchanger not in hosts_to_try("example.com", [exchanger], thorough=True)
