import {
  type Call,
  addressOf,
  apiUrl,
  bareToken,
  nextWait,
  pathOf,
  pause,
  pauseBeforeRetry,
  requestOf,
} from "./call.js";
import { NotReady, Unreachable, refusalOf } from "./errors.js";
import type * as t from "./types.js";
import { newKey } from "./webcrypto.js";

const SIGNED_APPLICATION = "A signed and dated application";
const UPLOAD_WITHIN_MS = 120_000;
const CLOCK_MOVES_WITHIN_MS = 900_000;

export interface Connection {
  token: string;
  /** The address of the service; its /v2 may be left out. */
  baseUrl?: string;
  fetch?: typeof globalThis.fetch;
}

export interface Keyed {
  /** A key of your own; without it one is drawn, so that a lost answer does not do it twice. */
  idempotencyKey?: string;
}

export interface EventFilter {
  after?: string | undefined;
  quote?: t.QuoteRef | undefined;
  type?: t.EventType | undefined;
  level?: "quote" | "policy" | undefined;
  limit?: number | undefined;
}

/** A partner's connection to the service; every method throws `ApiError` where it does not succeed. */
export class Bindery {
  readonly #token: string;
  readonly #baseUrl: string;
  readonly #fetch: typeof globalThis.fetch;

  constructor({ token, baseUrl = "http://127.0.0.1:8000", fetch }: Connection) {
    this.#token = bareToken(token);
    this.#baseUrl = apiUrl(baseUrl.trim());
    this.#fetch = fetch ?? globalThis.fetch.bind(globalThis);
  }

  // From a request to a policy.

  /** Request quotes and wait until every option is ready: published, or with an underwriter. */
  async quote(request: t.QuoteRequest, { timeoutMs = 120_000 } = {}): Promise<t.Quote[]> {
    const receipt = await this.createQuotes(request);
    const quotes: t.Quote[] = [];
    for (const option of receipt.quotes) quotes.push(await this.waitForQuote(option, { timeoutMs }));
    return quotes;
  }

  /** Get a quote when it is ready; throws `NotReady` when the time is up. */
  async waitForQuote(quote: t.QuoteRef, { timeoutMs = 120_000 } = {}): Promise<t.Quote> {
    const until = performance.now() + timeoutMs;
    for (;;) {
      const seen = await this.getQuote(quote, { waitSeconds: nextWait(until, performance.now()) });
      if (isReady(seen)) return seen;
      if (performance.now() >= until) throw new NotReady(seen);
    }
  }

  /**
   * Download the application, have it signed by `sign`, and upload what comes back.
   * Where a signature takes days, `download` the application now and `uploadSigned` it then.
   */
  async signAndUpload(
    quote: t.QuoteRef,
    sign: (application: Uint8Array) => Uint8Array | Promise<Uint8Array>,
  ): Promise<t.UploadReceipt> {
    return this.uploadSigned(quote, await sign(await this.download("application", quote)));
  }

  /** Upload the signed application; `finding` and `signature` say what it turned out to be. */
  async uploadSigned(quote: t.QuoteRef, content: Uint8Array, name = "application.pdf"): Promise<t.UploadReceipt> {
    const shown = await this.#shown(quote);
    const contingency = shown.contingencies.find(
      ({ status, text }) => status === "open" && text.startsWith(SIGNED_APPLICATION),
    );
    if (!contingency) throw new TypeError(`Quote ${shown.quote_identifier} does not need a signed application.`);
    return this.uploadDocument(shown, content, { name, contingency: contingency.contingency_id });
  }

  /**
   * Bind what was quoted, from the quoted day unless another is given; `outcome` says what became of it.
   * `attested` says that the uploaded application is complete and unchanged: the policy is issued.
   */
  async bind(
    quote: t.QuoteRef,
    { attested = false, effective, ...keyed }: Keyed & { attested?: boolean; effective?: string } = {},
  ): Promise<t.BindReceipt> {
    const shown = await this.#shown(quote);
    const request = {
      quote_identifier: shown.quote_identifier,
      dates: { effective: effective ?? shown.dates.effective },
      app_attestation: attested,
    };
    return (await this.bindQuote(request, keyed)).quotes[0]!;
  }

