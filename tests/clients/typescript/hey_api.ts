// A partner's program on the client that hey-api makes: from a quote to a policy.
import { client } from "./generated/hey_api/client.gen";
import {
  bindQuote,
  createQuotes,
  downloadDocument,
  getQuote,
  listEvents,
  signedApplication,
  uploadDocument,
} from "./generated/hey_api/sdk.gen";
import type { QuoteBody } from "./generated/hey_api/types.gen";
import { aSecond, asFile, effective, report, request, signatureOf, token, url } from "./common.js";

client.setConfig({ baseUrl: url, auth: () => token });

async function waitFor(identifier: string): Promise<QuoteBody> {
  for (;;) {
    const { data } = await getQuote({
      path: { identifier },
      headers: { Prefer: "wait=20" },
      throwOnError: true,
    });
    if ("premium" in data) return data;
  }
}

async function download(document_type: "application" | "policy", identifier: string): Promise<Blob> {
  for (;;) {
    const { data } = await downloadDocument({ path: { document_type, identifier }, throwOnError: true });
    if (data instanceof Blob) return data;
    await aSecond();
  }
}

async function main(): Promise<void> {
  const created = await createQuotes({
    body: request,
    headers: { "Idempotency-Key": crypto.randomUUID() },
    throwOnError: true,
  });
  const identifier = created.data.quotes[0]!.quote_identifier;
  const quote = await waitFor(identifier);
  await download("application", identifier);
  const signed = await signedApplication({ path: { identifier }, throwOnError: true });
  const application = signed.data as Blob;
  const uploaded = await uploadDocument({
    body: {
      quote_identifier: identifier,
      contingency: signatureOf(quote),
      file: asFile(application),
    },
    throwOnError: true,
  });
  const bound = await bindQuote({
    body: { quote_identifier: identifier, dates: { effective }, app_attestation: true },
    throwOnError: true,
  });
  if (!("quotes" in bound.data)) throw new Error(bound.data.error);
  const policy = await download("policy", identifier);
  const feed = await listEvents({ query: { quote_identifier: identifier }, throwOnError: true });
  const unknown = await getQuote({ path: { identifier: crypto.randomUUID() } });
  if (!unknown.error) throw new Error("An unknown quote was found.");
  await report({ quote, uploaded: uploaded.data, bound: bound.data, policy, feed: feed.data, unknown: unknown.error });
}

void main();
