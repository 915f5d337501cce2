from support.service import Service


async def test_a_clean_request_is_published(working_service: Service) -> None:
    quote = await working_service.quote()

    assert quote["quote_status"] == "published"
    assert quote["premium"] == 1536