  /** Download a document as PDF, once the quote is ready. */
  async download(documentType: t.DocumentType, quote: t.QuoteRef): Promise<Uint8Array> {
    try {
      return await this.downloadDocument(documentType, quote);
    } catch (fault) {
      if (!(fault instanceof NotReady)) throw fault;
      return this.downloadDocument(documentType, await this.waitForQuote(quote));
    }
  }

  // Lists, page by page and row by row.

  /** Iterate over the feed up to its end as it is now, the oldest event first. */
  async *events(filter: EventFilter = {}): AsyncGenerator<t.FeedEvent, void> {
    for await (const page of this.eventPages(filter)) yield* page.events;
  }

  /** Iterate over the feed by pages; keep `next_cursor` of the last one, and continue `after` it. */
  async *eventPages(filter: EventFilter = {}): AsyncGenerator<t.EventPage, void> {
    let { after } = filter;
    for (;;) {
      const page = await this.listEvents({ ...filter, after });
      if (page.events.length === 0) return;
      yield page;
      after = page.next_cursor;
    }
  }

  /** Iterate over the deliveries to a webhook, the newest first. */
  async *deliveries(webhookId: string): AsyncGenerator<t.Delivery, void> {
    const pages = this.pages((cursor) => this.listDeliveries(webhookId, { cursor }));
    for await (const page of pages) yield* page.deliveries;
  }

  /** Iterate over the quotes that fit, the newest submission first. */
  async *quotes(filters: t.Filters = {}): AsyncGenerator<t.ListedQuote, void> {
    for await (const page of this.pages((cursor) => this.listQuotes({ ...filters, cursor }))) yield* page.quotes;
  }

  /** Iterate over the policies that fit, the newest bind first. */
  async *policies(filters: t.Filters = {}): AsyncGenerator<t.ListedPolicy, void> {
    for await (const page of this.pages((cursor) => this.listPolicies({ ...filters, cursor }))) yield* page.policies;
  }

  /** Iterate over the companies that fit, the newest first. */
  async *companies(filters: t.Filters = {}): AsyncGenerator<t.ListedCompany, void> {
    for await (const page of this.pages((cursor) => this.listCompanies({ ...filters, cursor }))) yield* page.companies;
  }

  /** Iterate over the pages of a list, to the last one. */
  async *pages<P extends t.Page>(pageAt: (cursor: string | undefined) => Promise<P>): AsyncGenerator<P, void> {
    let page = await pageAt(undefined);
    yield page;
    while (page.next_cursor !== null) {
      page = await pageAt(page.next_cursor);
      yield page;
    }
  }

  // Every operation, by its name in the OpenAPI document.

  /** Request quotes; the receipt has the identifier of each option. */
  async createQuotes(request: t.QuoteRequest, keyed: Keyed = {}): Promise<t.QuoteReceipts> {
    return this.#json(await this.#post("/quotes", request, keyed));
  }

  /** Check a quote request; nothing is written. */
  async validateQuotes(request: t.QuoteRequest): Promise<t.Validation> {
    return this.#json({ method: "POST", path: "/quotes/validate", body: request });
  }

  /** Get a quote as it is, waiting up to `waitSeconds` (at most 60) for it to be ready. */
  async getQuote(quote: t.QuoteRef, { waitSeconds = 0 } = {}): Promise<t.Quote | t.NotReadyQuote> {
    const path = pathOf("quotes", identifierOf(quote));
    return this.#json({ method: "GET", path, waitSeconds }, [200, 202]);
  }

  /** Get a page of quotes, the newest submission first. */
  async listQuotes(query: t.Filters = {}): Promise<t.QuotePage> {
    return this.#json({ method: "GET", path: "/quotes", query });
  }

  /** Get a page of policies, the newest bind first. */
  async listPolicies(query: t.Filters = {}): Promise<t.PolicyPage> {
    return this.#json({ method: "GET", path: "/policies", query });
  }

  /** Get a page of companies, the newest first. */
  async listCompanies(query: t.Filters = {}): Promise<t.CompanyPage> {
    return this.#json({ method: "GET", path: "/companies", query });
  }

  /** Get a company with everything that was asked for it, options side by side. */
  async getCompany(companyId: string): Promise<t.Company> {
    return this.#json({ method: "GET", path: pathOf("companies", companyId) });
  }

  /** Find NAICS codes by words of the title or by the beginning of the code. */
  async listIndustries(words: string, { limit }: { limit?: number } = {}): Promise<t.Schemas["IndustriesResponse"]> {
    return this.#json({ method: "GET", path: "/industries", query: { q: words, limit } });
  }

