from bindery.contract.vocabulary import InsuranceProduct
from bindery.storage.database import Reader, Tx


async def exists(tx: Reader, company_id: int, *, partner_id: int) -> bool:
    """Whether the partner has this company; another partner's is not there."""
    return await tx.value(
        bool,
        "select exists (select from companies where company_id = $1 and partner_id = $2)",
        company_id,
        partner_id,
    )


async def lock(tx: Tx, company_id: int) -> None:
    """Hold a company, so that its submissions come one after the other."""
    await tx.execute("select from companies where company_id = $1 for no key update", company_id)


async def newest_rated_fingerprint(tx: Reader, company_id: int, product: InsuranceProduct) -> bytes | None:
    """Return the fingerprint of the rated facts last submitted for a company and product."""
    return await tx.find_value(
        bytes,
        """
        select rated_fingerprint from submissions where company_id = $1 and product = $2
        order by created_at desc, submission_id desc limit 1
        """,
        company_id,
        product,
    )
