import json

import pytest

from bindery.base.errors import ChangedMeanwhile, InvalidRequest
from bindery.contract.vocabulary import QuoteStatus
from bindery.domain.quote.handing_over import (
    AlreadyThere,
    BrokersOfCompany,
    HandedOver,
    decide_hand_over,
    with_brokers,
)
from bindery.domain.quote.lifecycle import PASSING, Trigger, find_move, may

BO, ANN, LUIS = "bo@firm.example", "ann@firm.example", "luis@firm.example"
BROKERS = (BO, ANN)
NOW = BrokersOfCompany(BO, LUIS)


def decide(wanted: BrokersOfCompany, seen: BrokersOfCompany = NOW) -> HandedOver | AlreadyThere:
    return decide_hand_over(NOW, wanted, seen=seen, brokers=BROKERS, colleagues=(*BROKERS, LUIS))


def test_a_company_goes_to_a_colleague_and_keeps_or_loses_its_secondary_broker() -> None:
    before = {"broker_before": BO, "secondary_broker_before": LUIS}

    assert decide(BrokersOfCompany(ANN, LUIS)) == HandedOver(broker=ANN, secondary_broker=LUIS, **before)
    assert decide(BrokersOfCompany(BO)) == HandedOver(broker=BO, secondary_broker=None, **before)


def test_nobody_else_can_have_it_and_all_that_is_wrong_is_said() -> None:
    # A colleague who is no broker of record can only help.
    for wanted, paths in [
        (BrokersOfCompany(LUIS), ["broker_email"]),
        (
            BrokersOfCompany("eve@other.example", "mallory@other.example"),
            ["broker_email", "secondary_broker_email"],
        ),
        (BrokersOfCompany(ANN, ANN), ["secondary_broker_email"]),
        (BrokersOfCompany(""), ["broker_email"]),
    ]:
        with pytest.raises(InvalidRequest) as refused:
            decide(wanted)
        assert [problem.path for problem in refused.value.problems] == paths


def test_one_from_outside_who_is_on_file_may_stay() -> None:
    now = BrokersOfCompany(BO, "helper@outside.example")
    wanted = BrokersOfCompany(ANN, "helper@outside.example")

    decided = decide_hand_over(now, wanted, seen=now, brokers=BROKERS, colleagues=BROKERS)

    assert isinstance(decided, HandedOver)


def test_a_second_press_finds_it_there_and_a_late_one_is_refused() -> None:
    old = BrokersOfCompany(ANN)

    assert decide(NOW, seen=old) == AlreadyThere()
    with pytest.raises(ChangedMeanwhile, match=f"with {BO}, with {LUIS} as the secondary broker by now"):
        decide(BrokersOfCompany(ANN, LUIS), seen=old)


def test_a_request_reads_as_if_it_came_from_the_new_brokers() -> None:
    sent = json.dumps(
        {"client": {"name": "Zażółć", "broker_email": BO, "secondary_broker_email": LUIS}, "x": 1.5}
    )

    assert json.loads(with_brokers(sent, BrokersOfCompany(ANN))) == {
        "client": {"name": "Zażółć", "broker_email": ANN},
        "x": 1.5,
    }
    assert (
        json.loads(with_brokers(sent, BrokersOfCompany(BO, ANN)))["client"]["secondary_broker_email"] == ANN
    )


def test_handing_over_moves_no_status() -> None:
    for status in QuoteStatus:
        assert may(status, Trigger.HAND_OVER) is (status not in PASSING)
        if status not in PASSING:
            move = find_move(status, Trigger.HAND_OVER)
            assert (move.target, move.notifies) == (status, None)
