import random

from bindery.base.ids import short_key

LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


def test_a_short_key_has_readable_letters_and_each_of_them_anywhere() -> None:
    rng = random.Random(17)

    drawn = [short_key(rng) for _ in range(2_000)]

    assert {len(key) for key in drawn} == {8}
    assert {"".join(sorted(set(place))) for place in zip(*drawn, strict=True)} == {"".join(sorted(LETTERS))}
    assert len(set(drawn)) == len(drawn)


def test_a_longer_key_is_drawn_as_one() -> None:
    assert len(short_key(random.Random(17), 16)) == 16
