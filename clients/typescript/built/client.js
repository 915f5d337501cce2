// Compiled by `python -m tools.typescript_surface`; sources c33da260682bedbe.
import { addressOf, apiUrl, bareToken, nextWait, pathOf, pause, pauseBeforeRetry, requestOf, } from "./call.js";
import { NotReady, Unreachable, refusalOf } from "./errors.js";
import { newKey } from "./webcrypto.js";
const SIGNED_APPLICATION = "A signed and dated application";
const UPLOAD_WITHIN_MS = 120_000;
const CLOCK_MOVES_WITHIN_MS = 900_000;
/** A partner's connection to the service; every method throws `ApiError` where it does not succeed. */
export class Bindery {
    #token;
    #baseUrl;
    #fetch;
    constructor({ token, baseUrl = "http://127.0.0.1:8000", fetch }) {
        this.#token = bareToken(token);
        this.#baseUrl = apiUrl(baseUrl.trim());
        this.#fetch = fetch ?? globalThis.fetch.bind(globalThis);
    }
    // From a request to a policy.
    /** Request quotes and wait until every option is ready: published, or with an underwriter. */
    async quote(request, { timeoutMs = 120_000 } = {}) {
        const receipt = await this.createQuotes(request);
        const quotes = [];
        for (const option of receipt.quotes)
            quotes.push(await this.waitForQuote(option, { timeoutMs }));
        return quotes;
    }
    /** Get a quote when it is ready; throws `NotReady` when the time is up. */
    async waitForQuote(quote, { timeoutMs = 120_000 } = {}) {
        const until = performance.now() + timeoutMs;
        for (;;) {
            const seen = await this.getQuote(quote, { waitSeconds: nextWait(until, performance.now()) });
            if (isReady(seen))
                return seen;
            if (performance.now() >= until)
                throw new NotReady(seen);
        }
    }
    /**
     * Download the application, have it signed by `sign`, and upload what comes back.
     * Where a signature takes days, `download` the application now and `uploadSigned` it then.
     */
    async signAndUpload(quote, sign) {
        return this.uploadSigned(quote, await sign(await this.download("application", quote)));
    }
    /** Upload the signed application; `finding` and `signature` say what it turned out to be. */
    async uploadSigned(quote, content, name = "application.pdf") {
        const shown = await this.#shown(quote);
        const contingency = shown.contingencies.find(({ status, text }) => status === "open" && text.startsWith(SIGNED_APPLICATION));
        if (!contingency)
            throw new TypeError(`Quote ${shown.quote_identifier} does not need a signed application.`);
        return this.uploadDocument(shown, content, { name, contingency: contingency.contingency_id });
    }
    /**
     * Bind what was quoted, from the quoted day unless another is given; `outcome` says what became of it.
     * `attested` says that the uploaded application is complete and unchanged: the policy is issued.
     */
    async bind(quote, { attested = false, effective, ...keyed } = {}) {
        const shown = await this.#shown(quote);
        const request = {
            quote_identifier: shown.quote_identifier,
            dates: { effective: effective ?? shown.dates.effective },
            app_attestation: attested,
        };
        return (await this.bindQuote(request, keyed)).quotes[0];
    }
    /** Download a document as PDF, once the quote is ready. */
    async download(documentType, quote) {
        try {
            return await this.downloadDocument(documentType, quote);
        }
        catch (fault) {
            if (!(fault instanceof NotReady))
                throw fault;
            return this.downloadDocument(documentType, await this.waitForQuote(quote));
        }
    }
    // Lists, page by page and row by row.
    /** Iterate over the feed up to its end as it is now, the oldest event first. */
    async *events(filter = {}) {
        for await (const page of this.eventPages(filter))
            yield* page.events;
    }
    /** Iterate over the feed by pages; keep `next_cursor` of the last one, and continue `after` it. */
    async *eventPages(filter = {}) {
        let { after } = filter;
        for (;;) {
            const page = await this.listEvents({ ...filter, after });
            if (page.events.length === 0)
                return;
            yield page;
            after = page.next_cursor;
        }
    }
    /** Iterate over the deliveries to a webhook, the newest first. */
    async *deliveries(webhookId) {
        const pages = this.pages((cursor) => this.listDeliveries(webhookId, { cursor }));
        for await (const page of pages)
            yield* page.deliveries;
    }
    /** Iterate over the quotes that fit, the newest submission first. */
    async *quotes(filters = {}) {
        for await (const page of this.pages((cursor) => this.listQuotes({ ...filters, cursor })))
            yield* page.quotes;
    }
    /** Iterate over the policies that fit, the newest bind first. */
    async *policies(filters = {}) {
        for await (const page of this.pages((cursor) => this.listPolicies({ ...filters, cursor })))
            yield* page.policies;
    }
    /** Iterate over the companies that fit, the newest first. */
    async *companies(filters = {}) {
        for await (const page of this.pages((cursor) => this.listCompanies({ ...filters, cursor })))
            yield* page.companies;
    }
    /** Iterate over the pages of a list, to the last one. */
    async *pages(pageAt) {
        let page = await pageAt(undefined);
        yield page;
        while (page.next_cursor !== null) {
            page = await pageAt(page.next_cursor);
            yield page;
        }
    }
    // Every operation, by its name in the OpenAPI document.
    /** Request quotes; the receipt has the identifier of each option. */
    async createQuotes(request, keyed = {}) {
        return this.#json(await this.#post("/quotes", request, keyed));
    }
    /** Check a quote request; nothing is written. */
    async validateQuotes(request) {
        return this.#json({ method: "POST", path: "/quotes/validate", body: request });
    }
    /** Get a quote as it is, waiting up to `waitSeconds` (at most 60) for it to be ready. */
    async getQuote(quote, { waitSeconds = 0 } = {}) {
        const path = pathOf("quotes", identifierOf(quote));
        return this.#json({ method: "GET", path, waitSeconds }, [200, 202]);
    }
    /** Get a page of quotes, the newest submission first. */
    async listQuotes(query = {}) {
        return this.#json({ method: "GET", path: "/quotes", query });
    }
    /** Get a page of policies, the newest bind first. */
    async listPolicies(query = {}) {
        return this.#json({ method: "GET", path: "/policies", query });
    }
    /** Get a page of companies, the newest first. */
    async listCompanies(query = {}) {
        return this.#json({ method: "GET", path: "/companies", query });
    }
    /** Get a company with everything that was asked for it, options side by side. */
    async getCompany(companyId) {
        return this.#json({ method: "GET", path: pathOf("companies", companyId) });
    }
    /** Find NAICS codes by words of the title or by the beginning of the code. */
    async listIndustries(words, { limit } = {}) {
        return this.#json({ method: "GET", path: "/industries", query: { q: words, limit } });
    }
    /** Get a product's limits, retentions, terms and coverages. */
    async getProduct(product) {
        return this.#json({ method: "GET", path: pathOf("products", product) });
    }
    /** Get a price range; it is not a quote, and nothing is written. */
    async indicatePrice(request) {
        return this.#json({ method: "POST", path: "/quotes/indication", body: request });
    }
    /** Get a product's questions with their conditions; with answers, `missing` says what is left. */
    async getQuestions(product, { revenue, answers = {} } = {}) {
        const given = Object.fromEntries(Object.entries(answers).map(([question, value]) => [`answer.${question}`, value]));
        return this.#json({ method: "GET", path: pathOf("questions", product), query: { revenue, ...given } });
    }
    /** Download a document as PDF, the newest `version` if not given; throws `NotReady` while in progress. */
    async downloadDocument(documentType, quote, version) {
        const path = pathOf("quotes", documentType, identifierOf(quote));
        return this.#send({ method: "GET", path, query: { version } }, [200]);
    }
    /** List the forms of a packet. */
    async packetMetadata(quote, packet) {
        return this.#json({ method: "GET", path: pathOf("quotes", identifierOf(quote), "documents", packet, "metadata") });
    }
    /** Upload a file for a quote, and for the contingency that it fulfills. */
    async uploadDocument(quote, content, { name, contingency, idempotencyKey }) {
        const form = new FormData();
        form.set("quote_identifier", identifierOf(quote));
        form.set("name", name);
        if (contingency !== undefined)
            form.set("contingency", contingency);
        form.set("file", content instanceof Blob ? content : new Blob([content]), name);
        const key = idempotencyKey ?? (await newKey());
        return this.#json({ method: "POST", path: "/documents", form, key, timeoutMs: UPLOAD_WITHIN_MS });
    }
    /** Bind a quote by a whole request; throws `NotReady` while the quote is worked on. */
    async bindQuote(request, keyed = {}) {
        return this.#json(await this.#post("/binds", request, keyed));
    }
    /** Pause the automatic renewal of a policy. */
    async pauseRenewal(quote, keyed = {}) {
        return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "pause_renewal"), undefined, keyed));
    }
    /** Resume the automatic renewal of a policy. */
    async resumeRenewal(quote, keyed = {}) {
        return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "resume_renewal"), undefined, keyed));
    }
    /** Ask for the offer to renew a policy, from 90 days before it ends. */
    async requestRenewal(quote, keyed = {}) {
        return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "request_renewal"), undefined, keyed));
    }
    /** Take an open quote back. */
    async withdrawQuote(quote, keyed = {}) {
        return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "withdraw"), undefined, keyed));
    }
    /** Ask an underwriter to cancel a policy, which stays in force until one decides. */
    async requestCancellation(quote, asked, keyed = {}) {
        return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "request_cancellation"), asked, keyed));
    }
    /** Ask what a change of a policy would cost; nothing is changed until it is accepted. */
    async askForChange(quote, asked, keyed = {}) {
        return this.#json(await this.#post(pathOf("policies", identifierOf(quote), "changes"), asked, keyed));
    }
    /** List the changes of a policy, the newest first. */
    async listChanges(quote) {
        return this.#json({ method: "GET", path: pathOf("policies", identifierOf(quote), "changes") });
    }
    /** Get a change of a policy as it stands. */
    async getChange(quote, changeId) {
        return this.#json({ method: "GET", path: pathOf("policies", identifierOf(quote), "changes", changeId) });
    }
    /** Accept a change at its price: it is issued, or an underwriter decides. */
    async acceptChange(quote, changeId, keyed = {}) {
        const path = pathOf("policies", identifierOf(quote), "changes", changeId, "accept");
        return this.#json(await this.#post(path, undefined, keyed));
    }
    /** Take back a change that is not issued. */
    async withdrawChange(quote, changeId, keyed = {}) {
        const path = pathOf("policies", identifierOf(quote), "changes", changeId, "withdraw");
        return this.#json(await this.#post(path, undefined, keyed));
    }
    /** Mail a client the link to sign the application of a quote. */
    async requestSignature(quote, asked, keyed = {}) {
        return this.#json(await this.#post(pathOf("quotes", identifierOf(quote), "signature_requests"), asked, keyed));
    }
    /** List the signature requests of a quote, the newest first. */
    async listSignatureRequests(quote) {
        return this.#json({ method: "GET", path: pathOf("quotes", identifierOf(quote), "signature_requests") });
    }
    /** Get a signature request: whether it was opened, signed or sent back. */
    async getSignatureRequest(quote, signatureRequestId) {
        const path = pathOf("quotes", identifierOf(quote), "signature_requests", signatureRequestId);
        return this.#json({ method: "GET", path });
    }
    /** Take a signature request back: its link does not work any more. */
    async revokeSignatureRequest(quote, signatureRequestId) {
        const path = pathOf("quotes", identifierOf(quote), "signature_requests", signatureRequestId);
        return this.#json({ method: "DELETE", path });
    }
    /** Make a new secret; the previous one also signs for 24 hours. */
    async setWebhookSecret() {
        return this.#json({ method: "POST", path: "/settings/webhook_secret", repeatable: false });
    }
    /** List the webhooks, the oldest first. */
    async listWebhooks() {
        return this.#json({ method: "GET", path: "/webhooks" });
    }
    /** Register an endpoint for quote-level events, policy-level events or both. */
    async registerWebhook(endpoint, { quoteLevel = true, policyLevel = true, ...keyed } = {}) {
        const registration = { endpoint, quote_level: quoteLevel, policy_level: policyLevel };
        return this.#json(await this.#post("/webhooks", registration, keyed));
    }
    /** Remove a webhook; what is still waiting for it is not sent any more. */
    async removeWebhook(webhookId) {
        return this.#json({ method: "DELETE", path: pathOf("webhooks", webhookId) });
    }
    /** Get a page of the deliveries to a webhook, with every try. */
    async listDeliveries(webhookId, query = {}) {
        return this.#json({ method: "GET", path: pathOf("webhooks", webhookId, "deliveries"), query: { ...query } });
    }
    /** Send one event again, or everything since a time. */
    async replayDeliveries(webhookId, what, keyed = {}) {
        return this.#json(await this.#post(pathOf("webhooks", webhookId, "replay"), what, keyed));
    }
    /** Deliver a ping to a webhook. */
    async pingWebhook(webhookId, keyed = {}) {
        return this.#json(await this.#post(pathOf("webhooks", webhookId, "ping"), undefined, keyed));
    }
    /** Get a page of the feed; none of its events may be new, and `next_cursor` is always there. */
    async listEvents({ quote, ...filter } = {}) {
        const query = { ...filter, quote_identifier: quote === undefined ? undefined : identifierOf(quote) };
        return this.#json({ method: "GET", path: "/events", query });
    }
    /** Ask whether the service can do its work. */
    async healthCheck() {
        return this.#json({ method: "GET", path: "/health_check" });
    }
    // What only the demo has.
    /** Show the demo's clock. */
    async showClock() {
        return this.#json({ method: "GET", path: "/demo/clock" });
    }
    /** Play the applicant: the application of a quote, signed. */
    async signedApplication(quote) {
        const path = pathOf("demo", "quotes", identifierOf(quote), "signed_application");
        return this.#send({ method: "GET", path }, [200]);
    }
    /** Move the demo's clock ahead; everything that becomes due is done before the answer. */
    async moveClock(days) {
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
    async reviewQuote(quote, review) {
        const path = pathOf("demo", "quotes", identifierOf(quote), "review");
        return this.#json({ method: "POST", path, body: review, repeatable: false });
    }
    /** Make the next tries of deliveries to a webhook fail. */
    async failWebhook(webhookId, times) {
        return this.#json({ method: "POST", path: pathOf("demo", "webhooks", webhookId, "fail"), body: { times } });
    }
    async #shown(quote) {
        return typeof quote === "object" && "contingencies" in quote ? quote : this.waitForQuote(quote);
    }
    async #post(path, body, { idempotencyKey }) {
        return { method: "POST", path, body, key: idempotencyKey ?? (await newKey()) };
    }
    async #json(call, expected = [200]) {
        return JSON.parse(new TextDecoder().decode(await this.#send(call, expected)));
    }
    /** Send a call, again where that is safe and worth it, and read the whole answer. */
    async #send(call, expected) {
        for (let tried = 1;; tried++) {
            let response;
            let content = new Uint8Array();
            let fault;
            try {
                const answer = await this.#fetch(addressOf(this.#baseUrl, call), requestOf(call, this.#token));
                content = new Uint8Array(await answer.arrayBuffer());
                response = answer;
            }
            catch (thrown) {
                fault = thrown;
            }
            const milliseconds = pauseBeforeRetry(call, response, tried);
            if (milliseconds !== undefined) {
                await pause(milliseconds);
                continue;
            }
            if (!response)
                throw new Unreachable(this.#baseUrl, fault);
            if (!expected.includes(response.status))
                throw refusalOf(response, content);
            return content;
        }
    }
}
function identifierOf(quote) {
    const named = quote;
    const identifier = typeof quote === "string" ? quote : named?.quote_identifier;
    if (typeof identifier !== "string" || !identifier) {
        throw new TypeError("A quote, a receipt or an identifier is needed.");
    }
    return identifier;
}
function isReady(seen) {
    return "premium" in seen;
}
