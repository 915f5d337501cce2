"""The same endpoint the usual way: FastAPI, pydantic and SQLAlchemy's ORM, on the same tables.

The models are read from the tables when it starts; what a request costs is the same as with written ones.
"""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

import asyncpg
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Text, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.ext.declarative import DeferredReflection
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from starlette.types import ASGIApp

from bench.floor import BROKER_ID, DSN, PARTNER_ID, rng
from bindery.base.ids import company_id, uuid7


class Base(DeferredReflection, DeclarativeBase):
    __abstract__ = True
    # Columns that the database fills in are not asked for.
    __mapper_args__ = {"eager_defaults": False}  # noqa: RUF012 - SQLAlchemy's own form


class Company(Base):
    __tablename__ = "companies"


class Submission(Base):
    __tablename__ = "submissions"


class Key(Base):
    __tablename__ = "clearance_keys"
    # It has no primary key, which an ORM needs.
    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    value: Mapped[str] = mapped_column(Text, primary_key=True)
    company_id: Mapped[int] = mapped_column(primary_key=True)


class Quote(Base):
    __tablename__ = "quotes"


class Entry(Base):
    __tablename__ = "journal"


class AddressIn(BaseModel):
    street: Annotated[str, Field(min_length=1, max_length=255)]
    city: Annotated[str, Field(min_length=1, max_length=50)]
    zip: Annotated[str, Field(max_length=50)]
    state: Annotated[str, Field(max_length=50)] | None = None


class ContactIn(BaseModel):
    model_config = ConfigDict(extra="forbid")
    email: Annotated[str, Field(min_length=1, max_length=255)]
    first_name: str | None = None
    last_name: str | None = None


class ClientIn(BaseModel):
    name: Annotated[str, Field(min_length=1, max_length=400)]
    revenue: Annotated[int, Field(ge=1, le=5_000_000_000)]
    broker_email: str
    address: AddressIn
    domains: Annotated[list[Annotated[str, Field(max_length=255)]], Field(max_length=75)] = []
    industry: Annotated[str, Field(pattern="^[0-9]{6}$")] | None = None
    insured_main_contact: ContactIn | None = None


class OptionIn(BaseModel):
    aggregate_limit: Literal[250_000, 500_000, 1_000_000, 2_000_000, 3_000_000]
    aggregate_retention: Literal[2_500, 5_000, 10_000] | None = None


class PolicyIn(BaseModel):
    insurance_product: Literal["CYB", "TEO", "MPL"] = "CYB"
    quotes: Annotated[list[OptionIn], Field(max_length=15)] = []


class QuestionIn(BaseModel):
    id: str
    value: bool | int | str | list[str]


class CreateIn(BaseModel):
    client: ClientIn
    policy: PolicyIn
    questions: list[QuestionIn]


class CreateOut(BaseModel):
    company_id: str
    quotes: list[dict[str, Any]]


engine = create_async_engine(
    "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(DSN), pool_size=10, max_overflow=0
)
sessions = async_sessionmaker(engine, expire_on_commit=False)


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
    async with engine.connect() as connection:
        await connection.run_sync(lambda bound: Base.prepare(bind=bound))
    yield
    await engine.dispose()


app = FastAPI(lifespan=lifespan)


@app.post("/v2/quotes")
async def create(request: CreateIn) -> CreateOut:
    while True:
        try:
            return await write(request)
        except IntegrityError:
            continue  # a company number that was drawn before; the next draw gives another


async def write(request: CreateIn) -> CreateOut:
    now = datetime.now(UTC)
    company, submission = company_id(rng), uuid7(now, rng)
    ids = {"company_id": company, "partner_id": PARTNER_ID}
    raw = request.model_dump_json()
    quotes = [(uuid7(now, rng), option.aggregate_limit) for option in request.policy.quotes]
    async with sessions() as session, session.begin():
        session.add(Company(**ids, created_at=now))
        await session.flush()
        session.add(
            Submission(
                **ids, submission_id=submission, broker_id=BROKER_ID, product="CYB", created_at=now,
                name=request.client.name, revenue=request.client.revenue, state="PA",
                effective=date(2027, 1, 1), expiration=date(2028, 1, 1), question_edition="2026.1",
                rated_fingerprint=b"0" * 32, body=raw, facts=raw,
            )
        )  # fmt: skip
        await session.flush()
        session.add_all(
            Key(**ids, kind=kind, value=f"{company}.example", broker_id=BROKER_ID, submitted_at=now)
            for kind in ("domain", "address")
        )
        session.add_all(
            Quote(
                **ids, quote_id=quote_id, submission_id=submission, option_number=number, product="CYB",
                status="created", created_at=now, updated_at=now, requested_aggregate_limit=limit,
                journal_hash=b"0" * 32,
            )
            for number, (quote_id, limit) in enumerate(quotes)
        )  # fmt: skip
        await session.flush()
        session.add_all(
            Entry(
                quote_id=quote_id, entry=1, event_id=uuid7(now, rng), at=now, actor="bench", trigger="create",
                status_after="created", hash=b"0" * 32,
            )
            for quote_id, _ in quotes
        )  # fmt: skip
        await session.execute(
            text(
                "insert into pgq.pgqueuer (priority, entrypoint, payload, status) "
                "values (0, 'process_submission', :payload, 'queued')"
            ),
            {"payload": str(submission).encode()},
        )
    receipts = [
        {"quote_identifier": str(quote_id), "requested_aggregate_limit": limit} for quote_id, limit in quotes
    ]
    return CreateOut(company_id=str(company), quotes=receipts)


@app.get("/v2/quotes/{identifier}")
async def read(identifier: str) -> dict[str, Any]:
    async with sessions() as session:
        quote: Any = await session.get(Quote, uuid.UUID(identifier))
    return {"quote_identifier": identifier, "quote_status": quote.status if quote else None}


def reference() -> ASGIApp:
    return app
