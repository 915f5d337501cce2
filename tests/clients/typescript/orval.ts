// A partner's program on the client that orval makes, its answers checked by the zod schemas it makes.
import {
  bindQuote,
  createQuotes,
  downloadDocument,
  getQuote,
  listEvents,
  signedApplication,
  uploadDocument,
  type QuoteBody,
} from "./generated/orval/bindery";
import { GetQuoteResponse, ListEventsResponse } from "./generated/orval/bindery.zod";
import { aSecond, asFile, effective, report, request, signatureOf, token } from "./common.js";

const authorized = { headers: { Authorization: `Bearer ${token}` } };
const jsonRequest = { headers: { ...authorized.headers, "Content-Type": "application/json" } };

async function waitFor(identifier: string): Promise<QuoteBody> {
  for (;;) {
    const answer = await getQuote(identifier, { headers: { ...authorized.headers, Prefer: "wait=20" } });
    if (answer.status === 200) return answer.data;
    if (answer.status !== 202) throw new Error(`answered ${answer.status}`);
  }
}

async function download(documentType: "application" | "policy", identifier: string): Promise<Blob> {
  for (;;) {
    const answer = await downloadDocument(documentType, identifier, {}, authorized);
    if (answer.status === 200) return answer.data;
    if (answer.status !== 202) throw new Error(`answered ${answer.status}`);
    await aSecond();
  }
}

async function main(): Promise<void> {
  const created = await createQuotes(request, jsonRequest);
  if (created.status !== 200) throw new Error(`answered ${created.status}`);
  const identifier = created.data.quotes[0]!.quote_identifier;
  const quote = await waitFor(identifier);
  GetQuoteResponse.parse(quote);
  await download("application", identifier);
  const signed = await signedApplication(identifier, authorized);
  if (signed.status !== 200) throw new Error(`answered ${signed.status}`);
  const application = signed.data;
  const uploaded = await uploadDocument(
    {
      quote_identifier: identifier,
      contingency: signatureOf(quote),
      file: asFile(application),
    },
    authorized,
  );
  if (uploaded.status !== 200) throw new Error(`answered ${uploaded.status}`);
  const bound = await bindQuote(
    { quote_identifier: identifier, dates: { effective }, app_attestation: true },
    jsonRequest,
  );
  if (bound.status !== 200) throw new Error(`answered ${bound.status}`);
  const policy = await download("policy", identifier);
  const feed = await listEvents({ quote_identifier: identifier }, authorized);
  if (feed.status !== 200) throw new Error(`answered ${feed.status}`);
  ListEventsResponse.parse(feed.data);
  const unknown = await getQuote(crypto.randomUUID(), authorized);
  if (unknown.status !== 404) throw new Error(`answered ${unknown.status}`);
  await report({ quote, uploaded: uploaded.data, bound: bound.data, policy, feed: feed.data, unknown: unknown.data });
}

void main();