  /** Get a product's limits, retentions, terms and coverages. */
  async getProduct(product: t.Product): Promise<t.Schemas["ProductBody"]> {
    return this.#json({ method: "GET", path: pathOf("products", product) });
  }

  /** Get a price range; it is not a quote, and nothing is written. */
  async indicatePrice(request: t.IndicationRequest): Promise<t.Indication> {
    return this.#json({ method: "POST", path: "/quotes/indication", body: request });
  }

  /** Get a product's questions with their conditions; with answers, `missing` says what is left. */
  async getQuestions(
    product: t.Product,
    { revenue, answers = {} }: { revenue?: number; answers?: Record<string, string | string[]> } = {},
  ): Promise<t.Questions> {
    const given = Object.fromEntries(Object.entries(answers).map(([question, value]) => [`answer.${question}`, value]));
    return this.#json({ method: "GET", path: pathOf("questions", product), query: { revenue, ...given } });
  }

  /** Download a document as PDF, the newest `version` if not given; throws `NotReady` while in progress. */
  async downloadDocument(documentType: t.DocumentType, quote: t.QuoteRef, version?: number): Promise<Uint8Array> {
    const path = pathOf("quotes", documentType, identifierOf(quote));
    return this.#send({ method: "GET", path, query: { version } }, [200]);
  }

  /** List the forms of a packet. */
  async packetMetadata(quote: t.QuoteRef, packet: t.PacketType): Promise<t.PacketForms> {
    return this.#json({ method: "GET", path: pathOf("quotes", identifierOf(quote), "documents", packet, "metadata") });
  }

  /** Upload a file for a quote, and for the contingency that it fulfills. */
  async uploadDocument(
    quote: t.QuoteRef,
    content: Uint8Array | Blob,
    { name, contingency, idempotencyKey }: Keyed & { name: string; contingency?: string },
  ): Promise<t.UploadReceipt> {
    const form = new FormData();
    form.set("quote_identifier", identifierOf(quote));
    form.set("name", name);
    if (contingency !== undefined) form.set("contingency", contingency);
    form.set("file", content instanceof Blob ? content : new Blob([content as BlobPart]), name);
    const key = idempotencyKey ?? (await newKey());
    return this.#json({ method: "POST", path: "/documents", form, key, timeoutMs: UPLOAD_WITHIN_MS });
  }

  /** Bind a quote by a whole request; throws `NotReady` while the quote is worked on. */
  async bindQuote(request: t.BindRequest, keyed: Keyed = {}): Promise<t.BindReceipts> {
    return this.#json(await this.#post("/binds", request, keyed));
  }

