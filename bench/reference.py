"""The same endpoint the usual way: FastAPI, pydantic and SQLAlchemy, on the same tables."""

import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal

import asyncpg
from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import DateTime, ForeignKey, LargeBinary, Text, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column
from starlette.types import ASGIApp

from bench.floor import BROKER_ID, DSN, PARTNER_ID, rng
from bindery.base.ids import company_id, uuid7


class Base(DeclarativeBase):
    type_annotation_map = {datetime: DateTime(timezone=True)}  # noqa: RUF012 - SQLAlchemy's own form


class Company(Base):
    __tablename__ = "companies"
    company_id: Mapped[int] = mapped_column(primary_key=True)
    partner_id: Mapped[int]
    created_at: Mapped[datetime]


class Submission(Base):
    __tablename__ = "submissions"
    submission_id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    company_id: Mapped[int] = mapped_column(ForeignKey("companies.company_id"))
    partner_id: Mapped[int]
    broker_id: Mapped[int]
    product: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]
    name: Mapped[str] = mapped_column(Text)
    revenue: Mapped[int]
    state: Mapped[str] = mapped_column(Text)
    effective: Mapped[date]
    expiration: Mapped[date]
    question_edition: Mapped[str] = mapped_column(Text)
    rated_fingerprint: Mapped[bytes] = mapped_column(LargeBinary)
    body: Mapped[str] = mapped_column(Text)
    facts: Mapped[str] = mapped_column(Text)


class Key(Base):
    __tablename__ = "clearance_keys"
    kind: Mapped[str] = mapped_column(Text, primary_key=True)
    value: Mapped[str] = mapped_column(Text, primary_key=True)
    company_id: Mapped[int] = mapped_column(primary_key=True)
    partner_id: Mapped[int]
    broker_id: Mapped[int]
    submitted_at: Mapped[datetime]


class Quote(Base):
    __tablename__ = "quotes"
    quote_id: Mapped[uuid.UUID] = mapped_column(primary_key=True)
    submission_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("submissions.submission_id"))
    company_id: Mapped[int]
    partner_id: Mapped[int]
    option_number: Mapped[int]
    product: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    requested_aggregate_limit: Mapped[int]
    journal_hash: Mapped[bytes] = mapped_column(LargeBinary)


class Entry(Base):
    __tablename__ = "journal"
    quote_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("quotes.quote_id"), primary_key=True)
    entry: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[uuid.UUID]
    at: Mapped[datetime]
    actor: Mapped[str] = mapped_column(Text)
    trigger: Mapped[str] = mapped_column(Text)
    status_after: Mapped[str] = mapped_column(Text)
    hash: Mapped[bytes] = mapped_column(LargeBinary)


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


class ReceiptOut(BaseModel):
    quote_identifier: str
    requested_aggregate_limit: int


class CreateOut(BaseModel):
    company_id: str
    quotes: list[ReceiptOut]


engine = create_async_engine(
    "postgresql+asyncpg://", async_creator=lambda: asyncpg.connect(DSN), pool_size=10, max_overflow=0
)
sessions = async_sessionmaker(engine, expire_on_commit=False)


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
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
    raw = request.model_dump_json()
    async with sessions() as session, session.begin():
        session.add(Company(company_id=company, partner_id=PARTNER_ID, created_at=now))
        await session.flush()
        session.add(
            Submission(
                submission_id=submission,
                company_id=company,
                partner_id=PARTNER_ID,
                broker_id=BROKER_ID,
                product="CYB",
                created_at=now,
                name=request.client.name,
                revenue=request.client.revenue,
                state="PA",
                effective=date(2027, 1, 1),
                expiration=date(2028, 1, 1),
                question_edition="2026.1",
                rated_fingerprint=b"0" * 32,
                body=raw,
                facts=raw,
            )
        )
        await session.flush()
        for kind in ("domain", "address"):
            session.add(
                Key(
                    kind=kind,
                    value=f"{company}.example",
                    company_id=company,
                    partner_id=PARTNER_ID,
                    broker_id=BROKER_ID,
                    submitted_at=now,
                )
            )
        quotes = [
            Quote(
                quote_id=uuid7(now, rng),
                submission_id=submission,
                company_id=company,
                partner_id=PARTNER_ID,
                option_number=number,
                product="CYB",
                status="created",
                created_at=now,
                updated_at=now,
                requested_aggregate_limit=option.aggregate_limit,
                journal_hash=b"0" * 32,
            )
            for number, option in enumerate(request.policy.quotes)
        ]
        session.add_all(quotes)
        await session.flush()
        session.add_all(
            Entry(
                quote_id=quote.quote_id,
                entry=1,
                event_id=uuid7(now, rng),
                at=now,
                actor="bench",
                trigger="create",
                status_after="created",
                hash=b"0" * 32,
            )
            for quote in quotes
        )
        await session.execute(
            text(
                "insert into pgq.pgqueuer (priority, entrypoint, payload, status) "
                "values (0, 'process_submission', :payload, 'queued')"
            ),
            {"payload": str(submission).encode()},
        )
    return CreateOut(
        company_id=str(company),
        quotes=[
            ReceiptOut(
                quote_identifier=str(quote.quote_id),
                requested_aggregate_limit=quote.requested_aggregate_limit,
            )
            for quote in quotes
        ],
    )


@app.get("/v2/quotes/{identifier}")
async def read(identifier: str) -> dict[str, Any]:
    async with sessions() as session:
        quote = await session.get(Quote, uuid.UUID(identifier))
    return {"quote_identifier": identifier, "quote_status": quote.status if quote else None}


def reference() -> ASGIApp:
    return app
