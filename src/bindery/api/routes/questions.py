from starlette.responses import Response

from bindery.api.call import Call
from bindery.base.errors import NotFound
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.questions import QUESTIONS, describe_questions
from bindery.domain.text import listed
from bindery.http.headers import REVALIDATE


async def get_questions(call: Call) -> Response:
    """Answer with the question set of a product, its conditions and its edition."""
    name: str = call.request.path_params["product"]
    try:
        product = InsuranceProduct(name.upper())
    except ValueError:
        raise NotFound(f"There is no product {name}; the products are {listed(InsuranceProduct)}.") from None
    today = await call.runtime.database.today()
    return call.json_with_etag(describe_questions(QUESTIONS.in_force(today).sets[product]), cache=REVALIDATE)
