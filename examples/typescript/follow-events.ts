// Print what happened since the last run; the place in the feed is kept in a file:
//   BINDERY_TOKEN=… node follow-events.ts cursor.txt
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Bindery } from "@bindery/client";

const cursorFile = process.argv[2] ?? "cursor.txt";
const bindery = new Bindery({
  token: process.env["BINDERY_TOKEN"] ?? "",
  baseUrl: process.env["BINDERY_URL"] ?? "http://127.0.0.1:8000",
});

const after = existsSync(cursorFile) ? readFileSync(cursorFile, "utf8").trim() : undefined;
for await (const page of bindery.eventPages({ after })) {
  for (const event of page.events) {
    console.log(event.timestamp, event.type, event.data.quote_identifier);
    // Each type of event has its own data.
    if (event.type === "quote.published") console.log(`  premium ${event.data.premium}`);
  }
  writeFileSync(cursorFile, page.next_cursor); // after the page was dealt with: nothing is lost
}
