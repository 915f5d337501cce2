// Plays the steps of story.json with @bindery/client, and prints what each gave.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  ApiError,
  Bindery,
  type DeliveryHeaders,
  NotReady,
  type Quote,
  type QuoteRequest,
  SignatureError,
  verifyDelivery,
} from "@bindery/client";

const token = process.env["BINDERY_TOKEN"]!;
const bindery = new Bindery({ token, baseUrl: process.env["BINDERY_URL"]! });
const request = JSON.parse(readFileSync(process.argv[3]!, "utf8")) as QuoteRequest;
const key = `typescript-${randomUUID()}`;
let quotes: Quote[] = [];

function changed(client: Partial<QuoteRequest["client"]>): QuoteRequest {
  return { ...request, client: { ...request.client, ...client } };
}

async function refusal(call: Promise<unknown>): Promise<ApiError> {
  const fault: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(fault instanceof ApiError)) throw fault ?? new Error("It was not refused.");
  return fault;
}

async function collected<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

const steps: Record<string, () => Promise<object>> = {
  health: () => bindery.healthCheck(),

  async questions() {
    const { product, questions } = await bindery.getQuestions("CYB");
    return { product, first: questions[0]!.id };
  },

  async validate() {
    const { valid, missing } = await bindery.validateQuotes(request);
    return { valid, missing };
  },

  async quote() {
    quotes = await bindery.quote(request);
    return { statuses: quotes.map((quote) => quote.quote_status), premiums: quotes.map((quote) => quote.premium) };
  },

  async sign_and_upload() {
    const signed = await bindery.signedApplication(quotes[0]!);
    const { finding, signature } = await bindery.signAndUpload(quotes[0]!, () => signed);
    return { finding, signature };
  },

  async bind() {
    const { outcome, quote_status } = await bindery.bind(quotes[0]!, { attested: true });
    return { outcome, quote_status };
  },

  async download() {
    return { begins: new TextDecoder().decode((await bindery.download("policy", quotes[0]!)).slice(0, 5)) };
  },

  async packet() {
    return { has_forms: (await bindery.packetMetadata(quotes[0]!, "policy")).documents!.length > 0 };
  },

  async other_option() {
    return { status: (await bindery.waitForQuote(quotes[1]!)).quote_status };
  },

  async pause_renewal() {
    await bindery.pauseRenewal(quotes[0]!);
    return { actions: (await bindery.waitForQuote(quotes[0]!)).available_actions };
  },

  async events() {
    const quote = quotes[0]!;
    const told = await collected(bindery.events({ quote }));
    const pages = await collected(bindery.eventPages({ quote, limit: 1 }));
    const after = pages.at(-1)!.next_cursor;
    const more = await bindery.listEvents({ quote, after, type: "quote.published" });
    return {
      first: told[0]!.type,
      issued: told.some(({ type }) => type === "policy.issued"),
      // Documents that are made in the meantime are told as well.
      pages: told.every(({ id }, index) => pages[index]?.events[0]?.id === id),
      nothing_new: more.events.length === 0,
    };
  },

  async same_key() {
    const first = await bindery.createQuotes(request, { idempotencyKey: key });
    const again = await bindery.createQuotes(request, { idempotencyKey: key });
    return { same: JSON.stringify(first) === JSON.stringify(again) };
  },

  async other_body_same_key() {
    const other = changed({ name: "Kestrel Books LLC" });
    const { status, code } = await refusal(bindery.createQuotes(other, { idempotencyKey: key }));
    return { status, code };
  },

  async unknown() {
    const { status, code } = await refusal(bindery.getQuote(randomUUID()));
    return { status, code };
  },

  async not_ready() {
    const receipt = await bindery.createQuotes(changed({ domains: ["slow.example.com"] }));
    const fault = await refusal(bindery.downloadDocument("quote_letter", receipt.quotes[0]!));
    if (!(fault instanceof NotReady)) throw fault;
    return { status: fault.status, code: fault.code };
  },

  async problems() {
    const { code, problems } = await refusal(bindery.createQuotes(changed({ name: "", revenue: 0 })));
    return { code, paths: problems.map(({ path }) => path).sort() };
  },

  async wrong_state() {
    const { code, availableStatuses } = await refusal(bindery.bind(quotes[1]!));
    return { code, from: [...availableStatuses].sort() };
  },

  async unreachable() {
    const nobody = new Bindery({ token, baseUrl: "http://127.0.0.1:9/v2" });
    const { status, code } = await refusal(nobody.healthCheck());
    return { status, code };
  },

  async referral() {
    const [referred] = await bindery.quote(changed({ domains: ["red-flags.example.com"] }));
    const approved = await bindery.reviewQuote(referred!, { decision: "approve", reason: "Looked at." });
    return { before: referred!.quote_status, after: approved.quote_status };
  },

  async webhook() {
    const { secret } = await bindery.setWebhookSecret();
    let took: (delivery: { headers: DeliveryHeaders; body: Uint8Array }) => void;
    const delivery = new Promise<{ headers: DeliveryHeaders; body: Uint8Array }>((resolve) => (took = resolve));
    const server = createServer(async (incoming, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of incoming) pieces.push(piece as Buffer);
      response.writeHead(204).end();
      const body = Buffer.concat(pieces);
      if (body.includes("webhook.ping")) took({ headers: incoming.headers, body });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const webhook = await bindery.registerWebhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const ping = await bindery.pingWebhook(webhook.id);
    const { headers, body } = await delivery;
    server.close();
    server.closeAllConnections();
    const event = await verifyDelivery(secret, headers, body);
    const forged = await verifyDelivery(secret, headers, new TextDecoder().decode(body).replace("ping", "pong")).catch(
      (flaw: unknown) => (flaw instanceof SignatureError ? "refused" : flaw),
    );
    const deliveries = await collected(bindery.deliveries(webhook.id));
    const listed = deliveries.some(({ event_id }) => event_id === ping.event_id);
    const { status } = await bindery.removeWebhook(webhook.id);
    return { type: event.type, forged, listed, status };
  },

  async clock() {
    const before = Date.parse((await bindery.showClock()).now);
    return { moved: Date.parse((await bindery.moveClock(0)).now) >= before };
  },
};

const asked = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as { steps: { step: string }[] };
const gave: object[] = [];
for (const { step } of asked.steps) gave.push(await steps[step]!());
console.log(JSON.stringify(gave));
