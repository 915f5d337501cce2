from bindery.base.nearest import one_letter_off


def test_words_with_one_letter_more_less_other_or_two_exchanged_are_near() -> None:
    near = one_letter_off("willow")

    assert {"willwo", "wilow", "willows", "wiilow", "millow", "iwllow"} <= near
    assert "willow" not in near
    assert {"wilwo", "wlow", "willowss"}.isdisjoint(near)


def test_there_are_as_many_as_a_search_can_look_up() -> None:
    assert len(one_letter_off("a" * 24)) < 1_300
