// A partner's program on openapi-typescript and openapi-fetch: from a quote to a policy.
import createClient from "openapi-fetch";
import type { components, paths } from "./generated/openapi_typescript.js";
import { aSecond, asFile, effective, report, request, signatureOf, token, url } from "./common.js";

type Quote = components["schemas"]["QuoteBody"];

const api = createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });

async function waitFor(identifier: string): Promise<Quote> {
  for (;;) {
    const { data, error } = await api.GET("/v2/quotes/{identifier}", {
      params: { path: { identifier }, header: { Prefer: "wait=20" } },
    });
    if (!data) throw new Error(error?.message);
    if ("premium" in data) return data;
  }
}

async function download(document_type: "application" | "policy", identifier: string): Promise<Blob> {
  for (;;) {
    const { data, error, response } = await api.GET("/v2/quotes/{document_type}/{identifier}", {
      params: { path: { document_type, identifier } },
      parseAs: "blob",
    });
    if (!data) throw new Error(error?.message);
    if (response.status === 200) return data;
    await aSecond();
  }
}

async function main(): Promise<void> {
  const created = await api.POST("/v2/quotes", {
    body: request,
    params: { header: { "Idempotency-Key": crypto.randomUUID() } },
  });
  if (!created.data) throw new Error(created.error.message);
  const identifier = created.data.quotes[0]!.quote_identifier;
  const quote = await waitFor(identifier);
  await download("application", identifier);
  const signed = await api.GET("/v2/demo/quotes/{identifier}/signed_application", {
    params: { path: { identifier } },
    parseAs: "blob",
  });
  if (!signed.data) throw new Error(signed.error.message);
  const application: Blob = signed.data;
  const uploaded = await api.POST("/v2/documents", {
    // The tool writes a file as a string; the form takes it as it is.
    body: { quote_identifier: identifier, contingency: signatureOf(quote), file: "" },
    bodySerializer: (body) => {
      const form = new FormData();
      form.set("quote_identifier", body.quote_identifier);
      form.set("contingency", body.contingency!);
      form.set("file", asFile(application));
      return form;
    },
  });
  if (!uploaded.data) throw new Error(uploaded.error.message);
  const bound = await api.POST("/v2/binds", {
    body: { quote_identifier: identifier, dates: { effective }, app_attestation: true },
  });
  if (!bound.data) throw new Error(bound.error.message);
  if (!("quotes" in bound.data)) throw new Error(bound.data.error);
  const policy = await download("policy", identifier);
  const feed = await api.GET("/v2/events", { params: { query: { quote_identifier: identifier } } });
  if (!feed.data) throw new Error(feed.error.message);
  const unknown = await api.GET("/v2/quotes/{identifier}", {
    params: { path: { identifier: crypto.randomUUID() } },
  });
  if (!unknown.error) throw new Error("An unknown quote was found.");
  await report({ quote, uploaded: uploaded.data, bound: bound.data, policy, feed: feed.data, unknown: unknown.error });
}

void main();
