// The bodies of the API by short names; `schema.ts` is generated from the OpenAPI document when this is built.
import type { components } from "./schema.js";

export type Schemas = components["schemas"];

export type QuoteRequest = Schemas["CreateQuotesRequest"];
export type QuoteReceipts = Schemas["CreateQuotesResponse"];
export type QuoteReceipt = Schemas["QuoteReceipt"];
export type Quote = Schemas["QuoteBody"];
export type NotReadyQuote = Schemas["NotReadyBody"];
export type Validation = Schemas["ValidateResponse"];
export type Questions = Schemas["QuestionsResponse"];
export type QuotePage = Schemas["QuotesResponse"];
export type ListedQuote = Schemas["ListedQuote"];
export type PolicyPage = Schemas["PoliciesResponse"];
export type ListedPolicy = Schemas["ListedPolicy"];
export type CompanyPage = Schemas["CompaniesResponse"];
export type ListedCompany = Schemas["ListedCompany"];
export type Company = Schemas["CompanyBody"];
export type Indication = Schemas["IndicationResponse"];
export type IndicationRequest = Schemas["IndicationRequest"];
export type SignatureRequest = Schemas["SignatureRequestBody"];
export type PolicyChange = Schemas["PolicyChangeBody"];
export type Standing = Schemas["StandingResponse"];
export type Product = Schemas["InsuranceProduct"];
export type DocumentType = Schemas["DocumentType"];
export type PacketType = "quote" | "binder" | "policy";
export type PacketForms = Schemas["PacketMetadata"];
export type UploadReceipt = Schemas["UploadReceipt"];
export type BindRequest = Schemas["BindRequest"];
export type BindReceipts = Schemas["BindResponse"];
export type BindReceipt = Schemas["BindReceipt"];
export type Problem = Schemas["ErrorProblem"];
export type FeedEvent = Schemas["FeedEvent"];
export type EventPage = Schemas["EventsResponse"];
export type EventType = Schemas["EventType"];
export type Webhook = Schemas["WebhookBody"];
export type Delivery = Schemas["DeliveryBody"];
export type DeliveryPage = Schemas["DeliveriesResponse"];
export type Review = Schemas["ReviewRequest"];

/** A delivery that was verified: the event as the feed has it, or a ping. */
export type DeliveredEvent = Schemas["FeedEvent"] | (Schemas["WebhookPingDelivery"] & { id: string });

/** A quote, a receipt for one, or its identifier. */
export type QuoteRef = string | { quote_identifier: string };

/** What a list is narrowed by, as the API names it: `{ quote_status: "published", "metadata.crm": "A-17" }`. */
export type Filters = Record<string, string | number | string[] | undefined>;

/** A page of a list; `next_cursor` is null on the last one. */
export interface Page {
  next_cursor: string | null;
}
