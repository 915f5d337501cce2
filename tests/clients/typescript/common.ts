// What the three flows share: what is asked for, and what is reported at the end. The request has no type of
// its own on purpose: each generated client has to take it as it is.
export const url = process.env["BINDERY_URL"]!;
export const token = process.env["BINDERY_TOKEN"]!;

export const request = {
  client: {
    name: process.env["BINDERY_COMPANY"]!,
    revenue: 2_500_000,
    broker_email: "broker@example.com",
    address: { street: "1200 Market Street", city: "Philadelphia", zip: "19107", state: "PA" },
    domains: ["clean.example.com"],
    industry: "311812",
    metadata: { crm: "A-17" },
  },
  policy: { insurance_product: "CYB" as const, quotes: [{ aggregate_limit: 1_000_000 as const }] },
  questions: [
    { id: "Q2134", value: true },
    { id: "Q2314", value: 35 },
    { id: "Q2244", value: ["None of the above"] },
    { id: "Q2159", value: false },
    { id: "Q2142", value: true },
    { id: "Q2300", value: true },
    { id: "Q2301", value: true },
    { id: "Q2146", value: false },
    { id: "Q2147", value: false },
  ],
};

export const effective = new Date(Date.now() + 7 * 24 * 3600 * 1000).toISOString().slice(0, 10);

export const aSecond = () => new Promise((resolve) => setTimeout(resolve, 1000));

export function signatureOf(quote: { contingencies: { contingency_id: string; text: string }[] }): string {
  return quote.contingencies.find(({ text }) => text.includes("signed"))!.contingency_id;
}

export const asFile = (application: Blob) =>
  new File([application], "application.pdf", { type: "application/pdf" });

export type Answers = {
  quote: { quote_status: string; client: { metadata?: { [key: string]: unknown } } };
  uploaded: { finding: string };
  bound: { quotes: { outcome: string }[] };
  policy: Blob;
  feed: { events: { type: string }[] };
  unknown: { code: string };
};

export async function report({ quote, uploaded, bound, policy, feed, unknown }: Answers): Promise<void> {
  const facts = {
    status: quote.quote_status,
    finding: uploaded.finding,
    outcome: bound.quotes[0]!.outcome,
    policy_pdf: (await policy.text()).slice(0, 5),
    metadata: quote.client.metadata,
    events: feed.events.map(({ type }) => type),
    unknown: unknown.code,
  };
  console.log(JSON.stringify(facts));
}
