from starlette.responses import Response

from bindery.api.call import Call
from bindery.base.errors import NotFound
from bindery.contract.vocabulary import InsuranceProduct
from bindery.domain.questions import describe_questions, question_set
from bindery.http.headers import REVALIDATE


async def get_questions(call: Call) -> Response:
    """Answer with the question set of a product, its conditions and its edition."""
    name: str = call.request.path_params["product"]
    try:
        product = InsuranceProduct(name.upper())
    except ValueError:
        raise NotFound(f"There is no product {name}; the products are CYB, TEO and MPL.") from None
    return call.json_with_etag(describe_questions(question_set(product)), cache=REVALIDATE)
