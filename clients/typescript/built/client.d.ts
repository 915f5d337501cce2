// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
import type * as t from "./types.js";
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
export declare class Bindery {
    #private;
    constructor({ token, baseUrl, fetch }: Connection);
    /** Request quotes and wait until every option is ready: published, or with an underwriter. */
    quote(request: t.QuoteRequest, { timeoutMs }?: {
        timeoutMs?: number | undefined;
    }): Promise<t.Quote[]>;
    /** Get a quote when it is ready; throws `NotReady` when the time is up. */
    waitForQuote(quote: t.QuoteRef, { timeoutMs }?: {
        timeoutMs?: number | undefined;
    }): Promise<t.Quote>;
    /**
     * Download the application, have it signed by `sign`, and upload what comes back.
     * Where a signature takes days, `download` the application now and `uploadSigned` it then.
     */
    signAndUpload(quote: t.QuoteRef, sign: (application: Uint8Array) => Uint8Array | Promise<Uint8Array>): Promise<t.UploadReceipt>;
    /** Upload the signed application; `finding` and `signature` say what it turned out to be. */
    uploadSigned(quote: t.QuoteRef, content: Uint8Array, name?: string): Promise<t.UploadReceipt>;
    /**
     * Bind what was quoted, from the quoted day unless another is given; `outcome` says what became of it.
     * `attested` says that the uploaded application is complete and unchanged: the policy is issued.
     */
    bind(quote: t.QuoteRef, { attested, effective, ...keyed }?: Keyed & {
        attested?: boolean;
        effective?: string;
    }): Promise<t.BindReceipt>;
    /** Download a document as PDF, once the quote is ready. */
    download(documentType: t.DocumentType, quote: t.QuoteRef): Promise<Uint8Array>;
    /** Iterate over the feed up to its end as it is now, the oldest event first. */
    events(filter?: EventFilter): AsyncGenerator<t.FeedEvent, void>;
    /** Iterate over the feed by pages; keep `next_cursor` of the last one, and continue `after` it. */
    eventPages(filter?: EventFilter): AsyncGenerator<t.EventPage, void>;
    /** Iterate over the deliveries to a webhook, the newest first. */
    deliveries(webhookId: string): AsyncGenerator<t.Delivery, void>;
    /** Iterate over the quotes that fit, the newest submission first. */
    quotes(filters?: t.Filters): AsyncGenerator<t.ListedQuote, void>;
    /** Iterate over the policies that fit, the newest bind first. */
    policies(filters?: t.Filters): AsyncGenerator<t.ListedPolicy, void>;
    /** Iterate over the companies that fit, the newest first. */
    companies(filters?: t.Filters): AsyncGenerator<t.ListedCompany, void>;
    /** Iterate over the pages of a list, to the last one. */
    pages<P extends t.Page>(pageAt: (cursor: string | undefined) => Promise<P>): AsyncGenerator<P, void>;
    /** Request quotes; the receipt has the identifier of each option. */
    createQuotes(request: t.QuoteRequest, keyed?: Keyed): Promise<t.QuoteReceipts>;
    /** Check a quote request; nothing is written. */
    validateQuotes(request: t.QuoteRequest): Promise<t.Validation>;
    /** Get a quote as it is, waiting up to `waitSeconds` (at most 60) for it to be ready. */
    getQuote(quote: t.QuoteRef, { waitSeconds }?: {
        waitSeconds?: number | undefined;
    }): Promise<t.Quote | t.NotReadyQuote>;
    /** Get a page of quotes, the newest submission first. */
    listQuotes(query?: t.Filters): Promise<t.QuotePage>;
    /** Get a page of policies, the newest bind first. */
    listPolicies(query?: t.Filters): Promise<t.PolicyPage>;
    /** Get a page of companies, the newest first. */
    listCompanies(query?: t.Filters): Promise<t.CompanyPage>;
    /** Get a company with everything that was asked for it, options side by side. */
    getCompany(companyId: string): Promise<t.Company>;
    /** Find NAICS codes by words of the title or by the beginning of the code. */
    listIndustries(words: string, { limit }?: {
        limit?: number;
    }): Promise<t.Schemas["IndustriesResponse"]>;
    /** Get a product's limits, retentions, terms and coverages. */
    getProduct(product: t.Product): Promise<t.Schemas["ProductBody"]>;
    /** Get a price range; it is not a quote, and nothing is written. */
    indicatePrice(request: t.IndicationRequest): Promise<t.Indication>;
    /** Get a product's questions with their conditions; with answers, `missing` says what is left. */
    getQuestions(product: t.Product, { revenue, answers }?: {
        revenue?: number;
        answers?: Record<string, string | string[]>;
    }): Promise<t.Questions>;
    /** Download a document as PDF, the newest `version` if not given; throws `NotReady` while in progress. */
    downloadDocument(documentType: t.DocumentType, quote: t.QuoteRef, version?: number): Promise<Uint8Array>;
    /** List the forms of a packet. */
    packetMetadata(quote: t.QuoteRef, packet: t.PacketType): Promise<t.PacketForms>;
    /** Upload a file for a quote, and for the contingency that it fulfills. */
    uploadDocument(quote: t.QuoteRef, content: Uint8Array | Blob, { name, contingency, idempotencyKey }: Keyed & {
        name: string;
        contingency?: string;
    }): Promise<t.UploadReceipt>;
    /** Bind a quote by a whole request; throws `NotReady` while the quote is worked on. */
    bindQuote(request: t.BindRequest, keyed?: Keyed): Promise<t.BindReceipts>;
    /** Pause the automatic renewal of a policy. */
    pauseRenewal(quote: t.QuoteRef, keyed?: Keyed): Promise<t.Schemas["PauseRenewalResponse"]>;
    /** Resume the automatic renewal of a policy. */
    resumeRenewal(quote: t.QuoteRef, keyed?: Keyed): Promise<t.Schemas["PauseRenewalResponse"]>;
    /** Ask for the offer to renew a policy, from 90 days before it ends. */
    requestRenewal(quote: t.QuoteRef, keyed?: Keyed): Promise<t.Schemas["RequestRenewalResponse"]>;
    /** Take an open quote back. */
    withdrawQuote(quote: t.QuoteRef, keyed?: Keyed): Promise<t.Standing>;
    /** Ask an underwriter to cancel a policy, which stays in force until one decides. */
    requestCancellation(quote: t.QuoteRef, asked: t.Schemas["CancellationAsk"], keyed?: Keyed): Promise<t.Standing>;
    /** Ask what a change of a policy would cost; nothing is changed until it is accepted. */
    askForChange(quote: t.QuoteRef, asked: t.Schemas["PolicyChangeAsk"], keyed?: Keyed): Promise<t.PolicyChange>;
    /** List the changes of a policy, the newest first. */
    listChanges(quote: t.QuoteRef): Promise<t.Schemas["PolicyChangeList"]>;
    /** Get a change of a policy as it stands. */
    getChange(quote: t.QuoteRef, changeId: string): Promise<t.PolicyChange>;
    /** Accept a change at its price: it is issued, or an underwriter decides. */
    acceptChange(quote: t.QuoteRef, changeId: string, keyed?: Keyed): Promise<t.PolicyChange>;
    /** Take back a change that is not issued. */
    withdrawChange(quote: t.QuoteRef, changeId: string, keyed?: Keyed): Promise<t.PolicyChange>;
    /** Mail a client the link to sign the application of a quote. */
    requestSignature(quote: t.QuoteRef, asked: t.Schemas["SignatureRequestAsk"], keyed?: Keyed): Promise<t.SignatureRequest>;
    /** List the signature requests of a quote, the newest first. */
    listSignatureRequests(quote: t.QuoteRef): Promise<t.Schemas["SignatureRequestsResponse"]>;
    /** Get a signature request: whether it was opened, signed or sent back. */
    getSignatureRequest(quote: t.QuoteRef, signatureRequestId: string): Promise<t.SignatureRequest>;
    /** Take a signature request back: its link does not work any more. */
    revokeSignatureRequest(quote: t.QuoteRef, signatureRequestId: string): Promise<t.SignatureRequest>;
    /** Make a new secret; the previous one also signs for 24 hours. */
    setWebhookSecret(): Promise<t.Schemas["SecretResponse"]>;
    /** List the webhooks, the oldest first. */
    listWebhooks(): Promise<t.Schemas["WebhooksResponse"]>;
    /** Register an endpoint for quote-level events, policy-level events or both. */
    registerWebhook(endpoint: string, { quoteLevel, policyLevel, ...keyed }?: Keyed & {
        quoteLevel?: boolean;
        policyLevel?: boolean;
    }): Promise<t.Schemas["RegisteredWebhook"]>;
    /** Remove a webhook; what is still waiting for it is not sent any more. */
    removeWebhook(webhookId: string): Promise<t.Webhook>;
    /** Get a page of the deliveries to a webhook, with every try. */
    listDeliveries(webhookId: string, query?: {
        cursor?: string | undefined;
        limit?: number | undefined;
    }): Promise<t.DeliveryPage>;
    /** Send one event again, or everything since a time. */
    replayDeliveries(webhookId: string, what: t.Schemas["ReplayRequest"], keyed?: Keyed): Promise<t.Schemas["ReplayResponse"]>;
    /** Deliver a ping to a webhook. */
    pingWebhook(webhookId: string, keyed?: Keyed): Promise<t.Schemas["PingResponse"]>;
    /** Get a page of the feed; none of its events may be new, and `next_cursor` is always there. */
    listEvents({ quote, ...filter }?: EventFilter): Promise<t.EventPage>;
    /** Ask whether the service can do its work. */
    healthCheck(): Promise<t.Schemas["HealthCheck"]>;
    /** Show the demo's clock. */
    showClock(): Promise<t.Schemas["ClockShown"]>;
    /** Play the applicant: the application of a quote, signed. */
    signedApplication(quote: t.QuoteRef): Promise<Uint8Array>;
    /** Move the demo's clock ahead; everything that becomes due is done before the answer. */
    moveClock(days: number): Promise<t.Schemas["ClockShown"]>;
    /** Play the underwriter: approve, amend, decline, withdraw, cancel, add or close a contingency. */
    reviewQuote(quote: t.QuoteRef, review: t.Review): Promise<t.Quote>;
    /** Make the next tries of deliveries to a webhook fail. */
    failWebhook(webhookId: string, times: number): Promise<t.Schemas["FailResponse"]>;
}