  /** Pause the automatic renewal of a policy. */
  async pauseRenewal(quote: t.QuoteRef, keyed: Keyed = {}): Promise<t.Schemas["PauseRenewalResponse"]> {
    return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "pause_renewal"), undefined, keyed));
  }

  /** Resume the automatic renewal of a policy. */
  async resumeRenewal(quote: t.QuoteRef, keyed: Keyed = {}): Promise<t.Schemas["PauseRenewalResponse"]> {
    return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "resume_renewal"), undefined, keyed));
  }

  /** Ask for the offer to renew a policy, from 90 days before it ends. */
  async requestRenewal(quote: t.QuoteRef, keyed: Keyed = {}): Promise<t.Schemas["RequestRenewalResponse"]> {
    return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "request_renewal"), undefined, keyed));
  }

  /** Take an open quote back. */
  async withdrawQuote(quote: t.QuoteRef, keyed: Keyed = {}): Promise<t.Standing> {
    return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "withdraw"), undefined, keyed));
  }

  /** Ask an underwriter to cancel a policy, which stays in force until one decides. */
  async requestCancellation(
    quote: t.QuoteRef,
    asked: t.Schemas["CancellationAsk"],
    keyed: Keyed = {},
  ): Promise<t.Standing> {
    return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "request_cancellation"), asked, keyed));
  }

  /** Ask what a change of a policy would cost; nothing is changed until it is accepted. */
  async askForChange(
    quote: t.QuoteRef,
    asked: t.Schemas["PolicyChangeAsk"],
    keyed: Keyed = {},
  ): Promise<t.PolicyChange> {
    return this.#json(await this.#post(pathOf("policies", identifierOf(quote), "changes"), asked, keyed));
  }

  /** List the changes of a policy, the newest first. */
  async listChanges(quote: t.QuoteRef): Promise<t.Schemas["PolicyChangeList"]> {
    return this.#json({ method: "GET", path: pathOf("policies", identifierOf(quote), "changes") });
  }

  /** Get a change of a policy as it stands. */
  async getChange(quote: t.QuoteRef, changeId: string): Promise<t.PolicyChange> {
    return this.#json({ method: "GET", path: pathOf("policies", identifierOf(quote), "changes", changeId) });
  }

  /** Accept a change at its price: it is issued, or an underwriter decides. */
  async acceptChange(quote: t.QuoteRef, changeId: string, keyed: Keyed = {}): Promise<t.PolicyChange> {
    const path = pathOf("policies", identifierOf(quote), "changes", changeId, "accept");
    return this.#json(await this.#post(path, undefined, keyed));
  }

  /** Take back a change that is not issued. */
  async withdrawChange(quote: t.QuoteRef, changeId: string, keyed: Keyed = {}): Promise<t.PolicyChange> {
    const path = pathOf("policies", identifierOf(quote), "changes", changeId, "withdraw");
    return this.#json(await this.#post(path, undefined, keyed));
  }

  /** Mail a client the link to sign the application of a quote. */
  async requestSignature(
    quote: t.QuoteRef,
    asked: t.Schemas["SignatureRequestAsk"],
    keyed: Keyed = {},
  ): Promise<t.SignatureRequest> {
    return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "signature_requests"), asked, keyed));
  }

  /** List the signature requests of a quote, the newest first. */
  async listSignatureRequests(quote: t.QuoteRef): Promise<t.Schemas["SignatureRequestsResponse"]> {
    return this.#json({ method: "GET", path: pathOf("quotes", identifierOf(quote), "signature_requests") });
  }

  /** Get a signature request: whether it was opened, signed or sent back. */
  async getSignatureRequest(quote: t.QuoteRef, signatureRequestId: string): Promise<t.SignatureRequest> {
    const path = pathOf("quotes", identifierOf(quote), "signature_requests", signatureRequestId);
    return this.#json({ method: "GET", path });
  }

  /** Take a signature request back: its link does not work any more. */
  async revokeSignatureRequest(quote: t.QuoteRef, signatureRequestId: string): Promise<t.SignatureRequest> {
    const path = pathOf("quotes", identifierOf(quote), "signature_requests", signatureRequestId);
    return this.#json({ method: "DELETE", path });
  }

  /** Make a new secret; the previous one also signs for 24 hours. */
  async setWebhookSecret(): Promise<t.Schemas["SecretResponse"]> {
    return this.#json({ method: "POST", path: "/settings/webhook_secret", repeatable: false });
  }

  /** List the webhooks, the oldest first. */
  async listWebhooks(): Promise<t.Schemas["WebhooksResponse"]> {
    return this.#json({ method: "GET", path: "/webhooks" });
  }

  /** Register an endpoint for quote-level events, policy-level events or both. */
  async registerWebhook(
    endpoint: string,
    { quoteLevel = true, policyLevel = true, ...keyed }: Keyed & { quoteLevel?: boolean; policyLevel?: boolean } = {},
  ): Promise<t.Schemas["RegisteredWebhook"]> {
    const registration = { endpoint, quote_level: quoteLevel, policy_level: policyLevel };
    return this.#json(await this.#post("/webhooks", registration, keyed));
  }

  /** Remove a webhook; what is still waiting for it is not sent any more. */
  async removeWebhook(webhookId: string): Promise<t.Webhook> {
    return this.#json({ method: "DELETE", path: pathOf("webhooks", webhookId) });
  }

  /** Get a page of the deliveries to a webhook, with every try. */
  async listDeliveries(
    webhookId: string,
    query: { cursor?: string | undefined; limit?: number | undefined } = {},
  ): Promise<t.DeliveryPage> {
    return this.#json({ method: "GET", path: pathOf("webhooks", webhookId, "deliveries"), query: { ...query } });
  }

  /** Send one event again, or everything since a time. */
  async replayDeliveries(
    webhookId: string,
    what: t.Schemas["ReplayRequest"],
    keyed: Keyed = {},
  ): Promise<t.Schemas["ReplayResponse"]> {
    return this.#json(await this.#post(pathOf("webhooks", webhookId, "replay"), what, keyed));
  }

  /** Deliver a ping to a webhook. */
  async pingWebhook(webhookId: string, keyed: Keyed = {}): Promise<t.Schemas["PingResponse"]> {
    return this.#json(await this.#post(pathOf("webhooks", webhookId, "ping"), undefined, keyed));
  }

  /** Get a page of the feed; none of its events may be new, and `next_cursor` is always there. */
  async listEvents({ quote, ...filter }: EventFilter = {}): Promise<t.EventPage> {
    const query = { ...filter, quote_identifier: quote === undefined ? undefined : identifierOf(quote) };
    return this.#json({ method: "GET", path: "/events", query });
  }

  /** Ask whether the service can do its work. */
  async healthCheck(): Promise<t.Schemas["HealthCheck"]> {
    return this.#json({ method: "GET", path: "/health_check" });
  }

  // What only the demo has.

  /** Show the demo's clock. */
  async showClock(): Promise<t.Schemas["ClockShown"]> {
    return this.#json({ method: "GET", path: "/demo/clock" });
  }

  /** Play the applicant: the application of a quote, signed. */
  async signedApplication(quote: t.QuoteRef): Promise<Uint8Array> {
    const path = pathOf("demo", "quotes", identifierOf(quote), "signed_application");
    return this.#send({ method: "GET", path }, [200]);
  }

  /** Move the demo's clock ahead; everything that becomes due is done before the answer. */
  async moveClock(days: number): Promise<t.Schemas["ClockShown"]> {
    const body = { advance_days: days };
    return this.#json({
      method: "POST",
      path: "/demo/clock",
      body,
      timeoutMs: CLOCK_MOVES_WITHIN_MS,
      repeatable: false,
    });
  }

  /** Play the underwriter: approve, amend, decline, withdraw, cancel, add or close a contingency. */
  async reviewQuote(quote: t.QuoteRef, review: t.Review): Promise<t.Quote> {
    const path = pathOf("demo", "quotes", identifierOf(quote), "review");
    return this.#json({ method: "POST", path, body: review, repeatable: false });
  }

  /** Make the next tries of deliveries to a webhook fail. */
  async failWebhook(webhookId: string, times: number): Promise<t.Schemas["FailResponse"]> {
    return this.#json({ method: "POST", path: pathOf("demo", "webhooks", webhookId, "fail"), body: { times } });
  }

  async #shown(quote: t.QuoteRef): Promise<t.Quote> {
    return typeof quote === "object" && "contingencies" in quote ? (quote as t.Quote) : this.waitForQuote(quote);
  }

  async #post(path: string, body: unknown, { idempotencyKey }: Keyed): Promise<Call> {
    return { method: "POST", path, body, key: idempotencyKey ?? (await newKey()) };
  }

  async #json<T>(call: Call, expected: number[] = [200]): Promise<T> {
    return JSON.parse(new TextDecoder().decode(await this.#send(call, expected))) as T;
  }

  /** Send a call, again where that is safe and worth it, and read the whole answer. */
  async #send(call: Call, expected: number[]): Promise<Uint8Array> {
    for (let tried = 1; ; tried++) {
      let response: Response | undefined;
      let content = new Uint8Array();
      let fault: unknown;
      try {
        const answer = await this.#fetch(addressOf(this.#baseUrl, call), requestOf(call, this.#token));
        content = new Uint8Array(await answer.arrayBuffer());
        response = answer;
      } catch (thrown) {
        fault = thrown;
      }
      const milliseconds = pauseBeforeRetry(call, response, tried);
      if (milliseconds !== undefined) {
        await pause(milliseconds);
        continue;
      }
      if (!response) throw new Unreachable(this.#baseUrl, fault);
      if (!expected.includes(response.status)) throw refusalOf(response, content);
      return content;
    }
  }
}

function identifierOf(quote: t.QuoteRef): string {
  const named = quote as { quote_identifier?: unknown } | null | undefined;
  const identifier: unknown = typeof quote === "string" ? quote : named?.quote_identifier;
  if (typeof identifier !== "string" || !identifier) {
    throw new TypeError("A quote, a receipt or an identifier is needed.");
  }
  return identifier;
}

function isReady(seen: t.Quote | t.NotReadyQuote): seen is t.Quote {
  return "premium" in seen;
}
