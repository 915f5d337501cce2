// From a request to a policy on disk:
//   BINDERY_TOKEN=… node quote-to-policy.ts ../cyb.json policy.pdf
import { readFile, writeFile } from "node:fs/promises";
import { ApiError, Bindery, type QuoteRequest } from "@bindery/client";

async function main(requestFile: string, policyFile: string): Promise<void> {
  const request = JSON.parse(await readFile(requestFile, "utf8")) as QuoteRequest;
  const bindery = new Bindery({
    token: process.env["BINDERY_TOKEN"] ?? "",
    baseUrl: process.env["BINDERY_URL"] ?? "http://127.0.0.1:8000",
  });

  const quotes = await bindery.quote(request);
  for (const { aggregate_limit, quote_status, premium } of quotes) {
    console.log(`${aggregate_limit.toLocaleString("en-US")}  ${quote_status}  premium ${premium}`);
  }
  const chosen = quotes.find(({ available_actions }) => available_actions.includes("bind"));
  if (!chosen) throw new Error("No option can be bound.");

  // Your e-signature provider takes bindery.download("application", chosen); the demo signs it itself.
  const upload = await bindery.uploadSigned(chosen, await bindery.signedApplication(chosen));
  console.log(upload.message);

  const bound = await bindery.bind(chosen, { attested: true });
  console.log(bound.outcome, bound.policy_number);

  await writeFile(policyFile, await bindery.download("policy", bound));
  console.log(`Saved ${policyFile}.`);
}

try {
  await main(process.argv[2] ?? "", process.argv[3] ?? "policy.pdf");
} catch (fault) {
  if (!(fault instanceof ApiError)) throw fault;
  for (const { path, message } of fault.problems) console.error(`${path}: ${message}`);
  console.error(`${fault.message} (${fault.code}, ${fault.requestId || "no request id"})`);
  process.exitCode = 1;
}
